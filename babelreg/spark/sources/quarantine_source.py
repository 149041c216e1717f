"""Messages of the quarantine, to be judged again: the bytes that are kept there, under their first position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import InputError
from babelreg.spark.lake.parquet import address
from babelreg.spark.sources.message_source import MessageChunk, staged_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["QuarantineSource", "RowSelection", "SelectionCount", "count_selected"]

_MOST_TASKS = 64
_CHUNK_ROWS = 1_000
"""How many bodies are in memory at once: one may have megabytes."""


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Which rows of the quarantine: those of any of ``reasons`` and of any of ``urns``; all where none are named."""

    reasons: frozenset[str] = frozenset()
    urns: frozenset[str] = frozenset()

    def takes(self, reason: str | None, urn: str | None) -> bool:
        """Whether a row is among them."""
        return (not self.reasons or reason in self.reasons) and (not self.urns or urn in self.urns)

    def condition(self) -> Column:
        """The same for Spark, never null."""
        from pyspark.sql import functions as F

        asked = F.lit(True)
        for column, values in (("reason", self.reasons), ("urn", self.urns)):
            if values:
                asked = asked & F.coalesce(F.col(column).isin(*sorted(values)), F.lit(False))
        return asked


@dataclass(frozen=True, slots=True)
class QuarantineSource:
    """The rows that are ``wanted`` in parquet ``files`` of a quarantine."""

    files: tuple[str, ...]
    wanted: RowSelection

    def splits(self, tasks: int) -> list[tuple[str, ...]]:
        """The files, a few for each task."""
        count = min(len(self.files), _MOST_TASKS)
        return [self.files[number::count] for number in range(count)]

    def chunks(self, split: Sequence[str]) -> Iterator[MessageChunk]:
        """The messages in the files of ``split``."""
        for path in split:
            for rows in _rows(Path(path), ["batch_read", "source_file", "source_offset", "reason", "urn", "body"]):
                selected = [one for one in rows if self.wanted.takes(one["reason"], one["urn"])]
                for (number, name), found in groupby(selected, lambda one: (one["batch_read"], one["source_file"])):
                    together = list(found)
                    bodies, offsets = [one["body"] for one in together], [one["source_offset"] for one in together]
                    yield MessageChunk(staged_name(number, name), bodies, offsets)

    def with_bodies(self, rows: DataFrame) -> DataFrame:
        """``rows`` of the landing with their ``body``, which the quarantine has."""
        from pyspark.sql import functions as F

        kept = rows.sparkSession.read.option("__globPaths__", "false").parquet(
            *(address(Path(name)) for name in self.files)
        )
        name = F.format_string("%08d/%s", "batch_read", "source_file").alias("source_file")
        bodies = kept.where(self.wanted.condition()).select(name, "source_offset", F.col("body"))
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
    """``rows`` is how many are wanted; ``met`` which of the wanted reasons and URNs stand in any row at all."""

    rows: int
    met: frozenset[str]


def count_selected(path: Path, wanted: RowSelection) -> SelectionCount:
    """What is ``wanted`` of the quarantine file ``path``. Raises InputError."""
    rows = 0
    met: set[str] = set()
    for some in _rows(path, ["reason", "urn"]):
        for row in some:
            rows += wanted.takes(row["reason"], row["urn"])
            met |= wanted.reasons & {row["reason"]} | wanted.urns & {row["urn"]}
    return SelectionCount(rows, frozenset(met))
