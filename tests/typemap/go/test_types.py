from __future__ import annotations

from typing import Any

import pytest

from babelreg.typemap.go.types import Declarations, declarations, shape_of

_A = {"type": "object", "properties": {"a": {"type": "string"}}}
_B = {"type": "object", "properties": {"b": {"type": "string"}}}


def of(schema: Any, **more: Any) -> Declarations:
    return declarations(shape_of({"type": "object", "properties": {"x": schema}, "required": ["x"], **more}, "Data"))


@pytest.mark.parametrize(
    "schema, type_",
    [
        pytest.param({"type": "string"}, "string", id="a text"),
        pytest.param({"type": "boolean"}, "bool", id="a boolean"),
        pytest.param({"type": "number"}, "json.Number", id="a number"),
        pytest.param({"type": "integer"}, "Int", id="an integer of any size"),
        pytest.param({"type": "integer", "minimum": 0}, "Int", id="an integer with one bound"),
        pytest.param({"type": "integer", "minimum": 0, "maximum": 9}, "int64", id="one with both"),
        pytest.param({"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, "int64",
                     id="the least and the largest of 64 bits"),
        pytest.param({"type": "integer", "minimum": 0, "maximum": 2**63}, "Int", id="a bound beyond 64 bits"),
        pytest.param({"type": "integer", "exclusiveMinimum": 0, "allOf": [{"maximum": 5.5}]}, "int64",
                     id="bounds in two places"),
        pytest.param({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 1}, {"type": "integer"}]}, "Int",
                     id="one branch without bounds"),
        pytest.param({}, "json.RawMessage", id="any value"),
        pytest.param({"type": "null"}, "json.RawMessage", id="null alone"),
        pytest.param({"type": ["string", "null"]}, "Nullable[string]", id="a text or null"),
        pytest.param({"type": "array"}, "[]json.RawMessage", id="a list of anything"),
        pytest.param({"type": "array", "items": {"type": ["integer", "null"]}}, "[]Nullable[Int]", id="a list with nulls"),
        pytest.param({"type": "object"}, "map[string]json.RawMessage", id="any object"),
        pytest.param({"type": "object", "additionalProperties": {"type": "number"}}, "map[string]json.Number", id="a map"),
        pytest.param(_A, "Data_X", id="an object"),
        pytest.param({"type": "array", "items": _A}, "[]Data_X", id="a list of objects"),
        pytest.param({"enum": ["a", "b"]}, "Data_X", id="listed texts"),
        pytest.param({"enum": ["a", None]}, "Nullable[Data_X]", id="listed texts and null"),
        pytest.param({"enum": [1, 2]}, "Int", id="listed integers"),
        pytest.param({"const": True}, "bool", id="a constant"),
        pytest.param({"type": ["integer", "number"]}, "json.Number", id="integers are numbers"),
        pytest.param({"type": ["string", "integer"]}, "Data_X", id="a text or an integer"),
        pytest.param({"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "string"}]}, "Data_X",
                     id="branches of texts"),
    ],
)  # fmt: skip
def test_types(schema: Any, type_: str) -> None:
    (x,) = of(schema).structs[0].fields
    assert x.type == type_


def test_constants_name_the_known_values() -> None:
    (enum,) = of({"enum": ["web", "Web", "", "in-store", "2", "名"], "x-open-enum": True}).enums
    assert enum.constants == (
        ("Data_X_Web", '"web"'),
        ("Data_X_Web_2", '"Web"'),
        ("Data_X_Empty", '""'),
        ("Data_X_InStore", '"in-store"'),
        ("Data_X_2", '"2"'),
        ("Data_X_Field", '"名"'),
    )


def test_a_union_has_a_way_in_and_out_for_each_type() -> None:
    (union,) = of({"oneOf": [_A, _B, {"type": "string"}, {"type": "array", "items": {"type": "string"}}]}).unions
    assert [tuple(option) for option in union.options] == [
        ("XOption1", "Data_X_OfXOption1", "Data_XOption1"),
        ("XOption2", "Data_X_OfXOption2", "Data_XOption2"),
        ("String", "Data_X_OfString", "string"),
        ("StringList", "Data_X_OfStringList", "[]string"),
    ]


def test_no_two_declarations_have_one_name() -> None:
    schema = {
        "type": "object",
        "properties": {
            "urn": _A, "queue": _A, "x": {"enum": ["2", "of string"]}, "x 2": _A, "X": {"type": ["string", "integer"]},
            "Data": {"$ref": "#/$defs/x"}, "data_x": {"$ref": "#/$defs/Data_x"}, "URN": _B, "Queue": _B,
        },
        "$defs": {"x": _A, "Data_x": _B},
    }  # fmt: skip
    found = declarations(shape_of(schema, "Data"))
    names = [each.name for each in (*found.structs, *found.enums, *found.unions)]
    names += [name for enum in found.enums for name, _ in enum.constants]
    names += [option.maker for union in found.unions for option in union.options]
    assert len(names) > 12
    assert len(set(names)) == len(names)
    assert {"Data_URN", "Data_Queue"}.isdisjoint(names)


@pytest.mark.parametrize(
    "schema, type_",
    [
        pytest.param({"$ref": "#"}, "*Data", id="itself"),
        pytest.param({"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "Nullable[*Data]", id="itself or null"),
        pytest.param({"type": "array", "items": {"$ref": "#"}}, "[]Data", id="a list of itself"),
        pytest.param({"type": "object", "properties": {"y": {"$ref": "#"}}}, "*Data_X", id="a part that contains it"),
    ],
)
def test_a_struct_that_would_contain_itself_is_held_by_pointer(schema: Any, type_: str) -> None:
    (x,) = of(schema).structs[0].fields
    assert x.type == type_


def test_a_struct_that_would_be_larger_than_memory_is_held_by_pointer() -> None:
    definitions = {
        f"d{n}": {"type": "object", "properties": {name: {"$ref": f"#/$defs/d{n + 1}"} for name in ("left", "right")}}
        for n in range(40)
    }
    definitions["d40"] = _A
    found = of({"$ref": "#/$defs/d0"}, **{"$defs": definitions})
    types = [each.type for struct in found.structs for each in struct.fields]
    assert 3 <= sum("*" in type_ for type_ in types) < 10
