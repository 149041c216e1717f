"""Creation of Delta tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import deltalake
import pytest
from pyspark.sql.types import StructType

from babelreg.spark.platform.formats import delta_table, table_layout
from babelreg.spark.platform.formats.batch_key import BatchKey

pytestmark = [pytest.mark.spark, pytest.mark.servers]


def test_a_table_whose_creation_was_killed_is_created(table_session: Any, new_place: Callable[..., Any]) -> None:
    place = new_place("delta")
    layout = table_layout.counts_layout()
    table = place.table(layout.name)
    (Path(place.at) / layout.name / "_delta_log").mkdir(parents=True)
    assert delta_table.stored(table_session, table) is None
    delta_table.create(table_session, table, layout)
    created = delta_table.stored(table_session, table)
    assert created is not None
    assert created.properties[table_layout.TABLE_OF] == layout.holds


@pytest.mark.parametrize("left", [["_delta_log"], ["_delta_log", "day=2026-11-22"], ["day=2026-11-22"]])
def test_a_table_whose_creation_with_rows_was_killed_is_created_with_them(
    left: list[str], table_session: Any, new_place: Callable[..., Any]
) -> None:
    place = new_place("delta")
    layout = table_layout.digests_layout()
    table, folder = place.table(layout.name), Path(place.at) / layout.name
    for name in left:
        (folder / name).mkdir(parents=True)
        if name != "_delta_log":
            (folder / name / "part-00000.snappy.parquet").write_bytes(b"PAR1")
    schema = StructType.fromJson(layout.schema)
    rows = table_session.createDataFrame([(date(2026, 11, 22), b"k", b"c", "job", 3)], schema)
    delta_table.create_with(rows, table, layout, BatchKey("job", 3))
    delta_table.append(rows, table, BatchKey("job", 3))
    stored = deltalake.DeltaTable(folder)
    assert (stored.version(), stored.transaction_version("job")) == (0, 3)
    assert [row["key"] for row in place.read(layout.name)] == [b"k"]
    assert (
        table_session.table(table).schema["key"].metadata["comment"] == "The first 16 bytes of the SHA-256 of meta.id."
    )


def test_a_table_is_created_with_the_columns_and_comments_of_its_layout(
    table_session: Any, new_place: Callable[..., Any]
) -> None:
    place = new_place("delta")
    pair = {
        "type": "struct",
        "fields": [_column("select", "string", "It's `quoted`\n${env:HOME}"), _column("a b", "decimal(20,3)")],
    }
    types: list[Any] = [
        "long",
        "integer",
        "double",
        "boolean",
        "date",
        "timestamp",
        "timestamp_ntz",
        "binary",
        pair,
        {"type": "array", "elementType": pair, "containsNull": True},
        {"type": "map", "keyType": "string", "valueType": pair, "valueContainsNull": True},
    ]
    fields = tuple(_column(f"`{number}` \u00e9", type_) for number, type_ in enumerate(types))
    properties = {"babelreg.other": '{"a": "it\'s \\\\ ${env:HOME}"}'}
    plain = table_layout.TableLayout(
        "odd", "odd", "A 'comment'.", (_column("day", "date", "D."), *fields), partition="day", properties=properties
    )
    layout = delta_table.columns(plain)
    delta_table.create(table_session, place.table(layout.name), layout)
    created = delta_table.stored(table_session, place.table(layout.name))
    assert created is not None
    assert _written(created.schema.jsonValue()) == _written(layout.schema)
    assert created.properties["babelreg.other"] == properties["babelreg.other"]


def _column(name: str, type_: Any, comment: str | None = None) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, "metadata": {"comment": comment} if comment else {}}


def _written(type_: Any) -> Any:
    """A type in JSON with the comments alone of its metadata: column mapping adds its own."""
    if isinstance(type_, dict):
        kept = {key: _written(value) for key, value in type_.items() if key != "metadata"}
        return {**kept, "comment": type_.get("metadata", {}).get("comment")}
    return [_written(item) for item in type_] if isinstance(type_, list) else type_
