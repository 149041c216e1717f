from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg.typemap import spark

CARD = {"type": "object", "properties": {"kind": {"const": "card"}, "no": {"type": "string"}}, "required": ["kind"]}
IBAN = {"type": "object", "properties": {"kind": {"const": "iban"}, "iban": {"type": "string"}}, "required": ["kind"]}
NODE = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}
LIST = {"type": "array", "items": {"$ref": "#/$defs/tree"}}


def column(schema: Any, defs: dict[str, Any] | None = None) -> str:
    """The SQL type of a property ``x`` of this schema."""
    root = {"type": "object", "properties": {"x": schema}, "$defs": defs or {}}
    (field,) = spark.columns(root).fields
    return spark.ddl_type(field.type, comments=False)


@pytest.mark.parametrize(
    "schema, expected",
    [
        pytest.param({"type": "integer"}, "BIGINT", id="an integer"),
        pytest.param({"type": "integer", "maximum": 2**63 - 1}, "BIGINT", id="an integer up to the last of 64 bits"),
        pytest.param({"type": "integer", "minimum": -(2**63)}, "BIGINT", id="an integer down to the first of 64 bits"),
        pytest.param({"type": "integer", "maximum": 2**64 - 1}, "DECIMAL(20,0)", id="an integer of 64 bits unsigned"),
        pytest.param({"type": "integer", "maximum": 10**30}, "DECIMAL(38,0)", id="an integer of 30 digits"),
        pytest.param({"type": "integer", "maximum": 1e400}, "BIGINT", id="a bound that is infinite says nothing"),
        pytest.param({"type": "number"}, "DOUBLE", id="a number"),
        pytest.param({"type": "number", "multipleOf": 0.01}, "DOUBLE", id="a step alone asks for no decimal"),
        pytest.param({"type": ["integer", "number"]}, "DOUBLE", id="an integer or a number"),
        pytest.param({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "DOUBLE", id="one of the two numbers"),
        pytest.param({"type": "boolean"}, "BOOLEAN", id="a boolean"),
        pytest.param({"type": "string"}, "STRING", id="a text"),
        pytest.param({"type": "string", "format": "date-time"}, "TIMESTAMP", id="a date-time"),
        pytest.param({"type": "string", "format": "date"}, "DATE", id="a date"),
        pytest.param({"type": "string", "format": "time"}, "STRING", id="a time has no type that parquet stores"),
        pytest.param({"type": "string", "format": "uuid"}, "STRING", id="any other format"),
        pytest.param({"type": ["string", "null"]}, "STRING", id="a text or null"),
        pytest.param({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "BIGINT", id="an alternative to null"),
        pytest.param({"enum": ["a", "b", None]}, "STRING", id="an enum of texts and null"),
        pytest.param({"enum": [1, 2.0]}, "BIGINT", id="an enum of integers, one written as a float"),
        pytest.param({"enum": [1, 2.5]}, "DOUBLE", id="an enum of numbers"),
        pytest.param({"const": True}, "BOOLEAN", id="a constant"),
        pytest.param({"allOf": [{"type": "number"}, {"type": "integer"}]}, "BIGINT", id="all of two: the narrower"),
        pytest.param(
            {"oneOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]},
            "STRING",
            id="a date or a date-time is a text",
        ),
        pytest.param({"type": "array", "items": {"type": "integer"}}, "ARRAY<BIGINT>", id="an array"),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}}, "MAP<STRING, BIGINT>", id="a map"
        ),
        pytest.param(
            {"type": "object", "patternProperties": {"^[a-z]{2}$": {"type": "string"}}, "additionalProperties": False},
            "MAP<STRING, STRING>",
            id="a map whose keys follow a pattern",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {}}}},
            "STRUCT<a: BIGINT, b: ARRAY<STRING>>",
            id="an object",
        ),
        pytest.param(
            {"allOf": [CARD, {"properties": {"no": {"minLength": 4}, "cvc": {"type": "string"}}}]},
            "STRUCT<kind: STRING, `no`: STRING, cvc: STRING>",
            id="all of two objects is one struct",
        ),
        pytest.param(
            {"oneOf": [CARD, IBAN]}, "STRUCT<kind: STRING, `no`: STRING, iban: STRING>", id="one of two objects"
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {}]},
            "STRUCT<a: STRING>",
            id="alternatives that only require",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {}}, "if": {}, "then": {"properties": {"b": {"type": "integer"}}}},
            "STRUCT<a: STRING, b: BIGINT>",
            id="a property that a condition declares",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "gone": False}},
            "STRUCT<a: STRING>",
            id="a property that is forbidden",
        ),
    ],
)
def test_a_schema_has_the_type_every_engine_reads(schema: Any, expected: str) -> None:
    assert column(schema) == expected


