"""Quarantine: what was refused, every byte of it, with the reason and where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.lake.parquet import address, read
from babelreg.spark.sources.message_source import MessageSource
from babelreg.spark.sources.quarantine_source import RowSelection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COLUMNS", "CONFLICT", "conflicts", "counts", "differ", "keep"]

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

_TOLD = (
    "source_file string, source_offset bigint, source_bytes bigint, urn string, message_id string, trace_id string, "
    "lang string"
)
_TYPES = {"source_offset": "bigint", "body": "binary"}
COLUMNS = ", ".join(["batch_read int", *(f"{name} {_TYPES.get(name, 'string')}" for name in _COLUMNS)])
"""The columns of the quarantine as DDL. ``batch_read`` is the number of the batch that read the message."""


def conflicts(session: SparkSession, source: MessageSource, told: Sequence[Path], folder: Path) -> None:
    """Write accepted messages whose id belongs to other content to ``folder``, with their bytes read again.

    ``told`` are the files in which ``tables`` tells them.
    """
    from pyspark.sql import functions as F

    if not told:
        return
    rows = read(session, _TOLD, told)
    whole = source.with_bodies(rows).select(
        F.substring_index("source_file", "/", 1).cast("int").alias("batch_read"),
        F.expr("substring(source_file, instr(source_file, '/') + 1)").alias("source_file"),
        "source_offset",
        F.lit(CONFLICT).alias("reason"),
        F.lit("/meta/id").alias("pointer"),
        F.lit(_DETAIL).alias("detail"),
        *_COLUMNS[5:],
    )
    _sorted(whole).write.parquet(address(folder))


def keep(files: Iterable[Path], wanted: RowSelection, session: SparkSession, folder: Path) -> None:
    """Write the rows of quarantine ``files`` that are not ``wanted`` to ``folder`` as they are."""
    rows = read(session, COLUMNS, list(files)).where(~wanted.condition())
    _sorted(rows).write.parquet(address(folder))


def _sorted(rows: DataFrame) -> DataFrame:
    return rows.coalesce(1).sortWithinPartitions("batch_read", "source_file", "source_offset")


def differ(session: SparkSession, new: Iterable[Path], old: Iterable[Path], wanted: RowSelection) -> bool:
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
