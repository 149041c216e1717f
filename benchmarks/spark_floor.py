"""Typed tables without validation: bare ``from_json``, one parquet table a URN, the columns that ingest writes.

It refuses nothing and turns what does not fit into nulls; what is no JSON it loses. It reads the envelope once, keeps
``data`` as text and types each table from there, several at a time. How it gets from one to the other is its ``way``:

``landed``   the envelopes are written by URN, and each table reads its own
``cached``   they stay in memory, and each table filters them
``direct``   each table reads the files once more
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from babelreg.lake.arrow.table_schema import ENVELOPE
from babelreg.spark.session import local
from babelreg.typemap import spark as typemap

WRITING: Mapping[str, str] = {
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    **{f"parquet.enable.dictionary#{name}": "false" for name in ("message_id", "trace_id", "data_json")},
}
"""How ingest writes its files, as options of Spark."""

_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # as ingest stores them
    "spark.sql.maxConcurrentOutputFileWriters": "64",  # a folder a URN: with a writer open for each nothing is sorted
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
"""What Spark is to write with, which are no options: the same columns, and no more work than is asked of ingest."""

WAYS = ("landed", "cached", "direct")

_META = "struct<id: string, queue: string, lang: string, created_at: bigint>"
_ENVELOPE = f"job string, trace_id string, data {{data}}, meta {_META}, attempts bigint"

Envelopes = Callable[[Any], Any]
"""Gives for a session the rows with ``urn``, the envelope's columns, and ``data`` as text."""


class Tables:
    """Types ``envelopes`` into one table a URN below ``target``."""

    def __init__(self, spark: Any, schemas: Mapping[str, Any], envelopes: Envelopes, target: Path) -> None:
        from pyspark.sql.types import StructType

        self._spark = _session(spark)
        self._envelopes, self._target = envelopes, target
        self._types = {
            urn: StructType.fromJson(typemap.as_json(typemap.columns(schema))) for urn, schema in schemas.items()
        }

    def write(self, way: str, writing: Mapping[str, str]) -> None:
        """Write every table, with these options."""
        shutil.rmtree(self._target, ignore_errors=True)
        envelopes = self._envelopes(self._spark)
        if way == "landed":
            tables = self._landed(envelopes)
        else:
            kept = envelopes.persist() if way == "cached" else envelopes
            tables = {urn: kept.where(kept["urn"] == urn) for urn in self._types}
        with ThreadPoolExecutor(self._spark.sparkContext.defaultParallelism + 1) as threads:
            list(threads.map(lambda urn: self._type(tables[urn], urn, writing), self._types))
        if way == "cached":
            envelopes.unpersist()

    def _landed(self, envelopes: Any) -> dict[str, Any]:
        landing = self._target / "landing"
        options = {"compression": "lz4", "parquet.enable.dictionary": "false"}
        envelopes.write.partitionBy("urn").options(**options).parquet(str(landing))
        folders = {urn: landing / f"urn={urn.replace(':', '%3A')}" for urn in self._types}
        # Listing the folder would infer the columns again.
        reader = self._spark.read.schema(envelopes.drop("urn").schema)
        return {urn: reader.parquet(str(folder)) for urn, folder in folders.items() if folder.is_dir()}

    def _type(self, rows: Any, urn: str, writing: Mapping[str, str]) -> None:
        from pyspark.sql import functions as F

        typed = F.from_json("data", self._types[urn]).alias("data")
        columns = [F.lit(urn).alias("urn"), *ENVELOPE, typed, F.col("data").alias("data_json")]
        table = self._target / "tables" / urn.replace(":", "_")
        rows.select(*columns).write.options(**writing).parquet(str(table))


def one_table(spark: Any, schemas: Mapping[str, Any], envelopes: Envelopes, target: Path) -> None:
    """Write the messages of all URNs at once, partitioned by URN; ``data`` has the columns of all schemas together."""
    from pyspark.sql import functions as F

    shutil.rmtree(target, ignore_errors=True)
    typed = F.from_json("data", _all_columns(schemas)).alias("data")
    rows = envelopes(_session(spark)).select("urn", *ENVELOPE, typed, F.col("data").alias("data_json"))
    rows.write.partitionBy("urn").options(**WRITING).parquet(str(target))


def unchecked(source: Path) -> Envelopes:
    """The envelopes as ``from_json`` reads them, nothing asked."""

    def envelopes(spark: Any) -> Any:
        from pyspark.sql import functions as F

        parsed = lines(spark, source).select(
            F.from_json("value", _ENVELOPE.format(data="string")).alias("e"), F.col("_metadata.file_name").alias("file")
        )
        return parsed.select(
            F.col("e.job").alias("urn"),
            F.col("e.meta.id").alias("message_id"),
            "e.trace_id",
            F.timestamp_millis("e.meta.created_at").alias("created_at"),
            F.col("e.meta.lang").alias("lang"),
            F.col("e.meta.queue").alias("queue"),
            "e.attempts",
            F.col("file").alias("source_file"),
            F.lit(None).cast("bigint").alias("source_offset"),
            F.col("e.data").alias("data"),
        )

    return envelopes


def _session(spark: Any) -> Any:
    session = local.isolated(spark)
    for key, value in _SETTINGS.items():
        session.conf.set(key, value)
    session.conf.set("spark.sql.shuffle.partitions", str(spark.sparkContext.defaultParallelism))
    return session


def parse_only(spark: Any, source: Path, schemas: Mapping[str, Any]) -> None:
    """Read each message once, by ``from_json`` into the columns of all URNs together, and throw it away."""
    from pyspark.sql import functions as F

    envelope = _ENVELOPE.format(data=_all_columns(schemas))
    parsed = lines(_session(spark), source).select(F.from_json("value", envelope).alias("e"))
    parsed.select("e.*").write.format("noop").mode("overwrite").save()


def _all_columns(schemas: Mapping[str, Any]) -> str:
    members = {column.name: column for schema in schemas.values() for column in typemap.columns(schema).fields}
    return typemap.ddl_type(typemap.Struct(tuple(members.values())))


def lines(spark: Any, source: Path) -> Any:
    """The lines of the files."""
    return spark.read.text(str(source), lineSep="\n")
