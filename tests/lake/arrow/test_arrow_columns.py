"""Documents as Arrow: what fits is there exactly, what does not is told, and both as ``typemap`` says."""

from __future__ import annotations

import copy
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lake.arrow.struct import Columns, arrow_type
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, Decimal, Json, Map, Scalar, Struct, StructField

INSTANTS = [
    pytest.param("2026-11-20t10:00:00.1234567z", datetime(2026, 11, 20, 10, 0, 0, 123456, UTC), id="lower case"),
    pytest.param("2026-11-20T10:00:00+23:30", datetime(2026, 11, 19, 10, 30, tzinfo=UTC), id="a far offset"),
    pytest.param("2026-12-31T23:59:59-00:00", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), id="no offset known"),
    pytest.param("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC), id="the first instant"),
    pytest.param("1969-12-31T23:59:59.9999999Z", datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), id="before 1970"),
    pytest.param("9999-12-31T23:59:59.9999999Z", datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), id="the last one"),
]


@pytest.mark.parametrize("text, read", INSTANTS)
def test_an_instant_is_cut_off_to_microseconds(text: str, read: datetime) -> None:
    assert _read(Scalar.TIMESTAMP, text) == read


@pytest.mark.parametrize(
    "type_, value, read",
    [
        pytest.param(Scalar.BIGINT, 1.0, 1, id="an integer written as a float"),
        pytest.param(Scalar.BIGINT, -(2**63), -(2**63), id="the least of 64 bits"),
        pytest.param(Decimal(20, 0), 2**64 - 1, Number(2**64 - 1), id="64 bits unsigned"),
        pytest.param(Scalar.DOUBLE, 5, 5.0, id="a number without fraction"),
        pytest.param(Scalar.DOUBLE, 2**53 + 1, float(2**53), id="a number that is rounded"),
        pytest.param(Scalar.DOUBLE, 10**300, 1e300, id="a great integer"),
        pytest.param(Decimal(7, 2), 12345.67, Number("12345.67"), id="a decimal"),
        pytest.param(Decimal(7, 2), 1e2, Number("100.00"), id="a decimal with an exponent"),
        pytest.param(Decimal(38, 2), "12.500000", Number("12.50"), id="a decimal with zeros at its end"),
        pytest.param(Decimal(38, 2), "1" * 36 + ".78", Number("1" * 36 + ".78"), id="a decimal of 38 digits"),
        pytest.param(Scalar.DATE, "0001-01-01", date(1, 1, 1), id="the first day"),
        pytest.param(Scalar.BINARY, "aGk=", b"hi", id="base64"),
        pytest.param(Json(), "5", '"5"', id="JSON text of a text"),
        pytest.param(Json(), {"b": [1.1, 10**30]}, '{"b":[1.1,1000000000000000000000000000000]}', id="JSON of an object"),
        pytest.param(Map(Scalar.BIGINT), {"": 1, "x": None}, [("", 1), ("x", None)], id="a map"),
        pytest.param(Array(Json()), [None, {}, 1], [None, "{}", "1"], id="an array of anything"),
        pytest.param(Array(Array(Scalar.STRING)), [[], None, ["\x00😀\u2028"]], [[], None, ["\x00😀\u2028"]], id="arrays"),
        pytest.param(Struct((StructField("a.b", Scalar.BOOLEAN),)), {"a.b": True, "c": 1}, {"a.b": True}, id="an object"),
    ],
)  # fmt: skip
def test_a_value_is_there_exactly(type_: Any, value: Any, read: Any) -> None:
    assert _read(type_, value) == read
    assert _read(type_, None) is None


@pytest.mark.parametrize(
    "type_, value, code",
    [
        pytest.param(Scalar.BIGINT, 2**63, "unstorable_integer", id="an integer that does not fit into 64 bits"),
        pytest.param(Scalar.BIGINT, 1e19, "unstorable_integer", id="a float beyond 64 bits"),
        pytest.param(Scalar.DOUBLE, 10**400, "unstorable_number", id="a number that exceeds the range of a double"),
        pytest.param(Scalar.TIMESTAMP, "2026-12-31T23:59:60Z", "unstorable_timestamp", id="a leap second"),
        pytest.param(Scalar.TIMESTAMP, "0000-12-31T23:59:59Z", "unstorable_timestamp", id="the year 0"),
        pytest.param(Scalar.TIMESTAMP, "0001-01-01T00:00:00+00:01", "unstorable_timestamp", id="before the year 1"),
        pytest.param(Scalar.TIMESTAMP, "9999-12-31T23:59:59-00:01", "unstorable_timestamp", id="after the year 9999"),
        pytest.param(Scalar.TIMESTAMP, "2026-01-01", "unstorable_timestamp", id="a day, no instant"),
        pytest.param(Scalar.TIMESTAMP, "2026-01-01T00:00Z", "unstorable_timestamp", id="an instant without seconds"),
        pytest.param(Scalar.DATE, "0000-01-01", "unstorable_date", id="a day of the year 0"),
        pytest.param(Scalar.DATE, "2026-02-30", "unstorable_date", id="a day that there is not"),
        pytest.param(Scalar.BINARY, "a=b", "unstorable_binary", id="no base64"),
        pytest.param(Decimal(7, 2), 12.345, "unstorable_decimal", id="a digit too many"),
    ],
)
def test_what_does_not_fit_is_told_and_the_others_are_there(type_: Any, value: Any, code: str) -> None:
    columns = Columns(Struct((StructField("n", Scalar.BIGINT), StructField("x", Array(type_)))))
    found, problems = columns.typed([{"n": 1, "x": []}, {"n": 2, "x": [None, value]}, {"n": 3}])
    assert [row["n"] for row in found.to_pylist()] == [1, 3]
    assert {number: (one.code, one.pointer) for number, one in problems.items()} == {1: (code, "/x/1")}


