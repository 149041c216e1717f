"""What is wrong with a schema, where, in words."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.schema.check import check
from babelreg.schema.pointer import text


@pytest.mark.parametrize(
    "schema, pointer, says",
    [
        pytest.param({"type": "strng"}, "/type", "'type' must be array, boolean", id="a misspelt type"),
        pytest.param({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "no regular expression|not a reg",
                     id="a bad pattern"),
        pytest.param({"patternProperties": {"[": {}}}, "/patternProperties", "not what|regular", id="a bad name pattern"),
        pytest.param({"minLength": -1}, "/minLength", "at least 0", id="a negative length"),
        pytest.param({"required": "a"}, "/required", "must be array", id="required is a text"),
        pytest.param({"required": ["a", "a"]}, "/required", "twice", id="required twice"),
        pytest.param({"properties": {"a": 5}}, "/properties/a", "must be", id="a property that is no schema"),
        pytest.param({"multipleOf": 0}, "/multipleOf", "greater than 0", id="a step of nothing"),
        pytest.param({"allOf": []}, "/allOf", "empty", id="an empty allOf"),
        pytest.param({"$schema": "http://x"}, "/$schema", "not a known dialect", id="an unknown dialect"),
        pytest.param({"not": {"$ref": "#/$defs/x"}}, "/not/$ref", "leads nowhere", id="a reference to nothing"),
        pytest.param({"not": {"$ref": "x.yaml"}}, "/not/$ref", "out of the document", id="a reference out"),
        pytest.param({"not": {"$ref": "#/enum"}, "enum": [1]}, "/not/$ref", "no schema", id="a reference to a list"),
        pytest.param({"allOf": [{"$ref": "#"}]}, "", "circle", id="a circle"),
        pytest.param({"$ref": "#/x-a", "x-a": {"$ref": 5}}, "", "must be a string", id="a bad reference out of sight"),
        pytest.param(5, "", "a mapping, true or false", id="a number"),
    ],
)  # fmt: skip
def test_problems(schema: Any, pointer: str, says: str) -> None:
    found = check(schema)
    assert [text(problem.pointer) for problem in found] == [pointer]
    assert any(part in found[0].message for part in says.split("|"))


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(True, id="true"),
        pytest.param({"type": "object", "properties": {"a": {"$ref": "#"}}}, id="recursion"),
        pytest.param({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}, id="draft-07"),
        pytest.param({"x-open-enum": True, "enum": ["a"], "x-anything": {}}, id="extensions"),
        pytest.param({"pattern": "^(?=a)\\p{L}\\d$"}, id="a pattern of many kinds"),
    ],
)
def test_a_good_schema_has_no_problems(schema: Any) -> None:
    assert check(schema) == []


def test_a_hostile_schema_ends_in_words() -> None:
    deep: Any = {}
    for _ in range(3_000):
        deep = {"properties": {"a": deep}}
    assert len(check(deep)) == 1
    assert len(check({"properties": {str(n): n for n in range(5_000)}})) <= 20
