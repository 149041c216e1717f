"""Training run for the class archive: ``python -m babelreg.spark.session.cds_training``.

Runs all that ``babelreg spark`` uses of Spark on a few made-up messages: tables, duplicates, a quarantine, a redrive, a
compaction, then typical queries on the tables. It leaves no files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg import load
from babelreg.model import Registry
from babelreg.spark import (
    compact,
    files,
    ingest,
    redrive,
)
from babelreg.spark.session import jvm, local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["main"]

_URNS = ("urn:babel:training:started", "urn:babel:training:ended")
_SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string", "maxLength": 20},
        "at": {"type": "string", "format": "date-time"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def main() -> int:
    """Run, and wait until the JVM has written the archive and exited; return its exit code."""
    with tempfile.TemporaryDirectory(prefix="babelreg-training-") as folder:
        spark = local.start("babelreg training", master="local[2]")
        try:
            _pipeline(spark, Path(folder))
            _queries(spark, Path(folder) / "lake")
        finally:
            gateway: Any = spark.sparkContext._gateway
            spark.stop()
            gateway.shutdown()
            gateway.proc.stdin.close()
            ended: int = gateway.proc.wait()
            if (exited := jvm.exited(1)) is not None:
                sys.stdout.write(exited.output)
    return ended


def _pipeline(spark: SparkSession, folder: Path) -> None:
    (folder / "in").mkdir()
    registry = _registry({"type": "string", "maxLength": 3})
    for name, messages in (("a", range(60)), ("b", range(30, 90))):
        lines = (json.dumps(_message(number)) for number in messages)
        (folder / "in" / f"{name}.jsonl").write_text("\n".join([*lines, "{"]), encoding="utf-8")
        ingest(spark, registry, folder / "in", folder / "lake")
    redrive(spark, _registry({"type": "string"}), folder / "lake")
    compact(spark, folder / "lake", at_least=2)


def _queries(spark: SparkSession, lake: Path) -> None:
    from pyspark.sql import functions as F

    everything = spark.range(1000).select((F.col("id") % 7).alias("k"), F.col("id").alias("v"))
    everything.groupBy("k").agg(F.count("*"), F.sum("v"), F.avg("v")).orderBy("k").collect()
    everything.alias("a").join(everything.alias("b"), "k").where("a.v < 3").count()
    for urn in _URNS:
        table = spark.read.parquet(*files(lake, urn))
        table.select("urn", "message_id", "created_at", "data.id", "data.name").where("data.id > 3").collect()
        table.groupBy("data.name").count().orderBy("count").limit(3).collect()
        table.createOrReplaceTempView("started")
        spark.sql("select lang, count(distinct message_id) from started group by lang").collect()
        table.write.mode("overwrite").parquet(str(lake.parent / "copy"))
    quarantine = spark.read.parquet(*files(lake, "quarantine"))
    quarantine.groupBy("reason").count().toPandas()


def _registry(name: dict[str, Any]) -> Registry:
    schema = {**_SCHEMA, "properties": {**_SCHEMA["properties"], "name": name}}  # type: ignore[dict-item]
    tree = {"babelreg.yaml": b"version: 1\n", "training/_context.yaml": b"owner: babelreg\n"}
    for urn in _URNS:
        tree[f"training/{urn.rpartition(':')[2]}.yaml"] = json.dumps(
            {"urn": urn, "kind": "event", "data": schema}
        ).encode()
    return load.from_tree(load.files.tree.Memory(tree))


def _message(number: int) -> dict[str, Any]:
    data = {
        "id": number,
        "name": ("ab", "abcdef")[number % 5 == 0],
        "at": "2026-01-01T00:00:00Z",
        "lines": [{"price": number / 2}],
        "labels": {"a": "b"},
    }
    meta = {"id": f"m{number}", "queue": "q", "lang": "python", "schema_version": 1, "created_at": number}
    return {"job": _URNS[number % 2], "trace_id": "t", "data": data, "meta": meta, "attempts": 0}


if __name__ == "__main__":
    sys.exit(main())
