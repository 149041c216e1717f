"""The examples of a message: written in its own file, or one a line in a ``.jsonl`` file beside it."""

from __future__ import annotations

import json
import math
import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect, bounded, finding
from babelreg.load.files.json_positions import column
from babelreg.load.files.merge_conflict import MARK, conflict
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import Document, decode
from babelreg.model import Example
from babelreg.schema.pointer import Pointer

__all__ = ["ExampleLines", "examples_of", "file_of"]

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
        message = f"{name!r} leads out of the registry folder"
        report(finding("ref-outside-registry", message, place, fix="name a file beside this one"))
        return
    try:
        text = decode(tree.read(path, MAX_FILE_BYTES))
    except FileNotFoundError:
        message = f"the file {path} does not exist"
        report(finding("ref-missing", message, place, fix=f"create {path}, one JSON object a line"))
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
            yield Example(_read(line), source, (i,))
        except (ValueError, RecursionError) as err:
            column = err.colno if isinstance(err, json.JSONDecodeError) else 1
            message = f"this line is not JSON: {_why(err)}"
            report(
                finding("examples-unreadable", message, Place(path, i + 1, column), fix="write one JSON object a line")
            )


def _read(line: str) -> Any:
    """Raises ValueError, RecursionError."""
    data = json.loads(line, parse_constant=_no_number, parse_float=_finite)
    if "\\u" in line:
        # Half of a surrogate pair can be written as an escape, and then neither be sent nor judged.
        json.dumps(data, ensure_ascii=False).encode()
    return data


class _NoNumber(ValueError):
    pass


def _no_number(name: str) -> None:
    raise _NoNumber(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _NoNumber(f"{bounded(text)} is larger than any double")
    return number


def _why(err: ValueError | RecursionError) -> str:
    if isinstance(err, json.JSONDecodeError):
        return err.msg
    if isinstance(err, UnicodeEncodeError):
        return "it holds half a surrogate pair"
    if isinstance(err, _NoNumber):
        return str(err)
    return "too deep" if isinstance(err, RecursionError) else "a number in it has too many digits"
