from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg import load
from babelreg.finding import Finding, Severity
from babelreg.load.files.tree import Memory

TEXT = {"type": "string"}


def of(*, more: Any = None, **properties: Any) -> dict[str, Any]:
    listed = {"properties": properties} if properties else {}
    return {"type": "object", **listed} | ({} if more is None else {"additionalProperties": more})


def declared(path: str) -> str:
    return f"property '{path}' is declared now, but could be sent with any value before"


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b=TEXT, more=True), [declared("x.b")], id="other names allowed"),
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b=TEXT), [declared("x.b")], id="and no longer"),
        pytest.param(of(), of(b=TEXT), [declared("x.b")], id="no names listed"),
        pytest.param(
            of(a=TEXT, more=True),
            of(a=TEXT, b={**TEXT, "minLength": 2, "pattern": "^x"}, more=True),
            [declared("x.b")],
            id="with several limits",
        ),
        pytest.param(
            of(a=TEXT, more=True),
            of(a=TEXT, b={**of(c=TEXT), "required": ["c"]}, more=True),
            [declared("x.b")],
            id="with limits within",
        ),
        pytest.param(
            of(a=TEXT, more=True),
            {**of(a=TEXT, b=TEXT, more=True), "required": ["b"]},
            [declared("x.b") + "; 'x.b' is required"],
            id="and required",
        ),
        pytest.param(of(a=TEXT), of(a=TEXT, b=TEXT), [], id="other names not said to be allowed"),
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b={}, more=True), [], id="without limits"),
        pytest.param(
            of(a=TEXT, more={"type": "integer"}),
            of(a=TEXT, b=TEXT, more={"type": "integer"}),
            ["the type of 'x.b' changed from integer to string"],
            id="other names had a type",
        ),
        pytest.param(
            of(k={"type": "object", "additionalProperties": of(a=TEXT, more=True)}),
            of(k={"type": "object", "additionalProperties": of(a=TEXT, b={"type": "array", "items": TEXT}, more=True)}),
            [declared("x.k.*.b")],
            id="below a name that no schema lists",
        ),
        pytest.param(
            of(a=TEXT, more={"minLength": 3}),
            of(a=TEXT, b={"type": "array", "items": TEXT}, more={"minLength": 3}),
            ["property 'x.b' is declared now, but could be sent with a value of any type before"],
            id="other names had a limit, but no type",
        ),
        pytest.param(of(a={}), of(a=TEXT), ["the type of 'x.a' changed from any type to string"], id="it was listed"),
    ],
)
def test_property_declared(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    wanted = [f.message for f in data_breaks(old, new) if f.rule != "spark-type-changed" and f.direction != "forward"]
    assert sorted(wanted) == sorted(found)


def test_both_places_are_shown(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    findings = data_breaks(of(a=TEXT, more=True), of(a=TEXT, b=TEXT, more=True))
    (found,) = [finding for finding in findings if finding.rule == "property-declared"]
    assert found.pointer == "/data/properties/x/properties/b"
    assert found.against is not None
    assert found.witness == {"x": {"b": 0}}
    assert found.fix == (
        "declare 'x.b' without limits, or accept all of them with `compatibility: {open_objects: lenient}` in babelreg.yaml, "
        "or run `babelreg mint urn:babel:orders:created`"
    )


OPEN = "data: {type: object, additionalProperties: true, properties: {a: {type: string}%s}}\n"
LENIENT, STRICT = "compatibility: {open_objects: lenient}\n", "compatibility: {open_objects: strict}\n"


@pytest.mark.parametrize(
    "settings, context, severity",
    [
        pytest.param("", "", Severity.ERROR, id="strict is the default"),
        pytest.param(LENIENT, "", Severity.WARNING, id="lenient for the registry"),
        pytest.param("", LENIENT, Severity.WARNING, id="lenient for the context"),
        pytest.param(LENIENT, STRICT, Severity.ERROR, id="strict for the context of a lenient registry"),
    ],
)
def test_where_open_objects_are_lenient_it_is_a_warning_that_says_why(
    settings: str, context: str, severity: Severity, breaks: Callable[..., list[Finding]]
) -> None:
    files = {"babelreg.yaml": f"version: 1\n{settings}", "orders/_context.yaml": f"owner: team-orders\n{context}"}
    (finding,) = breaks(OPEN % "", OPEN % ", b: {type: string}", **files)
    assert (finding.rule, finding.severity, finding.witness) == ("property-declared", severity, {"b": 0})
    assert finding.message.endswith("(no error, as open_objects is lenient)") == (severity is Severity.WARNING)


@pytest.mark.parametrize(
    "example, severity",
    [
        pytest.param("{a: x, b: 7}", Severity.ERROR, id="a value of another type"),
        pytest.param("{a: x, b: y}", Severity.WARNING, id="a value of the declared type"),
        pytest.param("{a: x}", Severity.WARNING, id="no value"),
    ],
)
def test_what_an_example_has_under_the_name_is_not_accepted(
    example: str, severity: Severity, breaks: Callable[..., list[Finding]]
) -> None:
    settings = {"babelreg.yaml": f"version: 1\n{LENIENT}"}
    before = OPEN % "" + f"examples: [{example}]\n"
    (finding,) = breaks(before, OPEN % ", b: {type: string}", **settings)
    assert finding.severity is severity
    assert finding.message.endswith("; an example has 7 there") == (severity is Severity.ERROR)


def test_where_it_is_lenient_the_fix_does_not_name_the_setting(breaks: Callable[..., list[Finding]]) -> None:
    settings = {"babelreg.yaml": f"version: 1\n{LENIENT}"}
    (finding,) = breaks(OPEN % "", OPEN % ", b: {type: string}", **settings)
    assert "open_objects" not in (finding.fix or "")


def test_examples_of_items_and_of_other_names_count(breaks: Callable[..., list[Finding]]) -> None:
    settings = {"babelreg.yaml": f"version: 1\n{LENIENT}"}
    lines = "data: {type: object, properties: {m: {type: object, additionalProperties: {type: array, items: %s}}}}\n"
    before = lines % "{type: object}" + "examples: [{m: {k: [{}, {b: 7}]}}]\n"
    found = breaks(before, lines % "{type: object, properties: {b: {type: string}}}", **settings)
    assert [f.severity for f in found if f.rule == "property-declared"] == [Severity.ERROR]


def test_lenient_open_objects_loosen_nothing_else(breaks: Callable[..., list[Finding]]) -> None:
    settings = {"babelreg.yaml": f"version: 1\n{LENIENT}"}
    found = breaks(OPEN % "", (OPEN % "").replace("{type: string}", "{type: integer}"), **settings)
    assert [finding.severity for finding in found] == [Severity.ERROR]


def test_a_message_cannot_loosen_it() -> None:
    text = "urn: urn:babel:orders:created\nkind: event\n" + LENIENT + OPEN % ""
    files = {
        "babelreg.yaml": b"version: 1\n",
        "orders/_context.yaml": b"owner: o\n",
        "orders/created.yaml": text.encode(),
    }
    (defect,) = load.from_tree(Memory(files)).defects
    assert "compatibility" in defect.message
