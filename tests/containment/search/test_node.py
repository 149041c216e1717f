"""Alternatives of a subschema: those that conditions and unions leave, of which a search tries a dozen."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment.search.alternatives import alternatives, possible_mappings
from babelreg.containment.search.node import SearchDocument, compared
from babelreg.schema.dialects import DEFAULT


def tagged(number: int) -> dict[str, Any]:
    return {"properties": {"k": {"const": f"v{number}"}}, "required": ["k"]}


def conditions(count: int) -> list[Any]:
    return [{"if": tagged(number), "then": {"required": [f"r{number}"]}} for number in range(count)]


@pytest.mark.parametrize(
    "members, count",
    [
        pytest.param(conditions(3), 4, id="few conditions: each one alone, and none"),
        pytest.param(conditions(40), 12, id="many conditions: the first ones, and none"),
        pytest.param(
            [{"oneOf": [tagged(1), tagged(2)]}, {"anyOf": [tagged(2), tagged(3)]}], 1, id="unions: the shared tag"
        ),
        pytest.param([{"anyOf": [tagged(1), tagged(2)]}, {"anyOf": [{}, {}]}], 4, id="no tag on one side"),
        pytest.param(
            [{"anyOf": [{"properties": {"k": {"const": n}}} for n in (1, 2)]} for _ in range(2)],
            4,
            id="a property that may be absent",
        ),
    ],
)
def test_no_way_wants_two_values_of_a_required_property(members: list[Any], count: int) -> None:
    ways = alternatives((SearchDocument({"allOf": members}, DEFAULT, formats=False).node,))
    assert len(ways) == count


def test_the_last_way_meets_no_condition() -> None:
    *others, last = alternatives((SearchDocument({"allOf": conditions(40)}, DEFAULT, formats=False).node,))
    assert not any("required" in node.schema for node in last)
    assert all(any("required" in node.schema for node in way) for way in others)


def test_members_that_the_other_side_does_not_have_are_hints_before_the_others() -> None:
    schemas = ({"allOf": conditions(60)[:-1]}, {"allOf": conditions(60)})
    _, outer = compared(*(SearchDocument(schema, DEFAULT, formats=False) for schema in schemas))
    hints = possible_mappings((outer.node,))
    assert ("allOf", 59, "then") in [hint.pointer for hint in hints]
