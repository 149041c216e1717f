"""A program of a user: validates a folder of lines, as a batch and as a stream, and prints what it found as JSON.

Its session is that of SPARK_REMOTE, or of the cluster that it was submitted to. It is given the archive where the
server has none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

from babelreg.errors import UsageError
from babelreg.spark import quarantine, registry_in, typed, validate, validate_frame


def main(registry_folder: str, urn: str, inbox: str, out: str, archive: str = "") -> None:
    registry = registry_in(registry_folder)
    spark = SparkSession.builder.getOrCreate()
    found: dict[str, Any] = {"session": type(spark).__module__, "worker": worker_has_babelreg(spark)}
    if archive:
        found["without"] = _error(lambda: validate_frame(spark.read.text(inbox), registry))
        spark.addArtifacts(f"{archive}#babelreg", archive=True)
    lines = spark.read.text(inbox).select("value", "_metadata.file_name")
    for name, urns in (("two", []), ("one", [urn])):
        validated = validate_frame(lines, registry, position=["file_name"], urns=urns)
        found[name] = _rows(typed(validated, urn, registry)), _rows(quarantine(validated))
    column = lines.select(validate(registry)(col("value")).alias("message"))
    found["column"] = sorted(row.reason or row.urn for row in column.select("message.*").collect())
    stream = spark.readStream.text(inbox).select("value", "_metadata.file_name")
    validated = validate_frame(stream, registry, position=["file_name"], urns=[urn])
    try:
        found["stream"] = tuple(
            _rows(_written(spark, rows, f"{out}/{name}"))
            for name, rows in {"typed": typed(validated, urn, registry), "quarantine": quarantine(validated)}.items()
        )
    except StreamingQueryException as err:
        found["stream"] = str(err)
    try:
        validate_frame(lines, registry, body="valu")
    except UsageError as err:
        found["misuse"] = err.message
    found["page"] = validated._repr_html_()
    print(json.dumps(found))
    spark.stop()


def worker_has_babelreg(spark: SparkSession) -> bool:
    """True where a worker's Python has babelreg."""

    def look(batches: Any) -> Any:
        import importlib.util

        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"id": [importlib.util.find_spec("orjson") is not None]})

    return bool(spark.range(1).mapInArrow(look, "id boolean").collect()[0][0])


def _error(frame: Callable[[], DataFrame]) -> str:
    try:
        return str(frame().select("reason").collect())
    except Exception as err:
        return str(err)


def _rows(rows: DataFrame) -> list[str]:
    return sorted(json.dumps(row.asDict(recursive=True), default=repr, sort_keys=True) for row in rows.collect())


def _written(spark: SparkSession, rows: DataFrame, out: str) -> DataFrame:
    writer = rows.writeStream.format("parquet").option("path", out).option("checkpointLocation", f"{out}-log")
    writer.trigger(availableNow=True).start().awaitTermination()
    return spark.read.parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
