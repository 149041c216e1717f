from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.finding import Finding, Severity

CIRCLE = {"anyOf": [{"type": "string"}, {"$ref": "#/properties/x"}]}


def test_what_cannot_be_compared_counts_as_breaking(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    found = data_breaks({"type": "string"}, CIRCLE)
    assert {f.rule for f in found} == {"containment-unknown"}
    assert {f.direction for f in found} == {"backward", "forward"}
    assert all(f.severity is Severity.ERROR and f.reason and f.fix for f in found)


def test_the_same_schema_needs_no_comparison(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert data_breaks(CIRCLE, {**CIRCLE, "description": "Round."}) == []


def test_what_differs_is_named_and_shown(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    old, new = ({"properties": {"a": {"pattern": f"^(?!tmp){tail}$"}, "b": {}}} for tail in ("[a-z]+", "[a-z][a-z]*"))
    backward = next(finding for finding in data_breaks(old, new) if finding.direction == "backward")
    assert backward.message.endswith("; what differs is 'x.a'")
    assert (backward.place.line, backward.place.column) == (8, 29)
