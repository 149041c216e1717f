"""One batch: validated in one pass, then written to all its tables.

The order of commits, each a transaction of one table that records the batch:

1. tables are created and evolved;
2. the batch is begun (``babelreg__batches``);
3. the digests of its new ids (``babelreg__digests``), unless duplicates are kept;
4. the tables of the URNs and the quarantine, in threads;
5. the counts (``babelreg__counts``): the batch is finished.

A batch that was killed is repeated by the streaming query, or by the caller of ``write``, and everything is computed
again from the same messages and the same schemas (see ``batch_log``). Each table that has the batch skips it, so it is
enough that every computation gives what it gave before:

- killed before 2: no table has rows of the batch; empty tables and new columns stay, and are found as they should be.
- killed between 2 and 3: as before, with the log row.
- killed between 3 and 4, or within 4: duplicates are found by the digests of other batches alone, without those of this
  one, and the first of equal ids in the batch is the one that sorts first, which does not depend on partitions. So the
  rows that remain are the same as in the first try, and so are the tables they go to.
- killed between 4 and 5: as before; every table skips.
- killed after 5, before the query's checkpoint knows: the log says that the batch is finished, and nothing is done.

Digests come before tables, so that another application that reads them while this batch is repeated finds its ids
taken. An application that was given up in the middle of a batch leaves digests of messages that are in no table;
``Tables.give_up`` removes these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.tables import batch_frame, table_layout
from babelreg.spark.platform.tables.batch_counts import CountRow
from babelreg.spark.platform.tables.batch_frame import BatchInput
from babelreg.spark.platform.tables.batch_key import BatchKey
from babelreg.spark.platform.tables.batch_log import BegunBatch
from babelreg.spark.platform.tables.table_names import QUARANTINE, table_name
from babelreg.spark.platform.tables.table_set import TableSet, in_threads
from babelreg.spark.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["BatchRun", "Tally"]

_ROWS_A_FILE = 250_000
"""Rows that one task writes: a table of a small batch gets one file a day."""


@dataclass(frozen=True)
class Tally:
    """Messages by table and reason; ``digest`` is that of all messages, in any order."""

    rows: Mapping[tuple[int | None, str | None], int]
    digest: int

    @property
    def messages(self) -> int:
        """The number of messages, those without a body included."""
        return sum(self.rows.values())

    def accepted(self) -> dict[int, int]:
        """Return the accepted messages by table."""
        return {n: count for (n, reason), count in self.rows.items() if n is not None and reason is None}

    def refused(self) -> int:
        """Return the number of refused messages."""
        return sum(count for (_, reason), count in self.rows.items() if reason is not None)


class BatchRun:
    """A batch whose messages are validated and kept; ``close`` frees them."""

    def __init__(
        self,
        tables: TableSet,
        spec: ValidationSpec,
        given: BatchInput,
        key: BatchKey,
        frame: DataFrame,
        *,
        urns: tuple[str, ...],
        keep_duplicates: bool,
    ) -> None:
        from pyspark import StorageLevel

        self._tables, self._spec, self._given, self._key = tables, spec, given, key
        self._keep_duplicates = keep_duplicates
        kept = batch_frame.validated(frame, given, spec, urns, bodies=not keep_duplicates)
        self._frame = kept.persist(StorageLevel.MEMORY_AND_DISK)

    def close(self) -> None:
        """Free the messages."""
        self._frame.unpersist()

    def tally(self) -> Tally:
        """Validate the messages and count them."""
        from pyspark.sql import functions as F

        counted = self._frame.groupBy("table", "reason").agg(F.count("*").alias("n"), F.bit_xor("digest").alias("x"))
        rows, digest = {}, 0
        for row in counted.collect():
            rows[row["table"], row["reason"]] = row["n"]
            digest ^= row["x"]
        return Tally(rows, digest)

    def layouts(self, tally: Tally, descriptions: Mapping[str, str]) -> list[table_layout.TableLayout]:
        """Return the tables that the batch writes to."""
        position = [
            {"name": field.name, "type": field.dataType.jsonValue(), "nullable": True, "metadata": {}}
            for field in self._frame.select(*map(quoted, self._given.position)).schema.fields
        ]
        rows = [
            table_layout.rows_layout(urn, descriptions.get(urn, ""), self._spec.columns[number], position)
            for number, urn in enumerate(self._spec.urns)
            if number in tally.accepted()
        ]
        return [*rows, table_layout.quarantine_layout(position)]

    def write(self, tally: Tally, begun: BegunBatch) -> list[CountRow]:
        """Write all tables but the counts, whose rows are returned. ``begun`` has the versions of a repeated batch."""
        accepted = tally.accepted()
        jobs: list[tuple[int, Callable[[], None]]] = []
        for number, count in accepted.items():
            urn = self._spec.urns[number]
            jobs.append((count, partial(self.append, self._rows(number), table_name(urn), begun, count)))
        if tally.refused():
            jobs.append((tally.refused(), partial(self.append, self._refused(), QUARANTINE, begun, tally.refused())))
        in_threads(self._tables.spark, [job for _, job in sorted(jobs, key=lambda job: -job[0])])
        return self._count_rows(tally)

    def append(self, frame: DataFrame, name: str, begun: BegunBatch, rows: int = 1) -> None:
        """Add ``frame`` to a table that does not have the batch yet."""
        address = self._tables.address(name)
        since = begun.versions.get(name)
        if begun.repeated and self._tables.format.holds(self._tables.spark, address, self._key, since):
            return
        self._tables.append(frame.coalesce(-(-rows // _ROWS_A_FILE)), name, self._key)

    def _rows(self, number: int) -> DataFrame:
        """Return the rows of a URN's table."""
        from pyspark.sql import functions as F

        urn, struct = self._spec.urns[number], self._spec.columns[number]
        accepted = self._frame.where((F.col("table") == number) & F.col("reason").isNull())
        data = {"data": batch_frame.data_column(self._frame, urn, struct)} if struct.fields else {}
        columns: dict[str, Column] = {
            "urn": F.lit(urn),
            **{name: F.col(name) for name in batch_frame.ENVELOPE},
            table_layout.CREATED_DAY: utc_day(F.col("created_at")),
            **{name: F.col(quoted(name)) for name in self._given.position},
            **data,
            "data_json": F.col("data_json"),
        }
        stored = self._tables.known[table_name(urn)].schema.names
        return accepted.select(*(column.alias(name) for name, column in columns.items() if name in stored))

    def _refused(self) -> DataFrame:
        from pyspark.sql import functions as F

        names = ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body")
        return self._frame.where(F.col("reason").isNotNull()).select(
            *self._batch_columns(), *map(quoted, self._given.position), *names
        )

    def _batch_columns(self) -> list[Column]:
        from pyspark.sql import functions as F

        key = self._key
        return [F.lit(key.application).alias("application"), F.lit(key.batch).cast("long").alias("batch")]

    def _count_rows(self, tally: Tally) -> list[CountRow]:
        rows: list[CountRow] = []
        for (number, reason), count in tally.rows.items():
            urn = None if number is None else self._spec.urns[number]
            if reason is not None:
                rows.append((urn, "quarantined", reason, count))
            else:
                rows.append((urn, "empty" if urn is None else "accepted", None, count))
        return sorted(rows, key=lambda row: (row[0] or "", row[1], row[2] or ""))


def utc_day(column: Column) -> Column:
    """Return the UTC day of a timestamp, whatever the time zone of the session."""
    from pyspark.sql import functions as F

    return F.date_from_unix_date(F.floor(F.unix_micros(column) / F.lit(86_400_000_000)).cast("int"))
