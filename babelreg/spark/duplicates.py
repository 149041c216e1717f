"""Which accepted messages were there before: by ``meta.id``, within the batch and in all batches so far.

The same id with the same job and data is a duplicate, counted and dropped; ``attempts`` and ``dead_letter`` may
differ. The same id with other content is a conflict and goes to quarantine. The first by file and position stands. Only
messages that passed count: a quarantined one makes nothing a duplicate. A message without an id is never one.

All this looks at ids, digests and positions alone; the messages themselves are not moved for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.landing import Landing
from babelreg.spark.parquet import address, files_in, read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Repeats", "find"]

_IDS = "message_id string, content binary"
_REPEATS = "source_file string, source_offset bigint, source_bytes bigint, conflict boolean"


@dataclass(frozen=True, slots=True)
class Repeats:
    """``ids`` are files of the ids that are new. ``duplicates`` and ``conflicts`` count rows by place in the landing;
    the rows themselves are below ``folder``."""

    ids: tuple[Path, ...] = ()
    duplicates: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, int] = field(default_factory=dict)
    folder: Path | None = None

    def rows(self, session: SparkSession, place: int) -> DataFrame | None:
        """The positions of the repeats at ``place``, duplicates and conflicts; None when there are none."""
        if self.folder is None or place not in {*self.duplicates, *self.conflicts}:
            return None
        return read(session, _REPEATS, [self.folder / f"place={place}"])


def find(session: SparkSession, landing: Landing, known: Sequence[Path], staging: Path) -> Repeats:
    """The repeats among the landed messages. ``known`` are the id files of all batches before."""
    from pyspark.sql import functions as F

    accepted = landing.accepted(session)
    if accepted is None:
        return Repeats()
    wanted = "place", "message_id", "content", "source_file", "source_offset", "source_bytes"
    rows = accepted.where("message_id is not null").select(*wanted)
    first = rows.groupBy("message_id").agg(
        F.min(F.struct("source_file", "source_offset", "content")).alias("first"), F.count("*").alias("copies")
    )
    keys = first.withColumn("known", F.lit(None).cast("binary"))
    if known:
        before = read(session, _IDS, known)
        keys = first.join(before.select("message_id", F.col("content").alias("known")), "message_id", "left")
    _write_keys(keys, staging / "keys")
    return _repeats(session, rows, staging)


def _write_keys(keys: DataFrame, folder: Path) -> None:
    """One row an id, apart by whether it is new and whether any message may repeat it."""
    from pyspark.sql import functions as F

    keys.select(
        "message_id",
        F.coalesce("known", "first.content").alias("content"),
        F.when(F.col("known").isNull(), F.col("first.source_file")).alias("first_file"),
        F.when(F.col("known").isNull(), F.col("first.source_offset")).alias("first_offset"),
        F.when(F.col("known").isNotNull(), "old").when(F.col("copies") > 1, "many").otherwise("once").alias("kind"),
    ).write.partitionBy("kind").parquet(address(folder))


def _repeats(session: SparkSession, rows: DataFrame, staging: Path) -> Repeats:
    from pyspark.sql import functions as F

    new = files_in(staging / "keys" / "kind=once") + files_in(staging / "keys" / "kind=many")
    contested = [staging / "keys" / kind for kind in ("kind=many", "kind=old") if (staging / "keys" / kind).is_dir()]
    if not contested:
        return Repeats(new)
    keys = read(session, f"{_IDS}, first_file string, first_offset bigint", contested)
    same_file = F.col("source_file").eqNullSafe(F.col("first_file"))
    stands = same_file & F.col("source_offset").eqNullSafe(F.col("first_offset"))
    repeats = rows.join(keys.withColumnRenamed("content", "kept"), "message_id").where(~stands)
    folder = staging / "repeats"
    repeats.select(
        "place", "source_file", "source_offset", "source_bytes", (F.col("content") != F.col("kept")).alias("conflict")
    ).write.partitionBy("place").parquet(address(folder))
    if not any(folder.glob("place=*")):
        return Repeats(new)
    counted = read(session, f"{_REPEATS}, place int", [folder]).groupBy("place", "conflict").count()
    counts = {(row["place"], row["conflict"]): row["count"] for row in counted.collect()}
    return Repeats(
        new,
        {place: count for (place, conflict), count in sorted(counts.items()) if not conflict},
        {place: count for (place, conflict), count in sorted(counts.items()) if conflict},
        folder,
    )