@pytest.mark.parametrize(
    "schema, why",
    [
        pytest.param({}, "its type is not declared", id="nothing is said"),
        pytest.param(True, "its type is not declared", id="true"),
        pytest.param({"properties": {"a": {}}}, "its type is not declared", id="properties without a type"),
        pytest.param({"type": "object"}, "its properties are not declared", id="a free-form object"),
        pytest.param({"type": "object", "additionalProperties": True}, "its properties are not declared", id="open"),
        pytest.param({"type": ["integer", "string"]}, "it may be integer or string", id="two types"),
        pytest.param({"enum": [1, "a", [1]]}, "it may be array, integer or string", id="an enum of three types"),
        pytest.param(
            {"oneOf": [{"type": "array", "items": {}}, {"type": "array"}, {"type": "string"}]},
            "it may be array or string",
            id="an array or a text",
        ),
        pytest.param(
            {"oneOf": [CARD, {"type": "object", "additionalProperties": {"type": "integer"}}]},
            "its alternatives have different types",
            id="a struct or a map",
        ),
        pytest.param({"type": "null"}, "only null is valid there", id="always null"),
        pytest.param({"type": "integer", "enum": ["a"]}, "only null is valid there", id="never valid"),
        pytest.param({"$ref": "#/nowhere"}, "its type is not declared", id="a reference that leads nowhere"),
        pytest.param({"type": "nonsense"}, "only null is valid there", id="a type that is none"),
        pytest.param({"type": "string", "x-spark-type": "json"}, "x-spark-type sets it", id="set by the owner"),
    ],
)
def test_where_spark_has_no_type_there_is_json_text_and_a_reason(schema: Any, why: str) -> None:
    root = {"type": "object", "properties": {"x": schema}}
    mapped = spark.mapped(root)
    assert isinstance(mapped.struct.fields[0].type, spark.Json)
    assert [(note.path, note.what, note.why) for note in mapped.notes] == [("x", "json-text", why)]
    assert mapped.notes[0].pointer.startswith("/properties/x")


def test_a_value_that_contains_its_own_kind_is_json_text_from_the_second_level_on() -> None:
    assert column({"$ref": "#/$defs/node"}, {"node": NODE}) == "STRUCT<v: BIGINT, next: STRING>"
    assert column({"$ref": "#/$defs/tree"}, {"tree": LIST}) == "ARRAY<STRING>"
    assert spark.ddl(spark.columns({"properties": {"again": {"$ref": "#"}}}), comments=False) == "again STRING"


def test_a_reference_used_twice_is_no_recursion() -> None:
    money = {"type": "object", "properties": {"minor": {"type": "integer"}}}
    root = {"properties": {"a": {"$ref": "#/$defs/m"}, "b": {"$ref": "#/$defs/m"}}, "$defs": {"m": money}}
    assert spark.ddl(spark.columns(root)) == "a STRUCT<minor: BIGINT>, b STRUCT<minor: BIGINT>"


