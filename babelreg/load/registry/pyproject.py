"""Settings in a ``pyproject.toml``: ``[tool.babelreg.lint]`` says what ``lint:`` says in ``babelreg.yaml``, and
``[tool.babelreg.breaking]`` what ``breaking:`` says. A table with ``schemas`` is about a folder of plain schemas, and
may have ``compatibility``.

The nearest file that has the table counts, from the registry's folder up to the top of the git repository it is in;
above that nothing is read. Everything else that ``babelreg.yaml`` says has no place there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from babelreg.finding import Finding, Place
from babelreg.lazy_pattern import LazyPattern
from babelreg.load.files.defect import Defect, finding
from babelreg.load.files.merge_conflict import MARK, conflict
from babelreg.load.files.tree import MOST_LEVELS_UP, PYPROJECT, Tree
from babelreg.load.yaml.parser import MAX_DEPTH
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from babelreg.load.files.toml_positions import TomlPositions

# Searched in every file first: parsing TOML is slow, and few files have our settings.
_TOOL = LazyPattern(rb"""tool["']?[ \t]*\.[ \t]*["']?babelreg|^[ \t]*\[?[ \t]*["']?tool["']?[ \t]*[]=]""", re.MULTILINE)
_DOTTED = re.compile(rb"[^\n=\[\]{},#]+")
_MOST_DOTS = 200
_TABLE = ("tool", "babelreg")
_KEYS = ("lint", "breaking")
_OF_SCHEMAS = ("schemas", "compatibility")
"""Further keys of a file that marks a folder of plain schemas."""
_ELSEWHERE = ("registry",)  # for discovery, see load.registry.discovery


class Pyproject:
    """The settings of one file, with the pointers that they have in ``babelreg.yaml``."""

    def __init__(self, path: str, text: str, table: Mapping[str, Any]) -> None:
        self.path = path
        self.value: Any = {"version": 1, **table}
        self._text = text
        self._places: TomlPositions | None = None

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """See ``model.Source``. ``offset`` is ignored."""
        if self._places is None:
            from babelreg.load.files.toml_positions import TomlPositions

            self._places = TomlPositions(self._text)
        line, column = self._places.line_and_column((*_TABLE, *pointer), key=key)
        return Place(self.path, line, column)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """Return False: text is quoted in TOML."""
        return False


def nearest(tree: Tree) -> tuple[Pyproject | None, list[Finding]]:
    """Return the nearest settings in a ``pyproject.toml``, and the defects of the files that were read."""
    for levels in range(MOST_LEVELS_UP + 1):
        path = "../" * levels + PYPROJECT
        try:
            body = tree.read(path)
        except FileNotFoundError:
            continue
        except Defect as defect:
            if defect.rule == "ref-outside-registry":
                break  # above the repository, or a link that leads out of it
            continue
        if b"babelreg" in body and _TOOL.search(body):
            settings, defects = _read(path, body)
            if settings is not None or defects:
                return settings, defects
    return None, []


def _read(path: str, body: bytes) -> tuple[Pyproject | None, list[Finding]]:
    import tomllib

    text = body.decode("utf-8", "replace")
    try:
        if any(part.count(b".") > _MOST_DOTS for part in _DOTTED.findall(body)):
            raise ValueError(f"a key of more than {_MOST_DOTS} parts")  # the time of tomllib grows with its square
        tool = tomllib.loads(body.decode("utf-8")).get("tool")
        table = tool.get("babelreg") if isinstance(tool, dict) else None
        if not isinstance(table, dict):
            return None, []
        keys = (*_KEYS, *_OF_SCHEMAS) if "schemas" in table else _KEYS
        ours = {key: _plain(table[key]) for key in keys if key in table}
        if "schemas" in ours:
            ours["schemas"] = "."  # discovery checks the folder
        opened = Pyproject(path, text, ours)
        unknown = [_unknown(opened, key) for key in table if key not in (*keys, *_ELSEWHERE)]
        return (opened if ours else None), unknown
    except RecursionError:
        return None, [_syntax(path, "it is nested too deeply", 1, 1)]
    except ValueError as err:
        merged = conflict(text) if MARK in text else None
        if merged is not None:
            return None, [finding("toml-syntax", merged.message, Place(path, merged.line, 1), fix=merged.fix)]
        match = re.search(r"^(.*) \(at line ([0-9]+), column ([0-9]+)\)$", str(err))
        if match is None:
            return None, [_syntax(path, str(err), 1, 1)]
        return None, [_syntax(path, match[1], int(match[2]), int(match[3]))]


def _plain(value: Any, depth: int = 0) -> Any:
    """Return ``value`` as JSON: a date is a type of its own in TOML, and text in YAML.

    Raises RecursionError where it nests deeper than YAML may: what judges it next ends the same way, less politely.
    """
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {key: _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    return (
        value.isoformat() if isinstance(value, date) else value if isinstance(value, str | bool | int) else str(value)
    )


def _syntax(path: str, problem: str, line: int, column: int) -> Finding:
    fix = "correct it, or move the lint settings into babelreg.yaml"
    return finding("toml-syntax", f"not TOML: {problem}", Place(path, line, column), fix=fix)


def _unknown(opened: Pyproject, key: str) -> Finding:
    message = f"there is no key '{key}' here: only lint, breaking, registry and schemas belong in a pyproject.toml"
    return finding("key-unknown", message, opened.place((key,), key=True), fix="move it into babelreg.yaml")
