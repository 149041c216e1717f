"""Statistics of files bound every value, so that no engine skips a file that holds a row."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.storage import file_footers

TIME = pa.timestamp("us", "UTC")


def told(tmp_path: Path, rows: list[dict[str, Any]], schema: pa.Schema, **options: Any) -> dict[str, Any]:
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "a.parquet", **options)
    return file_footers.statistics(file_footers.read(tmp_path, ["a.parquet"])[0])


@pytest.mark.parametrize(
    "type_, values, least, largest",
    [
        pytest.param(pa.int64(), [3, -1, None], -1, 3, id="integers"),
        pytest.param(pa.float64(), [1.5, -0.5], -0.5, 1.5, id="numbers"),
        pytest.param(pa.string(), ["b", "a"], "a", "b", id="texts"),
        pytest.param(pa.string(), ["b" * 65, "a"], None, None, id="a long text has no bounds"),
        pytest.param(pa.date32(), [date(1, 1, 1), date(9999, 12, 31)], "0001-01-01", "9999-12-31", id="dates"),
        pytest.param(
            TIME,
            [datetime(2026, 1, 1, 0, 0, 0, 999_999, UTC)],
            "2026-01-01T00:00:00.999Z",
            "2026-01-01T00:00:01.000Z",
            id="times are rounded outward",
        ),
        pytest.param(
            TIME, [datetime(1, 1, 1, tzinfo=UTC)], "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z", id="year 1"
        ),
        pytest.param(
            TIME, [datetime.max.replace(tzinfo=UTC)], "9999-12-31T23:59:59.999Z", None, id="the last time has no bound"
        ),
        pytest.param(pa.decimal128(20, 2), [Decimal("1.10")], None, None, id="decimals have none"),
        pytest.param(pa.bool_(), [True], None, None, id="truth values have none"),
        pytest.param(pa.int64(), [None], None, None, id="nulls have none"),
    ],
)
def test_bounds(type_: pa.DataType, values: list[Any], least: Any, largest: Any, tmp_path: Path) -> None:
    found = told(tmp_path, [{"a": value} for value in values], pa.schema([("a", type_)]))
    assert (found["minValues"].get("a"), found["maxValues"].get("a")) == (least, largest)
    assert found["numRecords"] == len(values)
    assert found["nullCount"] == {"a": values.count(None)}


def test_members_of_structs_have_bounds_and_those_of_lists_and_maps_none(tmp_path: Path) -> None:
    inner = pa.struct(
        [("l", pa.list_(pa.struct([("x", pa.int64())]))), ("m", pa.map_(pa.string(), pa.int64())), ("z", pa.int64())]
    )
    schema = pa.schema([("data", inner), ("after", pa.int64())])
    found = told(tmp_path, [{"data": {"l": [{"x": 9}], "m": [("k", 8)], "z": 7}, "after": 6}, {"after": 5}], schema)
    assert found["maxValues"] == {"data": {"z": 7}, "after": 6}
    assert found["nullCount"] == {"data": {"z": 1}, "after": 0}


def test_row_groups_are_taken_together_and_many_columns_are_cut_off(tmp_path: Path) -> None:
    schema = pa.schema([(f"c{number}", pa.int64()) for number in range(40)])
    rows = [{f"c{number}": row for number in range(40)} for row in (5, 1, 3)]
    found = told(tmp_path, rows, schema, row_group_size=1)
    assert found["minValues"]["c0"] == 1
    assert found["maxValues"]["c31"] == 5
    assert len(found["maxValues"]) == 32


@settings(max_examples=30, deadline=None)
@given(times=st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1))
def test_every_time_lies_within_the_bounds(times: list[datetime], tmp_path_factory: pytest.TempPathFactory) -> None:
    found = told(tmp_path_factory.mktemp("times"), [{"a": time} for time in times], pa.schema([("a", TIME)]))
    assert datetime.fromisoformat(found["minValues"]["a"]) <= min(times)
    if "a" in found["maxValues"]:
        assert max(times) <= datetime.fromisoformat(found["maxValues"]["a"]) <= max(times) + timedelta(milliseconds=1)


def test_schemas_are_joined_in_structs_and_lists_and_a_changed_type_is_refused() -> None:
    def schema(*names: str, type_: str = "int64") -> pa.Schema:
        inner = pa.struct([(name, pa.type_for_alias(type_)) for name in names])
        return pa.schema([("data", inner), ("list", pa.list_(pa.field("element", inner)))])

    joined = file_footers.union([schema("a", "b"), schema("a"), schema("c")])
    assert joined.field("data").type == pa.struct([(name, pa.int64()) for name in "abc"])
    assert joined.field("list").type.value_type == joined.field("data").type
    with pytest.raises(InputError, match="do not fit together"):
        file_footers.union([schema("a"), schema("a", type_="string")])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none.parquet"):
        file_footers.read(tmp_path, ["none.parquet"])