@pytest.mark.parametrize("type_", [Scalar.BIGINT, Scalar.DOUBLE])
def test_great_integers_and_fractions_side_by_side_are_read_as_each_alone(type_: Any) -> None:
    values = [1.0, 2**63 - 1, None, 2**53 + 1, -(2**63), 5]
    found, problems = Columns(Struct((StructField("x", type_),))).typed([{"x": value} for value in values])
    assert not problems
    assert [row["x"] for row in found.to_pylist()] == [_read(type_, value) for value in values]


def test_a_variant_is_what_spark_encodes() -> None:
    from pyspark.sql.variant_utils import VariantUtils

    value = {"a": [1, None, "x", 1.5, True], "b": {}}
    read = _read(Scalar.VARIANT, value)
    assert VariantUtils.to_python(read["value"], read["metadata"]) == value


def test_what_arrow_refuses_without_a_reason_of_ours_ends_the_run() -> None:
    columns = Columns(Struct((StructField("x", Scalar.BOOLEAN),)))
    with pytest.raises(RuntimeError, match="does not fit its columns") as raised:
        columns.typed([{"x": "bob@real.org"}])  # which no schema of such a column lets through
    assert "bob" not in str(raised.value)
    assert raised.value.__suppress_context__  # Arrow's own error quotes the value


def _read(type_: Any, value: Any) -> Any:
    found, problems = Columns(Struct((StructField("x", type_),))).typed([{"x": value}])
    assert not problems
    assert found.type == pa.struct([pa.field("x", arrow_type(type_))])
    found.validate(full=True)
    return found.to_pylist()[0]["x"]


SCALARS = [*(one for one in Scalar if one is not Scalar.VARIANT), Json(), Decimal(7, 2), Decimal(38, 0)]
TYPES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(Array),
        st.builds(Map, inner, st.booleans()),
        st.lists(st.tuples(inner, st.booleans()), max_size=3).map(
            lambda some: Struct(
                tuple(StructField("abc"[n], type_, certain=certain) for n, (type_, certain) in enumerate(some))
            )
        ),
    ),
    max_leaves=4,
)
VALUES = st.recursive(
    st.sampled_from(
        [
            *(None, True, False, 0, 1.0, 1.5, -0.0, 2**63, 2**63 - 1, 2**53 + 1, 1e19, 10**400, "", "x", "1", "1.50"),
            *("2026-01-01", "0000-01-01", "2026-02-30", "aGk=", "aGk", " 1", "1e5", "12345678.5"),
            *(param.values[0] for param in INSTANTS),
            *("2026-01-01 00:00:00Z", "2026-01-01T00:00Z", "2026-01-01T24:00:00Z", "2026-12-31T23:59:60Z"),
        ]
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=5,
)


@given(TYPES, st.lists(VALUES, min_size=1, max_size=4))
def test_columns_take_what_typemap_says_fits_and_nothing_else(type_: Any, values: list[Any]) -> None:
    struct = Struct((StructField("x", type_, certain=False),))
    documents = [{"x": value} for value in values]
    before = copy.deepcopy(documents)
    told = {number: found for number, one in enumerate(documents) if (found := _unfit(struct, one))}
    found, problems = Columns(struct).typed(documents)
    found.validate(full=True)
    assert {number: (one.code, one.pointer) for number, one in problems.items()} == told
    assert len(found) == len(documents) - len(told)
    assert documents == before
    alone = [Columns(struct).typed([one])[0] for number, one in enumerate(documents) if number not in told]
    assert found.to_pylist() == [row for one in alone for row in one.to_pylist()]


def _unfit(struct: Struct, document: Any) -> tuple[str, str] | None:
    """What ``typemap`` says against one document: (code, pointer)."""
    try:
        typemap.column_check(struct)(document)
    except typemap.Unstorable as problem:
        return problem.code, problem.pointer
    return None
