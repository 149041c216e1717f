from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.contract.views import reader_view
from babelreg.typemap import spark


def columns(schema: Any) -> spark.Struct:
    return spark.columns({"type": "object", "properties": {"x": schema}})


def normalise(struct: spark.Struct, data: Any) -> Any:
    return spark.fitter(struct)(data)


def unstorable(struct: spark.Struct, data: Any) -> tuple[str, str] | None:
    """(code, pointer) of the first value in ``data`` that its column cannot hold, or None."""
    try:
        spark.fitter(struct)(data)
    except spark.Unstorable as problem:
        return problem.code, problem.pointer
    return None


INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
INSTANT = {"type": "string", "format": "date-time"}
DAY = {"type": "string", "format": "date"}
MONEY = {"type": "number", "x-spark-type": "decimal(5,2)"}
PRICE = {"type": "string", "x-spark-type": "decimal(5,2)"}
BYTES = {"type": "string", "x-spark-type": "binary"}
FREE: dict[str, Any] = {}


@pytest.mark.parametrize(
    "schema, value, fitted",
    [
        pytest.param(INTEGER, 1.0, 1, id="an integer written as a float"),
        pytest.param(INTEGER, -0.0, 0, id="minus nought"),
        pytest.param(INTEGER, 1e2, 100, id="an integer with an exponent"),
        pytest.param(INTEGER, 2**63 - 1, 2**63 - 1, id="the greatest of 64 bits"),
        pytest.param(INTEGER, -(2**63), -(2**63), id="the least of 64 bits"),
        pytest.param(NUMBER, 10**300, 10**300, id="a great integer in a double"),
        pytest.param(INSTANT, "2026-11-20T10:00:00.5+01:00", "2026-11-20T10:00:00.5+01:00", id="an instant as it is"),
        pytest.param(INSTANT, "2026-11-20t10:00:00z", "2026-11-20T10:00:00Z", id="lower-case t and z"),
        pytest.param(INSTANT, "2026-11-20T10:00:00+18:30", "2026-11-19T15:30:00Z", id="an offset beyond 18 hours"),
        pytest.param(INSTANT, "2026-11-20T10:00:00.123456789z", "2026-11-20T10:00:00.123456Z", id="nanoseconds"),
        pytest.param(INSTANT, "2026-12-31T10:00:00Z", "2026-12-31T10:00:00Z", id="the last of December"),
        pytest.param(INSTANT, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", id="the first instant"),
        pytest.param(DAY, "2024-02-29", "2024-02-29", id="a day"),
        pytest.param(MONEY, 999.99, 999.99, id="a decimal that fits"),
        pytest.param(MONEY, 1e2, 1e2, id="a decimal without fraction"),
        pytest.param(MONEY, 0.1, 0.1, id="a decimal below one"),
        pytest.param(PRICE, "-999.990", "-999.990", id="a decimal as text with a nought behind"),
        pytest.param(BYTES, "aGk=", "aGk=", id="base64"),
        pytest.param(FREE, "5", '"5"', id="text in a JSON column keeps its quotes"),
        pytest.param(FREE, 5, "5", id="a number in a JSON column"),
        pytest.param(FREE, {"a": [1.5, None]}, '{"a":[1.5,null]}', id="an object in a JSON column"),
        pytest.param(FREE, 10**40, "1" + "0" * 40, id="a great integer in a JSON column keeps its digits"),
        pytest.param(FREE, None, None, id="null is null everywhere"),
        pytest.param(INTEGER, None, None, id="null in a bigint"),
    ],
)
def test_a_value_that_fits_goes_in_as_its_column_says_it(schema: Any, value: Any, fitted: Any) -> None:
    data = {"x": value}
    before = copy.deepcopy(data)
    assert unstorable(columns(schema), data) is None
    result = normalise(columns(schema), data)
    assert result == {"x": fitted}
    assert type(result["x"]) is type(fitted)
    assert data == before


@pytest.mark.parametrize(
    "schema, value, code",
    [
        pytest.param(INTEGER, 2**63, "unstorable_integer", id="an integer beyond 64 bits"),
        pytest.param(INTEGER, -(2**63) - 1, "unstorable_integer", id="an integer below 64 bits"),
        pytest.param(INTEGER, 1e30, "unstorable_integer", id="a great integer written as a float"),
        pytest.param(NUMBER, 10**400, "unstorable_number", id="a number beyond a double"),
        pytest.param(NUMBER, float("inf"), "unstorable_number", id="infinity"),
        pytest.param(INSTANT, "2016-12-31T23:59:60Z", "unstorable_timestamp", id="a leap second"),
        pytest.param(INSTANT, "0000-01-01T00:00:00Z", "unstorable_timestamp", id="the year nought"),
        pytest.param(INSTANT, "0001-01-01T00:00:00+01:00", "unstorable_timestamp", id="before the year 1 in UTC"),
        pytest.param(INSTANT, "9999-12-31T23:59:59-01:00", "unstorable_timestamp", id="after the year 9999 in UTC"),
        pytest.param(DAY, "0000-01-01", "unstorable_date", id="a day in the year nought"),
        pytest.param(MONEY, 1000, "unstorable_decimal", id="too many digits before the point"),
        pytest.param(MONEY, 1.234, "unstorable_decimal", id="too many digits after the point"),
        pytest.param(PRICE, "1,5", "unstorable_decimal", id="a comma, which Spark would skip"),
        pytest.param(PRICE, "1e2", "unstorable_decimal", id="an exponent in text"),
        pytest.param(PRICE, "\u0661", "unstorable_decimal", id="a digit of another script"),
        pytest.param(BYTES, "a-_k", "unstorable_binary", id="base64 of the other alphabet"),
    ],
)
def test_a_value_that_does_not_fit_is_named(schema: Any, value: Any, code: str) -> None:
    assert unstorable(columns(schema), {"x": value}) == (code, "/x")
    with pytest.raises(spark.Unstorable, match=code):
        normalise(columns(schema), {"x": value})


def test_the_pointer_leads_through_arrays_maps_and_odd_names() -> None:
    struct = spark.columns(
        {
            "properties": {
                "a/b": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"m": {"type": "object", "additionalProperties": INTEGER}},
                    },
                }
            }
        }
    )
    data = {"a/b": [None, {"m": {"k~": 1, "big": 2**70}}]}
    assert unstorable(struct, data) == ("unstorable_integer", "/a~1b/1/m/big")


