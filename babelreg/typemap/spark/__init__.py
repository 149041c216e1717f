"""Spark columns of a JSON Schema: the type of each value, its SQL and Python source, and checks of values.

The mapping, chosen so that every engine that reads parquet can read the tables:

==============================================  ==========================================================
JSON Schema                                     Spark
==============================================  ==========================================================
``object`` with properties                      ``STRUCT``; properties not declared stay in the data column
``object`` with a schema for all other names    ``MAP<STRING, T>``
``array``                                       ``ARRAY<T>``; tuples and untyped items: ``ARRAY`` of JSON text
``integer``                                     ``BIGINT``; ``DECIMAL(20|38, 0)`` where its bounds need more
``number``                                      ``DOUBLE``; ``DECIMAL`` only where ``x-spark-type`` says so
``string``                                      ``STRING``; ``date-time``: ``TIMESTAMP``, ``date``: ``DATE``
``boolean``                                     ``BOOLEAN``
free-form, mixed, recursive                     ``STRING`` that holds JSON text; ``VARIANT`` on request
==============================================  ==========================================================

Every column is nullable: a property that is missing and one that is ``null`` are the same there. The difference is
kept by the data column, which holds the message's JSON beside the typed columns; so are offsets and nanoseconds of a
date-time (``TIMESTAMP`` is an instant in microseconds).

``x-spark-type`` on a schema sets another type: ``decimal(18,2)``, ``decimal`` (its scale from ``multipleOf``),
``string``, ``json``, ``variant``, ``date``, ``timestamp``, ``binary``, ``double``. One that cannot hold the
values the schema admits is ignored, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.typemap.spark.column_check import Unstorable, column_check, value_check_for
from babelreg.typemap.spark.ddl import (
    as_json,
    ddl,
    ddl_type,
    layout,
    name,
    string,
)
from babelreg.typemap.spark.mapping import Mapped, Note, mapped
from babelreg.typemap.spark.python_source import classes, source, text
from babelreg.typemap.spark.table import DATA_JSON, ENVELOPE, SENT_URN, as_variant, table
from babelreg.typemap.spark.types import (
    Array,
    Decimal,
    Json,
    LeftOut,
    Map,
    Scalar,
    SparkType,
    Struct,
    StructField,
    leaves,
)
from babelreg.typemap.spark.values import UNSTORABLE

__all__ = [
    "DATA_JSON",
    "ENVELOPE",
    "SENT_URN",
    "UNSTORABLE",
    "Array",
    "Decimal",
    "Json",
    "LeftOut",
    "Map",
    "Mapped",
    "Note",
    "Scalar",
    "SparkType",
    "Struct",
    "StructField",
    "Unstorable",
    "as_json",
    "as_variant",
    "classes",
    "column_check",
    "columns",
    "ddl",
    "ddl_type",
    "layout",
    "leaves",
    "mapped",
    "name",
    "notes",
    "source",
    "string",
    "table",
    "text",
    "value_check_for",
]


def columns(schema: Mapping[str, Any]) -> Struct:
    """Return the columns for ``data`` of a bundled schema. No fields where nothing is declared. Never raises."""
    return mapped(schema).struct


def notes(schema: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return the places where the columns express less than the schema, in the order of the columns."""
    return mapped(schema).notes
