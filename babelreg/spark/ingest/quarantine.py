"""Quarantine rows: every refused message with all its bytes, the reason and its position."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.lake.parquet import address, read
from babelreg.spark.operations.thresholds import OTHER
from babelreg.spark.sources.message_source import MessageSource
from babelreg.spark.sources.quarantine_source import RowSelection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COLUMNS", "CONFLICT", "copy_unselected", "count_refused", "differ", "write_conflicts"]

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

_CONFLICT_DDL = (
    "source_file string, source_offset bigint, source_bytes bigint, urn string, message_id string, trace_id string, "
    "lang string"
)
_TYPES = {"source_offset": "bigint", "body": "binary"}
COLUMNS = ", ".join(["batch_read int", *(f"{name} {_TYPES.get(name, 'string')}" for name in _COLUMNS)])
"""Columns of the quarantine as DDL. ``batch_read`` is the number of the batch that read the message."""


def write_conflicts(session: SparkSession, source: MessageSource, listed: Sequence[Path], folder: Path) -> None:
    """Write messages whose id was accepted with other content to ``folder``, with their bytes read again.

    ``listed`` are the files in which ``table_writer`` lists them.
    """
    from pyspark.sql import functions as F

    if not listed:
        return
    rows = read(session, _CONFLICT_DDL, listed)
    quarantined = source.with_bodies(rows).select(
        F.substring_index("source_file", "/", 1).cast("int").alias("batch_read"),
        F.expr("substring(source_file, instr(source_file, '/') + 1)").alias("source_file"),
        "source_offset",
        F.lit(CONFLICT).alias("reason"),
        F.lit("/meta/id").alias("pointer"),
        F.lit(_DETAIL).alias("detail"),
        *_COLUMNS[5:],
    )
    _sorted(quarantined).write.parquet(address(folder))


def copy_unselected(files: Iterable[Path], selection: RowSelection, session: SparkSession, folder: Path) -> None:
    """Copy the rows of quarantine ``files`` that are not selected to ``folder``."""
    rows = read(session, COLUMNS, list(files)).where(~selection.condition())
    _sorted(rows).write.parquet(address(folder))


def _sorted(rows: DataFrame) -> DataFrame:
    return rows.coalesce(1).sortWithinPartitions("batch_read", "source_file", "source_offset")


def differ(session: SparkSession, new: Iterable[Path], old: Iterable[Path], selection: RowSelection) -> bool:
    """Return whether the ``new`` rows differ from the selected ``old`` ones, bodies apart."""
    names = [name for name in ("batch_read", *_COLUMNS) if name != "body"]
    old_rows = read(session, COLUMNS, list(old)).where(selection.condition()).select(*names)
    new_rows = read(session, COLUMNS, list(new)).select(*names)
    return not (new_rows.exceptAll(old_rows).isEmpty() and old_rows.exceptAll(new_rows).isEmpty())


def count_refused(files: Iterable[Path], urns: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    """Return the number of rows in ``files`` by URN and reason; URNs that are not among ``urns`` are one, OTHER.

    Messages may have any number of other URNs.
    """
    from pyarrow import parquet

    counts: dict[str, dict[str, int]] = {}
    for path in files:
        rows = parquet.read_table(path, columns=["urn", "reason"], read_dictionary=["urn", "reason"])
        for row in rows.group_by(["urn", "reason"]).aggregate([([], "count_all")]).to_pylist():
            of_urn = counts.setdefault(row["urn"] if row["urn"] in urns else OTHER, {})
            of_urn[row["reason"]] = of_urn.get(row["reason"], 0) + row["count_all"]
    return {urn: dict(sorted(reasons.items())) for urn, reasons in sorted(counts.items())}
