"""A tree with changed files, and saving them: all files or none, and never outside the folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from babelreg.atomic_write import write_all
from babelreg.errors import InputError
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import (
    MAX_BYTES,
    Folder,
    Memory,
    Tree,
)
from babelreg.load.registry.document import decode

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class FileChange:
    """Content of a file before and after an edit."""

    old: bytes
    new: bytes


class Overlay:
    """``tree`` with some files replaced or added, text by path; every other file is read once and kept in memory."""

    def __init__(self, tree: Tree, files: Mapping[str, str] | None = None) -> None:
        self._tree = tree
        self._read: dict[str, bytes] = {}
        self._put = {path: text.encode() for path, text in (files or {}).items()}

    def paths(self) -> Sequence[str]:
        return sorted({*self._tree.paths(), *self._put})

    def others(self) -> Sequence[str]:
        return self._tree.others()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        if path not in self._put and path not in self._read:
            self._read[path] = self._tree.read(path, limit)
        return Memory(self._put if path in self._put else self._read).read(path, limit)

    def text(self, path: str) -> str:
        """Return the file as text. Raises what ``read`` does, and Defect where it is not text."""
        return decode(self.read(path))

    def put(self, path: str, text: str) -> None:
        """Replace a file that was read before; its byte-order mark stays."""
        mark = _BOM if self._read[path].startswith(_BOM) else b""
        self._put[path] = mark + text.encode()

    def changes(self) -> Mapping[str, FileChange]:
        """Return the replaced files that differ from what was read, by path, sorted."""
        both = {path: FileChange(self._read[path], self._put[path]) for path in sorted(self._put.keys() & self._read)}
        return {path: change for path, change in both.items() if change.old != change.new}


def save(root: str | Path, changes: Mapping[str, FileChange]) -> None:
    """Write ``changes`` into the folder ``root``: all files or none, with the permissions they had.

    Raises InputError, before anything is written, for a file that has changed since it was read or that leads out of
    the folder; and for one that cannot be written.
    """
    for path, change in changes.items():
        _check(root, path, change)
    real = {Path(os.path.realpath(Path(root, path))): change.new for path, change in changes.items()}
    try:
        for file in real:
            file.stat()  # a file that was removed meanwhile is not restored
        write_all(real)
    except OSError as err:
        fix = "make the folder writable, and free space on it"
        raise InputError(f"cannot write {err.filename}: {err.strerror or err}; nothing was written", fix=fix) from err


def _check(root: str | Path, path: str, change: FileChange) -> None:
    shown = str(Path(root, path))
    try:
        now = Folder(root).read(path)
    except FileNotFoundError:
        now = None
    except Defect as defect:
        raise InputError(f"cannot write {shown}: {defect.message}", fix=defect.fix) from defect
    if now != change.old:
        fix = "run the command again: it reads the file again"
        raise InputError(f"{shown} changed while it was edited, and was not written", fix=fix)
