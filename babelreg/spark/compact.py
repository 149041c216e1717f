"""``compact``: the many small files of a table become one, for those tables alone that have many.

Every batch adds a file to each table that got rows. Readers pay for each file, so that a table that is fed every few
seconds gets slow. The rows stay as they are: a batch of its own adds the new file and says which ones it stands for,
and those stay on the disk for a while, for readers that looked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark import output as folder
from babelreg.spark import session, tables
from babelreg.spark.batch import Progress
from babelreg.spark.commit import Replaced, Rows, Written, commit
from babelreg.spark.failure import disk_errors, translated
from babelreg.spark.history import History
from babelreg.spark.index import Held
from babelreg.spark.parquet import address, files_in, rows_in
from babelreg.spark.redrive import GRACE_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Compacted", "compact"]

_SMALL_BYTES = 32 * 1024 * 1024
_FILE_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Compacted:
    """``files`` are how many small ones became one or few, ``rows`` how many they hold, both by URN.

    ``batch`` is None when no table had enough of them.
    """

    output: str
    batch: int | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return asdict(self)


def compact(
    spark: SparkSession | Callable[[], SparkSession],
    output: str | Path,
    *,
    at_least: int = 16,
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Compacted:
    """Put the files below 32 MiB of each table together where there are ``at_least`` so many.

    ``spark`` is as for ``ingest``. Files that no longer count are removed by a later run, ``grace_seconds`` after this
    one. Raises UsageError, InputError; after any exception the output is what it was before the call.
    """
    target = Path(output)
    folder.check_written(target)
    with folder.locked(target), disk_errors(target):
        so_far = folder.opened(target)
        due = _due(target, so_far, max(2, at_least))
        if not due:
            return Compacted(str(output))
        with folder.staging(target) as work, translated(target):
            given = session.configured(spark() if callable(spark) else spark)
            written = _written(given, due, target.resolve(), work.resolve(), progress)
            batch = commit(
                target,
                so_far,
                "compaction",
                Written(
                    tables={urn: Rows(rows_in(files), files) for urn, files in written.items()},
                    index=tuple(Held(target / run.file, run.rows, run.file) for run in so_far.index),
                ),
                keeps_duplicates=so_far.keeps_duplicates,
                replaced=Replaced(tuple(name for names in due.values() for name in names), grace_seconds),
            )
    rows = {urn: table.rows for urn, table in batch.tables.items()}
    return Compacted(str(output), batch.number, {urn: len(names) for urn, names in due.items()}, rows)


def _written(
    spark: SparkSession, due: Mapping[str, Sequence[str]], root: Path, work: Path, progress: Progress
) -> dict[str, tuple[Path, ...]]:
    found = {}
    for number, (urn, names) in enumerate(due.items()):
        progress(f"compacting tables: {number} of {len(due)}")
        found[urn] = _together(spark, [root / name for name in names], work / str(number))
    return found


def _due(target: Path, so_far: History, at_least: int) -> dict[str, tuple[str, ...]]:
    small = {
        urn: tuple(name for name in names if (target / name).stat().st_size < _SMALL_BYTES)
        for urn, names in so_far.tables.items()
    }
    return {urn: names for urn, names in small.items() if len(names) >= at_least}


def _together(spark: SparkSession, files: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """The rows of ``files`` in as few as are of a good size. A column that only some have is null in the others."""
    size = sum(path.stat().st_size for path in files)
    reader = spark.read.option("mergeSchema", "true").option("__globPaths__", "false")
    rows = reader.parquet(*map(address, files))
    rows.coalesce(max(1, -(-size // _FILE_BYTES))).write.options(**tables.WRITING).parquet(address(folder))
    written = files_in(folder)
    if rows_in(written) != rows_in(files):
        raise RuntimeError(f"{rows_in(files)} rows were to be put together and {rows_in(written)} were")
    return written
