from __future__ import annotations

import gzip
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lint import english
from babelreg.lint.english import Form, build, lexicon, morphology

ROOT = Path(__file__).parents[2]


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_english", ROOT / "tests" / "benchmarks" / "english.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()
VERBS = BENCHMARK.verbs()
NAMES = BENCHMARK.names()


@pytest.mark.parametrize(
    "name, form, word",
    [
        pytest.param("created", Form.PAST, "created", id="a regular participle"),
        pytest.param("paid", Form.PAST, "paid", id="an irregular participle"),
        pytest.param("underwrote", Form.PAST, "underwrote", id="an irregular past that is no participle"),
        pytest.param("upserted", Form.PAST, "upserted", id="a verb that only programmers use"),
        pytest.param("frobnicated", Form.PAST, "frobnicated", id="an unknown word that ends like a past form"),
        pytest.param("rebuilt", Form.PAST, "rebuilt", id="irregular with a prefix"),
        pytest.param("requeued", Form.PAST, "requeued", id="a prefix before a verb"),
        pytest.param("invoice.requested", Form.PAST, "requested", id="the last sub-part decides"),
        pytest.param("created.eu-1.v2", Form.UNKNOWN, "", id="a sub-part without a verb decides nothing"),
        pytest.param("created.v2", Form.PAST, "created", id="a version is no word"),
        pytest.param("signed-up", Form.PAST, "signed", id="a particle follows"),
        pytest.param("checked_out", Form.PAST, "checked", id="a particle follows an underscore"),
        pytest.param("created-by-admin", Form.PAST, "created", id="a phrase follows"),
        pytest.param("failed_to_create", Form.PAST, "failed", id="an infinitive follows"),
        pytest.param("payment_failed", Form.PAST, "failed", id="a noun stands before"),
        pytest.param("order_shipped_late", Form.PAST, "shipped", id="an adverb follows"),
        pytest.param("thumbnail.generate", Form.BASE, "generate", id="an imperative"),
        pytest.param("email.welcome.send", Form.BASE, "send", id="an imperative in the third sub-part"),
        pytest.param("send_email", Form.BASE, "send", id="an imperative before its object"),
        pytest.param("unsubscribe", Form.BASE, "unsubscribe", id="a prefix before an imperative"),
        pytest.param("creates", Form.THIRD_PERSON, "creates", id="third person"),
        pytest.param("requires_action", Form.THIRD_PERSON, "requires", id="third person before its object"),
        pytest.param("creating", Form.GERUND, "creating", id="a gerund"),
        pytest.param("meeting", Form.AMBIGUOUS, "meeting", id="a gerund that is a noun"),
        pytest.param("orders", Form.AMBIGUOUS, "orders", id="third person or plural"),
        pytest.param("put", Form.AMBIGUOUS, "put", id="past and base alike"),
        pytest.param("password_reset", Form.AMBIGUOUS, "reset", id="past and base alike after a noun"),
        pytest.param("found", Form.AMBIGUOUS, "found", id="past of one verb and base of another"),
        pytest.param("payment.refund", Form.AMBIGUOUS, "refund", id="a verb that is a noun"),
        pytest.param("order.complete", Form.AMBIGUOUS, "complete", id="a verb that is an adjective"),
        pytest.param("trial_will_end", Form.AMBIGUOUS, "end", id="a plan"),
        pytest.param("failed_create", Form.AMBIGUOUS, "create", id="a verb used as a noun after a participle"),
        pytest.param("failed_payment", Form.AMBIGUOUS, "failed", id="a participle used as an adjective"),
        pytest.param("accept_failed", Form.AMBIGUOUS, "failed", id="two verbs that disagree"),
        pytest.param("add-parcel-to-order-rejected", Form.AMBIGUOUS, "parcel", id="a second verb behind the phrase"),
        pytest.param("outcomes", Form.UNKNOWN, "", id="a noun made of a prefix and a verb"),
        pytest.param("in_transit", Form.UNKNOWN, "", id="a phrase without a verb"),
        pytest.param("bestellung.erstellt", Form.UNKNOWN, "", id="not English"),
        pytest.param("kyc", Form.UNKNOWN, "", id="an acronym"),
        pytest.param("hundred", Form.UNKNOWN, "", id="a noun that looks like a past form"),
        pytest.param("v2", Form.UNKNOWN, "", id="a version alone"),
        pytest.param("", Form.UNKNOWN, "", id="nothing"),
        pytest.param(".-_.", Form.UNKNOWN, "", id="separators alone"),
    ],
)
def test_the_deciding_word_gives_the_form(name: str, form: Form, word: str) -> None:
    assert english.read(name) == english.Reading(form, word)
    assert english.form(name) is form


@pytest.mark.parametrize(
    "form, event, command",
    [
        pytest.param(Form.PAST, False, True, id="past is no command"),
        pytest.param(Form.BASE, True, False, id="an imperative is no event"),
        pytest.param(Form.THIRD_PERSON, True, True, id="third person is neither"),
        pytest.param(Form.GERUND, False, True, id="a gerund may be an event that begins"),
        pytest.param(Form.AMBIGUOUS, False, False, id="doubt contradicts nothing"),
        pytest.param(Form.UNKNOWN, False, False, id="ignorance contradicts nothing"),
    ],
)
def test_only_clear_forms_contradict(form: Form, event: bool, command: bool) -> None:
    reading = english.Reading(form)
    assert (reading.contradicts_event, reading.contradicts_command) == (event, command)


