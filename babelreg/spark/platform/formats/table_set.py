"""The tables of one place: opened, created, evolved and written in one of the formats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.direct_tables import DirectTables, WrittenFiles
from babelreg.spark.platform.formats.driver_rows import DriverRows
from babelreg.spark.platform.formats.row_query import RowQuery
from babelreg.spark.platform.formats.schema_evolution import check_types, conformed, described, lacks, merged_properties
from babelreg.spark.platform.formats.session_threads import in_threads
from babelreg.spark.platform.formats.table_format import StorageFormat, StoredTable
from babelreg.spark.platform.formats.table_layout import LAYOUT_VERSION, TABLE_OF, TableLayout
from babelreg.spark.platform.formats.table_names import TablePlace, table_name

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass
class TableSet:
    """The tables at a place, seen from one session.

    ``known`` are those that were found or created, ``new`` those that are created with their first rows. ``direct``
    writes to some of them without Spark's writer.
    """

    spark: SparkSession
    format: StorageFormat
    place: TablePlace
    known: dict[str, StoredTable] = field(default_factory=dict)
    new: dict[str, TableLayout] = field(default_factory=dict)
    direct: DirectTables | None = None

    def address(self, name: str) -> str:
        """Return a table in SQL."""
        return self.format.address(self.place, name)

    def check(self, layouts: Iterable[TableLayout]) -> list[TableLayout]:
        """Return ``layouts`` of this format, checked against the tables that exist; nothing is written.

        Raises InputError for a changed type, UsageError for a table that is not the one that the layout describes.
        """
        wanted = [self.format.columns(layout) for layout in layouts]
        unknown = [layout.name for layout in wanted if layout.name not in self.known]
        found = in_threads(self.spark, [partial(self._stored, name) for name in unknown])
        for name, table in zip(unknown, found, strict=True):
            if table is not None:
                self.known[name] = table
        for layout in wanted:
            if layout.name in self.known:
                self._check(layout, self.known[layout.name])
        return wanted

    def prepare(self, layouts: Sequence[TableLayout], filled: Collection[str] = ()) -> None:
        """Create the tables of checked ``layouts`` that do not exist, and add columns to those that lack some.

        Those in ``filled`` get rows soon, and are created with them.
        """
        outdated = [layout for layout in layouts if self._outdated(layout)]
        self.new |= {n.name: n for n in outdated if n.name in filled and n.name not in self.known}
        todo = [layout for layout in outdated if layout.name not in self.new]
        jobs = [partial(self._prepared, layout) for layout in todo]
        for layout, table in zip(todo, in_threads(self.spark, jobs), strict=True):
            self.known[layout.name] = table

    def create_new(self) -> None:
        """Create the tables that wait for their first rows."""
        layouts = list(self.new.values())
        self.new.clear()
        self.prepare(layouts)

    def created_directly(self, name: str) -> bool:
        """Return whether a table exists that needs no writer of Spark by its layout; create it if it is new."""
        assert self.direct is not None
        if name in self.new and self.direct.takes(self.new[name]):
            layout = self.new.pop(name)
            self.known[name] = self._prepared(layout)
        return name in self.known

    def versions(self, names: Iterable[str]) -> dict[str, str | None]:
        """Return the current version of each table, by name."""
        named = list(names)
        known = [name for name in named if name not in self.new]
        asked = [partial(self.format.version, self.spark, self.address(name)) for name in known]
        found = dict(zip(known, in_threads(self.spark, asked), strict=True))
        return {name: found.get(name, self.format.new_version) for name in named}

    def schema(self, name: str) -> StructType:
        """Return the columns of a table that is known or new."""
        from pyspark.sql.types import StructType

        return StructType.fromJson(self.new[name].schema) if name in self.new else self.known[name].schema

    def rows(self, name: str) -> DataFrame:
        """Return the rows of a table that is known or new."""
        if name in self.new:
            return self.spark.createDataFrame([], self.schema(name))
        return self.spark.table(self.address(name))

    def select(self, name: str, query: RowQuery, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return columns of the rows of a table that is known."""
        rows = self.direct.dataset(name) if self.direct else None
        return query.of_frame(self.rows(name), columns) if rows is None else query.of_dataset(rows, columns)

    def last(self, name: str, query: RowQuery, columns: Sequence[str], by: str) -> dict[str, Any] | None:
        """Return columns of that row of a known table which has the greatest value of column ``by``."""
        rows = self.direct.dataset(name) if self.direct else None
        if rows is None:
            return query.last_of_frame(self.rows(name), columns, by)
        return query.last_of_dataset(rows, columns, by)

    def file_counts(self, name: str, column: str, days: Sequence[date]) -> Mapping[date, int]:
        """Return the number of files of each of ``days``, the values of the partition ``column`` of a known table."""
        counts = self.direct.file_counts(name, column) if self.direct else None
        return self.format.file_counts(self.spark, self.address(name), column, days) if counts is None else counts

    def append(self, rows: DataFrame | DriverRows | WrittenFiles, name: str, key: BatchKey) -> None:
        """Add the rows of a batch to a table, in its columns; create it if it is new."""
        if isinstance(rows, WrittenFiles):
            assert self.direct is not None
            self.direct.commit(name, rows, key)
            return
        if isinstance(rows, DriverRows):
            if self.direct and self.created_directly(name) and self.direct.append(name, rows.arrow(), key):
                return
            rows = rows.frame(self.spark)
        if name not in self.new or not self._created_with(rows, name, key):
            self.format.append(conformed(rows, self.known[name].schema), self.address(name), key)

    def _created_with(self, frame: DataFrame, name: str, key: BatchKey) -> bool:
        """Create a table with ``frame``; return False if another writer created it, and it lacks the rows."""
        layout, schema, address = self.new[name], self.schema(name), self.address(name)
        try:
            self.format.create_with(described(conformed(frame, schema), schema), address, layout, key)
        except Exception:
            table = self._stored(name)
            if table is None:
                raise
            self._check(layout, table)
            self.known[name] = table
            del self.new[name]
            self.prepare([layout])
            return self.format.holds(self.spark, address, key, None)
        self.known[name] = StoredTable(schema, layout.all_properties)
        del self.new[name]
        return True

    def holds_table(self, urn: str) -> bool:
        """Return whether ``urn`` has a table."""
        return self._stored(table_name(urn)) is not None

    def _stored(self, name: str) -> StoredTable | None:
        if self.direct is not None and self.direct.is_missing(name):
            return None
        if self.direct is not None and (table := self.direct.stored(name)) is not None:
            return table
        return self.format.stored(self.spark, self.address(name))

    def _outdated(self, layout: TableLayout) -> bool:
        table = self.known.get(layout.name)
        return table is None or lacks(table, layout) or bool(merged_properties(table, layout))

    def _prepared(self, layout: TableLayout) -> StoredTable:
        from pyspark.sql.types import StructType

        address = self.address(layout.name)
        if layout.name in self.known:
            properties = merged_properties(self.known[layout.name], layout)
            self.format.add_columns(self.spark, address, StructType.fromJson(layout.schema), properties)
        elif self.direct is not None and self.direct.create(layout):
            return StoredTable(StructType.fromJson(layout.schema), layout.all_properties)
        else:
            self.format.create(self.spark, address, layout)
        table = self._stored(layout.name)
        if table is None:
            raise UsageError(f"{address} was removed while it was being written", fix="run again")
        self._check(layout, table)  # another writer may have created it
        return table

    def _check(self, layout: TableLayout, table: StoredTable) -> None:
        address, holds = self.address(layout.name), table.properties.get(TABLE_OF)
        if holds is None:
            raise UsageError(f"{address} exists, but is not a table of babelreg", fix="use another schema or folder")
        if table.properties.get("babelreg.layout") != LAYOUT_VERSION:
            raise UsageError(
                f"{address} was created by another version of babelreg",
                fix="update babelreg, or use another schema or folder",
            )
        if holds != layout.holds:
            raise UsageError(
                f"{address} is the table of {holds}, not of {layout.holds}", fix="use another schema or folder"
            )
        check_types(table, layout)
