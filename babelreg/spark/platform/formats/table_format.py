"""Interface of a table format. Its members are modules, equal in shape; ``FORMATS`` lists them.

A member turns a name at a place into the table's address in SQL and writes to it. It asks Spark only by SQL and
DataFrames, so that it works on Spark Connect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from babelreg.spark.platform.formats.batch_key import BatchKey
    from babelreg.spark.platform.formats.table_layout import TableLayout
    from babelreg.spark.platform.formats.table_names import TablePlace


@dataclass(frozen=True)
class StoredTable:
    """A table as it is now."""

    schema: StructType
    properties: Mapping[str, str]


class StorageFormat(Protocol):
    """A table format. ``title`` is its name for people."""

    @property
    def title(self) -> str: ...

    @property
    def new_version(self) -> str | None:
        """The version, as ``holds`` takes it, of a table that does not exist yet."""
        ...

    def check_session(self, spark: SparkSession, place: TablePlace, /) -> None:
        """Raise UsageError if ``spark`` cannot write tables of this format at ``place``."""
        ...

    def address(self, place: TablePlace, name: str, /) -> str:
        """Return the table in SQL."""
        ...

    def columns(self, layout: TableLayout, /) -> TableLayout:
        """Return ``layout`` with the columns and properties that this format adds. Raises InputError."""
        ...

    def stored(self, spark: SparkSession, table: str, /) -> StoredTable | None:
        """Return the table at an address, or None. Raises UsageError for something else at this address."""
        ...

    def create(self, spark: SparkSession, table: str, layout: TableLayout, /) -> None:
        """Create the table without rows. Raises UsageError where the place is not free."""
        ...

    def create_with(self, rows: DataFrame, table: str, layout: TableLayout, key: BatchKey, /) -> None:
        """Create the table with its first rows and the batch they are from in one transaction.

        ``rows`` have the columns of ``layout`` with their comments. Raises what Spark raises, also if the table exists.
        """
        ...

    def add_columns(
        self, spark: SparkSession, table: str, schema: StructType, properties: Mapping[str, str], /
    ) -> None:
        """Add the columns of ``schema`` that the table lacks, also in structs, lists and maps, and set ``properties``.

        Properties come first: without their columns they mean nothing.
        """
        ...

    def version(self, spark: SparkSession, table: str, /) -> str | None:
        """Return the current version of the table, as ``holds`` takes it; None where ``append`` needs none."""
        ...

    def holds(self, spark: SparkSession, table: str, key: BatchKey, since: str | None, /) -> bool:
        """Return whether the table has the rows of a batch that began at version ``since``.

        False where ``append`` finds out by itself. Raises InputError where it cannot be known any more.
        """
        ...

    def append(self, frame: DataFrame, table: str, key: BatchKey, /) -> None:
        """Add rows and the batch they are from in one transaction."""
        ...

    def file_counts(self, spark: SparkSession, table: str, column: str, days: Sequence[date], /) -> Mapping[date, int]:
        """Return the number of files of each of ``days``, the values of the partition ``column``."""
        ...

    def compact(self, spark: SparkSession, table: str, column: str, day: date, /) -> None:
        """Make few files of the files of a day."""
        ...
