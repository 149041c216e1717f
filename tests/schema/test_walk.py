"""Every subschema, with its place and what it judges."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords_by_type import KNOWN
from babelreg.schema.pointer import find, text
from babelreg.schema.subschemas import applied_in_place, subschemas
from babelreg.schema.walk import walk


def pointers(schema: Any) -> list[str]:
    return [text(node.pointer) for node in walk(schema)]


@pytest.mark.parametrize(
    "schema, found",
    [
        pytest.param(True, [""], id="a boolean"),
        pytest.param(
            {"properties": {"a": {}, "b/c": True}}, ["", "/properties/a", "/properties/b~1c"], id="properties"
        ),
        pytest.param({"allOf": [{}, {"not": {}}]}, ["", "/allOf/0", "/allOf/1", "/allOf/1/not"], id="depth first"),
        pytest.param({"prefixItems": [{}], "items": False}, ["", "/prefixItems/0", "/items"], id="arrays"),
        pytest.param({"dependencies": {"a": ["b"], "c": {}}}, ["", "/dependencies/c"], id="names are no schemas"),
        pytest.param({"enum": [{"properties": {"a": {}}}], "const": {"not": {}}}, [""], id="values are no schemas"),
        pytest.param({"properties": {"properties": {}}}, ["", "/properties/properties"], id="a property of that name"),
        pytest.param({"$defs": {"a": {"$ref": "#"}}}, ["", "/$defs/a"], id="references are not followed"),
        pytest.param({"allOf": 5, "properties": [], "not": 7}, ["", "/not"], id="what is no schema is given as it is"),
    ],
)
def test_walk(schema: Any, found: list[str]) -> None:
    assert pointers(schema) == found
    for node in walk(schema):
        assert find(schema, node.pointer) is node.schema


def test_each_dialect_has_its_own_keywords() -> None:
    schema = {"items": [{}], "additionalItems": {}, "prefixItems": [{}]}
    assert [text(n.pointer) for n in walk(schema, DIALECTS["draft7"])] == ["", "/items/0", "/additionalItems"]
    assert [text(n.pointer) for n in walk(schema, DIALECTS["draft2020-12"])] == ["", "/items", "/prefixItems/0"]


def test_beside_a_lone_reference_only_definitions_count() -> None:
    schema = {"$ref": "#/definitions/a", "properties": {"x": {}}, "definitions": {"a": {}}}
    assert [text(n.pointer) for n in walk(schema, DIALECTS["draft7"])] == ["", "/definitions/a"]


def test_depth_is_bounded() -> None:
    schema: Any = {}
    for _ in range(10_000):
        schema = {"not": schema}
    with pytest.raises(SchemaError, match="levels deep"):
        list(walk(schema))


def test_the_keywords_are_those_of_all_dialects() -> None:
    value = {"a": {}}
    single = {word for word in KNOWN if list(subschemas({word: {"type": []}})) == [((word,), {"type": []})]}
    listed = {word for word in KNOWN if list(subschemas({word: [{}]})) == [((word, 0), {})]}
    named = {word for word in KNOWN if list(subschemas({word: value})) == [((word, "a"), {})]}
    assert (len(single), len(listed), len(named)) == (12, 5, 6)
    assert listed - single == {"allOf", "anyOf", "oneOf", "prefixItems"}
    every = {word: [{}] if word in listed else value if word in named else {} for word in KNOWN}
    assert {steps[0] for steps, _ in applied_in_place(every)} == {
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies",
    }  # fmt: skip
