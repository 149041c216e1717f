from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "integer"},
            {"type": "string"},
            ["the type of 'x' changed from integer to string"],
            id="another type, both ways",
        ),
        pytest.param(
            {"type": "string"},
            {"type": ["string", "null"]},
            ["the type of 'x' changed from string to string or null"],
            id="null is new",
        ),
        pytest.param(
            {"type": ["string", "null"]},
            {"type": "string"},
            ["the type of 'x' changed from string or null to string"],
            id="null is gone",
        ),
        pytest.param(
            {"$defs": {"n": {"type": "number"}}, "anyOf": [{"$ref": "#/properties/x/$defs/n"}, {"type": "null"}]},
            {"$defs": {"n": {"type": "number"}}, "$ref": "#/properties/x/$defs/n"},
            ["the type of 'x' changed from number or null to number"],
            id="a variant beside a definition is gone",
        ),
        pytest.param({}, {"type": "string"}, ["the type of 'x' changed from any type to string"], id="any type before"),
        pytest.param({"type": "string"}, {"type": ["string"]}, [], id="spelled otherwise"),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "additionalProperties": {"type": "number"}},
            ["the type of other properties of 'x' changed from integer to number"],
            id="of properties that no schema names",
        ),
        pytest.param(
            {"additionalProperties": {"properties": {"t": {"type": "string"}}}},
            {"additionalProperties": {"properties": {"t": {"type": "integer"}}}},
            ["the type of 'x.*.t' changed from string to integer"],
            id="below properties that no schema names",
        ),
        pytest.param(
            {"type": "string", "enum": ["a", "b"]},
            {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            ["the type of 'x' changed from string to string or null"],
            id="a variant that lists its values is of their type",
        ),
        pytest.param(
            {"type": "number"},
            {"oneOf": [{"type": "number"}, {"minLength": 3}]},
            ["the type of 'x' changed from number to any type"],
            id="a variant without a type",
        ),
    ],
)
def test_type_changed(old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    every = [part for finding in data_breaks(old, new) for part in (*finding.parts, finding)]
    assert list(dict.fromkeys(f.message for f in every if f.rule == "type-changed")) == found


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param({"type": "integer"}, {"type": "number", "minimum": 1, "maximum": 9}, id="come with it"),
        pytest.param({"type": "integer", "minimum": 1, "maximum": 9}, {"type": "number"}, id="go with it"),
    ],
)
def test_the_limits_of_another_type(old: Any, new: Any, data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (found,) = data_breaks(old, new)
    assert (found.rule, found.message) == ("type-changed", "the type of 'x' changed from integer to number")
    assert sorted(part.rule for part in found.parts) == ["number-range-changed"] * 2 + ["type-changed"]
    assert len([line for line in found.breaks if "Spark" in line]) == 1


def test_a_union_in_place_of_a_type_is_one_edit(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    tags = {"type": "array", "items": {"type": "string"}}
    new = {"anyOf": [{"type": "array", "items": {"type": "array"}}, {"type": "null"}]}
    (found,) = data_breaks(tags, new)
    assert {part.rule for part in found.parts} == {"union-changed", "type-changed"}
