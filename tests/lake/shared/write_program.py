"""A batch job of a user, ``Tables.write``, that is killed with all its processes before or after the N-th commit.

``python write_program.py REGISTRY IN AT JARS BATCH POINT``: even points come before a commit, odd ones after it; -1 is
none. Prints the counts as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

from pyspark.sql import SparkSession

from babelreg import load
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.tables.tables import Tables
from babelreg.spark.session import local


def main(registry: str, inbox: str, at: str, jars: str, batch: str, point: str) -> None:
    settings = {
        "spark.jars": jars,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    spark: SparkSession = local.start("killed", master="local[2]", settings=settings)
    kill_at(int(point))
    lines = spark.read.text(inbox).selectExpr(
        "value", "_metadata.file_name AS file", "monotonically_increasing_id() AS line"
    )
    counts = Tables(load.registry(registry), "delta", at, position=["file", "line"]).write(
        lines, application="job", batch=int(batch)
    )
    print(json.dumps([counts.read, counts.accepted, counts.duplicates, counts.quarantined, counts.repeated]))
    sys.stdout.flush()
    spark.stop()


def kill_at(point: int) -> None:
    append, lock, seen = TableSet.append, threading.Lock(), [0]

    def killing(self: TableSet, *args: Any) -> None:
        with lock:
            number, seen[0] = seen[0], seen[0] + 1
        if point == 2 * number:
            os.killpg(0, signal.SIGKILL)
        append(self, *args)
        if point == 2 * number + 1:
            os.killpg(0, signal.SIGKILL)

    TableSet.append = killing  # type: ignore[method-assign]


if __name__ == "__main__":
    main(*sys.argv[1:])
