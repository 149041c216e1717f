"""Quarantine: what was refused, every byte of it, with the reason and where it came from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.landing import batch_of, file_of
from babelreg.spark.parquet import address, read
from babelreg.spark.sources import Source
from babelreg.spark.sources.quarantined import Wanted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COLUMNS", "CONFLICT", "conflicts", "counts", "differ", "keep", "write"]

CONFLICT = "id_conflict"
_DETAIL = "another message with this meta.id and other content was accepted before"

_COLUMNS = (
    "source_file",
    "source_offset",
    "reason",
    "pointer",
    "detail",
    "urn",
    "message_id",
    "trace_id",
    "lang",
    "body",
)

_TYPES = {"source_offset": "bigint", "body": "binary"}
COLUMNS = ", ".join(["batch_read int", *(f"{name} {_TYPES.get(name, 'string')}" for name in _COLUMNS)])
"""The columns of the quarantine as DDL. ``batch_read`` is the number of the batch that read the message."""


def write(refused: Iterable[DataFrame], folder: Path) -> None:
    """Write landed rows of refused messages to ``folder``, in the order of their files and positions."""
    from pyspark.sql import DataFrame

    bare = _COLUMNS[1:]
    named = batch_of("source_file").alias("batch_read"), file_of("source_file").alias("source_file")
    frames = [rows.select(*named, *bare) for rows in refused]
    if frames:
        together = frames[0]
        for more in frames[1:]:
            together = DataFrame.unionByName(together, more)
        together.coalesce(1).sortWithinPartitions("batch_read", "source_file", "source_offset").write.parquet(
            address(folder)
        )


def conflicts(rows: DataFrame, repeats: DataFrame, urn: str, source: Source) -> DataFrame:
    """Accepted ``rows`` of ``urn`` whose id belongs to other content, as refused rows, with their bytes read again."""
    from pyspark.sql import functions as F

    place = ["source_file", "source_offset", "source_bytes"]
    found = rows.join(repeats.where("conflict").select(*place), place, "left_semi")
    bare = found.select(
        *place,
        F.lit(CONFLICT).alias("reason"),
        F.lit("/meta/id").alias("pointer"),
        F.lit(_DETAIL).alias("detail"),
        F.lit(urn).alias("urn"),
        "message_id",
        "trace_id",
        "lang",
    )
    return source.with_bodies(bare).select(*_COLUMNS)


def keep(files: Iterable[Path], wanted: Wanted, session: SparkSession, folder: Path) -> None:
    """Write the rows of quarantine ``files`` that are not ``wanted`` to ``folder`` as they are."""
    rows = read(session, COLUMNS, list(files)).where(~wanted.condition())
    order = rows.coalesce(1).sortWithinPartitions("batch_read", "source_file", "source_offset")
    order.write.parquet(address(folder))


def differ(session: SparkSession, new: Iterable[Path], old: Iterable[Path], wanted: Wanted) -> bool:
    """Whether the ``new`` rows say anything else than those of the ``old`` ones that were ``wanted``, bytes apart."""
    names = [name for name in ("batch_read", *_COLUMNS) if name != "body"]
    before = read(session, COLUMNS, list(old)).where(wanted.condition()).select(*names)
    after = read(session, COLUMNS, list(new)).select(*names)
    return not (after.exceptAll(before).isEmpty() and before.exceptAll(after).isEmpty())


def counts(files: Iterable[Path]) -> dict[str, int]:
    """How many rows ``files`` hold for each reason, the most frequent first."""
    from collections import Counter

    from pyarrow import parquet

    found: Counter[str] = Counter()
    for path in files:
        found.update(parquet.read_table(path, columns=["reason"])["reason"].to_pylist())
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))
