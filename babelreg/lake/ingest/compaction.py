"""Compaction: merge the many small files of a table, in one Spark job for all tables.

Every batch adds a file to each table that got rows, and readers pay for each file. A compaction batch adds the merged
file and lists those that it replaces; they stay on disk for a while, for readers that listed them before.

After each batch, a little compaction runs by itself: 16 files of similar size become one, as in a log-structured merge
tree, so that a row is rewritten two or three times however many batches there are. What this may cost after a batch is
a multiple of what the batch wrote; the other tables wait for the next one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from babelreg.lake.engine.engine import Engine, EngineChoice, EngineFailure
from babelreg.lake.engine.local_engine import opened
from babelreg.lake.ingest import notebook
from babelreg.lake.ingest.batch import Progress
from babelreg.lake.ingest.redrive import GRACE_SECONDS
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.commit import Replacement, Rows, StagedBatch, commit
from babelreg.lake.storage.disk_errors import disk_errors
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.manifest import Batch
from babelreg.lake.storage.log.replay import LakeState
from babelreg.plural import counted

FANOUT = 16
"""Number of files of similar size that become one."""

_SMALL_BYTES = 32 * 1024 * 1024
_FILE_BYTES = 128 * 1024 * 1024
_COMPRESSION_RATIO = 4
_SMALLEST_TIER_BYTES = 4096
_MOST_EXAMINED = 512
"""Files of a table that are examined after a batch: the newest, since large ones accumulate over the years."""

_REWRITE_FACTOR = 2
"""Bytes that may be rewritten after a batch, as a multiple of those it wrote: more than is due in the long run,
so that no table waits for ever."""

_FILE_COST_BYTES = 1024 * 1024
"""Cost of a file in addition to its bytes: most are small, and readers pay for their number."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """Number of merged ``files`` and of their ``rows``, by URN.

    ``quarantine`` is listed like a table. ``batch`` is None if no table had enough small files.
    """

    output: str
    batch: int | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the result as one JSON object."""
        return asdict(self)

    def _repr_html_(self) -> str:
        title = "Nothing to compact" if self.batch is None else f"Batch {self.batch}: compacted"
        rows = [(urn, count, self.rows.get(urn, 0)) for urn, count in self.files.items()]
        return notebook.page(title, [self.output], notebook.table(("table", "files", "rows"), rows))


_Due = Mapping[str, Sequence[str]]
"""Files to be merged, relative to the output, by table."""


