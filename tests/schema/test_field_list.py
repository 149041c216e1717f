"""The fields of a schema as a list."""

from __future__ import annotations

import pytest

from babelreg.schema.field_list import field_list

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "schema, fields",
    [
        pytest.param({"properties": {"a": TEXT}, "required": ["a"]}, [("a", "string", True)], id="a property"),
        pytest.param({"properties": {"a": {}}}, [("a", "any", False)], id="any value"),
        pytest.param({"properties": {"a": False}}, [("a", "nothing", False)], id="no value"),
        pytest.param({"properties": {"a": {"type": "number"}}}, [("a", "number", False)], id="a number"),
        pytest.param(
            {"properties": {"a": {"type": ["null", "string"], "format": "date"}}},
            [("a", "string (date) or null", False)],
            id="a nullable date",
        ),
        pytest.param(
            {"properties": {"a": {"type": "object", "properties": {"b.c": TEXT}, "required": ["b.c"]}}},
            [("a", "object", False), ("a.b\\.c", "string", True)],
            id="an object",
        ),
        pytest.param(
            {"properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"b": TEXT}}}}},
            [("a", "array", False), ("a[].b", "string", False)],
            id="a list of objects",
        ),
        pytest.param(
            {"properties": {"a": {"type": "object", "additionalProperties": TEXT}}},
            [("a", "object", False), ("a.*", "string", False)],
            id="a map",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/m"}}, "$defs": {"m": {"properties": {"b": TEXT}, "type": "object"}}},
            [("a", "object", False), ("a.b", "string", False)],
            id="a shared schema",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#"}}, "type": "object"}, [("a", "object", False)], id="a recursive schema"
        ),
        pytest.param(
            {"oneOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": TEXT}}]},
            [("a", "string", False), ("b", "string", False)],
            id="fields of variants",
        ),
    ],
)  # fmt: skip
def test_a_field_has_path_type_and_whether_it_is_required(schema, fields):
    assert [(field.path, field.type, field.required) for field in field_list(schema)] == fields


def test_description_and_category_may_stand_beside_a_reference():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/m", "description": "D", "x-gdpr-sensitive": "email"}},
        "$defs": {"m": {"type": "string", "description": "E"}},
    }
    (field,) = field_list(schema)
    assert (field.description, field.category) == ("D", "email")


def test_a_schema_that_grows_without_measure_is_listed_in_part():
    levels = {f"l{n}": {"properties": {c: {"$ref": f"#/$defs/l{n + 1}"} for c in "abcd"}} for n in range(20)}
    assert len(field_list({"$ref": "#/$defs/l0", "$defs": {**levels, "l20": {}}})) == 400