@pytest.mark.parametrize(
    "name, event, command",
    [
        pytest.param("create", "created", "create", id="one word"),
        pytest.param("cancel", "canceled", "cancel", id="two spellings give the first"),
        pytest.param("email.welcome.send", "email.welcome.sent", "email.welcome.send", id="the sub-parts stay"),
        pytest.param("send_email", "email_sent", "send_email", id="a participle stands behind its object"),
        pytest.param("signed-up.v2", "signed-up.v2", "sign-up.v2", id="particle and version stay"),
        pytest.param("requires_action", "action_required", "require_action", id="third person"),
        pytest.param("routed", "routed", "route", id="the likelier of two verbs"),
        pytest.param("status.update", None, None, id="nothing where the form is in doubt"),
    ],
)
def test_a_name_is_turned_into_the_other_kind(name: str, event: str | None, command: str | None) -> None:
    assert (english.as_event(name), english.as_command(name)) == (event, command)


def test_the_verbs_are_read_and_inflected_right() -> None:
    assert len(VERBS) >= 200
    assert sum(verb.group == "irregular" for verb in VERBS) >= 80
    known = [verb for verb in VERBS if verb.group != "held-out"]
    held_out = [verb for verb in VERBS if verb.group == "held-out"]
    assert BENCHMARK.verb_score(known).rate <= 0.01, BENCHMARK.verb_score(known).wrong
    assert BENCHMARK.verb_score(held_out).rate <= 0.08, BENCHMARK.verb_score(held_out).wrong


@pytest.mark.parametrize("held_out", [pytest.param(False, id="tuned on"), pytest.param(True, id="held out")])
def test_real_names_raise_few_false_alarms(held_out: bool) -> None:
    chosen = [name for name in NAMES if name.held_out is held_out]
    score = BENCHMARK.false_alarms(chosen)
    assert score.total >= 300
    assert score.rate <= 0.02, score.wrong


def test_badly_named_events_are_found() -> None:
    score = BENCHMARK.misses(NAMES)
    assert score.total >= 100
    assert score.rate <= 0.35, score.wrong


def test_every_real_name_has_a_kind_and_a_source_and_stands_once() -> None:
    assert {name.kind for name in NAMES} == {"event", "command", "misnamed-event", "misnamed-command"}
    assert all(name.source for name in NAMES)
    assert len({name.spelled for name in NAMES}) == len(NAMES)


@given(st.text(max_size=60) | st.from_regex(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+){0,3}", fullmatch=True))
def test_any_text_has_a_reading(name: str) -> None:
    reading = english.read(name)
    assert (reading.word == "") is (reading.form is Form.UNKNOWN)
    english.as_event(name)
    english.as_command(name)


@given(st.sampled_from(sorted(lexicon._lexicon().flags)))
def test_every_verb_of_the_lexicon_is_found_in_its_past(verb: str) -> None:
    past = english.past(verb)
    assert past is not None
    assert verb in lexicon.look_up(past).bases
    assert english.form(past) in (Form.PAST, Form.AMBIGUOUS)


@given(st.from_regex(r"[a-z]{2,8}", fullmatch=True), st.sampled_from(["", "d", "D"]))
def test_a_regular_form_leads_back_to_its_base(base: str, flag: str) -> None:
    assert all(base in morphology.past_bases(form) for form in morphology.past_forms(base, flag) if base[-1] != "c")
    assert all(base in morphology.gerund_bases(form) for form in morphology.gerund_forms(base, flag) if base[-1] != "c")
    assert base in morphology.third_bases(morphology.third_form(base))


@pytest.mark.parametrize(
    "row, expected",
    [
        pytest.param("abate,verb,abated,,abating,abates", "- abate", id="regular"),
        pytest.param("stop,verb,stopped,,stopping,stops", "d stop", id="doubled"),
        pytest.param("level,verb,leveled/levelled,,leveling/levelling,levels", "D level", id="both spellings"),
        pytest.param("send,verb,sent,sent,sending,sends", "= send - sent", id="irregular"),
        pytest.param("take,verb,took,taken,taking,takes", "= take - took taken", id="irregular with a participle"),
        pytest.param("age,verb,aged,,ageing/aging,ages", "= age - - - ageing", id="an unruly gerund"),
        pytest.param("ship,verb,shipped,,shipping,ships\nship,noun,ships", "dn ship", id="a noun too"),
        pytest.param("meet,verb,met,met,meeting,meets\nmeeting,noun,meetings", "= meet g met", id="its gerund a noun"),
        pytest.param("watershed,noun,watersheds", "! watershed", id="a noun that looks like a past form"),
    ],
)
def test_the_build_shortens_what_rules_give(tmp_path: Path, row: str, expected: str) -> None:
    wheel = tmp_path / "lexicon.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(build.INFLECTIONS, gzip.compress(row.encode()))
        archive.writestr(build.LEMMAS, gzip.compress(b""))
        archive.writestr(build.OVERRIDES, "")
    assert expected in _entries(build.build(wheel))


def _entries(text: str) -> set[str]:
    """The lines of irregular verbs as they stand, and every other word with its mark."""
    lines = text.splitlines()
    return {line for line in lines if line[0] == "="} | {
        f"{line.split()[0]} {word}" for line in lines if line[0] not in "=#" for word in line.split()[1:]
    }


def test_the_lexicon_is_small_and_names_its_terms() -> None:
    assert build.TARGET.stat().st_size <= 150_000
    notice = build.TARGET.with_name("NOTICE.txt").read_text(encoding="ascii")
    assert "The MIT License" in notice
    assert "U.S. National Library of Medicine" in notice
