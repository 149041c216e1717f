"""Which files of an output folder hold its rows now, for who reads them.

Batches add files; a redrive and a compaction also replace some. What was replaced stays on the disk for a while, for
readers that looked before: so a reader takes the files that are named here, not all that lie in a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from babelreg.errors import InputError, UsageError
from babelreg.spark.lake import id_index
from babelreg.spark.lake.log import replay
from babelreg.spark.lake.log.replay import History
from babelreg.spark.lake.output_folder import QUARANTINE

__all__ = ["all_files", "files", "known", "known_anew"]


def files(output: str | Path, table: str) -> list[str]:
    """The files that hold the rows of ``table``, a URN or ``quarantine``: what pandas, pyarrow, DuckDB and Spark take.

    Raises UsageError where ``output`` has no such table, InputError for a manifest that cannot be understood or names a
    file that is not there.
    """
    folder = Path(output)
    found = replay.read(folder)
    if table == QUARANTINE and found.number:
        return _there(folder, found.quarantine)
    if table not in found.tables:
        known = ", ".join(found.tables) or "none"
        raise UsageError(f"{output} has no table of '{table}'", fix=f"name one that it has ({known}) or {QUARANTINE}")
    return _there(folder, found.tables[table])


def all_files(output: str | Path) -> dict[str, list[str]]:
    """:func:`files` of every table, by URN; without the quarantine. Raises as it does."""
    folder = Path(output)
    found = replay.read(folder)
    if not found.number:
        raise UsageError(f"{output} holds no tables of `babelreg spark ingest`", fix="name the --lake of a run")
    return {urn: _there(folder, names) for urn, names in found.tables.items()}


def _there(folder: Path, names: tuple[str, ...]) -> list[str]:
    paths = [str(folder / name) for name in names]
    if missing := next((path for path in paths if not os.path.exists(path)), None):  # noqa: PTH110 -- thousands of them
        raise InputError(
            f"{missing} is not there, and a manifest names it",
            fix="copy the whole output folder again, or restore the file from a backup",
        )
    return paths


def known(output: Path, so_far: History, work: Path) -> tuple[id_index.Held, ...]:
    """The index of ids so far; what must be written for it goes to the folder ``work``.

    Raises InputError.
    """
    if not so_far.number or so_far.keeps_duplicates:
        return ()
    return id_index.prepared(output.resolve(), so_far.index, _tables(output, so_far), work.resolve() / "ids")


def known_anew(output: Path, so_far: History, work: Path) -> tuple[id_index.Held, ...]:
    """:func:`known`, made again of the tables, since a search found it damaged. Raises InputError."""
    return id_index.rebuilt(_tables(output, so_far), work.resolve() / "ids")


def _tables(output: Path, so_far: History) -> Iterator[Path]:
    root = output.resolve()
    return (root / name for files in so_far.tables.values() for name in files)
