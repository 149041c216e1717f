"""Apache Iceberg tables.

Each snapshot says in its summary which batch it added (``babelreg.application``, ``babelreg.batch``). Iceberg does not
compare these, so a repeated batch looks for its snapshot before it writes. Snapshots expire: the log of batches has the
current snapshot of each table from before the batch, and where the history does not reach back to it, nothing can be
said; that is an error, never a guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from babelreg.errors import InputError, UsageError
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.jar_coordinates import check_spark, missing_jars
from babelreg.spark.platform.formats.spark_conditions import condition, is_missing, set_properties, setting
from babelreg.spark.platform.formats.table_format import StoredTable
from babelreg.spark.platform.formats.table_layout import TableLayout
from babelreg.spark.platform.formats.table_names import TablePlace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriterV2, SparkSession
    from pyspark.sql.types import StructType

title = "Apache Iceberg"

_APPLICATION, _BATCH = "babelreg.application", "babelreg.batch"
_NONE = "none"
"""The version of a table without snapshots."""

new_version = _NONE

_ANY_SCHEMA = {"write.spark.accept-any-schema": "true"}
"""Lets ``mergeSchema`` add columns."""


def check_session(spark: SparkSession, place: TablePlace) -> None:
    """Raise UsageError if ``spark`` cannot write Iceberg tables at ``place``."""
    check_spark(title, spark.version)
    if place.is_folder:
        raise UsageError(
            f"Iceberg tables must be in a catalog, but {place.at!r} is a folder",
            fix="at='catalog.schema', with an Iceberg catalog in spark.sql.catalog.catalog (type=hadoop for a folder)",
        )
    catalog = place.at.split(".")[0]
    if "org.apache.iceberg" not in setting(spark, f"spark.sql.catalog.{catalog}"):
        raise missing_jars(title, spark.version, _settings(catalog))


def address(place: TablePlace, name: str) -> str:
    """Return the table in SQL."""
    return f"{place.schema}.`{name}`"


def columns(layout: TableLayout) -> TableLayout:
    """Return ``layout``: Iceberg adds nothing."""
    return layout


def stored(spark: SparkSession, table: str) -> StoredTable | None:
    """Return the table at an address, or None."""
    from pyspark.errors import PySparkException

    try:
        schema = spark.table(table).schema
        rows = spark.sql(f"SHOW TBLPROPERTIES {table}").collect()
    except PySparkException as err:
        if is_missing(err):
            return None
        if condition(err) == "CATALOG_NOT_FOUND" or "Cannot find catalog plugin class" in str(err):
            raise missing_jars(title, spark.version, _settings(table.split("`")[1])) from err
        raise
    return StoredTable(schema, {row["key"]: row["value"] for row in rows})


def create(spark: SparkSession, table: str, layout: TableLayout) -> None:
    """Create the table without rows, unless another writer just did."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    try:
        _creation(spark.createDataFrame([], StructType.fromJson(layout.schema)), table, layout).create()
    except PySparkException as err:
        if "ALREADY_EXISTS" not in condition(err):
            raise


def create_with(rows: DataFrame, table: str, layout: TableLayout, key: BatchKey) -> None:
    """Create the table with its first rows and the batch they are from."""
    writer = _creation(rows, table, layout)
    for name, value in _options(key).items():
        writer = writer.option(name, value)
    writer.create()


def _creation(rows: DataFrame, table: str, layout: TableLayout) -> DataFrameWriterV2:
    from pyspark.sql import functions as F

    writer = rows.writeTo(table).using("iceberg")
    for key, value in {**_ANY_SCHEMA, **layout.all_properties}.items():
        writer = writer.tableProperty(key, value)
    if layout.day_of is not None:
        return writer.partitionedBy(F.partitioning.days(layout.day_of))
    return writer if layout.partition is None else writer.partitionedBy(F.col(layout.partition))


def add_columns(spark: SparkSession, table: str, schema: StructType, properties: Mapping[str, str]) -> None:
    """Add the columns of ``schema`` that the table lacks, and set ``properties``."""
    set_properties(spark, table, properties)
    writer = spark.createDataFrame([], schema).writeTo(table).option("mergeSchema", "true")
    writer.option("check-ordering", "false").append()  # the registry's order, in which new columns stand anywhere


def version(spark: SparkSession, table: str) -> str | None:
    """Return the id of the current snapshot."""
    found = spark.sql(f"SHOW TBLPROPERTIES {table} ('current-snapshot-id')").collect()
    return str(found[0]["value"]) if found else _NONE


def holds(spark: SparkSession, table: str, key: BatchKey, since: str | None) -> bool:
    """Return whether a snapshot after the snapshot ``since`` added the batch.

    Raises InputError if snapshots were removed that may have.
    """
    rows = spark.table(f"{table}.snapshots").select("snapshot_id", "parent_id", "summary").collect()
    wanted = {_APPLICATION: key.application, _BATCH: str(key.batch)}
    if any(wanted.items() <= (row["summary"] or {}).items() for row in rows):
        return True
    known = {str(row["snapshot_id"]) for row in rows}
    parents = {str(row["parent_id"] or _NONE) for row in rows}
    if since is None or since in known | parents or (since == _NONE and not rows):
        return False
    raise InputError(
        f"{table} may or may not have the rows of {key}: the snapshots since the batch began have expired",
        fix=f"compare its rows with {table.rpartition('.')[0]}.babelreg__batches, and keep snapshots until a batch is"
        " finished",
    )


def append(frame: DataFrame, table: str, key: BatchKey) -> None:
    """Add rows and the batch they are from in one snapshot. The caller asked ``holds`` before."""
    writer = frame.writeTo(table)
    for name, value in _options(key).items():
        writer = writer.option(name, value)
    writer.append()


def _options(key: BatchKey) -> dict[str, str]:
    return {
        f"snapshot-property.{_APPLICATION}": key.application,
        f"snapshot-property.{_BATCH}": str(key.batch),
        # A task writes all days that it has; to shuffle rows by day first costs more than the few files it saves.
        "fanout-enabled": "true",
        "distribution-mode": "none",
    }


def file_counts(spark: SparkSession, table: str, column: str, days: Sequence[date]) -> Mapping[date, int]:
    """Return the number of files of each of ``days``, by the table's metadata."""
    from pyspark.sql import functions as F

    files = spark.table(f"{table}.files").where("content = 0").groupBy(F.col(f"partition.{column}").alias("day"))
    return {row["day"]: row["count"] for row in files.count().collect() if row["day"] in days}


def compact(spark: SparkSession, table: str, column: str, day: date) -> None:
    """Make few files of the files of a day; its rows stay as they are."""
    catalog, _, name = table.partition(".")
    spark.sql(
        f"CALL {catalog}.system.rewrite_data_files(table => '{name.replace('`', '')}',"
        f" where => \"{column} = date '{day.isoformat()}'\", options => map('min-input-files', '2'))"
    )


def _settings(catalog: str) -> dict[str, str]:
    return {
        f"spark.sql.catalog.{catalog}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{catalog}.type": "hive|rest|hadoop|...",
    }
