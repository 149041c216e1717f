"""Which ids were accepted so far: a few runs (see ``ids``), kept few by merging, made again of the tables when broken.

Each batch adds a run of its new ids. Four runs of about one size become one, as in any log-structured merge tree: so
there are as many runs as the history has orders of magnitude, and an id is written again once for each. The newest
manifest names the runs that count; nothing here changes a file that a manifest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError
from babelreg.spark.lake import id_run
from babelreg.spark.lake.log import manifest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Held", "extended", "prepared", "rebuilt"]

_FANOUT = 4
_SMALLEST_TIER_ROWS = 4096
_LARGEST_ROWS = 16_000_000
"""A run of this size is left as it is: merging it would take too long for one batch."""

_RUN_ROWS = 2_000_000
"""How many new ids are sorted in memory at once."""

_READ_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class Held:
    """One run that counts. ``name`` is its path below the output, None for one that is new and still in staging."""

    path: Path
    rows: int
    name: str | None = None


def prepared(
    output: Path, runs: Iterable[manifest.SortedFileRecord], tables: Iterable[Path], folder: Path
) -> tuple[Held, ...]:
    """The runs that a manifest names, few enough to search; made again of the files of ``tables`` when one is broken.

    New files go to ``folder``. Raises InputError when ``tables`` are needed and one of them cannot be read.
    """
    try:
        held = [Held(output / run.file, run.rows, run.file) for run in runs]
        for one in held:
            id_run.IdRun(one.path, one.rows)
        return _merged(held, folder)
    except id_run.Damaged:
        return rebuilt(tables, folder)


def rebuilt(tables: Iterable[Path], folder: Path) -> tuple[Held, ...]:
    """The runs made again of the files of ``tables``, below ``folder``. Raises InputError."""
    return _written(_accepted(tables), folder)


def extended(held: Sequence[Held], found: Sequence[Path], folder: Path) -> tuple[Held, ...]:
    """``held``, and the runs ``found``, put together in ``folder`` as long as that is one of a size to be kept."""
    runs = [Held(path, id_run.IdRun(path).rows) for path in found]
    if len(runs) > 1 and sum(one.rows for one in runs) <= _LARGEST_ROWS:
        path = _next(folder)
        runs = [Held(path, id_run.merge(path, [id_run.IdRun(one.path) for one in runs]))]
    return (*held, *runs)


def _merged(held: Sequence[Held], folder: Path) -> tuple[Held, ...]:
    runs = list(held)
    while due := _due(runs):
        path = _next(folder)
        rows = id_run.merge(path, [id_run.IdRun(one.path, one.rows) for one in due])
        runs = [*(one for one in runs if one not in due), Held(path, rows)]
    return tuple(runs)


def _due(runs: Sequence[Held]) -> list[Held]:
    """Runs of about one size, when there are enough of them."""
    tiers: dict[int, list[Held]] = {}
    for one in runs:
        if one.rows < _LARGEST_ROWS:
            tiers.setdefault((one.rows // _SMALLEST_TIER_ROWS).bit_length() // 2, []).append(one)
    return next((tier for _, tier in sorted(tiers.items()) if len(tier) >= _FANOUT), [])


def _next(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / f"{sum(1 for _ in folder.iterdir()):05d}.ids"


def _written(pairs: Iterable[tuple[bytes, bytes]], folder: Path) -> tuple[Held, ...]:
    """Runs of keys and contents, as many rows each as memory takes."""
    written, keys, contents = [], bytearray(), bytearray()
    for some_keys, some_contents in pairs:
        keys += some_keys
        contents += some_contents
        if len(keys) >= _RUN_ROWS * id_run.KEY_BYTES:
            written.append(_flushed(keys, contents, folder))
            keys, contents = bytearray(), bytearray()
    if keys:
        written.append(_flushed(keys, contents, folder))
    return tuple(written)


def _flushed(keys: bytearray, contents: bytearray, folder: Path) -> Held:
    path = _next(folder)
    return Held(path, id_run.write(path, id_run.Records.of(bytes(keys), bytes(contents))))


def _accepted(tables: Iterable[Path]) -> Iterator[tuple[bytes, bytes]]:
    """Keys and contents of all rows of ``tables``, as the Arrow pass made them (see ``verdict``)."""
    for batch in _batches(tables, ["urn", "message_id", "data_json"]):
        rows = [
            row for row in zip(*(column.to_pylist() for column in batch.columns), strict=True) if row[1] is not None
        ]
        contents = (blake2b(f"{urn}\0{data}".encode(), digest_size=16).digest() for urn, _, data in rows)
        yield b"".join(id_run.key(identity) for _, identity, _ in rows), b"".join(contents)


def _batches(files: Iterable[Path], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    from pyarrow import ArrowException, parquet

    for path in files:
        try:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(_READ_ROWS, columns=columns):
                    yield batch.select(columns)
        except (OSError, ArrowException) as err:
            raise InputError(
                f"cannot read {path}, which the manifest names: {err}",
                fix="restore the file from a backup, or ingest everything into a new output folder",
            ) from err