def test_undeclared_properties_are_no_columns_concern() -> None:
    struct = spark.columns({"properties": {"a": {"type": "string"}}})
    data = {"a": "x", "deep": [[[]]], "A": 1}
    assert normalise(struct, data) == {"a": "x"}
    assert data == {"a": "x", "deep": [[[]]], "A": 1}


def test_data_that_needs_no_change_is_the_very_same_object() -> None:
    struct = spark.columns({"properties": {"a": INTEGER, "b": {"type": "array", "items": INSTANT}}})
    data = {"a": 1, "b": ["2026-11-20T10:00:00Z"]}
    assert normalise(struct, data) is data


def test_another_variants_value_of_another_type_is_unstorable_not_null() -> None:
    variants = [
        {"properties": {"kind": {"const": "a"}, "v": {"type": "object", "properties": {"n": {"type": "string"}}}}},
        {"properties": {"kind": {"const": "b"}}},
    ]
    struct = spark.columns({"oneOf": variants})
    assert unstorable(struct, {"kind": "a", "v": {"n": "x"}}) is None
    assert unstorable(struct, {"kind": "b", "v": 5}) == ("unstorable_type", "/v")
    assert unstorable(struct, {"kind": "b", "v": {"n": 5}}) == ("unstorable_type", "/v/n")


def test_json_text_too_deep_to_write_is_unstorable() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert unstorable(columns(FREE), {"x": value}) == ("unstorable_depth", "/x")


NAMES = ["a", "b", "A", "c d"]
SCALARS: list[dict[str, Any]] = [
    INTEGER, NUMBER, INSTANT, DAY, FREE, {"type": "string"}, {"type": "boolean"}, {"type": ["integer", "null"]},
    {"type": ["integer", "string"]}, {"type": "object"}, {"type": "array"}, {"enum": ["a", 1]}, {"const": "k"},
    {"type": "string", "enum": ["a"], "x-open-enum": True}, {"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"},
    {"type": "number", "x-spark-type": "decimal(9,3)"}, {"type": "string", "x-spark-type": "json"}, {"$ref": "#"},
]  # fmt: skip


def objects(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(NAMES), below, max_size=3),
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), below),
            "patternProperties": st.dictionaries(st.just("^z"), below, max_size=1),
        },
    )


