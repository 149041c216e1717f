"""Input source of a redrive: messages of the quarantine, as raw bytes with their original positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import InputError
from babelreg.spark.lake.parquet import address
from babelreg.spark.sources.message_source import MessageChunk, Origin, staged_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["QuarantineSource", "RowSelection", "SelectionCount", "count_selected", "input_files"]

_MOST_TASKS = 64
_CHUNK_ROWS = 1_000
"""Bodies in memory at once: each may have megabytes."""


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Filter of quarantine rows: any of ``reasons`` and any of ``urns``; an empty set selects all."""

    reasons: frozenset[str] = frozenset()
    urns: frozenset[str] = frozenset()

    def matches(self, reason: str | None, urn: str | None) -> bool:
        """Return whether a row is selected."""
        return (not self.reasons or reason in self.reasons) and (not self.urns or urn in self.urns)

    def condition(self) -> Column:
        """Return the same filter as a Spark column, never null."""
        from pyspark.sql import functions as F

        condition = F.lit(True)
        for column, values in (("reason", self.reasons), ("urn", self.urns)):
            if values:
                condition = condition & F.coalesce(F.col(column).isin(*sorted(values)), F.lit(False))
        return condition


@dataclass(frozen=True, slots=True)
class QuarantineSource:
    """The selected rows of the parquet ``files`` of a quarantine.

    ``origins`` are those of the files that foreign messages came from, by :func:`staged_name`.
    """

    files: tuple[str, ...]
    selection: RowSelection
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def splits(self, tasks: int) -> list[tuple[str, ...]]:
        """Return the files, a few for each task."""
        count = min(len(self.files), _MOST_TASKS)
        return [self.files[number::count] for number in range(count)]

    def chunks(self, split: Sequence[str]) -> Iterator[MessageChunk]:
        """Yield the selected messages of the files of ``split``."""
        for path in split:
            for rows in _rows(Path(path), ["batch_read", "source_file", "source_offset", "reason", "urn", "body"]):
                selected = [row for row in rows if self.selection.matches(row["reason"], row["urn"])]
                for (number, name), group in groupby(selected, lambda row: (row["batch_read"], row["source_file"])):
                    messages = list(group)
                    bodies, offsets = [row["body"] for row in messages], [row["source_offset"] for row in messages]
                    staged = staged_name(number, name)
                    yield MessageChunk(staged, bodies, offsets, self.origins.get(staged))

    def with_bodies(self, rows: DataFrame) -> DataFrame:
        """Return staged ``rows`` with their ``body``, taken from the quarantine."""
        from pyspark.sql import functions as F

        quarantine = rows.sparkSession.read.option("__globPaths__", "false").parquet(
            *(address(Path(name)) for name in self.files)
        )
        name = F.format_string("%08d/%s", "batch_read", "source_file").alias("source_file")
        bodies = quarantine.where(self.selection.condition()).select(name, "source_offset", F.col("body"))
        return rows.drop("body").join(bodies, ["source_file", "source_offset"])


def _rows(path: Path, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_CHUNK_ROWS, columns=columns):
                yield batch.to_pylist()
    except (OSError, ArrowException) as err:
        raise InputError(f"cannot read {path}, which the manifest names: {err}") from err


class SelectionCount(NamedTuple):
    """Selected rows of a file, and the requested reasons and URNs that occur in any of its rows."""

    rows: int
    present: frozenset[str]


def count_selected(path: Path, selection: RowSelection) -> SelectionCount:
    """Count the rows of the quarantine file ``path`` that match. Raises InputError."""
    rows = 0
    present: set[str] = set()
    for batch in _rows(path, ["reason", "urn"]):
        for row in batch:
            rows += selection.matches(row["reason"], row["urn"])
            present |= selection.reasons & {row["reason"]} | selection.urns & {row["urn"]}
    return SelectionCount(rows, frozenset(present))


def input_files(paths: Iterable[Path], selection: RowSelection) -> set[tuple[int, str]]:
    """Return the batches and files that the selected rows of ``paths`` are from. Raises InputError."""
    return {
        (row["batch_read"], row["source_file"])
        for path in paths
        for batch in _rows(path, ["batch_read", "source_file", "reason", "urn"])
        for row in batch
        if selection.matches(row["reason"], row["urn"])
    }