def compact(
    engine: EngineChoice,
    output: str | Path,
    *,
    at_least: int = FANOUT,
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Compacted:
    """Merge the files below 32 MiB of each table that has at least ``at_least`` of them.

    ``engine`` is as for ``ingest``. Replaced files are removed by a later run, ``grace_seconds`` after this one. Raises
    UsageError, InputError; after any exception the output is unchanged.
    """
    target = Path(output)
    folder.check_written(target)
    with opened(engine) as engine, folder.locked(target), disk_errors(target), engine.translated(target):
        engine.check_installed()
        so_far = folder.opened_written(target)
        due = _small(target, so_far, max(2, at_least))
        if not due:
            return Compacted(str(output))
        engine.start()
        return _compacted(engine, target, so_far, due, grace_seconds, progress)


def pending(output: str | Path, *, at_least: int = FANOUT) -> Mapping[str, Sequence[str]]:
    """Return the files by table that :func:`compact` would merge; nothing is written, locked or started.

    Raises UsageError, InputError.
    """
    target = Path(output)
    folder.check_written(target)
    return _small(target, replay.read(target), max(2, at_least))


def compact_lazily(
    engine: Engine,
    target: Path,
    batch: Batch,
    progress: Progress,
    *,
    so_far: LakeState | None = None,
    grace_seconds: int = GRACE_SECONDS,
) -> Compacted:
    """Merge what is due in the output ``target`` after ``batch``, within the cost limit. The caller holds the lock.

    ``so_far`` is the history including ``batch``; it is read if not given. The batch is committed already, so a failure
    here is only a warning.
    """
    try:
        so_far = replay.read(target) if so_far is None else so_far
        new = [*batch.quarantine.files, *(name for table in batch.tables.values() for name in table.files)]
        due = _affordable(target, _smallest_full_tier(target, so_far), _REWRITE_FACTOR * _cost(target, new))
        if due:
            return _compacted(engine, target, so_far, due, grace_seconds, progress)
    except Exception as err:
        cause = err.what if isinstance(err, EngineFailure) else err  # what it means is said of the batch to come
        warning = f"{target} was not compacted: {cause}; its batches count, and this is tried again after the next one"
        warnings.warn(warning, RuntimeWarning, stacklevel=2)
    return Compacted(str(target))


def _compacted(
    engine: Engine, target: Path, so_far: LakeState, due: _Due, grace_seconds: int, progress: Progress
) -> Compacted:
    replaced = tuple(name for names in due.values() for name in names)
    progress(f"compacting {len(replaced):,} files of {counted(len(due), 'table')}")
    with folder.staging(target, so_far.number) as work, engine.translated(target):
        written = _written(engine, due, target.resolve(), work.resolve())
        kept = written.pop(folder.QUARANTINE, Rows())
        batch = commit(
            target,
            so_far,
            "compaction",
            StagedBatch(
                tables=written,
                kept=kept,
                index=tuple(IdRunFile(target / run.file, run.rows, run.file) for run in so_far.index),
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


def _all(so_far: LakeState) -> Iterator[tuple[str, Sequence[str]]]:
    yield from so_far.tables.items()
    yield folder.QUARANTINE, so_far.quarantine


def _small(target: Path, so_far: LakeState, at_least: int) -> _Due:
    small = {
        urn: tuple(name for name in names if (target / name).stat().st_size < _SMALL_BYTES)
        for urn, names in _all(so_far)
        if len(names) >= at_least
    }
    return {urn: names for urn, names in small.items() if len(names) >= at_least}


def _smallest_full_tier(target: Path, so_far: LakeState) -> _Due:
    """Return the files of the smallest size class of each table that has enough files of one class."""
    due = {}
    for urn, names in _all(so_far):
        tiers: dict[int, list[str]] = {}
        for name in names[-_MOST_EXAMINED:] if len(names) >= FANOUT else ():
            size = (target / name).stat().st_size
            if size < _SMALL_BYTES:
                tiers.setdefault(_tier(size), []).append(name)
        smallest = next((tier for _, tier in sorted(tiers.items()) if len(tier) >= FANOUT), None)
        if smallest:
            due[urn] = smallest
    return due


def _tier(size: int) -> int:
    """Return the size class: each is 16 times the one before."""
    return (size // _SMALLEST_TIER_BYTES).bit_length() // 4


def _affordable(target: Path, due: _Due, cost: int) -> _Due:
    """Select the tables with the most files, as ``cost`` allows; at least one, else it would never be done."""
    selected: dict[str, Sequence[str]] = {}
    for urn, names in sorted(due.items(), key=lambda item: (-len(item[1]), item[0])):
        cost -= _cost(target, names)
        if cost < 0 and selected:
            break
        selected[urn] = names
    return dict(sorted(selected.items()))


def _cost(target: Path, names: Iterable[str]) -> int:
    return sum(_FILE_COST_BYTES + (target / name).stat().st_size for name in names)


def _written(engine: Engine, due: _Due, root: Path, work: Path) -> dict[str, Rows]:
    """Write the merged files of ``due`` to staging, in one job whose tasks take some tables each."""
    tasks = min(len(due), 4 * engine.parallelism())
    ordered = sorted(due.items(), key=lambda one: -len(one[1]))
    splits = [[(urn, [root / name for name in names]) for urn, names in ordered[n::tasks]] for n in range(tasks)]
    (work / "tables").mkdir()
    size = sum((root / name).stat().st_size for names in due.values() for name in names)
    results = engine.map(splits, partial(_merged, work / "tables"), size=_COMPRESSION_RATIO * size)
    merged = {urn: rows for tables in results for urn, rows in tables}
    if merged.keys() != due.keys():
        raise RuntimeError(f"{len(due)} tables were to be merged and {len(merged)} were; nothing was changed")
    return merged


def _merged(work: Path, split: Iterable[tuple[str, Sequence[Path]]]) -> list[tuple[str, Rows]]:
    """Merge the files of some tables: the work of one task."""
    from tempfile import mkdtemp

    from babelreg.lake.tasks.parquet_merge import merge

    told = []
    for urn, files in split:
        # A new folder for each attempt: what a failed attempt left is ignored.
        merged = merge(files, Path(mkdtemp(dir=work)), file_bytes=_FILE_BYTES)
        told.append((urn, Rows(merged.rows, tuple(merged.files))))
    return told
