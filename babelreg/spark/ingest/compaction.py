"""``compact``: the many small files of a table become one, in one Spark job for all tables that have many.

Every batch adds a file to each table that got rows. Readers pay for each file, so that a table that is fed every few
seconds gets slow. The rows stay as they are: a batch of its own adds the new file and says which ones it stands for,
and those stay on the disk for a while, for readers that looked before.

After each batch that happens by itself, a little at a time: 16 files of about one size become one, as in any
log-structured merge tree, so that a row is written again two or three times however many batches there are. What one
batch may cost here is a multiple of what it wrote; tables that wait have their turn after the next one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark.ingest.batch import Progress
from babelreg.spark.ingest.redrive import GRACE_SECONDS
from babelreg.spark.ingest.spark_errors import disk_errors, translated
from babelreg.spark.ingest.task_map import map_tasks
from babelreg.spark.lake import output_folder as folder
from babelreg.spark.lake.commit import (
    Replacement,
    Rows,
    StagedBatch,
    commit,
)
from babelreg.spark.lake.id_index import Held
from babelreg.spark.lake.log import replay
from babelreg.spark.lake.log.manifest import Batch
from babelreg.spark.lake.log.replay import History
from babelreg.spark.session import local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["FANOUT", "Compacted", "compact", "compact_lazily"]

FANOUT = 16
"""How many files of about one size become one."""

_SMALL_BYTES = 32 * 1024 * 1024
_FILE_BYTES = 128 * 1024 * 1024
_SMALLEST_TIER_BYTES = 4096
_LOOKED_AT = 512
"""How many files of a table are looked at after a batch: the newest, since large ones add up over the years."""

_SHARE = 2
"""How many times what a batch wrote may be written again after it: more than is due in the long run, whatever the size
of its files, so that nothing waits for ever."""

_FILE_COST_BYTES = 1024 * 1024
"""What a file counts beside its bytes: most are small, and it is their number that readers pay for."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """``files`` are how many small ones became one or few, ``rows`` how many they hold, both by URN.

    ``quarantine`` is among them like a table. ``batch`` is None when no table had enough of them.
    """

    output: str
    batch: int | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return asdict(self)


_Due = Mapping[str, Sequence[str]]
"""Files that are to become one, relative to the output, by table."""


def compact(
    spark: SparkSession | Callable[[], SparkSession],
    output: str | Path,
    *,
    at_least: int = FANOUT,
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Compacted:
    """Put the files below 32 MiB of each table together where there are ``at_least`` so many.

    ``spark`` is as for ``ingest``. Files that no longer count are removed by a later run, ``grace_seconds`` after this
    one. Raises UsageError, InputError; after any exception the output is what it was before the call.
    """
    target = Path(output)
    folder.check_written(target)
    local.check_installed()
    with folder.locked(target), disk_errors(target), translated(target):
        so_far = folder.opened_written(target)
        due = _small(target, so_far, max(2, at_least))
        if not due:
            return Compacted(str(output))
        given = spark() if callable(spark) else spark
        return _compacted(given, target, so_far, due, grace_seconds, progress)


def pending(output: str | Path, *, at_least: int = FANOUT) -> Mapping[str, Sequence[str]]:
    """Return the files by table that :func:`compact` would merge; nothing is written, locked or started.

    Raises UsageError, InputError.
    """
    target = Path(output)
    folder.check_written(target)
    return _small(target, replay.read(target), max(2, at_least))


def compact_lazily(
    spark: SparkSession,
    target: Path,
    batch: Batch,
    progress: Progress,
    *,
    so_far: History | None = None,
    grace_seconds: int = GRACE_SECONDS,
) -> Compacted:
    """Put together what is due in the output ``target`` after ``batch``, as far as that may cost.

    ``so_far`` is what counts with ``batch``; it is read where it is not given. For who holds the lock. The batch
    counts, whatever happens here: so what fails is a warning.
    """
    try:
        so_far = replay.read(target) if so_far is None else so_far
        new = [*batch.quarantine.files, *(name for table in batch.tables.values() for name in table.files)]
        due = _affordable(target, _tiers(target, so_far), _SHARE * _cost(target, new))
        if due:
            return _compacted(spark, target, so_far, due, grace_seconds, progress)
    except Exception as err:
        told = f"{target} was not compacted: {err}; its batches count, and this is tried again after the next one"
        warnings.warn(told, RuntimeWarning, stacklevel=2)
    return Compacted(str(target))


def _compacted(
    spark: SparkSession, target: Path, so_far: History, due: _Due, grace_seconds: int, progress: Progress
) -> Compacted:
    replaced = tuple(name for names in due.values() for name in names)
    progress(f"compacting {len(replaced):,} files of {len(due):,} table{'' if len(due) == 1 else 's'}")
    with folder.staging(target, so_far.number) as work, translated(target):
        written = _written(local.configured(spark), due, target.resolve(), work.resolve())
        kept = written.pop(folder.QUARANTINE, Rows())
        batch = commit(
            target,
            so_far,
            "compaction",
            StagedBatch(
                tables=written,
                kept=kept,
                index=tuple(Held(target / run.file, run.rows, run.file) for run in so_far.index),
            ),
            keeps_duplicates=so_far.keeps_duplicates,
            replaced=Replacement(replaced, grace_seconds),
        )
    rows = {**{urn: table.rows for urn, table in batch.tables.items()}, folder.QUARANTINE: kept.rows}
    return Compacted(
        str(target),
        batch.number,
        {urn: len(names) for urn, names in due.items()},
        {urn: rows.get(urn, 0) for urn in due},
    )


def _all(so_far: History) -> Iterator[tuple[str, Sequence[str]]]:
    yield from so_far.tables.items()
    yield folder.QUARANTINE, so_far.quarantine


def _small(target: Path, so_far: History, at_least: int) -> _Due:
    small = {
        urn: tuple(name for name in names if (target / name).stat().st_size < _SMALL_BYTES)
        for urn, names in _all(so_far)
        if len(names) >= at_least
    }
    return {urn: names for urn, names in small.items() if len(names) >= at_least}


def _tiers(target: Path, so_far: History) -> _Due:
    """The files of each table that are of about one size, where there are enough of them; of the smallest such size."""
    due = {}
    for urn, names in _all(so_far):
        tiers: dict[int, list[str]] = {}
        for name in names[-_LOOKED_AT:] if len(names) >= FANOUT else ():
            size = (target / name).stat().st_size
            if size < _SMALL_BYTES:
                tiers.setdefault(_tier(size), []).append(name)
        found = next((tier for _, tier in sorted(tiers.items()) if len(tier) >= FANOUT), None)
        if found:
            due[urn] = found
    return due


def _tier(size: int) -> int:
    """Which size this is about: each is 16 times the one before."""
    return (size // _SMALLEST_TIER_BYTES).bit_length() // 4


def _affordable(target: Path, due: _Due, cost: int) -> _Due:
    """Those with the most files first, as many as ``cost`` allows; one in any case, else it would never be done."""
    taken: dict[str, Sequence[str]] = {}
    for urn, names in sorted(due.items(), key=lambda one: (-len(one[1]), one[0])):
        cost -= _cost(target, names)
        if cost < 0 and taken:
            break
        taken[urn] = names
    return dict(sorted(taken.items()))


def _cost(target: Path, names: Iterable[str]) -> int:
    return sum(_FILE_COST_BYTES + (target / name).stat().st_size for name in names)


def _written(spark: SparkSession, due: _Due, root: Path, work: Path) -> dict[str, Rows]:
    """The files that stand for those that are ``due``, in staging; one job, in which a task takes some tables."""
    tasks = min(len(due), 4 * spark.sparkContext.defaultParallelism)
    asked = sorted(due.items(), key=lambda one: -len(one[1]))
    splits = [[(urn, [root / name for name in names]) for urn, names in asked[n::tasks]] for n in range(tasks)]
    (work / "tables").mkdir()
    told = map_tasks(spark, splits, partial(_merged, work / "tables"))
    found = {urn: rows for some in told for urn, rows in some}
    if found.keys() != due.keys():
        raise RuntimeError(f"{len(due)} tables were to be put together and {len(found)} were; nothing was changed")
    return found


def _merged(work: Path, split: Iterable[tuple[str, Sequence[Path]]]) -> list[tuple[str, Rows]]:
    """What a task does with some tables and their files: the files that stand for them."""
    from tempfile import mkdtemp

    from babelreg.spark.tasks.parquet_merge import merge

    told = []
    for urn, files in split:
        # A folder of its own for each try: what a task left that failed is nobody's.
        merged = merge(files, Path(mkdtemp(dir=work)), file_bytes=_FILE_BYTES)
        told.append((urn, Rows(merged.rows, tuple(merged.files))))
    return told
