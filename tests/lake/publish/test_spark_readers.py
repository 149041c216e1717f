"""Spark reads the tables with the jars of Delta and Iceberg: the same rows, also as a stream over a compaction."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import lakehouse
import projected
from projected import QUARANTINE, Lake

from babelreg.lake.publish.table_changes import folder_of

pytestmark = [pytest.mark.servers, pytest.mark.spark]


@pytest.fixture
def session(spark: Any, tmp_path: Path) -> Any:
    own = lakehouse.configure(spark, tmp_path)
    own.conf.set("spark.sql.session.timeZone", "UTC")
    return own


def test_spark_reads_the_rows_of_the_lake_from_delta_and_iceberg(session: Any, lake: Lake, tmp_path: Path) -> None:
    lake.runs("i", "p", "i2", "p", "c", "i3", "r", "p", "c", "i3", "p")
    found = projected.tables(lake.out)
    assert len(found) > 2
    for number, table in enumerate(found):
        wanted = [_told(row) for row in projected.expected(lake.out, table)]
        delta, iceberg = str(lake.out / folder_of(table)), projected.iceberg_table(lake.out, table).metadata_location
        for name, place in (("delta", delta), ("iceberg", iceberg)):
            read = session.read.format(name).load(place)
            assert sorted(map(_told, rows(read)), key=repr) == sorted(wanted, key=repr), (name, table)
        some = session.read.format("delta").load(delta).where("source_offset > 0 AND source_file >= '00001'").count()
        assert some == sum(row["source_offset"] > 0 and row["source_file"] >= "00001" for row in wanted)
        if table != QUARANTINE:  # a redrive takes rows from there, which a stream cannot follow
            stream = session.readStream.format("delta").load(delta).writeStream.format("memory")
            stream = stream.queryName(f"streamed_{number}").option("checkpointLocation", str(tmp_path / f"c{number}"))
            stream.trigger(availableNow=True).start().awaitTermination()
            assert session.table(f"streamed_{number}").count() == len(wanted)


def rows(frame: Any) -> list[dict[str, Any]]:
    """The rows as Spark writes them in JSON, without bodies."""
    texts = frame.drop("body").selectExpr("to_json(struct(*)) AS row").collect()
    return [json.loads(text.row) for text in texts]


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row without what is spelled in another way: times, and bytes; ``data`` in the order of its names."""
    kept = {name: value for name, value in row.items() if name not in ("created_at", "body")}
    return projected._filled(kept)
