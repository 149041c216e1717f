"""Permanent views of a catalog over the tables: flat, all versions as one, and each without personal data.

They are the views that ``gen spark`` writes: ``orders_created`` has a column for each property;
``orders_created__masked`` shows null where ``x-gdpr-sensitive`` marks a value, and has no ``data_json``. A digest in
place of null would need a secret, which everyone could read in the definition of the view; so these views have none.

``orders_created_v2__versions`` has the rows of the versions before as well, for a message that supersedes another one.
An upcast that SQL cannot express has no such view: a warning names it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.gen.targets.spark import views
from babelreg.gen.targets.spark.target import unsupported
from babelreg.gen.targets.spark.version_views import VersionTable, version_queries
from babelreg.gen.targets.spark.view_expressions import ColumnTransform
from babelreg.model import Message
from babelreg.spark.platform.formats import table_layout
from babelreg.spark.platform.formats.table_layout import TableLayout
from babelreg.spark.platform.formats.table_names import TablePlace, base_name
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark.upcast import UntranslatableUpcast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SUBSTITUTE = "spark.sql.variable.substitute"


def create_views(
    tables: TableSet, messages: Mapping[str, tuple[Message, typemap.Struct]], schema: TablePlace
) -> tuple[str, ...]:
    """Create the views of all tables that exist, new columns included; return their addresses.

    ``messages`` have the message and the columns of its data by URN. Raises UsageError for a catalog without views.
    """
    from pyspark.errors import PySparkException

    layouts = [
        table_layout.rows_layout(urn, views.comment(m), struct, (), aliased=bool(m.aliases))
        for urn, (m, struct) in messages.items()
    ]
    existing = [layout for layout in tables.check(layouts) if layout.name in tables.known]
    tables.prepare(existing)
    stored = {layout.holds: _version_table(tables, layout, *messages[layout.holds]) for layout in existing}
    made: list[str] = []
    with _without_variables(tables.spark):
        for name, statement in _statements(messages, stored, schema.schema):
            try:
                tables.spark.sql(statement)
            except PySparkException as err:
                raise _no_views(schema, err) from err
            made.append(name)
    return tuple(made)


def _version_table(tables: TableSet, layout: TableLayout, message: Message, struct: typemap.Struct) -> VersionTable:
    fields = tables.known[layout.name].schema.fields
    around = {f.name: f.dataType.simpleString() for f in fields if f.name not in ("data", typemap.DATA_JSON.name)}
    return VersionTable(message, tables.address(layout.name), struct, around)


def _no_views(schema: TablePlace, error: Exception) -> UsageError:
    return UsageError(
        f"no view can be created in {schema.at}: {str(error).splitlines()[0]}",
        fix="use a schema whose catalog supports views: create_views(spark, schema='spark_catalog.default')",
    )


def _statements(
    messages: Mapping[str, tuple[Message, typemap.Struct]], stored: Mapping[str, VersionTable], schema: str
) -> Iterator[tuple[str, str]]:
    """Yield the views as (address, statement). A message whose columns cannot be named in SQL has no views."""
    for table in stored.values():
        if unsupported(table.message) is None:
            flat, masked = views.select_lists(table.message, table.struct, ColumnTransform(), list(table.around))
            plain = [f"SELECT {', '.join(columns)} FROM {table.address}" for columns in (flat, masked)]
            yield from _views(table.message, "", plain, schema)
    for message, struct in messages.values():
        chain = tuple(_chain(message, messages, stored))
        if message.supersedes and chain:
            try:
                queries = version_queries(message, struct, chain)
            except UntranslatableUpcast as err:
                reason = (
                    f"{message.urn} has no view of its versions: {err}; `babelreg.spark.versions` has no such limit"
                )
                warnings.warn(reason, RuntimeWarning, stacklevel=4)
                continue
            yield from _views(message, "__versions", queries, schema)


def _chain(
    message: Message, messages: Mapping[str, tuple[Message, typemap.Struct]], stored: Mapping[str, VersionTable]
) -> Iterator[VersionTable]:
    """Yield the tables of ``message`` and of all that it supersedes, the newest first, with their operations."""
    seen: set[str] = set()
    operations: tuple[Mapping[str, Any], ...] = ()
    version: Message | None = message
    while version is not None and version.urn not in seen:
        if version.urn in stored:
            yield replace(stored[version.urn], operations=operations)
        seen.add(version.urn)
        operations = (*version.upcast, *operations)
        older = messages.get(version.supersedes or "")
        version = None if older is None else older[0]


def _views(message: Message, ending: str, queries: Sequence[str], schema: str) -> Iterator[tuple[str, str]]:
    about, name = views.comment(message), f"{base_name(message.urn)}{ending}"
    for query, view, comment in zip(
        queries, (name, f"{name}__masked"), (about, f"{about} No personal data."), strict=True
    ):
        address = f"{schema}.`{view}`"
        yield address, f"CREATE OR REPLACE VIEW {address} COMMENT {typemap.string(comment)} AS {query}"


@contextmanager
def _without_variables(spark: SparkSession) -> Iterator[None]:
    """Disable variables in SQL: ``${...}`` is text there."""
    before = spark.conf.get(_SUBSTITUTE, "true") or "true"
    spark.conf.set(_SUBSTITUTE, "false")
    try:
        yield
    finally:
        spark.conf.set(_SUBSTITUTE, before)
