"""Search for repeated messages: by ``meta.id``, within the batch and in the batches of all applications.

The same id with the same URN and data is a duplicate, counted and dropped; the same id with other content is a conflict
and goes to quarantine. The first message by position is kept. Only accepted messages count.

Digests of accepted ids stand in a table that is partitioned by the UTC day of ``created_at``, which a redelivery has in
common with the first delivery. A batch reads the days of its own messages, and no other. An id that comes again with
another day is not found. Days before 2000 and after 2099, which a producer made up, share one partition.

A batch does not see its own digests, so that a repeated one finds its ids as new as in the first try.

The repeated messages are collected before any table is written: once a table that a cached frame reads was written,
Spark computes the frame again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.lake.tasks.message_segments import PLAUSIBLE_DAYS
from babelreg.lake.tasks.segment_format import DIGEST, INTERNAL, MESSAGE, TABLE
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.frame_columns import quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_IMPLAUSIBLE_DAY = date(1970, 1, 1)
_BROADCAST_IDS = 200_000
"""Ids that are sent to every task rather than shuffling the digests of their days."""

NEW, DUPLICATE, CONFLICT = "new", "duplicate", "conflict"
_AMBIGUOUS = "ambiguous"
"""The outcome of a message that has the same id and the same position as another one."""


@dataclass(frozen=True)
class RepeatSearch:
    """The repeated messages of a batch, ``MESSAGE, TABLE, outcome``, and how many there are by table and outcome.

    ``ids`` are those of all messages: ``MESSAGE, TABLE, day, key, content, outcome``, kept until closed.
    """

    ids: DataFrame
    repeated: pa.Table
    counts: Mapping[tuple[int, str], int]

    @classmethod
    def of(
        cls,
        frame: DataFrame,
        position: Sequence[str],
        key: BatchKey,
        digests: DataFrame,
        days: Sequence[date],
        ids: int,
    ) -> RepeatSearch:
        """Search the accepted messages of a batch. ``days`` are theirs, ``ids`` is their number.

        Raises UsageError where two messages with one id have the same position.
        """
        from pyspark import StorageLevel
        from pyspark.sql import functions as F

        searched = _searched(_ids(frame, position), position, _known(digests, key, days), few=ids <= _BROADCAST_IDS)
        kept = searched.persist(StorageLevel.MEMORY_AND_DISK)
        repeated: Any = kept.where(F.col("outcome") != NEW).select(MESSAGE, TABLE, "outcome").toArrow()
        rows = repeated.group_by([TABLE, "outcome"]).aggregate([([], "count_all")]).to_pylist()
        counts = {(row[TABLE], row["outcome"]): row["count_all"] for row in rows}
        if any(outcome == _AMBIGUOUS for _, outcome in counts):
            kept.unpersist()
            raise _not_unique(position)
        return cls(kept, repeated, counts)

    def close(self) -> None:
        """Free the ids."""
        self.ids.unpersist()

    def fresh(self) -> DataFrame:
        """Return the digests of new ids."""
        from pyspark.sql import functions as F

        return self.ids.where(F.col("outcome") == NEW).select("day", "key", "content")

    def first(self, rows: DataFrame, table: int) -> DataFrame:
        """Return ``rows`` of a table, which have ``MESSAGE``, without the repeated ones."""
        if not any(number == table for number, _ in self.counts):
            return rows
        return rows.join(self._messages(TABLE, table), MESSAGE, "left_anti")

    def conflicts(self, frame: DataFrame) -> DataFrame | None:
        """Return the rows of ``frame`` in conflict, or None if there are none."""
        if not any(outcome == CONFLICT for _, outcome in self.counts):
            return None
        return frame.join(self._messages("outcome", CONFLICT), MESSAGE, "left_semi")

    def _messages(self, column: str, value: int | str) -> DataFrame:
        """Return the numbers of those repeated messages whose ``column`` has this value, for every task."""
        import pyarrow.compute as pc
        from pyspark.sql import functions as F

        chosen = self.repeated.filter(pc.equal(self.repeated[column], value)).select([MESSAGE])
        return F.broadcast(self.ids.sparkSession.createDataFrame(chosen))


def _not_unique(position: Sequence[str]) -> UsageError:
    return UsageError(
        "two messages with one meta.id have the same position, so the first cannot be determined: "
        + ", ".join(position),
        fix="use columns that distinguish messages, such as position=['topic', 'partition', 'offset']",
    )


def utc_day(column: Column) -> Column:
    """Return the UTC day of a timestamp, whatever the time zone of the session."""
    from pyspark.sql import functions as F

    return F.date_from_unix_date(F.floor(F.unix_micros(column) / F.lit(86_400_000_000)).cast("int"))


def digest_day(column: Column) -> Column:
    """Return the partition of the digests of a message that was created at ``column``."""
    from pyspark.sql import functions as F

    day = utc_day(column)
    return F.when(day.between(*map(F.lit, PLAUSIBLE_DAYS)), day).otherwise(F.lit(_IMPLAUSIBLE_DAY))


def _ids(frame: DataFrame, position: Sequence[str]) -> DataFrame:
    """Return the accepted messages with an id; ``key`` and ``content`` are 16 bytes of SHA-256 each."""
    from pyspark.sql import functions as F

    accepted = F.col(TABLE).isNotNull() & F.col("reason").isNull() & F.col("message_id").isNotNull()
    content = F.concat(F.col("urn"), F.lit("\0"), F.col("data_json"))
    return frame.where(accepted).select(
        MESSAGE,
        TABLE,
        DIGEST,
        *(F.col(quoted(name)).alias(internal) for name, internal in zip(position, _names(position), strict=True)),
        digest_day(F.col("created_at")).alias("day"),
        _sixteen_bytes(F.col("message_id")).alias("key"),
        _sixteen_bytes(content).alias("content"),
    )


def _names(position: Sequence[str]) -> list[str]:
    """Return the names of the columns of the position beside those of digests."""
    return [f"{INTERNAL}position_{number}" for number in range(len(position))]


def _known(digests: DataFrame, key: BatchKey, days: Sequence[date]) -> DataFrame:
    """Return the digests of other batches in ``days``."""
    from pyspark.sql import functions as F

    own = (F.col("application") == key.application) & (F.col("batch") == key.batch)
    return digests.where(F.col("day").isin(list(days)) & ~own).select("day", "key", "content")


def _searched(ids: DataFrame, position: Sequence[str], known: DataFrame, *, few: bool) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    wanted = ids.select("day", "key").distinct()
    met = known.join(F.broadcast(wanted) if few else wanted, ["day", "key"], "left_semi")
    # An id has two digests only where two applications wrote it at the same time.
    earlier = met.groupBy("day", "key").agg(F.min("content").alias("earlier"))
    same_id = Window.partitionBy("day", "key").orderBy(*_names(position), DIGEST, MESSAGE)
    place = F.struct(*_names(position))
    ranked = ids.select(
        "*",
        F.row_number().over(same_id).alias("n"),
        F.first("content").over(same_id).alias("first"),
        F.lag(place).over(same_id).eqNullSafe(place).alias("is_tie"),
    )
    joined = ranked.join(earlier, ["day", "key"], "left")
    is_new = F.col("earlier").isNull() & (F.col("n") == 1)
    is_same = F.col("content") == F.coalesce("earlier", "first")
    is_tie = (F.col("n") > 1) & F.col("is_tie")
    outcome = F.when(is_tie, _AMBIGUOUS).when(is_new, NEW).when(is_same, DUPLICATE).otherwise(CONFLICT)
    return joined.select(MESSAGE, TABLE, "day", "key", "content", outcome.alias("outcome"))


def _sixteen_bytes(column: Column) -> Column:
    from pyspark.sql import functions as F

    return F.substring(F.unhex(F.sha2(column.cast("binary"), 256)), 1, 16)
