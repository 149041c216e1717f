"""Spark reads the tables with the jars of Delta and Iceberg: the same rows, also as a stream over a compaction."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))
import jars
import projected
from projected import QUARANTINE, Lake

from babelreg.lake.publish.table_changes import folder_of

pytestmark = [pytest.mark.servers, pytest.mark.spark, pytest.mark.cluster]

PROGRAM = """
import json, sys
from pyspark.sql import SparkSession
import os
from babelreg.spark.session import java

os.environ["JAVA_HOME"] = str(java.find().home)
asked = json.load(sys.stdin)
session = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars", asked["jars"])
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .getOrCreate()
)

def rows(frame):
    frame = frame.drop("body")
    return [json.loads(row) for row in frame.selectExpr("to_json(struct(*))").toPandas().iloc[:, 0]]

found = {}
for table, (delta, iceberg) in asked["tables"].items():
    read = session.read.format("delta").load(delta)
    some = read.where("source_offset > 0 AND source_file >= '00001'").count()
    found[table] = {"delta": rows(read), "iceberg": rows(session.read.format("iceberg").load(iceberg)), "some": some}
    stream = session.readStream.format("delta").load(delta).writeStream.format("memory").queryName("streamed")
    done = stream.option("checkpointLocation", asked["checkpoints"] + "/" + table.replace(":", "_"))
    if table != "quarantine":  # a redrive takes rows from there, which a stream cannot follow
        done.trigger(availableNow=True).start().awaitTermination()
        found[table]["streamed"] = session.table("streamed").count()
print(json.dumps(found))
"""


def test_spark_reads_the_rows_of_the_lake_from_delta_and_iceberg(lake: Lake, tmp_path: Path) -> None:
    lake.runs("i", "p", "i2", "p", "c", "i3", "r", "p", "c", "i3", "p")
    places = {
        table: (str(lake.out / folder_of(table)), projected.iceberg_table(lake.out, table).metadata_location)
        for table in projected.tables(lake.out)
    }
    paths = ",".join(map(str, jars.paths("delta", "iceberg")))
    asked = {"jars": paths, "tables": places, "checkpoints": str(tmp_path / "checkpoints")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(asked), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found) == set(places)
    for table, read in found.items():
        wanted = [_told(row) for row in projected.expected(lake.out, table)]
        for name in projected.FORMATS:
            assert sorted((_told(row) for row in read[name]), key=repr) == sorted(wanted, key=repr), (name, table)
        assert read["some"] == sum(row["source_offset"] > 0 and row["source_file"] >= "00001" for row in wanted)
        if table != QUARANTINE:
            assert read["streamed"] == len(wanted)


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row without what is spelled in another way: times, and bytes; ``data`` in the order of its names."""
    kept = {name: value for name, value in row.items() if name not in ("created_at", "body")}
    return projected._filled(kept)
