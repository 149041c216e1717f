from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from yaml import safe_load as load_yaml

from babelreg.finding import Finding, Severity
from babelreg.report import render

CIRCLE = {"anyOf": [{"type": "string"}, {"$ref": "#/properties/x"}]}


def test_what_cannot_be_compared_counts_as_breaking(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    found = data_breaks({"type": "string"}, CIRCLE)
    assert {f.rule for f in found} == {"containment-unknown"}
    assert {f.direction for f in found} == {"both"}
    assert all(f.severity is Severity.ERROR and f.reason and f.fix for f in found)


def ref(pattern: str, **more: Any) -> dict[str, Any]:
    return {"properties": {"a": {"pattern": pattern}, **more}}


OLD, NEW = ref("^(?!tmp)[a-z]+$"), ref("^(?!tmp)[a-z][a-z]*$")


def test_the_same_schema_needs_no_comparison(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert data_breaks(OLD, {**OLD, "description": "Small."}) == []


def test_a_schema_that_no_validator_can_use_is_unknown_even_beside_itself(
    data_breaks: Callable[[Any, Any], list[Finding]],
) -> None:
    found = data_breaks(CIRCLE, {**CIRCLE, "description": "Round."})
    assert {finding.rule for finding in found} == {"containment-unknown"}


def test_the_keyword_is_named_and_shown(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (finding,) = data_breaks(OLD, NEW)
    assert "unknown: pattern of 'x.a' cannot be decided: no difference was found in up to " in finding.message
    assert finding.message.endswith("the proof does not support a lookahead in a pattern")
    assert (finding.place.line, finding.place.column) == (8, 41)
    assert (finding.direction, finding.pointer) == ("both", "/data/properties/x/properties/a/pattern")


@pytest.mark.parametrize(
    "old, new, keyword, pointer",
    [
        pytest.param(
            OLD, NEW, "pattern of 'x.a'", "/data/properties/x/properties/a/pattern", id="no proof of a keyword"
        ),
        pytest.param({"type": "string"}, CIRCLE, "anyOf of 'x'", "/data/properties/x/anyOf", id="a schema without end"),
    ],
)
def test_what_is_unknown_is_named_with_its_place(
    old: Any, new: Any, keyword: str, pointer: str, data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    (finding,) = data_breaks(old, new)
    assert keyword in finding.message
    assert finding.pointer == pointer
    assert finding.place.line == 8


@pytest.mark.parametrize("old, new", [pytest.param(OLD, NEW, id="both ways"), pytest.param(NEW, OLD, id="swapped")])
def test_an_unknown_does_not_say_that_anybody_refuses(
    old: Any, new: Any, data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    shown = render(data_breaks(old, new), "text")
    assert "refuse" not in shown
    assert "direction: both ways, unknown whether old and new readers accept each other's data" in shown


def test_the_fix_can_be_pasted(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (finding,) = data_breaks(OLD, NEW)
    keep, mint, accept = (finding.fix or "").split(", or ")
    assert keep == 'keep `pattern: "^(?!tmp)[a-z]+$"`'
    assert mint == "run `babelreg mint urn:babel:orders:created`"
    (waiver,) = load_yaml(accept.partition("with `")[2].removesuffix("`"))
    assert waiver == {
        "rule": "containment-unknown",
        "urn": "urn:babel:orders:created",
        "pointer": finding.pointer,
        "change": finding.change,
        "reason": "TODO: say why",
    }


def test_only_the_keyword_that_cannot_be_decided_is_named(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    old, new = (
        {**schema, "properties": {**schema["properties"], "b": {"type": "string", "maxLength": bound}}}
        for schema, bound in ((OLD, 9), (NEW, 10))
    )
    unknown = [finding for finding in data_breaks(old, new) if finding.rule == "containment-unknown"]
    assert [finding.pointer for finding in unknown] == ["/data/properties/x/properties/a/pattern"]


@pytest.mark.parametrize(
    "old, new, same",
    [
        pytest.param(OLD, ref("^(?!tmp)[a-z][a-z]*$", b={"type": "string"}), True, id="another property"),
        pytest.param(OLD, {**NEW, "maxProperties": 9}, True, id="a keyword of the object around it"),
        pytest.param(OLD, ref("^(?!tmp)[a-z]?[a-z]+$"), False, id="the pattern"),
        pytest.param(ref("^(?!tmp)[a-z]+[a-z]*$"), NEW, False, id="the published pattern"),
    ],
)
def test_the_change_is_that_of_the_part_it_speaks_of(
    old: Any, new: Any, same: bool, data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    ids = [
        [finding.change for finding in found if finding.rule == "containment-unknown"]
        for found in (data_breaks(OLD, NEW), data_breaks(old, new))
    ]
    assert all(len(changes) == 1 for changes in ids)
    assert (ids[0] == ids[1]) is same
