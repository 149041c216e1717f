"""The examples of a message: written in its own file, or one a line in a ``.jsonl`` file beside it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect, finding
from babelreg.load.files.json_positions import column
from babelreg.load.files.merge_conflict import MARK, conflict
from babelreg.load.files.strict_json import StrictJsonError, strict_json
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import Document, decode
from babelreg.model import Example
from babelreg.schema.pointer import Pointer

MAX_FILE_BYTES = 16 << 20


class ExampleLines:
    """A file of JSON lines. It is the ``Source`` of its examples; the first step of a pointer is the line's index."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path = path
        self._lines = lines

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """See ``model.Source``. Only lines that hold an example are asked for."""
        if not pointer:
            return Place(self.path, 1, 1)
        index = int(pointer[0])
        return Place(self.path, index + 1, column(self._lines[index], pointer[1:], key=key))

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """See ``model.Source``. JSON has no text without quotes."""
        return False


def examples_of(document: Document, tree: Tree, report: Callable[[Finding], None]) -> Iterator[Example]:
    """Yield the examples that a message file gives; what cannot be read is reported."""
    given = document.value.get("examples", ())
    if isinstance(given, list):
        for i, data in enumerate(given):
            yield Example(data, document, ("examples", i))
    elif given:
        yield from _from_file(document, given["file"], tree, report)


def file_of(document: Document) -> str | None:
    """Return the path of the file of examples that a message file names, as written; None where it names none."""
    given = document.value.get("examples") if isinstance(document.value, dict) else None
    name = given.get("file") if isinstance(given, dict) else None
    return _sibling(document, name) if isinstance(name, str) else None


def _sibling(document: Document, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(document.path), name))


def _from_file(document: Document, name: str, tree: Tree, report: Callable[[Finding], None]) -> Iterator[Example]:
    place = document.place(("examples", "file"))
    path = _sibling(document, name)
    if name.startswith("/") or "\\" in name or ":" in name or path.startswith("../"):
        message = f"{name!r} points outside the registry folder"
        report(finding("ref-outside-registry", message, place, fix="name a file beside this one"))
        return
    try:
        text = decode(tree.read(path, MAX_FILE_BYTES))
    except FileNotFoundError:
        message = f"the file {path} does not exist"
        report(finding("ref-missing", message, place, fix=f"create {path}with one JSON object per line"))
        return
    except Defect as defect:
        report(defect.at(path))
        return
    merged = conflict(text) if MARK in text else None
    if merged is not None:
        report(finding("examples-unreadable", merged.message, Place(path, merged.line, 1), fix=merged.fix))
        return
    lines = text.split("\n")
    source = ExampleLines(path, lines)
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            yield Example(strict_json(line), source, (i,))
        except StrictJsonError as err:
            place = Place(path, i + 1, err.column)
            message = f"this line is not JSON: {err}"
            report(finding("examples-unreadable", message, place, fix="write one JSON object per line"))
