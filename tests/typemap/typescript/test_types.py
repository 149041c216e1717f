from __future__ import annotations

import re
from typing import Any

import pytest

from babelreg.typemap.typescript.types import alias, shape_of


def type_of(schema: Any, **more: Any) -> str:
    """Return the type of a property of ``schema``."""
    shape = shape_of({"type": "object", "required": ["x"], "properties": {"x": schema}, **more}, "Data")
    found = re.search(r"^  readonly x: (.*);$", alias(shape.classes["Data"], []), re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    "schema, spelled",
    [
        pytest.param({"type": "string"}, "string", id="a text"),
        pytest.param({"type": "string", "format": "date-time"}, "string", id="a date stays text"),
        pytest.param({"type": "integer"}, "number", id="an integer"),
        pytest.param({"type": "number"}, "number", id="a number"),
        pytest.param({"type": "boolean"}, "boolean", id="a boolean"),
        pytest.param({"type": "null"}, "null", id="null"),
        pytest.param({}, "unknown", id="anything"),
        pytest.param(True, "unknown", id="true"),
        pytest.param({"type": ["string", "null"]}, "string | null", id="nullable"),
        pytest.param({"type": ["number", "string"]}, "string | number", id="two types"),
        pytest.param({"enum": ["a", "b"]}, '"a" | "b"', id="an enum"),
        pytest.param({"enum": ["a", 1, None, True]}, '"a" | 1 | null | true', id="an enum of several types"),
        pytest.param({"const": "card"}, '"card"', id="a constant"),
        pytest.param({"enum": ["a", "b"], "x-open-enum": True}, '"a" | "b" | (string & {})', id="an enum that may grow"),
        pytest.param({"enum": [1, 2], "x-open-enum": True}, "number", id="numbers that may grow"),
        pytest.param({"enum": [1.5, "a"]}, '"a" | number', id="fractions have no literal type"),
        pytest.param({"const": 2**53}, "number", id="an integer that a number rounds"),
        pytest.param({"const": 2**53 - 1}, "9007199254740991", id="the last exact integer"),
        pytest.param({"type": "array"}, "readonly unknown[]", id="a list of anything"),
        pytest.param({"type": "array", "items": {"type": "string"}}, "readonly string[]", id="a list"),
        pytest.param({"type": "array", "items": {"type": ["string", "null"]}}, "readonly (string | null)[]",
                     id="a list of two types"),
        pytest.param({"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
                     "readonly (readonly string[])[]", id="a list of lists"),
        pytest.param({"type": "object"}, "{ readonly [property: string]: unknown }", id="a free object"),
        pytest.param({"type": "object", "additionalProperties": {"type": "integer"}},
                     "{ readonly [property: string]: number }", id="a map"),
        pytest.param({"type": "object", "properties": {"a": {}}}, "DataX", id="an object"),
        pytest.param({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}, "readonly DataX[]",
                     id="a list of objects"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {}}}]}, "string | DataXOption2",
                     id="a union"),
    ],
)  # fmt: skip
def test_types(schema: Any, spelled: str) -> None:
    assert type_of(schema) == spelled


def test_a_definition_is_a_type_of_its_name_unless_a_global_type_has_it() -> None:
    definitions = {
        "$defs": {
            "Money": {"type": "object", "properties": {"a": {}}},
            "Record": {"type": "object", "properties": {"a": {}}},
        }
    }
    assert type_of({"$ref": "#/$defs/Money"}, **definitions) == "Money"
    assert type_of({"$ref": "#/$defs/Record"}, **definitions) == "DataRecord"


def of(schema: Any, *, strict: bool = False) -> str:
    return alias(shape_of(schema, "Data", strict=strict).classes["Data"], ["About."])


@pytest.mark.parametrize(
    "schema, strict, text",
    [
        pytest.param({"properties": {"a": {"type": "string"}}}, False, "  readonly a?: string;\n};", id="closed"),
        pytest.param({"properties": {"a": {"type": "string"}}}, True,
                     "  readonly a?: string;\n  readonly [property: string]: unknown;\n};", id="open, as readers are strict"),
        pytest.param({"properties": {"a": {"type": "string"}}, "additionalProperties": True}, False,
                     "  readonly a?: string;\n  readonly [property: string]: unknown;\n};", id="open, by the schema"),
        pytest.param({"required": ["b"], "properties": {"a": {"type": "string"}}}, False,
                     "  readonly a?: string;\n  readonly b: unknown;\n};", id="required, and not described"),
        pytest.param({"properties": {"a": {"type": "string", "deprecated": True}}}, False,
                     "  /** @deprecated */\n  readonly a?: string;\n};", id="deprecated"),
    ],
)  # fmt: skip
def test_an_object_lists_its_properties(schema: Any, strict: bool, text: str) -> None:
    assert of({"type": "object", **schema}, strict=strict) == f"/** About. */\nexport type Data = {{\n{text}\n"


def test_an_object_without_properties_takes_all() -> None:
    assert of({"type": "object"}) == "/** About. */\nexport type Data = { readonly [property: string]: unknown };\n"
