"""Delta Lake tables.

A transaction of Delta records the application and the number of the last batch; a write whose number is not above it
does nothing (``txnAppId``, ``txnVersion``), which Delta checks again when it commits. So nothing is asked before.

To find that number, Delta reads the log of a table in jobs of its own, unless the write creates the table. To create a
table with its first rows takes a third of the processor time of creation and a write (measured).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from babelreg.errors import InputError
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.jar_coordinates import check_spark, missing_jars
from babelreg.spark.platform.formats.spark_conditions import condition, is_missing, set_properties, setting
from babelreg.spark.platform.formats.table_format import StoredTable
from babelreg.spark.platform.formats.table_layout import CREATED_DAY, TableLayout
from babelreg.spark.platform.formats.table_names import TablePlace
from babelreg.typemap.spark import name, string
from babelreg.typemap.spark.column_names import folded

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, DataFrameWriterV2, SparkSession
    from pyspark.sql.types import StructType

title = "Delta Lake"
new_version: str | None = None

_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")
"""Characters that a column name may have only with Delta's column mapping."""

_MAPPING = {"delta.columnMapping.mode": "name", "delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}
_PARTITION = re.compile(r"/([^/=]+)=(\d{4}-\d\d-\d\d)/")
_DAY = {"comment": "The UTC day of created_at."}


def check_session(spark: SparkSession, place: TablePlace) -> None:
    """Raise UsageError if ``spark`` cannot write Delta tables."""
    check_spark(title, spark.version)
    if any(value not in setting(spark, key) for key, value in _SETTINGS.items()):
        raise missing_jars(title, spark.version, _SETTINGS)


def address(place: TablePlace, name: str) -> str:
    """Return the table in SQL."""
    if not place.is_folder:
        return f"{place.schema}.`{name}`"
    return f"delta.`{place.at.replace('`', '``')}/{name}`"


def columns(layout: TableLayout) -> TableLayout:
    """Return ``layout`` with the day that it is partitioned by. Raises InputError for names that differ in case."""
    twice = next(_twice(layout.schema), None)
    if twice is not None:
        raise InputError(
            f"the table of {layout.holds} would have the columns '{twice}' and '{folded(twice)}' or the like, but Delta"
            " tables ignore case",
            fix="rename one of the properties, or use Iceberg",
        )
    fields, properties = list(layout.fields), dict(layout.properties)
    if layout.day_of is not None:
        at = next(n for n, column in enumerate(fields) if column["name"] == layout.day_of)
        fields.insert(at + 1, {"name": CREATED_DAY, "type": "date", "nullable": True, "metadata": _DAY})
    if any(_NEEDS_MAPPING.search(name) for name in _names(layout.schema)):
        properties |= _MAPPING
    partition = CREATED_DAY if layout.day_of else layout.partition
    return replace(layout, fields=tuple(fields), properties=properties, partition=partition, day_of=None)


def stored(spark: SparkSession, table: str) -> StoredTable | None:
    """Return the table at an address, or None."""
    from pyspark.errors import PySparkException

    try:
        schema = spark.table(table).schema
        rows = spark.sql(f"SHOW TBLPROPERTIES {table}").collect()
    except PySparkException as err:
        if is_missing(err):
            return None
        if condition(err) in ("DATA_SOURCE_NOT_FOUND", "CATALOG_NOT_FOUND"):
            raise missing_jars(title, spark.version, _SETTINGS) from err
        raise
    return StoredTable(schema, {row["key"]: row["value"] for row in rows})


def create(spark: SparkSession, table: str, layout: TableLayout) -> None:
    """Create the table without rows, unless another writer just did.

    A statement runs half the jobs of a write of no rows.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    try:
        spark.sql(f"CREATE TABLE {table} {_definition(layout)}")
    except PySparkException as err:
        if not _occupied(err):
            raise
        if stored(spark, table) is None:
            _create(
                spark, table, _creation(spark.createDataFrame([], StructType.fromJson(layout.schema)), table, layout)
            )


def create_with(rows: DataFrame, table: str, layout: TableLayout, key: BatchKey) -> None:
    """Create the table with its first rows and the batch they are from."""
    writer = _creation(rows, table, layout)
    _create(rows.sparkSession, table, writer.option("txnAppId", key.application).option("txnVersion", str(key.batch)))


def _creation(rows: DataFrame, table: str, layout: TableLayout) -> DataFrameWriterV2:
    from pyspark.sql import functions as F

    writer = rows.writeTo(table).using("delta")
    for key, value in layout.all_properties.items():
        writer = writer.tableProperty(key, value)
    return writer if layout.partition is None else writer.partitionedBy(F.col(layout.partition))


def _create(spark: SparkSession, table: str, writer: DataFrameWriterV2) -> None:
    """Create the table, also where a killed run has made the folder of the log, or files, and no commit.

    Another writer's commit would be a conflict.
    """
    from pyspark.errors import PySparkException

    try:
        writer.create()
    except PySparkException as err:
        if not _occupied(err) or stored(spark, table) is not None:
            raise
        writer.createOrReplace()


def _occupied(error: PySparkException) -> bool:
    """Return whether the error says that something is at the place of a new table."""
    return "ALREADY_EXISTS" in condition(error) or "NON_EMPTY_LOCATION" in condition(error)


def _definition(layout: TableLayout) -> str:
    partition = f" PARTITIONED BY ({name(layout.partition)})" if layout.partition else ""
    listed = ", ".join(
        f"{string(key)} = {string(value)}" for key, value in layout.all_properties.items() if key != "comment"
    )
    comment = string(layout.comment)
    columns = ", ".join(_column(field) for field in layout.fields)
    return f"({columns}) USING delta{partition} COMMENT {comment} TBLPROPERTIES ({listed})"


def _column(field: Any, colon: str = "") -> str:
    comment = field["metadata"].get("comment")
    shown = "" if comment is None else f" COMMENT {string(comment)}"
    return f"{name(field['name'])}{colon} {_type(field['type'])}{shown}"


def _type(type_: Any) -> str:
    """Return a type in JSON as SQL."""
    if isinstance(type_, str):
        return type_
    if type_["type"] == "array":
        return f"ARRAY<{_type(type_['elementType'])}>"
    if type_["type"] == "map":
        return f"MAP<{_type(type_['keyType'])}, {_type(type_['valueType'])}>"
    return f"STRUCT<{', '.join(_column(field, ':') for field in type_['fields'])}>"


def add_columns(spark: SparkSession, table: str, schema: StructType, properties: Mapping[str, str]) -> None:
    """Add the columns of ``schema`` that the table lacks, and set ``properties``."""
    from pyspark.sql.types import StructType

    if any(_NEEDS_MAPPING.search(name) for name in _names(schema.jsonValue())):
        known = stored(spark, table)
        if known is not None and not any(_NEEDS_MAPPING.search(name) for name in _names(known.schema.jsonValue())):
            properties = {**properties, **_MAPPING}
    set_properties(spark, table, properties)
    frame = spark.createDataFrame([], StructType.fromJson(schema.jsonValue()))
    frame.writeTo(table).option("mergeSchema", "true").append()


def version(spark: SparkSession, table: str) -> str | None:
    """Return None: ``append`` needs no version."""
    return None


def holds(spark: SparkSession, table: str, key: BatchKey, since: str | None) -> bool:
    """Return False: ``append`` skips a batch that the table has."""
    return False


def append(frame: DataFrame, table: str, key: BatchKey) -> None:
    """Add rows and the batch they are from in one transaction, unless the table has the batch."""
    writer = frame.writeTo(table).option("txnAppId", key.application).option("txnVersion", str(key.batch))
    writer.append()


def file_counts(spark: SparkSession, table: str, column: str, days: Sequence[date]) -> Mapping[date, int]:
    """Return the number of files of each of ``days``, by the folders of their partitions."""
    from pyspark.sql import functions as F

    files = spark.table(table).where(F.col(column).isin(list(days))).inputFiles()
    return counted_by_day(files, column)


def counted_by_day(files: Iterable[str], column: str) -> Mapping[date, int]:
    """Return the number of ``files`` of each day, by the folders of the partition ``column``."""
    named = (_PARTITION.search(path) for path in files)
    return Counter(date.fromisoformat(match[2]) for match in named if match and match[1] == column)


def compact(spark: SparkSession, table: str, column: str, day: date) -> None:
    """Make few files of the files of a day; its rows stay as they are."""
    spark.sql(f"OPTIMIZE {table} WHERE {column} = '{day.isoformat()}'")


def _names(type_: Any) -> Iterator[str]:
    """Yield the names of all columns of a type in JSON."""
    if isinstance(type_, dict):
        for column in type_.get("fields", ()):
            yield column["name"]
            yield from _names(column["type"])
        yield from _names(type_.get("elementType"))
        yield from _names(type_.get("valueType"))


def _twice(type_: Any) -> Iterator[str]:
    """Yield the names that another column of the same struct has in another case."""
    if isinstance(type_, dict):
        names = Counter(folded(column["name"]) for column in type_.get("fields", ()))
        for column in type_.get("fields", ()):
            if names[folded(column["name"])] > 1:
                yield column["name"]
            yield from _twice(column["type"])
        yield from _twice(type_.get("elementType"))
        yield from _twice(type_.get("valueType"))