def several(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(below, min_size=1, max_size=3)
    return st.one_of(
        objects(below),
        st.builds(lambda key, branches: {key: branches}, st.sampled_from(["anyOf", "oneOf", "allOf"]), few),
        st.builds(lambda one, branches: {**one, "anyOf": branches}, objects(below), few),
        st.builds(lambda one, then: {**one, "if": {"required": ["a"]}, "then": then}, objects(below), objects(below)),
        st.builds(lambda items: {"type": "array", "items": items}, below),
        st.builds(lambda one, rest: {"type": "array", "prefixItems": [one], "items": rest}, below, below),
    )


INNER = st.recursive(st.sampled_from(SCALARS), several, max_leaves=6)
SCHEMAS = st.builds(
    lambda root, one, two: {**root, "$defs": {"one": one, "two": two}},
    several(INNER),
    INNER,
    INNER,
)
VALUES = st.recursive(
    st.sampled_from(
        [
            None,
            True,
            0,
            1.0,
            2**63,
            0.5,
            1e30,
            "a",
            "k",
            "",
            "2026-11-20t10:00:00.1234567Z",
            "2016-12-31T23:59:60Z",
            "2026-11-20",
        ]
    ),
    lambda below: st.one_of(
        st.lists(below, max_size=2), st.dictionaries(st.sampled_from([*NAMES, "z", "zz"]), below, max_size=4)
    ),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.sampled_from([*NAMES, "z"]), VALUES, max_size=4)


def holds(type_: spark.SparkType, value: Any) -> bool:
    """True where a column of this type says this JSON value."""
    if value is None:
        return True
    match type_:
        case spark.Struct():
            return isinstance(value, dict) and all(
                name in type_.by_name and holds(type_.by_name[name].type, item) for name, item in value.items()
            )
        case spark.Array():
            return isinstance(value, list) and all(holds(type_.element, item) for item in value)
        case spark.Map():
            return isinstance(value, dict) and all(holds(type_.value, item) for item in value.values())
        case spark.Decimal():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case spark.Scalar.BIGINT:
            return type(value) is int and -(2**63) <= value < 2**63
        case spark.Scalar.DOUBLE:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case spark.Scalar.BOOLEAN:
            return isinstance(value, bool)
        case spark.Scalar.TIMESTAMP:
            return isinstance(value, str) and "t" not in value and ":60" not in value
    return isinstance(value, str)


def same(type_: spark.SparkType, fitted: Any, original: Any) -> bool:
    """True where the columns say what the document said, undeclared properties apart."""
    if original is None or fitted is None:
        return fitted is original
    match type_:
        case spark.Struct():
            declared = {name: item for name, item in original.items() if name in type_.by_name}
            return fitted.keys() == declared.keys() and all(
                same(type_.by_name[name].type, fitted[name], item) for name, item in declared.items()
            )
        case spark.Array():
            return len(fitted) == len(original) and all(
                same(type_.element, one, other) for one, other in zip(fitted, original, strict=True)
            )
        case spark.Map():
            return fitted.keys() == original.keys() and all(same(type_.value, fitted[k], original[k]) for k in original)
        case spark.Json():
            return bool(json.loads(fitted) == original)
        case spark.Scalar.TIMESTAMP:
            return instant(fitted) == instant(original)
    return bool(fitted == original)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.upper()).astimezone(UTC)


def guarded(type_: spark.SparkType, path: list[str]) -> bool:
    """True where the value at ``path`` stands below something that not every variant declares."""
    for step in path:
        if isinstance(type_, spark.Struct):
            field = type_.by_name[step]
            if not field.certain:
                return True
            type_ = field.type
        elif isinstance(type_, spark.Map):
            if not type_.certain:
                return True
            type_ = type_.value
        elif isinstance(type_, spark.Array):
            type_ = type_.element
    return False


def check(schema: dict[str, Any], data: Any) -> None:
    struct = spark.columns(schema)
    try:
        valid = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True).is_valid(data)
    except Exception:  # a schema that no validator takes has no valid documents
        valid = False
    assume(valid)
    problem = unstorable(struct, data)
    if problem is not None:
        code, pointer = problem
        path = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        assert code != "unstorable_type" or guarded(struct, path), (problem, spark.ddl(struct))
        return
    fitted = normalise(struct, data)
    assert holds(struct, fitted), (fitted, spark.ddl(struct))
    assert same(struct, fitted, data), (fitted, spark.ddl(struct))


FILTERED = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@settings(max_examples=150, deadline=None, suppress_health_check=FILTERED)
@given(SCHEMAS, DOCUMENTS)
def test_every_valid_document_is_held_by_the_columns_or_named_as_unstorable(schema: dict[str, Any], data: Any) -> None:
    check(schema, data)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=FILTERED)
@given(SCHEMAS, DOCUMENTS)
def test_every_valid_document_is_held_or_named_at_length(schema: dict[str, Any], data: Any) -> None:
    check(schema, data)
