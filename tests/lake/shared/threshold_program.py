"""A program of a user: writes batches into Delta tables with thresholds, and prints what happened as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from babelreg import load
from babelreg.spark import BatchHeld
from babelreg.spark.platform.tables.tables import Tables
from babelreg.spark.session import local


def main(registry_folder: str, inbox: str, at: str, jars: str) -> None:
    settings = {
        "spark.jars": jars,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
    }
    spark: SparkSession = local.start("thresholds", master="local[2]", settings=settings)
    registry = load.registry(registry_folder)
    lines = spark.read.text(inbox).selectExpr("value", "monotonically_increasing_id() AS line")
    found: dict[str, object] = {}
    try:
        Tables(registry, "delta", at, position=["line"], application="a", hold_above="5%").write(lines, batch=1)
    except BatchHeld as held:
        found["held"] = held.message
    found["tables"] = sorted(path.name for path in Path(at).glob("*"))
    thresholds = {"hold_above": "50%", "fail_above": "5%"}
    counts = Tables(registry, "delta", at, position=["line"], application="a", **thresholds).write(lines, batch=1)
    found["written"] = [counts.read, counts.accepted, counts.quarantined, [above.scope for above in counts.exceeded]]
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