@pytest.mark.parametrize(
    "schema, expected",
    [
        pytest.param({"type": "number", "x-spark-type": "decimal(18,2)"}, "DECIMAL(18,2)", id="decimal with digits"),
        pytest.param({"type": "number", "x-spark-type": "decimal", "multipleOf": 0.01}, "DECIMAL(18,2)", id="step"),
        pytest.param({"type": "integer", "x-spark-type": "Decimal( 38 , 0 )"}, "DECIMAL(38,0)", id="spaces and case"),
        pytest.param({"type": "string", "x-spark-type": "decimal(9,4)"}, "DECIMAL(9,4)", id="decimal written as text"),
        pytest.param({"type": "string", "format": "date-time", "x-spark-type": "string"}, "STRING", id="keep the text"),
        pytest.param({"type": "string", "x-spark-type": "timestamp"}, "TIMESTAMP", id="text as timestamp"),
        pytest.param({"type": "string", "x-spark-type": "binary"}, "BINARY", id="text as binary"),
        pytest.param({"x-spark-type": "variant"}, "VARIANT", id="variant"),
        pytest.param({"type": ["integer", "null"], "x-spark-type": "double"}, "DOUBLE", id="double, nullable"),
    ],
)
def test_x_spark_type_asks_for_another_type(schema: Any, expected: str) -> None:
    assert column(schema) == expected


@pytest.mark.parametrize(
    "schema, expected, why",
    [
        pytest.param({"type": "integer", "x-spark-type": "date"}, "BIGINT", "is for text only", id="not for it"),
        pytest.param({"type": "number", "x-spark-type": "bigint"}, "DOUBLE", "is for an integer only", id="too narrow"),
        pytest.param({"type": "number", "x-spark-type": "decimal(39,1)"}, "DOUBLE", "p <= 38", id="too many digits"),
        pytest.param({"type": "number", "x-spark-type": "decimal(2,3)"}, "DOUBLE", "s <= p", id="more after the point"),
        pytest.param(
            {"type": "number", "x-spark-type": "decimal"}, "DOUBLE", "needs a number of digits", id="no digits"
        ),
        pytest.param({"type": "string", "x-spark-type": "money"}, "STRING", "is not known", id="no type"),
        pytest.param({"type": "string", "x-spark-type": 5}, "STRING", "must be text", id="no text"),
    ],
)
def test_an_x_spark_type_that_cannot_be_is_ignored_with_a_note(schema: Any, expected: str, why: str) -> None:
    assert column(schema) == expected
    notes = spark.notes({"properties": {"x": schema}})
    assert [(note.pointer, note.what) for note in notes] == [("/properties/x/x-spark-type", "ignored")]
    assert why in notes[0].why


def test_names_that_differ_in_case_alone_leave_the_later_one_in_the_data_column() -> None:
    mapped = spark.mapped({"properties": {"Id": {"type": "integer"}, "id": {"type": "string"}}})
    assert spark.ddl(mapped.struct) == "Id BIGINT"
    assert [(note.path, note.pointer, note.what) for note in mapped.notes] == [("id", "/properties/id", "no-column")]


def test_undeclared_properties_that_the_schema_admits_are_noted() -> None:
    schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
    notes = spark.notes(schema)
    assert [(note.path, note.pointer, note.what) for note in notes] == [("*", "/additionalProperties", "no-column")]
    assert spark.notes({"properties": {"a": {"type": "string"}}}) == ()


def test_what_only_some_variants_declare_is_guarded() -> None:
    mapped = spark.mapped({"properties": {"pay": {"oneOf": [CARD, IBAN]}}})
    assert [(note.path, note.what) for note in mapped.notes] == [("pay.no", "guarded"), ("pay.iban", "guarded")]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({}, id="nothing is declared"),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}}, id="only the values are declared"
        ),
        pytest.param({"type": "array"}, id="no object can be valid"),
    ],
)
def test_a_schema_that_declares_no_names_has_no_columns_and_says_so(schema: dict[str, Any]) -> None:
    mapped = spark.mapped(schema)
    assert mapped.struct.fields == ()
    assert [note.what for note in mapped.notes] == ["no-column"]


