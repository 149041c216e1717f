from __future__ import annotations

from typing import Any

import pytest

from babelreg.gen.reference import field_rows
from babelreg.gen.reference.field_rows import FieldRow
from babelreg.gen.targets.docs import markdown


def rows(schema: dict[str, Any]) -> list[FieldRow]:
    return field_rows.rows(schema, markdown)


def field(schema: Any, required: bool = False) -> tuple[str, str]:
    """Type and values of a property ``x`` of this schema."""
    row = rows({"properties": {"x": schema}, "required": ["x"] if required else []})[0]
    assert (row.path, row.required) == ("x", "yes" if required else "no")
    return row.type, row.values


@pytest.mark.parametrize(
    "schema, type_, values",
    [
        pytest.param({"type": "integer", "minimum": 1, "maximum": 9}, "integer", "1 to 9", id="a range"),
        pytest.param({"type": "integer", "minimum": 0, "maximum": 2**53 - 1}, "integer", "0 to 2⁵³−1", id="safe integers"),
        pytest.param({"type": "number", "exclusiveMinimum": 0}, "number", "more than 0", id="one bound"),
        pytest.param({"type": "number", "multipleOf": 0.01}, "number", "a multiple of 0.01", id="a step"),
        pytest.param({"type": "string", "format": "email"}, "string (email)", "", id="a format"),
        pytest.param({"type": "string", "minLength": 2, "maxLength": 2}, "string", "2 characters", id="a length"),
        pytest.param({"type": "string", "minLength": 1}, "string", "not empty", id="not empty"),
        pytest.param({"type": "string", "pattern": "^a|b$"}, "string", "matches <code>&#94;a&#124;b&#36;</code>", id="a pattern"),
        pytest.param({"type": ["string", "null"]}, "string or null", "", id="or null"),
        pytest.param({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null", "", id="any of two"),
        pytest.param({"type": ["integer", "number"]}, "number", "", id="an integer is a number"),
        pytest.param({"enum": ["a", "b"], "x-open-enum": True}, "string", "`a`, `b`; others may come", id="an open enum"),
        pytest.param({"enum": list(range(20))}, "integer", ", ".join(f"`{i}`" for i in range(12)) + " and 8 more", id="many"),
        pytest.param({"oneOf": [{"type": "boolean"}, {"enum": ["n", "s"]}]}, "string or boolean", "`n`, `s`", id="or some"),
        pytest.param({"const": {"a": 1}}, "object", 'always `{"a": 1}`', id="a constant"),
        pytest.param({"type": "array", "items": {"type": "string"}, "minItems": 1}, "list of strings", "at least 1 item", id="a list"),
        pytest.param({"type": "array"}, "list of anything", "", id="a list of anything"),
        pytest.param({"type": "integer", "x-unit": "px", "default": 5}, "integer", "unit px; `5` when absent", id="a unit"),
        pytest.param({}, "anything", "", id="nothing said"),
        pytest.param({"minimum": True, "enum": 5, "minLength": "x"}, "anything", "", id="words of the wrong type"),
    ],
)  # fmt: skip
def test_a_field_in_words(schema: Any, type_: str, values: str) -> None:
    assert field(schema) == (type_, values)
    assert field(schema, required=True) == (type_, values)


def test_nested_fields_stand_below_their_object() -> None:
    schema = {
        "properties": {
            "lines": {
                "type": "array",
                "items": {"required": ["q"], "properties": {"q": {"type": "integer"}, "a.b": {}}},
            },
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]},
        }
    }
    found = [(row.path, row.type, row.required) for row in rows(schema)]
    assert found == [
        ("lines", "list of anything", "no"),
        ("lines[].q", "integer", "yes"),
        ("lines[].a\\.b", "anything", "no"),
        ("labels", "object", "no"),
        ("labels.*", "string", "no"),
        ("point", "list of anything", "no"),
        ("point[0]", "number", "no"),
        ("point[1]", "string", "no"),
    ]


def test_what_only_some_variants_have_depends() -> None:
    card = {"properties": {"kind": {"const": "card"}, "no": {"type": "string"}}, "required": ["kind", "no"]}
    iban = {"properties": {"kind": {"const": "iban"}, "iban": {"type": "string"}}, "required": ["kind", "iban"]}
    schema = {"properties": {"id": {"type": "string"}}, "required": ["id"], "oneOf": [card, iban]}
    assert [(row.path, row.required, row.values) for row in rows(schema)] == [
        ("id", "yes", ""),
        ("kind", "yes", "`card`, `iban`"),
        ("no", "depends", ""),
        ("iban", "depends", ""),
    ]


def test_a_value_of_its_own_kind_is_not_unfolded_again() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node", "description": "The next one."}}}
    found = rows({"properties": {"first": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}})
    assert [(row.path, row.type, row.meaning) for row in found] == [
        ("first", "object", ""),
        ("first.next", "the same again", "The next one."),
    ]


def test_meaning_and_personal_data_come_from_a_shared_schema_unless_said_here() -> None:
    shared = {"type": "string", "description": "Shared.", "x-gdpr-sensitive": "email"}
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/s"},
            "b": {"$ref": "#/$defs/s", "description": "Own.", "deprecated": True, "x-gdpr-sensitive": True},
        },
        "$defs": {"s": shared},
    }
    assert [(row.meaning, row.personal) for row in rows(schema)] == [
        ("Shared.", "email"),
        ("**Deprecated.** Own.", "yes"),
    ]


def test_a_schema_without_end_ends() -> None:
    defs: dict[str, Any] = {f"d{i}": {"properties": {}} for i in range(40)}
    for i in range(39):
        defs[f"d{i}"]["properties"] = {side: {"$ref": f"#/$defs/d{i + 1}"} for side in ("left", "right")}
    found = rows({"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    assert found[-1].meaning == "There is more: see the schema."
    assert len(found) == 401


@pytest.mark.parametrize("keyword", ["dependentSchemas", "anyOf", "oneOf", "properties", "then", "required", "enum"])
@pytest.mark.parametrize("value", [True, 7, "ab", None, [True]])
def test_a_keyword_of_the_wrong_kind_is_passed_over(keyword: str, value: Any) -> None:
    assert rows({"if": {}, "properties": {"x": {"type": "object", "if": {}, keyword: value}}})[0].path == "x"
