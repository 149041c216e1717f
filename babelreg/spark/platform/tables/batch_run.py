"""One batch: validated in one pass, then written to all its tables.

The order of commits, each a transaction of one table that records the batch:

0. repeated messages are searched for, which refuses a position that does not tell messages apart;
1. tables that exist are evolved; those that do not are created with their first rows, by 2 to 5;
2. the batch is begun (``babelreg__batches``);
3. the digests of its new ids (``babelreg__digests``), unless duplicates are kept;
4. the tables of the URNs and the quarantine, in threads;
5. the counts (``babelreg__counts``): the batch is finished.

A batch that was killed is repeated by the streaming query, or by the caller of ``write``, and everything is computed
again from the same messages and the same schemas (see ``batch_log``). Each table that has the batch skips it, so it is
enough that every computation gives what it gave before:

- killed before 2: no table has rows of the batch; new columns stay, and are found as they should be.
- killed between 2 and 3: as before, with the log row.
- killed between 3 and 4, or within 4: duplicates are found by the digests of other batches alone, without those of this
  one, and the first of equal ids in the batch is the one that sorts first, which does not depend on partitions. So the
  rows that remain are the same as in the first try, and so are the tables they go to.
- killed between 4 and 5: as before; every table skips.
- killed after 5, before the query's checkpoint knows: the log says that the batch is finished, and nothing is done.

Digests come before tables, so that another application that reads them while this batch is repeated finds its ids
taken. An application that was given up in the middle of a batch leaves digests of messages that are in no table; the
log shows such a batch, begun and without counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial, reduce
from operator import xor
from typing import TYPE_CHECKING, Any

from babelreg.lake.ingest.quarantine import CONFLICT as ID_CONFLICT
from babelreg.lake.ingest.quarantine import TAKEN
from babelreg.lake.tasks.segment_format import DIGEST, TABLE
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark.platform.formats import table_layout
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.direct_tables import WrittenFiles
from babelreg.spark.platform.formats.driver_rows import DriverRows
from babelreg.spark.platform.formats.session_threads import in_threads
from babelreg.spark.platform.formats.table_names import DIGESTS, QUARANTINE, table_name
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.tables import batch_frame
from babelreg.spark.platform.tables.batch_counts import CountRow
from babelreg.spark.platform.tables.batch_frame import BatchInput
from babelreg.spark.platform.tables.batch_log import BegunBatch
from babelreg.spark.platform.tables.repeats import CONFLICT, DUPLICATE, RepeatSearch, digest_day, utc_day

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_NONE: Mapping[tuple[int, str], int] = {}
ROWS_A_FILE = 250_000
"""Rows that one task writes: a table of a small batch gets one file a day."""


@dataclass(frozen=True)
class Tally:
    """Messages by table and reason; ``digest`` is that of all messages, in any order.

    Where duplicates are searched for, ``days`` are the days of accepted messages, ``ids`` the number of their ids.
    """

    rows: Mapping[tuple[int | None, str | None], int]
    digest: int
    days: tuple[date, ...] = ()
    ids: int = 0

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
        self._tables, self._spec, self._given, self._key = tables, spec, given, key
        self._keep_duplicates = keep_duplicates
        self._search: RepeatSearch | None = None
        self._position = frame.select(*map(quoted, given.position)).schema.fields
        self._frame = self._validated(frame, urns)

    def _validated(self, frame: DataFrame, urns: tuple[str, ...]) -> DataFrame:
        from pyspark import StorageLevel

        kept = batch_frame.validated(frame, self._given, self._spec, urns, bodies=not self._keep_duplicates)
        return kept.persist(StorageLevel.MEMORY_AND_DISK)

    def close(self) -> None:
        """Free the messages."""
        self._close_search()
        self._frame.unpersist()

    def _close_search(self) -> None:
        if self._search is not None:
            self._search.close()

    def tally(self) -> Tally:
        """Validate the messages and count them."""
        from pyspark.sql import functions as F

        accepted = F.col(TABLE).isNotNull() & F.col("reason").isNull() & F.col("message_id").isNotNull()
        found = [F.count("*").alias("n"), F.bit_xor(DIGEST).alias("x")]
        if not self._keep_duplicates:
            found.append(F.collect_set(F.when(accepted, digest_day(F.col("created_at")))).alias("days"))
            found.append(F.count(F.when(accepted, 1)).alias("ids"))
        counted = self._frame.groupBy(TABLE, "reason").agg(*found).collect()
        digest = reduce(xor, (row["x"] for row in counted), 0)
        rows = {(row[TABLE], row["reason"]): row["n"] for row in counted}
        if self._keep_duplicates:
            return Tally(rows, digest)
        days = {day for row in counted for day in row["days"]}
        return Tally(rows, digest, tuple(sorted(days)), sum(row["ids"] for row in counted))

    def layouts(self, tally: Tally, descriptions: Mapping[str, str]) -> list[table_layout.TableLayout]:
        """Return the tables that the batch writes to."""
        position = self.position_fields()
        rows = [
            self.rows_layout(number, descriptions.get(urn, ""), position)
            for number, urn in enumerate(self._spec.urns)
            if number in tally.accepted()
        ]
        return [*rows, table_layout.quarantine_layout(position)]

    def rows_layout(self, number: int, description: str, position: list[dict[str, Any]]) -> table_layout.TableLayout:
        """Return the table of the URN with this number."""
        urn, columns = self._spec.urns[number], self._spec.columns[number]
        return table_layout.rows_layout(urn, description, columns, position, aliased=urn in self._spec.aliased)

    def position_fields(self) -> list[dict[str, Any]]:
        """Return the columns that say where a message came from, as JSON of Spark."""
        return [
            {"name": field.name, "type": field.dataType.jsonValue(), "nullable": True, "metadata": {}}
            for field in self._position
        ]

    def filled(self, tally: Tally) -> list[str]:
        """Return the tables that get rows; where duplicates are searched for, the most that may."""
        names = [table_name(self._spec.urns[number]) for number in tally.accepted()]
        return [*names, QUARANTINE] if tally.refused() else names

    def search(self, tally: Tally) -> None:
        """Search for repeated messages, unless duplicates are kept. Raises UsageError for an ambiguous position."""
        if tally.ids and not self._keep_duplicates:
            known, position = self._tables.rows(DIGESTS), self._given.position
            self._search = RepeatSearch.of(self._of_ids(), position, self._key, known, tally.days, tally.ids)

    def write(self, tally: Tally, begun: BegunBatch) -> list[CountRow]:
        """Write all tables but the counts, whose rows are returned. ``begun`` has the versions of a repeated batch."""
        search = self._search
        if search is not None and tally.ids > sum(search.counts.values()):
            fresh = search.fresh().select("*", *self._batch_columns()).repartition("day")
            self.append(fresh, DIGESTS, begun)
        return self._written(tally, begun, search)

    def _of_ids(self) -> DataFrame:
        """Return the columns of accepted messages by which repeated ones are found."""
        return self._frame

    def _written(self, tally: Tally, begun: BegunBatch, search: RepeatSearch | None) -> list[CountRow]:
        """Write the tables of the URNs and the quarantine; return the counts."""
        repeated = {} if search is None else search.counts
        jobs: list[tuple[int, Callable[[], None]]] = []
        for number, count in self.table_rows(tally, repeated).items():
            name = QUARANTINE if number is None else table_name(self._spec.urns[number])
            rows = self._refused(search) if number is None else self._rows(number, search)
            jobs.append((count, partial(self.append, rows, name, begun, count)))
        in_threads(self._tables.spark, [job for _, job in sorted(jobs, key=lambda job: -job[0])])
        return self.count_rows(tally, repeated)

    def table_rows(self, tally: Tally, repeated: Mapping[tuple[int, str], int]) -> dict[int | None, int]:
        """Return the rows of each table that gets some, None for the quarantine."""
        rows: dict[int | None, int] = {
            number: count - sum(n for (table, _), n in repeated.items() if table == number)
            for number, count in tally.accepted().items()
        }
        rows[None] = tally.refused() + sum(n for (_, outcome), n in repeated.items() if outcome == CONFLICT)
        return {number: count for number, count in rows.items() if count}

    def append(self, frame: DataFrame | DriverRows | WrittenFiles, name: str, begun: BegunBatch, rows: int = 0) -> None:
        """Add ``frame`` to a table that does not have the batch yet; files are made for so many ``rows``."""
        address = self._tables.address(name)
        since = begun.versions.get(name)
        is_new = name in self._tables.new
        if begun.repeated and not is_new and self._tables.format.holds(self._tables.spark, address, self._key, since):
            return
        if rows and not isinstance(frame, DriverRows | WrittenFiles):
            frame = frame.coalesce(-(-rows // ROWS_A_FILE))
        self._tables.append(frame, name, self._key)

    def _rows(self, number: int, search: RepeatSearch | None) -> DataFrame:
        """Return the rows of a URN's table."""
        from pyspark.sql import functions as F

        urn, struct = self._spec.urns[number], self._spec.columns[number]
        accepted = self._frame.where((F.col(TABLE) == number) & F.col("reason").isNull())
        accepted = accepted if search is None else search.first(accepted, number)
        data = {"data": batch_frame.data_column(self._frame, urn, struct)} if struct.fields else {}
        columns: dict[str, Column] = {
            "urn": F.lit(urn),
            **{name: F.col(name) for name in batch_frame.ENVELOPE},
            table_layout.CREATED_DAY: utc_day(F.col("created_at")),
            **{name: F.col(quoted(name)) for name in self._given.position},
            **data,
            "data_json": F.col("data_json"),
            **{name: F.col(name) for name in batch_frame.sent_name(self._spec) if urn in self._spec.aliased},
        }
        stored = self._tables.schema(table_name(urn)).names
        return accepted.select(*(column.alias(name) for name, column in columns.items() if name in stored))

    def _refused(self, search: RepeatSearch | None) -> DataFrame:
        """Return the rows of the quarantine: refused messages, and those whose id is taken."""
        from pyspark.sql import functions as F

        names = ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body")
        position = [F.col(quoted(name)) for name in self._given.position]
        columns = [*self._batch_columns(), *position, *map(F.col, names)]
        refused = self._frame.where(F.col("reason").isNotNull()).select(*columns)
        taken = None if search is None else search.conflicts(self._frame)
        if taken is None:
            return refused
        why = {"reason": F.lit(ID_CONFLICT), "pointer": F.lit("/meta/id"), "detail": F.lit(TAKEN)}
        return refused.unionByName(taken.withColumns(why).select(*columns))

    def _batch_columns(self) -> list[Column]:
        from pyspark.sql import functions as F

        key = self._key
        return [F.lit(key.application).alias("application"), F.lit(key.batch).cast("long").alias("batch")]

    def count_rows(self, tally: Tally, repeated: Mapping[tuple[int, str], int] = _NONE) -> list[CountRow]:
        """Return the counts of the messages; without ``repeated``, before duplicates are found."""
        rows: list[CountRow] = []
        for (number, reason), count in tally.rows.items():
            if number is None or reason is not None:
                urn = None if number is None else self._spec.urns[number]
                rows.append((urn, "empty" if reason is None else "quarantined", reason, count))
                continue
            duplicates, conflicts = (repeated.get((number, outcome), 0) for outcome in (DUPLICATE, CONFLICT))
            urn = self._spec.urns[number]
            outcomes = ("accepted", None), ("duplicate", None), ("quarantined", ID_CONFLICT)
            numbers = count - duplicates - conflicts, duplicates, conflicts
            rows += [(urn, *outcome, n) for outcome, n in zip(outcomes, numbers, strict=True) if n]
        return sorted(rows, key=lambda row: (row[0] or "", row[1], row[2] or ""))
