"""The record of every batch: which bytes it read, which files hold its rows, what became of the messages.

``OUTPUT/manifest/<batch>.json`` is written last and renamed into place: a batch exists when its manifest does. Rows
in files that no manifest names are the remains of a run that was stopped; the next run removes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from babelreg.errors import InputError

__all__ = ["FOLDER", "FORMAT", "Batch", "Consumed", "Table", "read", "write"]

FORMAT = 1
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
class Batch:
    """One batch. ``read == accepted + duplicates + quarantined`` was checked before it was written."""

    number: int
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
    ids: Table


def read(output: Path) -> tuple[Batch, ...]:
    """Every committed batch in ``output``, oldest first; none where there is no such folder.

    Raises InputError for a manifest that cannot be understood.
    """
    found = sorted((output / FOLDER).glob("*.json"))
    batches = tuple(_read(path) for path in found)
    for number, (batch, path) in enumerate(zip(batches, found, strict=True), 1):
        if batch.number != number or path.stem != f"{number:06d}":
            raise InputError(f"{path} is not the manifest of batch {number}: one before it is gone", fix=_RESTORE)
    return batches


def write(output: Path, batch: Batch) -> None:
    """Commit ``batch``: from the rename on it exists."""
    path = output / FOLDER / f"{batch.number:06d}.json"
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, **asdict(batch)}, file, indent=1, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync(path.parent)


_RESTORE = "restore the file from a backup, or ingest everything into a new output folder"


def _read(path: Path) -> Batch:
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
                "ids": _table(told["ids"]),
            }
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as err:
        raise InputError(f"{path} is no manifest of a batch: {err}", fix=_RESTORE) from err


def _table(told: Mapping[str, Any]) -> Table:
    files: Sequence[str] = told["files"]
    return Table(int(told["rows"]), tuple(files), dict(told["types"]))


def _sync(directory: Path) -> None:
    if os.name == "nt":
        return  # a directory cannot be opened there
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
