"""Which accepted messages were there before: by ``meta.id``, within the batch and in all batches so far.

The same id with the same job and data is a duplicate, counted and dropped; ``attempts`` and ``dead_letter`` may
differ. The same id with other content is a conflict and goes to quarantine. The first by file and position stands. Only
messages that passed count: a quarantined one makes nothing a duplicate. A message without an id is never one.

All this looks at ids, digests and positions alone; the messages themselves are not moved for it. What was accepted
before is looked up in the runs of ``ids``, which costs the same however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark import ids
from babelreg.spark.landing import Landing
from babelreg.spark.parquet import address, files_in, read

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Repeats", "find"]

_KEYS = "message_id string, content binary, first_file string, first_offset bigint"
_LOOKED_UP = f"key binary, known binary, copies bigint, {_KEYS}"
_REPEATS = "source_file string, source_offset bigint, source_bytes bigint, conflict boolean"


@dataclass(frozen=True, slots=True)
class Repeats:
    """``new`` are files of the ids that are new, by ``key`` and ``content``.

    ``duplicates`` and ``conflicts`` count rows by place in the landing; the rows themselves are below ``folder``.
    """

    new: tuple[Path, ...] = ()
    duplicates: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, int] = field(default_factory=dict)
    folder: Path | None = None

    def rows(self, session: SparkSession, place: int) -> DataFrame | None:
        """The positions of the repeats at ``place``, duplicates and conflicts; None when there are none."""
        if self.folder is None or place not in {*self.duplicates, *self.conflicts}:
            return None
        return read(session, _REPEATS, [self.folder / f"place={place}"])


def find(session: SparkSession, landing: Landing, runs: Sequence[Path], staging: Path) -> Repeats:
    """The repeats among the landed messages. ``runs`` hold the ids of all batches before."""
    from pyspark.sql import functions as F

    accepted = landing.accepted(session)
    if accepted is None:
        return Repeats()
    wanted = "place", "message_id", "content", "source_file", "source_offset", "source_bytes"
    rows = accepted.where("message_id is not null").select(*wanted)
    first = rows.groupBy("message_id").agg(
        F.min(F.struct("source_file", "source_offset", "content")).alias("first"), F.count("*").alias("copies")
    )
    keys = first.select(
        F.unhex(F.substring(F.sha2("message_id", 256), 1, 2 * ids.KEY_BYTES)).alias("key"),
        F.lit(None).cast("binary").alias("known"),
        "copies",
        "message_id",
        "first.content",
        F.col("first.source_file").alias("first_file"),
        F.col("first.source_offset").alias("first_offset"),
    )
    _write_keys(keys.mapInArrow(_looked_up(runs), _LOOKED_UP) if runs else keys, staging / "keys")
    return _repeats(session, rows, staging)


def _looked_up(runs: Sequence[Path]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow`` that gives each key the content that is known for it."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            known = ids.lookup(runs, b"".join(batch.column("key").to_pylist()))
            yield batch.set_column(batch.schema.get_field_index("known"), "known", pa.array(known, pa.binary()))

    return run


def _write_keys(keys: DataFrame, folder: Path) -> None:
    """One row an id, apart by whether it is new and whether any message may repeat it."""
    from pyspark.sql import functions as F

    keys.select(
        "key",
        "message_id",
        F.coalesce("known", "content").alias("content"),
        F.when(F.col("known").isNull(), F.col("first_file")).alias("first_file"),
        F.when(F.col("known").isNull(), F.col("first_offset")).alias("first_offset"),
        F.when(F.col("known").isNotNull(), "old").when(F.col("copies") > 1, "many").otherwise("once").alias("kind"),
    ).write.partitionBy("kind").parquet(address(folder))


def _repeats(session: SparkSession, rows: DataFrame, staging: Path) -> Repeats:
    from pyspark.sql import functions as F

    new = files_in(staging / "keys" / "kind=once") + files_in(staging / "keys" / "kind=many")
    contested = [staging / "keys" / kind for kind in ("kind=many", "kind=old") if (staging / "keys" / kind).is_dir()]
    if not contested:
        return Repeats(new)
    keys = read(session, _KEYS, contested)
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
