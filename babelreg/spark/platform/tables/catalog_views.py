"""Permanent views of a catalog over the tables: flat, and a second time without personal data.

They are the views that ``gen spark`` writes: ``orders_created`` has a column for each property;
``orders_created__masked`` shows null where ``x-gdpr-sensitive`` marks a value, and has no ``data_json``. A digest in
place of null would need a secret, which everyone could read in the definition of the view; so these views have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.gen.targets.spark import views
from babelreg.gen.targets.spark.target import unsupported
from babelreg.gen.targets.spark.view_expressions import ColumnTransform
from babelreg.model import Message
from babelreg.spark.platform.tables import table_layout
from babelreg.spark.platform.tables.table_names import TablePlace, base_name
from babelreg.spark.platform.tables.table_set import TableSet
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["create_views"]

_SUBSTITUTE = "spark.sql.variable.substitute"


def create_views(
    tables: TableSet, messages: Mapping[str, tuple[Message, typemap.Struct]], schema: TablePlace
) -> tuple[str, ...]:
    """Create the views of all tables that exist, new columns included; return their addresses.

    ``messages`` have the message and the columns of its data by URN. Raises UsageError for a catalog without views.
    """
    from pyspark.errors import PySparkException

    layouts = [table_layout.rows_layout(urn, views.comment(m), struct, ()) for urn, (m, struct) in messages.items()]
    existing = [layout for layout in tables.check(layouts) if layout.name in tables.known]
    tables.prepare(existing)
    made: list[str] = []
    with _without_variables(tables.spark):
        for layout in existing:
            message, struct = messages[layout.holds]
            stored = tables.known[layout.name].schema.names
            for name, statement in _statements(message, struct, stored, tables.address(layout.name), schema.schema):
                try:
                    tables.spark.sql(statement)
                except PySparkException as err:
                    raise _no_views(schema, err) from err
                made.append(name)
    return tuple(made)


def _no_views(schema: TablePlace, error: Exception) -> UsageError:
    return UsageError(
        f"no view can be created in {schema.at}: {str(error).splitlines()[0]}",
        fix="name a schema whose catalog has views: create_views(spark, schema='spark_catalog.default')",
    )


def _statements(
    message: Message, struct: typemap.Struct, stored: Sequence[str], table: str, schema: str
) -> Iterator[tuple[str, str]]:
    """Yield the views of ``message`` as (address, statement).

    ``stored`` are the columns of its table. A message whose columns cannot be named in SQL has no views.
    """
    if unsupported(message) is not None:
        return
    around = [name for name in stored if name not in ("data", typemap.DATA_JSON.name)]
    flat, masked = views.select_lists(message, struct, ColumnTransform(variant=False, masks={}), around)
    about = views.comment(message)
    for name, columns, comment in (
        (base_name(message.urn), flat, about),
        (f"{base_name(message.urn)}__masked", masked, f"{about} No personal data."),
    ):
        selected = ", ".join(columns)
        address = f"{schema}.`{name}`"
        yield (
            address,
            f"CREATE OR REPLACE VIEW {address} COMMENT {typemap.string(comment)} AS SELECT {selected} FROM {table}",
        )


@contextmanager
def _without_variables(spark: SparkSession) -> Iterator[None]:
    """Disable variables in SQL: ``${...}`` is text there."""
    before = spark.conf.get(_SUBSTITUTE, "true") or "true"
    spark.conf.set(_SUBSTITUTE, "false")
    try:
        yield
    finally:
        spark.conf.set(_SUBSTITUTE, before)
