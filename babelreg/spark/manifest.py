"""The record of every batch: which bytes it read, which files hold its rows, what became of the messages.

``OUTPUT/manifest/<batch>.json`` is written last and renamed into place: a batch exists when its manifest does. Rows
in files that no manifest names are the remains of a run that was stopped; the next run removes them. A file that a
later batch names as replaced no longer counts. What all of them say together is ``history``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import orjson

from babelreg.errors import InputError
from babelreg.spark.durable import write_whole

__all__ = [
    "FOLDER",
    "FORMAT",
    "RESTORE",
    "Batch",
    "Consumed",
    "Run",
    "Table",
    "numbers",
    "path_of",
    "read",
    "read_one",
    "since",
    "write",
]

FORMAT = 3
"""2 named all types of a table in each batch, which reads the same, and the members of what was consumed."""
_READ = (2, FORMAT)

FOLDER = "manifest"
"""Where manifests stand below the output folder."""

RESTORE = "restore the file from a backup, or ingest everything into a new output folder"
"""The way out where a file of the output is not what was written."""

_KEPT = 256
"""How many manifests a process remembers: more than are read at once after the last checkpoint."""


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

    ``types`` gives columns of ``data`` their Spark type, as ``{"lines[].qty": "BIGINT"}``: those that no batch before
    named so.
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
    its manifest is ``grace_seconds`` old; ``removed`` are the batches whose replaced files were, before this one.
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
    removed: tuple[int, ...] = ()


def read(output: Path) -> tuple[Batch, ...]:
    """Every committed batch in ``output``, oldest first; none where there is no such folder.

    As many files are read as there are batches: who asks what counts now asks ``history``. Raises InputError for a
    manifest that cannot be understood.
    """
    return since(output, 0)


def since(output: Path, number: int) -> tuple[Batch, ...]:
    """The batches after ``number``, oldest first. Raises InputError."""
    return tuple(_batch(output, one) for one in numbers(output)[number:])


def numbers(output: Path) -> range:
    """The numbers of the committed batches, by the names of their manifests alone.

    Raises InputError where one is missing in between.
    """
    try:
        names = [entry.name for entry in os.scandir(output / FOLDER)]
    except OSError:
        return range(1, 1)
    found = {name for name in names if name.endswith(".json")}
    for number in range(1, len(found) + 1):
        if path_of(output, number).name not in found:
            stranger = output / FOLDER / max(found)
            raise InputError(f"{stranger} is not the manifest of batch {number}: one before it is gone", fix=RESTORE)
    return range(1, len(found) + 1)


def _batch(output: Path, number: int) -> Batch:
    path = path_of(output, number)
    try:
        status = path.stat()
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix=RESTORE) from err
    batch = _read_once(path, status.st_mtime_ns, status.st_ino)
    if batch.number != number:
        raise InputError(f"{path} is not the manifest of batch {number}: one before it is gone", fix=RESTORE)
    return batch


@lru_cache(_KEPT)
def _read_once(path: Path, mtime_ns: int, inode: int) -> Batch:
    """The batch in a manifest, which never changes: who goes on for days does not read it again for each batch."""
    return read_one(path)


def path_of(output: Path, number: int) -> Path:
    """The manifest of batch ``number``."""
    return output / FOLDER / f"{number:06d}.json"


def write(output: Path, batch: Batch) -> None:
    """Commit ``batch``: from the rename on it exists. All that it names must be on the disk already."""
    told = {"format": FORMAT, **asdict(replace(batch, consumed=())), "consumed": _told(batch.consumed)}
    write_whole(path_of(output, batch.number), orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))


def read_one(path: Path) -> Batch:
    """The batch of one manifest. Raises InputError for one that cannot be understood."""
    try:
        told = orjson.loads(path.read_bytes())
        if told.pop("format") not in _READ:
            raise InputError(f"{path} was written by another version of babelreg", fix="use that version")
        return Batch(
            **{
                **told,
                "consumed": _consumed(told["consumed"]),
                "tables": {urn: _table(one) for urn, one in told["tables"].items()},
                "quarantine": _table(told["quarantine"]),
                "index": tuple(Run(**one) for one in told["index"]),
                "replaced": tuple(told["replaced"]),
                "removed": tuple(told.get("removed", ())),
            }
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as err:
        raise InputError(f"{path} is no manifest of a batch: {err}", fix=RESTORE) from err


def _told(consumed: Iterable[Consumed]) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """By input and name, without more words: there may be a million."""
    found: dict[str, dict[str, Sequence[Any]]] = {}
    for one in consumed:
        members = (one.start, one.end, one.mtime_ns, one.terminated, one.fingerprint)
        found.setdefault(one.input, {})[one.name] = members
    return found


def _consumed(told: Any) -> tuple[Consumed, ...]:
    if isinstance(told, list):  # format 2
        return tuple(Consumed(**one) for one in told)
    return tuple(Consumed(root, name, *members) for root, names in told.items() for name, members in names.items())


def _table(told: Mapping[str, Any]) -> Table:
    files: Sequence[str] = told["files"]
    return Table(int(told["rows"]), tuple(files), dict(told["types"]))
