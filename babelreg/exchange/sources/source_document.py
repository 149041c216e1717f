"""One source file of an import: its value, and the line and column of each pointer into it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from babelreg.finding import Place
from babelreg.load.files import json_positions
from babelreg.load.files.defect import Defect
from babelreg.load.files.json_positions import repeated_keys
from babelreg.load.files.registry_paths import is_yaml
from babelreg.load.files.strict_json import Members, StrictJsonError, strict_json
from babelreg.load.registry.document import decode
from babelreg.load.yaml import parser
from babelreg.schema.pointer import Pointer


class SourceDocument:
    """A file of JSON or YAML. ``path`` is relative to the folder of the sources, ``shown`` as a person opens it."""

    def __init__(self, path: str, shown: str, body: bytes) -> None:
        """Raises Defect where ``body`` is neither JSON nor strict YAML."""
        self.path = path
        self.shown = shown
        self.text = decode(body)
        self.repeated_keys: list[tuple[str, Place]] = []
        """Keys of JSON that their object has already; the last one counts."""
        if is_yaml(path):
            self.value: Any = parser.read(self.text)
            return
        repeats = False

        def members(pairs: Members) -> dict[str, Any]:
            nonlocal repeats
            value = dict(pairs)
            repeats = repeats or len(value) != len(pairs)
            return value

        self.value = parse_json(self.text, members)
        if repeats:
            self.repeated_keys += [(key, _place(shown, self.text, at)) for key, at in repeated_keys(self.text)]

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """See ``model.Source``. ``offset`` is ignored."""
        if is_yaml(self.path):
            return self._place_in_yaml(pointer, key=key)
        return _place_in_json(self.shown, self.text, pointer, key=key)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """Return False: nothing is edited in a source."""
        return False

    @cached_property
    def _marks(self) -> parser.Mark:
        return parser.marks(self.text)

    def _place_in_yaml(self, pointer: Pointer, *, key: bool) -> Place:
        current = mark = self._marks
        for step in pointer:
            child = current.children.get(step)
            if child is None and str(step).isdigit():
                child = current.children.get(int(step))
            if child is None:
                mark = current
                break
            mark = current.keys.get(str(step), child) if key else child
            current = child
        return Place(self.shown, mark.line, mark.column)


def parse_json(text: str, members: Callable[[Members], Any] | None = None) -> Any:
    """Return the value of a JSON text, in which ``members`` makes the objects. Raises Defect."""
    try:
        return strict_json(text, members)
    except StrictJsonError as err:
        raise Defect("file-unreadable", f"this is not JSON: {err}", err.line, err.column) from err


def _place_in_json(shown: str, text: str, pointer: Pointer, *, key: bool) -> Place:
    try:
        offset = json_positions.column(text, pointer, key=key) - 1
    except (ValueError, IndexError, RecursionError):
        offset = 0
    return _place(shown, text, offset)


def _place(shown: str, text: str, offset: int) -> Place:
    return Place(shown, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
