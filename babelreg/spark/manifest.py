"""The record of every batch: which bytes it read, which files hold its rows, what became of the messages.

``OUTPUT/manifest/<batch>.json`` is written last and renamed into place: a batch exists when its manifest does. Rows
in files that no manifest names are the remains of a run that was stopped; the next run removes them. A file that a
later batch names as replaced no longer counts (see ``live``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from babelreg.errors import InputError
from babelreg.spark.durable import sync_files, sync_folder

__all__ = ["FOLDER", "FORMAT", "Batch", "Consumed", "Run", "Table", "numbers", "path_of", "read", "read_one", "write"]

FORMAT = 2
FOLDER = "manifest"
"""Where manifests stand below the output folder."""


@dataclass(frozen=True, slots=True)
class Consumed:
    """What a batch read of one file: the bytes ``[start, end)`` of ``input``/``name``.

    ``terminated`` is True when the last byte was a line feed. ``fingerprint`` is that of the bytes up to ``end``
    (see ``backlog.fingerprint``), so that a file that was replaced is not taken for one that grew.
    """

    input: str
    name: str
    start: int
    end: int
    mtime_ns: int
    terminated: bool
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that one batch added to the table of one URN. ``files`` are relative to the output folder.

    ``types`` gives each column of ``data`` its Spark type, as ``{"lines[].qty": "BIGINT"}``.
    """

    rows: int
    files: tuple[str, ...]
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A file of the index of ids (see ``ids``): its path below the output, and how many ids it holds."""

    file: str
    rows: int


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch. ``read == accepted + duplicates + quarantined`` was checked before it was written.

    ``quarantine`` may hold more rows than ``quarantined``: those that a redrive left as they were. ``index`` is the
    whole of it after this batch. The files ``replaced`` no longer count from this batch on, and may be removed when
    its manifest is ``grace_seconds`` old.
    """

    number: int
    kind: Literal["ingest", "redrive", "compaction"]
    read: int
    accepted: int
    duplicates: int
    quarantined: int
    keeps_duplicates: bool
    consumed: tuple[Consumed, ...]
    tables: Mapping[str, Table]
    quarantine: Table
    reasons: Mapping[str, int]
    repeated: Mapping[str, int]
    index: tuple[Run, ...]
    replaced: tuple[str, ...] = ()
    grace_seconds: int = 0


def read(output: Path) -> tuple[Batch, ...]:
    """Every committed batch in ``output``, oldest first; none where there is no such folder.

    Raises InputError for a manifest that cannot be understood.
    """
    found = sorted((output / FOLDER).glob("*.json"))
    batches = tuple(_read_once(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in found)
    for number, (batch, path) in enumerate(zip(batches, found, strict=True), 1):
        if batch.number != number or path.stem != f"{number:06d}":
            raise InputError(f"{path} is not the manifest of batch {number}: one before it is gone", fix=_RESTORE)
    return batches


def numbers(output: Path) -> tuple[int, ...]:
    """The numbers of the committed batches, in order, by the names of their manifests alone."""
    return tuple(sorted(int(path.stem) for path in (output / FOLDER).glob("*.json") if path.stem.isdigit()))


@lru_cache(100_000)
def _read_once(path: Path, mtime_ns: int, inode: int) -> Batch:
    """The batch in a manifest, which never changes: who goes on for days does not read all of them for each batch."""
    return read_one(path)


def path_of(output: Path, number: int) -> Path:
    """The manifest of batch ``number``."""
    return output / FOLDER / f"{number:06d}.json"


def write(output: Path, batch: Batch) -> None:
    """Commit ``batch``: from the rename on it exists. All that it names must be on the disk already."""
    path = path_of(output, batch.number)
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, **asdict(batch)}, file, indent=1, ensure_ascii=False)
        file.write("\n")
    sync_files([temporary])
    temporary.replace(path)
    sync_folder(path.parent)


_RESTORE = "restore the file from a backup, or ingest everything into a new output folder"


def read_one(path: Path) -> Batch:
    """The batch of one manifest. Raises InputError for one that cannot be understood."""
    try:
        told = json.loads(path.read_text("utf-8"))
        if told.pop("format") != FORMAT:
            raise InputError(f"{path} was written by another version of babelreg", fix="use that version")
        return Batch(
            **{
                **told,
                "consumed": tuple(Consumed(**one) for one in told["consumed"]),
                "tables": {urn: _table(one) for urn, one in told["tables"].items()},
                "quarantine": _table(told["quarantine"]),
                "index": tuple(Run(**one) for one in told["index"]),
                "replaced": tuple(told["replaced"]),
            }
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as err:
        raise InputError(f"{path} is no manifest of a batch: {err}", fix=_RESTORE) from err


def _table(told: Mapping[str, Any]) -> Table:
    files: Sequence[str] = told["files"]
    return Table(int(told["rows"]), tuple(files), dict(told["types"]))
