"""One source file of an import: its value, and the line and column of each pointer into it."""

from __future__ import annotations

import json
import math
from typing import Any

from babelreg.finding import Place
from babelreg.load.files import json_positions
from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import is_yaml
from babelreg.load.registry.document import decode
from babelreg.load.yaml import parser
from babelreg.schema.pointer import Pointer

__all__ = ["SourceDocument", "parse_json"]


class SourceDocument:
    """A file of JSON or YAML. ``path`` is relative to the folder of the sources, ``shown`` as a person opens it."""

    def __init__(self, path: str, shown: str, body: bytes) -> None:
        """Raises Defect where ``body`` is neither JSON nor strict YAML."""
        self.path = path
        self.shown = shown
        self.text = decode(body)
        self.value: Any = parser.read(self.text) if is_yaml(path) else parse_json(self.text)

    def place(self, pointer: Pointer = ()) -> Place:
        """Return the position of the value at ``pointer``, or of its nearest parent that exists."""
        if is_yaml(self.path):
            return _place_in_yaml(self.shown, self.text, pointer)
        return _place_in_json(self.shown, self.text, pointer)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text. Raises Defect."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        if "\\u" in text:
            # Half of a surrogate pair can be written as an escape, and cannot be written into any file.
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as err:
        raise Defect("file-unreadable", f"this is not JSON: {err.msg}", err.lineno, err.colno) from err
    except UnicodeEncodeError as err:
        raise Defect("file-unreadable", "a text in it holds half a surrogate pair", 1, 1) from err
    except RecursionError as err:
        raise Defect("file-unreadable", "this JSON nests too deeply", 1, 1) from err
    except ValueError as err:
        raise Defect("file-unreadable", f"this is not JSON: {err}", 1, 1) from err
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is larger than any double")
    return number


def _place_in_yaml(shown: str, text: str, pointer: Pointer) -> Place:
    mark = parser.marks(text)
    for step in pointer:
        child = mark.children.get(step)
        if child is None and str(step).isdigit():
            child = mark.children.get(int(step))
        if child is None:
            break
        mark = child
    return Place(shown, mark.line, mark.column)


def _place_in_json(shown: str, text: str, pointer: Pointer) -> Place:
    try:
        offset = json_positions.column(text, pointer) - 1
    except (ValueError, IndexError, RecursionError):
        offset = 0
    return Place(shown, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
