"""Breaking changes that are accepted: which change a waiver is for, what it hides, and how it lapses."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from message_versions import shown
from steps import steps

from babelreg import load
from babelreg.breaking.baseline import against
from babelreg.breaking.changes.waivers import BreakingWaivers, change_id
from babelreg.breaking.check import traffic_counts
from babelreg.breaking.check.run import check
from babelreg.breaking.rules import PAGES, WAIVABLE
from babelreg.finding import Finding
from babelreg.lint.manual.catalog import parse_page
from babelreg.load.files.tree import Memory
from babelreg.load.yaml.emitter import spell
from babelreg.model import Message, Registry
from babelreg.report import RunInfo, render

TODAY = date(2026, 11, 21)
CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
POINTER = "/data/properties/total/minimum"
OLD = {"total": {"type": "integer"}}
NEW = {"total": {"type": "integer", "minimum": 1}}
RUN_INFO = RunInfo("babelreg breaking")
PROSE = {"title": "T", "description": "Any.", "default": 0, "examples": [1], "$comment": "c", "x-owner": "me"}


def registry(files: dict[str, str]) -> Registry:
    """A registry of these files. A message file is given as what stands behind ``data:``."""
    bodies = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n"}
    for path, text in files.items():
        urn = "urn:babel:" + path.removesuffix(".yaml").replace("/", ":")
        bodies[path] = f"urn: {urn}\nkind: event\ndata: {text}\n" if path.startswith("orders/") else text
    read = load.from_tree(Memory({path: body.encode() for path, body in bodies.items()}))
    assert not read.defects, read.defects
    return read


def data(properties: Any) -> str:
    return spell({"type": "object", "properties": properties})


def settings(*waivers: dict[str, str]) -> str:
    return "version: 1\nbreaking: " + spell({"waivers": list(waivers)}) + "\n"


def waiver(**said: str | None) -> dict[str, str]:
    """A waiver of the change from OLD to NEW, but for what is ``said``; None leaves a key out."""
    (found,) = judged(OLD, NEW)
    assert found.change
    entry = {"rule": found.rule, "urn": CREATED, "pointer": POINTER, "change": found.change, "reason": "sold by ones"}
    return {key: value for key, value in {**entry, **said}.items() if value is not None}


def judged(old: Any, new: Any, *waivers: dict[str, str], today: date = TODAY) -> list[Finding]:
    now = registry({"orders/created.yaml": data(new), "babelreg.yaml": settings(*waivers)})
    before = registry({"orders/created.yaml": data(old)})
    return check(before, now, waivers=BreakingWaivers.of(now.settings, WAIVABLE, today))


def ids(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


@pytest.mark.parametrize(
    "said, left",
    [
        pytest.param({}, [], id="the change it was written for"),
        pytest.param({"pointer": None}, [], id="without a pointer, all of the message"),
        pytest.param({"pointer": f"orders/created.yaml#{POINTER}"}, [], id="with the file before the pointer"),
        pytest.param({"expires": "2026-11-21"}, [], id="on its last day"),
        pytest.param({"expires": "2026-11-20"}, ["breaking-waiver-expired"], id="after its last day"),
        pytest.param({"change": "000000000000"}, ["breaking-waiver-unused"], id="of another change"),
        pytest.param({"pointer": "/data/properties/id"}, ["breaking-waiver-unused"], id="at another place"),
        pytest.param({"pointer": f"_common/a.yaml#{POINTER}"}, ["breaking-waiver-unused"], id="in another file"),
        pytest.param({"urn": PAID}, ["breaking-waiver-unused"], id="of another message"),
        pytest.param({"rule": "type-changed"}, ["breaking-waiver-unused"], id="of another rule"),
        pytest.param({"rule": "type-chagned"}, ["breaking-waiver-invalid"], id="of no rule"),
        pytest.param({"rule": "breaking-waiver-unused"}, ["breaking-waiver-invalid"], id="of a rule about waivers"),
        pytest.param({"expires": "2026-02-30"}, ["breaking-waiver-invalid"], id="until no day at all"),
        pytest.param({"reason": "TODO: say why"}, ["breaking-waiver-invalid"], id="with the reason as printed"),
        pytest.param({"reason": " - "}, ["breaking-waiver-invalid"], id="without a word of reason"),
    ],
)
def test_what_a_waiver_hides(said: dict[str, str | None], left: list[str]) -> None:
    hidden = [] if not left else [*left, "number-range-changed"]
    assert sorted(ids(judged(OLD, NEW, waiver(**said)))) == hidden


LASTING = {"rule": "value-changed", "urn": CREATED, "pointer": "/data/properties/version/const", "reason": "releases"}
RELEASED = [{"version": {"const": "0.5.0"}}, {"version": {"const": "0.6.0"}}, {"version": {"const": "0.7.0"}}]


@pytest.mark.parametrize(
    "old, new, expires, left",
    [
        pytest.param(RELEASED[0], RELEASED[1], "2026-11-21", ["breaking-waiver-lasting"], id="a release"),
        pytest.param(RELEASED[1], RELEASED[2], "2026-11-21", ["breaking-waiver-lasting"], id="the next release"),
        pytest.param(RELEASED[0], RELEASED[0], "2026-11-21", ["breaking-waiver-lasting"], id="no change"),
        pytest.param(
            RELEASED[0],
            RELEASED[1],
            "2026-11-20",
            ["breaking-waiver-expired", "value-changed"],
            id="after its last day",
        ),
        pytest.param(
            {"version": {"const": "0.5.0"}, "id": {"const": 1}},
            {"version": {"const": "0.6.0"}, "id": {"const": 2}},
            "2026-11-21",
            ["breaking-waiver-lasting", "value-changed"],
            id="another place",
        ),
    ],
)
def test_a_waiver_without_a_change_lasts_at_its_place(old: Any, new: Any, expires: str, left: list[str]) -> None:
    assert sorted(set(ids(judged(old, new, {**LASTING, "expires": expires})))) == left


def test_a_lasting_waiver_is_listed_with_what_it_hides() -> None:
    listed = [
        finding.message
        for new in (RELEASED[0], RELEASED[1])
        for finding in judged(RELEASED[0], new, {**LASTING, "expires": "2026-12-31"})
    ]
    waived = f"'value-changed' at {LASTING['pointer']} of {CREATED} is waived until 2026-12-31 (releases): hides "
    assert listed == [f"{waived}nothing", f"{waived}1 finding"]


@pytest.mark.parametrize(
    "pointer, left",
    [
        pytest.param("/data/properties/total", ["number-range-changed"], id="above the place"),
        pytest.param("/data", ["number-range-changed"], id="the message"),
        pytest.param(POINTER, [], id="the place"),
        pytest.param(f"orders/created.yaml#{POINTER}", [], id="the place with its file"),
    ],
)
def test_a_lasting_waiver_hides_nothing_below_its_place(pointer: str, left: list[str]) -> None:
    found = ids(judged(OLD, NEW, waiver(pointer=pointer, change=None)))
    assert [rule for rule in found if rule != "breaking-waiver-lasting"] == left


def test_a_lasting_waiver_hides_no_other_rule_at_its_place() -> None:
    found = ids(judged(OLD, NEW, waiver(rule="value-changed", change=None)))
    assert found == ["number-range-changed", "breaking-waiver-lasting"]


def test_a_lasting_waiver_of_an_object_hides_none_of_its_properties() -> None:
    entry = waiver(rule="property-declared", pointer="/data/properties", change=None)
    old = {"x": {"type": "object"}}
    new = {"x": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}
    entry["pointer"] = "/data/properties/x/properties"
    assert ids(judged(old, new, entry)) == ["property-declared", "breaking-waiver-lasting"]
    entry["pointer"] += "/a"
    (found, _) = judged(old, new, entry)
    assert found.message.startswith("property 'x.b' is declared now")


@pytest.mark.parametrize("rule", ["containment-unknown", "schema-replaced"])
def test_some_rules_are_waived_for_one_change_only(rule: str) -> None:
    (fault,) = judged(NEW, NEW, waiver(rule=rule, change=None))
    assert fault.rule == "breaking-waiver-invalid"
    assert fault.message.startswith(f"a waiver of '{rule}' cannot be permanent")


def test_a_waiver_needs_a_change_or_a_place() -> None:
    body = settings({"rule": "value-changed", "urn": CREATED, "reason": "releases"})
    (defect,) = load.from_tree(Memory({"babelreg.yaml": body.encode()})).defects
    assert "'change' or 'pointer'" in f"{defect.message} {defect.fix}"


GROWN = {"x": {"type": "object", "properties": {name: {"type": "string"} for name in "abc"}}}


@pytest.mark.parametrize(
    "pointers, left",
    [
        pytest.param([], "properties 'x.a', 'x.b' and 'x.c' are", id="none"),
        pytest.param(["/b"], "properties 'x.a' and 'x.c' are", id="one property"),
        pytest.param(["/a", "/b"], "property 'x.c' is", id="all but one"),
        pytest.param(["/a", "/b", "/c"], None, id="each"),
        pytest.param([""], None, id="the object"),
    ],
)
def test_of_several_properties_those_are_waived_that_are_named(pointers: list[str], left: str | None) -> None:
    (found,) = judged({"x": {"type": "object"}}, GROWN)
    assert found.change
    common = {"rule": "property-declared", "urn": CREATED, "change": found.change, "reason": "nobody sends it"}
    entries = [{**common, "pointer": f"/data/properties/x/properties{pointer}"} for pointer in pointers]
    remaining = [finding.message for finding in judged({"x": {"type": "object"}}, GROWN, *entries)]
    assert [message.partition(" declared")[0] for message in remaining] == ([left] if left else [])


def test_a_published_change_lapses_its_waiver() -> None:
    assert ids(judged(NEW, NEW, waiver())) == ["breaking-waiver-unused"]


def test_the_next_change_is_judged_anew() -> None:
    later = {"total": {"type": "integer", "minimum": 2}}
    assert ids(judged(OLD, later, waiver())) == ["number-range-changed", "breaking-waiver-unused"]
    assert ids(judged(NEW, later, waiver())) == ["number-range-changed", "breaking-waiver-unused"]


def test_of_two_waivers_the_one_that_holds_hides() -> None:
    assert ids(judged(OLD, NEW, waiver(expires="2020-01-31"), waiver())) == ["breaking-waiver-expired"]


def edited(**properties: Any) -> Any:
    return {**NEW, **properties}


@pytest.mark.parametrize(
    "new, alike",
    [
        pytest.param({"total": {**NEW["total"], **PROSE}}, True, id="annotations"),
        pytest.param({"total": dict(reversed(NEW["total"].items()))}, True, id="the order of keys"),
        pytest.param(edited(note={}), False, id="another property"),
        pytest.param({"total": {**NEW["total"], "format": "int32"}}, False, id="a format"),
        pytest.param({"total": {"type": "integer", "minimum": 1.0}}, False, id="a number of another type"),
        pytest.param({"total": {**NEW["total"], "x-unit": "ms"}}, False, id="a unit"),
        pytest.param({"total": {**NEW["total"], "x-gdpr-sensitive": True}}, False, id="a mark of personal data"),
        pytest.param({"total": {**NEW["total"], "x-spark-type": "string"}}, False, id="a type in Spark"),
        pytest.param({"total": {**NEW["total"], "enum": [1], "x-open-enum": True}}, False, id="a list of values"),
    ],
)
def test_which_edits_make_another_change(new: Any, alike: bool) -> None:
    assert (of_data(OLD, new) == of_data(OLD, NEW)) == alike
    assert (of_data(new, OLD) == of_data(NEW, OLD)) == alike


def of_data(old: Any, new: Any) -> str:
    return change_id(*(message_of({"orders/created.yaml": data(one)}) for one in (old, new)))


def message_of(files: dict[str, str]) -> Message:
    return registry(files).by_urn[CREATED]


def test_an_edit_of_a_fragment_makes_another_change_and_one_of_its_words_does_not() -> None:
    def of_fragment(text: str) -> str:
        files = {"orders/created.yaml": data({"total": {"$ref": "../_common/money.yaml"}}), "_common/money.yaml": text}
        return change_id(None, message_of(files))

    assert of_fragment("type: integer\n") == of_fragment("type: integer\ndescription: Money.\n")
    assert of_fragment("type: integer\n") != of_fragment("type: string\n")


SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["integer", "string"])}, optional={"minimum": st.integers(0, 3)}),
    lambda inner: st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3)}),
    max_leaves=6,
)


def bare(schema: Any) -> Message:
    return Message(urn=CREATED, parsed=None, source=registry({}).settings.source, schema=schema)  # type: ignore[arg-type]


def annotated(schema: Any) -> Any:
    inner = {name: annotated(one) for name, one in schema.get("properties", {}).items()}
    return {**PROSE, **schema, **({"properties": inner} if inner else {})}


@hypothesis_settings(deadline=None)
@given(old=SCHEMAS, new=SCHEMAS, other=SCHEMAS)
def test_two_changes_have_one_hash_where_they_differ_in_words_alone(old: Any, new: Any, other: Any) -> None:
    hashed = change_id(bare(old), bare(new))
    assert change_id(bare(annotated(old)), bare(annotated(new))) == hashed
    assert (change_id(bare(old), bare(other)) == hashed) == (other == new)
    assert (change_id(bare(new), bare(old)) == hashed) == (old == new)


def test_a_change_of_description_is_bound_to_the_words() -> None:
    texts = [{"total": {"type": "integer", "description": text}} for text in ("One.", "Two.", "Three.")]
    (found,) = judged(texts[0], texts[1])
    entry = waiver(rule=found.rule, pointer=found.pointer, change=found.change)
    assert ids(judged(texts[0], texts[1], entry)) == []
    assert ids(judged(texts[0], texts[2], entry)) == ["breaking-waiver-unused", "description-changed"]


# Every rule, by what its page shows it to report.
Breaks = Callable[..., list[Finding]]


@pytest.mark.parametrize("rule", sorted(WAIVABLE))
def test_what_is_printed_waives_every_rule_once_it_has_a_reason(rule: str, breaks: Breaks) -> None:
    versions, more = shown(parse_page(PAGES[rule]).bad)
    found = breaks(*versions, **more)
    printed = "version: 1\n" + render(found, "waivers", run_info=RUN_INFO)
    refused = breaks(*versions, **{**more, "babelreg.yaml": printed})
    assert [f.rule for f in refused if f.rule in WAIVABLE] == [f.rule for f in found]
    assert {f.rule for f in refused} - WAIVABLE == {"breaking-waiver-invalid"}
    filled = printed.replace("TODO: say why", "nobody reads it")
    assert breaks(*versions, **{**more, "babelreg.yaml": filled}) == []


def test_toml_says_the_same() -> None:
    found = judged(OLD, NEW)
    said = tomllib.loads(render(found, "waivers-toml", run_info=RUN_INFO))["tool"]["babelreg"]["breaking"]["waivers"]
    assert said == [{**waiver(), "reason": "TODO: say why"}]


def shared(money: str, *waivers: dict[str, str]) -> Registry:
    refers = data({"total": {"$ref": "../_common/money.yaml"}})
    return registry(
        {
            "orders/created.yaml": refers,
            "orders/paid.yaml": refers.replace("total", "price"),
            "_common/money.yaml": money,
            "babelreg.yaml": settings(*waivers),
        }
    )


def test_a_fragment_is_waived_message_by_message() -> None:
    old, new = "type: integer\n", "type: integer\nminimum: 1\n"
    (found,) = check(shared(old), shared(new))
    assert [use.urn for use in found.messages] == [CREATED, PAID]
    entries = load.yaml.parser.read(render([found], "waivers", run_info=RUN_INFO))["breaking"]["waivers"]
    assert {entry["pointer"] for entry in entries} == {"_common/money.yaml#/minimum"}
    filled = [{**entry, "reason": "sold by ones"} for entry in entries]
    for count, left in ((1, [PAID]), (2, [])):
        now = shared(new, *filled[:count])
        waivers = BreakingWaivers.of(now.settings, WAIVABLE, TODAY)
        assert [use.urn for f in check(shared(old), now, waivers=waivers) for use in f.messages] == left
        assert len(waivers.hidden) == count


def test_what_is_waived_of_the_newest_version_is_not_said_again_of_older_ones(repository: Any) -> None:
    for schema in ({**OLD, "note": {"type": "string"}}, OLD):
        repository.commit(data(schema))
    published = against.of(repository.root, "HEAD")
    back = {"note": {"type": "integer"}}

    def judge(now: Registry) -> list[Finding]:
        waivers = BreakingWaivers.of(now.settings, WAIVABLE, TODAY)
        return check(published.registry, now, past=published.past, waivers=waivers)

    repository.write("orders/created.yaml", f"urn: {CREATED}\nkind: event\ndata: {data({**NEW, **back})}\n")
    found = judge(load.registry(repository.root))
    assert any("published it" in f.message for f in found)
    assert any("published it" not in f.message for f in found)
    entries = load.yaml.parser.read(render(found, "waivers", run_info=RUN_INFO))["breaking"]["waivers"]
    for entry in entries:
        entry["reason"] = "sold by ones"
    repository.write("babelreg.yaml", settings(*entries))
    assert judge(load.registry(repository.root)) == []
    repository.write("babelreg.yaml", settings(*entries[:1]))
    left = judge(load.registry(repository.root))
    assert {f.as_json()["message"] for f in left} < {f.as_json()["message"] for f in found}


def test_whoever_accepted_a_break_is_not_asked_again_by_later_edits(repository: Any) -> None:
    repository.commit(data(OLD))
    repository.commit(data(NEW))
    published = against.of(repository.root, "HEAD")
    later = data({**NEW, "note": {"type": "string"}})
    repository.write("orders/created.yaml", f"urn: {CREATED}\nkind: event\ndata: {later}\n")
    repository.write("babelreg.yaml", settings(waiver()))
    now = load.registry(repository.root)
    waivers = BreakingWaivers.of(now.settings, WAIVABLE, TODAY)
    found = check(published.registry, now, past=published.past, waivers=waivers)
    assert ids(found) == ["breaking-waiver-unused"]


def test_an_old_file_that_cannot_be_read_can_be_waived_too() -> None:
    old = load.from_tree(
        Memory({"babelreg.yaml": b"version: 1\n", "orders/created.yaml": b"urn: urn:babel:orders:x: ["})
    )
    (found,) = check(old, registry({"orders/created.yaml": data(NEW)}))
    entry = waiver(rule=found.rule, pointer=None, change=found.change)
    now = registry({"orders/created.yaml": data(NEW), "babelreg.yaml": settings(entry)})
    assert check(old, now, waivers=BreakingWaivers.of(now.settings, WAIVABLE, TODAY)) == []


def test_no_waiver_hides_what_is_seen_on_the_wire() -> None:
    old = registry({"orders/created.yaml": data(OLD)})
    (found,) = check(old, registry({}))
    entry = waiver(rule=found.rule, pointer=None, change=found.change)
    now = registry({"babelreg.yaml": settings(entry)})
    left = check(old, now, waivers=BreakingWaivers.of(now.settings, WAIVABLE, TODAY))
    assert left == []
    (seen,) = traffic_counts.refused(left, old, now, {CREATED: 3})
    assert (seen.message, seen.place.path) == (f"{CREATED} was removed while it is still sent", "orders/created.yaml")
    assert render([seen], "waivers", run_info=RUN_INFO) == ""


def test_thousands_of_waivers_are_not_searched_for_each_finding() -> None:
    own = waiver()
    found = judged(OLD, NEW)[0]

    def taken(count: int) -> int:
        many = [{**own, "pointer": f"/data/properties/p{n}"} for n in range(count)]
        now = registry({"orders/created.yaml": data(NEW), "babelreg.yaml": settings(*many, own)})
        waivers = BreakingWaivers.of(now.settings, WAIVABLE, TODAY)
        few = steps(lambda: [waivers.hides(found) for _ in range(count)])
        assert len(waivers.hidden) == count
        return few + steps(waivers.unused)

    assert taken(500) < 1.5 * 10 * taken(50)


PERSON = {"type": "object", "properties": {"name": {"type": "string"}}}
COMPANY = {"type": "object", "required": ["vat"], "properties": {"name": {"type": "string", "maxLength": 20}}}
TO_PERSON = {
    "sender": {"$ref": "#/properties/all/$defs/person"},
    "all": {"$defs": {"person": PERSON, "company": COMPANY}},
}
TO_COMPANY = {**TO_PERSON, "sender": {"$ref": "#/properties/all/$defs/company"}}


def waivers_of(findings: list[Finding], *rules: str) -> list[dict[str, str]]:
    """A waiver of each finding of ``rules``."""
    return [
        {"rule": f.rule, "urn": CREATED, "pointer": str(f.pointer), "change": str(f.change), "reason": "agreed"}
        for f in findings
        if f.rule in rules
    ]


@pytest.mark.parametrize(
    "waived, left, parts",
    [
        pytest.param([], ["schema-replaced"], ["property-required", "text-length-changed"], id="nothing"),
        pytest.param(["schema-replaced"], [], [], id="the edit and all it breaks"),
        pytest.param(["property-required"], ["text-length-changed"], [], id="all parts but one, which is itself again"),
        pytest.param(["property-required", "text-length-changed"], [], [], id="every part"),
    ],
)
def test_a_waiver_of_a_part_of_an_edit_hides_that_part(waived: list[str], left: list[str], parts: list[str]) -> None:
    (edit,) = judged(TO_PERSON, TO_COMPANY)
    accepted = waivers_of([edit, *edit.parts], *waived)
    found = judged(TO_PERSON, TO_COMPANY, *accepted)
    assert ids(found) == left
    assert sorted(part.rule for finding in found for part in finding.parts) == parts
