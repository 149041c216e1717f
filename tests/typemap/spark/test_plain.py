from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.typemap import spark

SCHEMAS: dict[str, Any] = {
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "text": {"type": "string"},
    "flag": {"type": "boolean"},
    "instant": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "money": {"type": "number", "x-spark-type": "decimal(5,2)"},
    "price": {"type": "string", "x-spark-type": "decimal(5,2)"},
    "wide": {"type": "string", "x-spark-type": "decimal(38,2)"},
    "share": {"type": "string", "x-spark-type": "decimal(2,2)"},
    "unsigned": {"type": "integer", "maximum": 2**64 - 1},
    "bytes": {"type": "string", "x-spark-type": "binary"},
    "list": {"type": "array", "items": {"type": "integer"}},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "either": {"oneOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "string"}}}]},
}
TRICKY: list[Any] = [
    *(None, True, 0, 1.0, -0.0, 1e2, 1e19, 2**63, -(2**63) - 1, 2**64, 10**40, 10**400, 1e300, 0.1, 999.999, 12345),
    *("", "aGk=", "aGk", "aGk=\n", "12.34", "-999.99", "1000", ".5", "1.", "0.001", "٣", "1\n", "NaN", "-0", "00012"),
    *("2026-11-20", "2026-02-29", "2026-11-20\n", "0001-01-01", "9999-12-31", "2026-13-01", "2026-1-1"),
    *("2026-11-20T10:00:00Z", "2026-11-20t10:00:00z", "2026-11-20T10:00:60Z", "2026-11-20T10:00:00+18:30"),
    *("2026-11-20T10:00:00.123456789Z", "2026-11-20T24:00:00Z", "2026-11-20T10:00:00Z\n", "0000-01-01T00:00:00Z"),
    *([1, None, 2.0], ["1"], {"a": 1}, {"a": "x"}, {"a": 1, "b": 2}, {"a": 2**70}),
]
values = st.one_of(st.sampled_from(TRICKY), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@settings(max_examples=2_000, deadline=None)
@given(name=st.sampled_from(sorted(SCHEMAS)), value=values, more=st.booleans())
def test_plain_data_fits_and_is_not_changed(name: str, value: Any, more: bool) -> None:
    struct = spark.columns({"type": "object", "properties": {"x": SCHEMAS[name]}})
    schema = spark.plain(struct)
    data = {"x": value, **({"y": 1} if more else {})}
    if schema is not None and jsonschema_rs.validator_for(schema).is_valid(data):
        fitted = spark.normalise(struct, data)
        # Whole floats alone become integers, which the canonical text does to them as well.
        assert fitted == data
        assert json.dumps(_whole(fitted)) == json.dumps(_whole(data))


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "name, value",
    [
        pytest.param("integer", 2**63 - 1, id="the greatest bigint"),
        pytest.param("number", 0.5, id="a number"),
        pytest.param("instant", "2026-11-20T10:00:00.123Z", id="an instant"),
        pytest.param("instant", "2026-11-20T10:00:00+02:00", id="an instant with an offset"),
        pytest.param("day", "2026-11-20", id="a day"),
        pytest.param("money", 12, id="whole money"),
        pytest.param("price", "12.50", id="a price as text"),
        pytest.param("bytes", "aGlo", id="base64"),
        pytest.param("list", [1, None], id="a list"),
        pytest.param("map", {"a": 1}, id="a map"),
        pytest.param("text", None, id="null"),
    ],
)
def test_what_messages_mostly_hold_is_told_at_one_look(name: str, value: Any) -> None:
    schema = spark.plain(spark.columns({"type": "object", "properties": {"x": SCHEMAS[name]}}))
    assert schema is not None
    assert jsonschema_rs.validator_for(schema).is_valid({"x": value})


def test_undeclared_properties_are_not_plain() -> None:
    schema = spark.plain(spark.columns({"type": "object", "properties": {"x": {}, "a": {"type": "integer"}}}))
    assert schema is None
    schema = spark.plain(spark.columns({"type": "object", "properties": {"a": {"type": "integer"}}}))
    assert schema is not None
    assert not jsonschema_rs.validator_for(schema).is_valid({"a": 1, "b": 2})
