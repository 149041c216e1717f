"""Spark columns: per message a ``StructType`` and the same as SQL. Writing them needs neither Java nor pyspark.

spark_schemas/
  __init__.py            SCHEMAS: every StructType by URN
  orders_created.py      ORDERS_CREATED, a StructType, and DDL, its columns as text
  orders_created.sql     views of the table that `babelreg lake ingest` writes
  views.py               registers all views
  job.py                 the program for spark-submit that fills the tables
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.targets.spark.options import OPTIONS

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Message, Registry

summary = "Spark schemas: a StructType and SQL per message"
options = OPTIONS


def unsupported(message: Message) -> str | None:
    """Return the reason why no SQL can name the columns of ``message``, or None."""
    from babelreg.gen.targets.spark.variable_substitution import unsupported

    return unsupported(message)


hooks = TargetHooks(unsupported=unsupported)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the package, file by file. Raises UsageError for an option with an invalid value."""
    from babelreg.gen.targets.spark import package

    return package.files(registry, options)
