"""Index of all accepted message ids: a few sorted runs (see ``id_run``), merged as they grow in number.

Each batch adds a run of its new ids. Four runs of similar size become one, as in a log-structured merge tree, so that
there are as many runs as the history has orders of magnitude. A damaged index is rebuilt from the tables. The newest
manifest names the current runs; nothing here changes a file that a manifest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.lake.storage import id_run
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.lake_state import LakeState
from babelreg.lake.storage.parquet import opened as opened_parquet
from babelreg.lake.storage.parquet import unreadable

if TYPE_CHECKING:
    import pyarrow as pa

_FANOUT = 4
_SMALLEST_TIER_ROWS = 4096
_LARGEST_ROWS = 16_000_000
"""A run of this size is not merged: that would take too long for one batch."""

_RUN_ROWS = 2_000_000
"""Number of new ids that are sorted in memory at once."""

_READ_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class IdRunFile:
    """One current run. ``name`` is its path below the output, None if it is new and still in staging."""

    path: Path
    rows: int
    name: str | None = None


def opened(output: Path, so_far: LakeState, work: Path) -> tuple[IdRunFile, ...]:
    """Return the id index of the output; new files go to the staging folder ``work``. Raises InputError."""
    if not so_far.number or so_far.keeps_duplicates:
        return ()
    return prepared(output.resolve(), so_far.index, _tables(output, so_far), work.resolve() / "ids")


def rebuilt_for(output: Path, so_far: LakeState, work: Path) -> tuple[IdRunFile, ...]:
    """Return the id index rebuilt from the tables, after a search found it damaged. Raises InputError."""
    return rebuilt(_tables(output, so_far), work.resolve() / "ids")


def _tables(output: Path, so_far: LakeState) -> Iterator[Path]:
    root = output.resolve()
    return (root / name for files in so_far.tables.values() for name in files)


def prepared(
    output: Path, runs: Iterable[manifest.SortedFileRecord], tables: Iterable[Path], folder: Path
) -> tuple[IdRunFile, ...]:
    """Return the runs that a manifest names, merged as far as due, or rebuilt from ``tables`` if one is damaged.

    New files go to ``folder``. Raises InputError if ``tables`` are needed and one of them cannot be read.
    """
    try:
        index = [IdRunFile(output / run.file, run.rows, run.file) for run in runs]
        for run in index:
            id_run.IdRun(run.path, run.rows)
        return _merged(index, folder)
    except id_run.DamagedIdRun:
        return rebuilt(tables, folder)


def rebuilt(tables: Iterable[Path], folder: Path) -> tuple[IdRunFile, ...]:
    """Return runs rebuilt from the files of ``tables``, written below ``folder``. Raises InputError."""
    return _written(_accepted(tables), folder)


def extended(index: Sequence[IdRunFile], new_runs: Sequence[Path], folder: Path) -> tuple[IdRunFile, ...]:
    """Return ``index`` with the new runs ``new_runs``, merged in ``folder`` if their total size allows."""
    runs = [IdRunFile(path, id_run.IdRun(path).rows) for path in new_runs]
    if len(runs) > 1 and sum(run.rows for run in runs) <= _LARGEST_ROWS:
        path = _next(folder)
        runs = [IdRunFile(path, id_run.merge(path, [id_run.IdRun(run.path) for run in runs]))]
    return (*index, *runs)


def _merged(index: Sequence[IdRunFile], folder: Path) -> tuple[IdRunFile, ...]:
    runs = list(index)
    while due := _due(runs):
        path = _next(folder)
        rows = id_run.merge(path, [id_run.IdRun(run.path, run.rows) for run in due])
        runs = [*(run for run in runs if run not in due), IdRunFile(path, rows)]
    return tuple(runs)


def _due(runs: Sequence[IdRunFile]) -> list[IdRunFile]:
    """Return the smallest runs of one size class, if there are enough of them."""
    tiers: dict[int, list[IdRunFile]] = {}
    for run in runs:
        if run.rows < _LARGEST_ROWS:
            tiers.setdefault((run.rows // _SMALLEST_TIER_ROWS).bit_length() // 2, []).append(run)
    return next((tier for _, tier in sorted(tiers.items()) if len(tier) >= _FANOUT), [])


def _next(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / f"{sum(1 for _ in folder.iterdir()):05d}.ids"


def _written(pairs: Iterable[tuple[bytes, bytes]], folder: Path) -> tuple[IdRunFile, ...]:
    """Write keys and contents as runs, each as large as memory allows."""
    files, keys, contents = [], bytearray(), bytearray()
    for more_keys, more_contents in pairs:
        keys += more_keys
        contents += more_contents
        if len(keys) >= _RUN_ROWS * id_run.KEY_BYTES:
            files.append(_flushed(keys, contents, folder))
            keys, contents = bytearray(), bytearray()
    if keys:
        files.append(_flushed(keys, contents, folder))
    return tuple(files)


def _flushed(keys: bytearray, contents: bytearray, folder: Path) -> IdRunFile:
    path = _next(folder)
    return IdRunFile(path, id_run.write(path, id_run.IdRecords.of(bytes(keys), bytes(contents))))


def _accepted(tables: Iterable[Path]) -> Iterator[tuple[bytes, bytes]]:
    """Yield keys and contents of all rows of ``tables``, as the validation computed them (see ``row_validator``)."""
    for batch in _batches(tables, ["urn", "message_id", "data_json"]):
        rows = [
            row for row in zip(*(column.to_pylist() for column in batch.columns), strict=True) if row[1] is not None
        ]
        contents = (blake2b(f"{urn}\0{data}".encode(), digest_size=16).digest() for urn, _, data in rows)
        yield b"".join(id_run.key(identity) for _, identity, _ in rows), b"".join(contents)


def _batches(files: Iterable[Path], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    from pyarrow import ArrowException

    for path in files:
        try:
            with opened_parquet(path) as file:
                for batch in file.iter_batches(_READ_ROWS, columns=columns):
                    yield batch.select(columns)
        except (OSError, ArrowException) as err:
            raise unreadable(path, err) from err
