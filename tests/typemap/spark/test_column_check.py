from __future__ import annotations

from typing import Any

import pytest

from babelreg.typemap import spark


def columns(schema: Any) -> spark.Struct:
    return spark.columns({"type": "object", "properties": {"x": schema}})


def unstorable(struct: spark.Struct, data: Any) -> tuple[str, str] | None:
    """(code, pointer) of the first value in ``data`` that its column cannot hold, or None."""
    try:
        spark.column_check(struct)(data)
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
        pytest.param(FREE, {"a": [1.5, None]}, {"a": [1.5, None]}, id="an object in a JSON column"),
        pytest.param(FREE, 10**40, 10**40, id="a great integer in a JSON column"),
    ],
)
def test_a_value_that_fits_is_what_its_column_is_made_of(schema: Any, value: Any, fitted: Any) -> None:
    struct = columns(schema)
    assert unstorable(struct, {"x": value}) is None
    fit = spark.value_check_for(struct.fields[0].type)
    assert fit is not None
    found = fit(value)
    assert (type(found), found) == (type(fitted), fitted)


@pytest.mark.parametrize("schema", [INTEGER, NUMBER, INSTANT, DAY, MONEY, PRICE, BYTES, FREE])
def test_null_goes_into_every_column(schema: Any) -> None:
    assert unstorable(columns(schema), {"x": None}) is None
    assert unstorable(columns({"type": "array", "items": schema}), {"x": [None]}) is None
    assert unstorable(columns({"type": "object", "additionalProperties": schema}), {"x": {"a": None}}) is None


@pytest.mark.parametrize(
    "schema, value, code",
    [
        pytest.param(INTEGER, 2**63, "unstorable_integer", id="an integer that does not fit into 64 bits"),
        pytest.param(INTEGER, -(2**63) - 1, "unstorable_integer", id="an integer below 64 bits"),
        pytest.param(INTEGER, 1e30, "unstorable_integer", id="a great integer written as a float"),
        pytest.param(NUMBER, 10**400, "unstorable_number", id="a number that exceeds the range of a double"),
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
    struct = spark.columns({"properties": {"a": INTEGER}})
    assert unstorable(struct, {"a": 1, "b": 2**70, "A": 2**70}) is None


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
