"""A tree with changed files laid over it, and the way back to the disk: whole files or nothing, never outside."""

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

__all__ = ["FileChange", "Overlay", "save"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file as it was read, and as it is to be."""

    old: bytes
    new: bytes


class Overlay:
    """``tree``, of which every file is read once and kept, so that all who ask see the same, and some are changed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._read: dict[str, bytes] = {}
        self._put: dict[str, bytes] = {}

    def paths(self) -> Sequence[str]:
        """See Tree."""
        return self._tree.paths()

    def others(self) -> Sequence[str]:
        """See Tree."""
        return self._tree.others()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree."""
        if path not in self._put and path not in self._read:
            self._read[path] = self._tree.read(path, limit)
        return Memory(self._put if path in self._put else self._read).read(path, limit)

    def text(self, path: str) -> str:
        """The file as text. Raises what ``read`` does, and Defect where it is none."""
        return decode(self.read(path))

    def put(self, path: str, text: str) -> None:
        """Let the file, which was read before, say ``text``; a byte-order mark stays."""
        mark = _BOM if self._read[path].startswith(_BOM) else b""
        self._put[path] = mark + text.encode()

    def changes(self) -> Mapping[str, FileChange]:
        """What differs now from what was read, by path, sorted."""
        both = {path: FileChange(self._read[path], new) for path, new in sorted(self._put.items())}
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
            file.stat()  # what is gone meanwhile is not brought back
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
        fix = "run the command again: it reads the file anew"
        raise InputError(f"{shown} changed while it was looked at, and was not written", fix=fix)
