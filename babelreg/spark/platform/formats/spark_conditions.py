"""Conditions of Spark's errors, settings of a session and properties of tables, also on Spark Connect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from babelreg.typemap.spark import string

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

_MISSING = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "PATH_NOT_FOUND",
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
)


def condition(error: PySparkException) -> str:
    """Return the name of the error; for an error without one, the first word in brackets of its text, or ""."""
    named = error.getCondition()
    if named:
        return str(named)
    rest = str(error).partition("[")[2]
    return rest.partition("]")[0] if rest else ""


def is_missing(error: PySparkException) -> bool:
    """Return whether the error says that there is no such table."""
    return condition(error).split(".")[0] in _MISSING


def setting(spark: SparkSession, key: str) -> str:
    """Return a setting of the session, "" where it has none."""
    return spark.conf.get(key, "") or ""


def set_properties(spark: SparkSession, table: str, properties: Mapping[str, str]) -> None:
    """Set properties of a table."""
    if properties:
        listed = ", ".join(f"{string(key)} = {string(value)}" for key, value in properties.items())
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({listed})")
