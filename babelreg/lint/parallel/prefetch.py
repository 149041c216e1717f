"""What the second process has read of the registry's messages before the first came to them.

The first goes through the messages in the order of their paths, the second from their end, until the two meet. Shared
between them are a file in memory, to which the second appends the text of a message and the value it read from it, and
a table of where each stands there. Neither ever waits for the other: what is not there yet, or is of another text than
the one at hand, the first reads by itself.
"""

from __future__ import annotations

import marshal
import mmap
import os
import struct
from collections.abc import Sequence
from typing import Any

from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.load.yaml import parser

__all__ = ["ReadAhead", "messages_of"]

MAX_BYTES = 256 << 20
"""What all that was read ahead may take in memory."""

_AT = struct.Struct("<Q")  # how many messages the first has come to
_ENTRY = struct.Struct("<QQ")  # where in the file, and how many bytes: 0 for nothing


class ReadAhead:
    """Made before the second process starts, and held by both. Raises OSError where memory cannot be shared."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._paths = messages_of(tree.paths())
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._next = len(self._paths)
        self._end = 0
        self._table = mmap.mmap(-1, _AT.size + _ENTRY.size * len(self._paths))
        self._file = os.memfd_create("babelreg")

    def step(self) -> bool:
        """The second's: read one message more; False when there is none left to read."""
        self._next -= 1
        if self._next <= _AT.unpack_from(self._table)[0] or self._end > MAX_BYTES:
            return False
        self._keep(self._next)
        return True

    def _keep(self, number: int) -> None:
        try:
            text = decode(self._tree.read(self._paths[number]))
            told = marshal.dumps((text, parser.read(text)))
        except (Defect, FileNotFoundError, ValueError):
            return  # the first will meet it, too, and say so
        os.pwrite(self._file, told, self._end)
        _ENTRY.pack_into(self._table, self._entry(number), self._end, len(told))
        self._end += len(told)

    def read(self, path: str, text: str) -> Any:
        """The first's: the value of ``text``, which stands at ``path``. Raises Defect, as ``yaml.read`` does."""
        number = self._numbers.get(path)
        if number is not None:
            _AT.pack_into(self._table, 0, number)
            start, length = _ENTRY.unpack_from(self._table, self._entry(number))
            if length:
                theirs, value = self._told(start, length)
                if theirs == text:
                    return value
        return parser.read(text)

    def _told(self, start: int, length: int) -> tuple[str | None, Any]:
        try:
            theirs, value = marshal.loads(os.pread(self._file, length, start))
        except (OSError, EOFError, ValueError, TypeError):
            return None, None
        return theirs, value

    @staticmethod
    def _entry(number: int) -> int:
        return _AT.size + _ENTRY.size * number

    def close(self) -> None:
        """The first's: let the memory go; from now on every text is read anew."""
        self._numbers = {}
        self._table.close()
        os.close(self._file)


def messages_of(paths: Sequence[str]) -> list[str]:
    """Those paths that are messages for sure: the files of folders that a ``_context.yaml`` declares."""
    declared = {folder for folder, _, name in (path.partition("/") for path in paths) if name == "_context.yaml"}
    parts = ((path, *path.partition("/")) for path in paths)
    return [
        path
        for path, folder, _, name in parts
        if folder in declared and name.endswith(".yaml") and not name.startswith("_") and "/" not in name
    ]
