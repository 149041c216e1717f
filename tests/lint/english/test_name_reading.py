"""Readings of real message names, and the lexicon behind them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lint import english
from babelreg.lint.english import VerbForm, inflection, lexicon

ROOT = Path(__file__).parents[3]
VERBS_FILE = Path(lexicon.__file__).with_name("verbs.txt")


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_english", ROOT / "benchmarks" / "english.py")
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
        pytest.param("created", VerbForm.PAST, "created", id="a regular participle"),
        pytest.param("paid", VerbForm.PAST, "paid", id="an irregular participle"),
        pytest.param("underwrote", VerbForm.PAST, "underwrote", id="an irregular past that is no participle"),
        pytest.param("upserted", VerbForm.PAST, "upserted", id="a verb that only programmers use"),
        pytest.param("frobnicated", VerbForm.PAST, "frobnicated", id="an unknown word that ends like a past form"),
        pytest.param("rebuilt", VerbForm.PAST, "rebuilt", id="irregular with a prefix"),
        pytest.param("requeued", VerbForm.PAST, "requeued", id="a prefix before a verb"),
        pytest.param("invoice.requested", VerbForm.PAST, "requested", id="the last sub-part decides"),
        pytest.param("created.eu-1.v2", VerbForm.UNKNOWN, "", id="a sub-part without a verb decides nothing"),
        pytest.param("created.v2", VerbForm.PAST, "created", id="a version is no word"),
        pytest.param("signed-up", VerbForm.PAST, "signed", id="a particle follows"),
        pytest.param("checked_out", VerbForm.PAST, "checked", id="a particle follows an underscore"),
        pytest.param("created-by-admin", VerbForm.PAST, "created", id="a phrase follows"),
        pytest.param("failed_to_create", VerbForm.PAST, "failed", id="an infinitive follows"),
        pytest.param("payment_failed", VerbForm.PAST, "failed", id="a noun stands before"),
        pytest.param("order_shipped_late", VerbForm.PAST, "shipped", id="an adverb follows"),
        pytest.param("thumbnail.generate", VerbForm.BASE, "generate", id="an imperative"),
        pytest.param("email.welcome.send", VerbForm.BASE, "send", id="an imperative in the third sub-part"),
        pytest.param("send_email", VerbForm.BASE, "send", id="an imperative before its object"),
        pytest.param("unsubscribe", VerbForm.BASE, "unsubscribe", id="a prefix before an imperative"),
        pytest.param("creates", VerbForm.THIRD_PERSON, "creates", id="third person"),
        pytest.param("requires_action", VerbForm.THIRD_PERSON, "requires", id="third person before its object"),
        pytest.param("creating", VerbForm.GERUND, "creating", id="a gerund"),
        pytest.param("meeting", VerbForm.AMBIGUOUS, "meeting", id="a gerund that is a noun"),
        pytest.param("orders", VerbForm.AMBIGUOUS, "orders", id="third person or plural"),
        pytest.param("put", VerbForm.AMBIGUOUS, "put", id="past and base alike"),
        pytest.param("password_reset", VerbForm.AMBIGUOUS, "reset", id="past and base alike after a noun"),
        pytest.param("found", VerbForm.AMBIGUOUS, "found", id="past of one verb and base of another"),
        pytest.param("payment.refund", VerbForm.AMBIGUOUS, "refund", id="a verb that is a noun"),
        pytest.param("order.complete", VerbForm.AMBIGUOUS, "complete", id="a verb that is an adjective"),
        pytest.param("trial_will_end", VerbForm.AMBIGUOUS, "end", id="a plan"),
        pytest.param("failed_create", VerbForm.AMBIGUOUS, "create", id="a verb used as a noun after a participle"),
        pytest.param("failed_payment", VerbForm.AMBIGUOUS, "failed", id="a participle used as an adjective"),
        pytest.param("accept_failed", VerbForm.AMBIGUOUS, "failed", id="two verbs that disagree"),
        pytest.param(
            "add-parcel-to-order-rejected", VerbForm.AMBIGUOUS, "parcel", id="a second verb behind the phrase"
        ),
        pytest.param("outcomes", VerbForm.UNKNOWN, "", id="a noun made of a prefix and a verb"),
        pytest.param("in_transit", VerbForm.UNKNOWN, "", id="a phrase without a verb"),
        pytest.param("bestellung.erstellt", VerbForm.UNKNOWN, "", id="not English"),
        pytest.param("kyc", VerbForm.UNKNOWN, "", id="an acronym"),
        pytest.param("hundred", VerbForm.UNKNOWN, "", id="a noun that looks like a past form"),
        pytest.param("v2", VerbForm.UNKNOWN, "", id="a version alone"),
        pytest.param("", VerbForm.UNKNOWN, "", id="nothing"),
        pytest.param(".-_.", VerbForm.UNKNOWN, "", id="separators alone"),
    ],
)
def test_the_deciding_word_gives_the_form(name: str, form: VerbForm, word: str) -> None:
    assert english.read(name) == english.NameReading(form, word)
    assert english.form(name) is form


@pytest.mark.parametrize(
    "form, event, command",
    [
        pytest.param(VerbForm.PAST, False, True, id="past is no command"),
        pytest.param(VerbForm.BASE, True, False, id="an imperative is no event"),
        pytest.param(VerbForm.THIRD_PERSON, True, True, id="third person is neither"),
        pytest.param(VerbForm.GERUND, False, True, id="a gerund may be an event that begins"),
        pytest.param(VerbForm.AMBIGUOUS, False, False, id="doubt contradicts nothing"),
        pytest.param(VerbForm.UNKNOWN, False, False, id="ignorance contradicts nothing"),
    ],
)
def test_only_clear_forms_contradict(form: VerbForm, event: bool, command: bool) -> None:
    reading = english.NameReading(form)
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
    assert (reading.word == "") is (reading.form is VerbForm.UNKNOWN)
    english.as_event(name)
    english.as_command(name)


@given(st.sampled_from(sorted(lexicon._lexicon().flags)))
def test_every_verb_of_the_lexicon_is_found_in_its_past(verb: str) -> None:
    past = english.past(verb)
    assert past is not None
    assert verb in lexicon.look_up(past).bases
    assert english.form(past) in (VerbForm.PAST, VerbForm.AMBIGUOUS)


@given(st.from_regex(r"[a-z]{2,8}", fullmatch=True), st.sampled_from(["", "d", "D"]))
def test_a_regular_form_leads_back_to_its_base(base: str, flag: str) -> None:
    assert all(base in inflection.past_bases(form) for form in inflection.past_forms(base, flag) if base[-1] != "c")
    assert all(base in inflection.gerund_bases(form) for form in inflection.gerund_forms(base, flag) if base[-1] != "c")
    assert base in inflection.third_bases(inflection.third_form(base))


def test_the_lexicon_is_small_and_names_its_terms() -> None:
    assert VERBS_FILE.stat().st_size <= 150_000
    notice = VERBS_FILE.with_name("NOTICE.txt").read_text(encoding="ascii")
    assert "The MIT License" in notice
    assert "U.S. National Library of Medicine" in notice
