"""One YAML file of the registry: its value, and the line and column of each pointer into it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from babelreg.finding import Place
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree
from babelreg.load.yaml import parser
from babelreg.model.source import Source
from babelreg.schema.pointer import Pointer

_ENDS = ("", " ", "]", "}", ",", ":", "\n", "\r", "\t")
_MOST_LOOKS = 20  # each may go through the whole text


class Document:
    """A file that was read. It is the ``Source`` of everything built from it."""

    def __init__(self, path: str, text: str) -> None:
        """Raises Defect when ``text`` is not strict YAML."""
        self.path = path
        self.text = text
        self.value: Any = parser.read(text)
        self._looks = 0

    @classmethod
    def load(cls, tree: Tree, path: str) -> Document:
        """Read ``path`` of ``tree``. Raises Defect, FileNotFoundError."""
        return cls(path, decode(tree.read(path)))

    @cached_property
    def marks(self) -> parser.Mark:
        """The positions of all values; made on first use, since most files never need one."""
        return parser.marks(self.text)

    def _is_whole(self, pointer: Pointer) -> bool:
        """Return True for a pointer that concerns the whole file, such as a key missing at its top."""
        return not pointer or (isinstance(self.value, dict) and str(pointer[0]) not in self.value)

    @cached_property
    def _start(self) -> tuple[int, int]:
        return parser.start(self.text)

    def mark(self, pointer: Pointer, *, key: bool = False) -> parser.Mark:
        """Return the mark at ``pointer``, or of its key; where there is none, that of the nearest parent."""
        current = at = self.marks
        for step in pointer:
            child = current.children.get(step)
            if child is None and str(step).isdigit():
                child = current.children.get(int(step))
            if child is None:
                return current
            at = current.keys.get(str(step), child) if key else child
            current = child
        return at

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """See ``model.Source``. Inside a scalar that is folded or has escapes, ``offset`` is unknown and 0."""
        if not offset and "marks" not in vars(self) and self._is_whole(pointer):
            return Place(self.path, *self._start)
        mark = self.mark(pointer, key=key)
        if offset:
            written = self.text[mark.start : mark.end]
            plain = mark.style in ("", "'", '"') and not any(c in written for c in ("\n", "\\", "''"))
            offset = min(offset, len(written)) + len(mark.style) if plain else 0
        return Place(self.path, mark.line, mark.column + offset)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """See ``model.Source``. Nearly always a look at the text tells, which spares the positions."""
        self._looks += 1
        if self._looks <= _MOST_LOOKS and not any(
            _is_separate(self.text, at, len(text)) for at in _occurrences(self.text, text)
        ):
            return False
        if pointer is None:
            return True
        mark = self.mark(pointer, key=key)
        return not mark.style and self.text[mark.start : mark.end].rstrip() == text


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part) if part else -1
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _is_separate(text: str, at: int, length: int) -> bool:
    """Return True when the text at ``at`` is not part of a longer word or of a quotation."""
    return text[at - 1 : at] in ("", " ", "[", "{", ",", "\n") and text[at + length : at + length + 1] in _ENDS


def forget_marks(source: Source) -> None:
    """Let the positions in a file go; they are made again when one is asked for."""
    if isinstance(source, Document):
        vars(source).pop("marks", None)


def decode(body: bytes) -> str:
    """UTF-8 text without a byte-order mark.

    Raises Defect (file-unreadable) at the first byte that is not UTF-8.
    """
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Defect("file-unreadable", "the file is UTF-16, not UTF-8", 1, 1, fix="iconv -f UTF-16 -t UTF-8 FILE")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        before = body[: err.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        message = f"byte 0x{body[err.start]:02x} is not UTF-8 text"
        raise Defect("file-unreadable", message, line, column, fix="iconv -f ISO-8859-1 -t UTF-8 FILE") from err