def test_in_draft_07_what_stands_beside_a_reference_says_nothing() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"x": {"$ref": "#/definitions/text", "type": "integer"}, "y": {"type": "array", "items": [{}]}},
        "definitions": {"text": {"type": "string"}},
    }
    assert spark.ddl(spark.columns(schema), comments=False) == "x STRING, y ARRAY<STRING>"


def test_comments_are_one_line_of_visible_text_and_the_users_own_words_win() -> None:
    shared = {"type": "string", "description": "shared"}
    schema = {
        "properties": {
            "a": {"type": "string", "description": "two\nlines \u202e\x00and \ud800 more", "x-gdpr-sensitive": "email"},
            "b": {"$ref": "#/$defs/s", "description": "own"},
            "c": {"$ref": "#/$defs/s"},
            "d": {"description": "Free."},
            "e": {"type": "string", "description": "x" * 999, "x-gdpr-sensitive": True},
        },
        "$defs": {"s": shared},
    }
    a, b, c, d, e = spark.columns(schema).fields
    assert (a.comment, a.sensitive) == ("two lines \\u202e\\x00and \\ud800 more", "email")
    assert (b.comment, c.comment, d.comment) == ("own", "shared", "Free. (JSON text)")
    assert (len(e.comment or ""), e.sensitive) == (300, "true")


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"properties": {"x": 5, "y": None, "z": [1]}}, id="properties that are no schemas"),
        pytest.param({"properties": [1], "required": 5, "allOf": {}, "anyOf": [1], "oneOf": [None]}, id="wrong shapes"),
        pytest.param({"properties": {"x": {"type": [1, None], "enum": 5, "items": 3, "format": {}}}}, id="wrong words"),
        pytest.param({"$ref": "#", "properties": {"a": {}}}, id="a root that is itself"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, id="a circle of references"),
        pytest.param({"allOf": [{"$ref": "#/allOf/0"}]}, id="a circle through allOf"),
        pytest.param({"anyOf": [{"$ref": "#/anyOf/0"}, {"$ref": "#"}]}, id="a circle through anyOf"),
        pytest.param(
            {"properties": {"x": {"$ref": 5}, "y": {"$ref": "other.yaml"}, "\ud800": {}}}, id="odd references"
        ),
        pytest.param(
            {"properties": {"x": {"minimum": float("inf"), "type": "integer", "enum": [float("nan")]}}}, id="inf"
        ),
    ],
)
def test_no_schema_raises(schema: dict[str, Any]) -> None:
    json.dumps(spark.as_json(spark.columns(schema)), ensure_ascii=False).encode("utf-8")


def test_a_schema_that_unfolds_without_end_is_cut_short() -> None:
    defs: dict[str, Any] = {f"d{i}": {"type": "object", "properties": {}} for i in range(40)}
    for i in range(39):
        defs[f"d{i}"]["properties"] = {side: {"$ref": f"#/$defs/d{i + 1}"} for side in ("left", "right")}
    mapped = spark.mapped({"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    assert {note.why for note in mapped.notes} >= {"the schema is too large to follow it further"}


def test_a_schema_that_nests_without_end_is_cut_short() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"x": schema}}
    assert [note.why for note in spark.notes(schema)] == ["it is nested deeper than 40 levels"]
    schema = {"type": "string"}
    for _ in range(200):
        schema = {"anyOf": [schema]}
    spark.columns({"properties": {"x": schema}})


def test_leaves_name_every_column_that_holds_values() -> None:
    schema = {
        "properties": {
            "a.b": {"type": "string"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}}}},
            "labels": {"type": "object", "additionalProperties": {"type": "boolean"}},
        }
    }
    found = list(spark.leaves(spark.columns(schema)))
    assert found == [
        ("a\\.b", spark.Scalar.STRING),
        ("lines[].qty", spark.Scalar.BIGINT),
        ("labels{}", spark.Scalar.BOOLEAN),
    ]
