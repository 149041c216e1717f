from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment.accepted_types import accepted_types


@pytest.mark.parametrize(
    "schema, types",
    [
        pytest.param({}, [], id="any"),
        pytest.param({"type": ["null", "string"]}, ["string", "null"], id="null is last"),
        pytest.param({"enum": ["a", None]}, ["string", "null"], id="listed values"),
        pytest.param({"const": 1}, ["integer"], id="a constant"),
        pytest.param({"type": "number"}, ["number"], id="an integer is a number"),
        pytest.param({"type": "number", "const": 0.5}, ["number"], id="a fraction alone"),
        pytest.param({"anyOf": [{"type": "string"}, {"enum": [None]}]}, ["string", "null"], id="variants"),
        pytest.param({"anyOf": [{"type": "string"}, {"minLength": 1}]}, [], id="a variant without a type"),
        pytest.param({"type": "object", "oneOf": [{"required": ["a"]}, {}]}, ["object"], id="variants of one type"),
        pytest.param({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "integer"]}]}, ["null"], id="members"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": {"enum": ["x"]}}}, ["string"], id="a definition"),
        pytest.param({"anyOf": [{"$ref": "#"}, {"type": "null"}]}, [], id="a union of itself"),
    ],
)
def test_accepted_types(schema: Any, types: list[str]) -> None:
    assert accepted_types(schema, ()) == types


@pytest.mark.parametrize(
    "schema, instance, types",
    [
        pytest.param({"properties": {"a": {"type": "string"}}}, ["a"], ["string"], id="a property"),
        pytest.param({"items": {"type": "integer"}}, [0], ["integer"], id="an item"),
        pytest.param({"additionalProperties": {"type": "null"}}, ["b"], ["null"], id="any other property"),
        pytest.param(
            {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "null"}}}]},
            ["a"],
            ["string", "null"],
            id="in each variant of its parent",
        ),
        pytest.param(
            {"anyOf": [{"properties": {"a": {"type": "string"}}}, {}]}, ["a"], [], id="where a variant lacks it"
        ),
    ],
)
def test_accepted_types_of_a_part(schema: Any, instance: list[str | int], types: list[str]) -> None:
    assert accepted_types(schema, instance) == types
