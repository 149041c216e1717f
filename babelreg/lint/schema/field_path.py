"""Whether a schema has the field that a path such as ``lines[].qty`` leads to.

Asked of the bundled schema. Whatever a producer may send counts as there: what only one branch of a choice declares,
and any name where the schema leaves names open. A doubt is answered with yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema import pointer
from babelreg.schema.dialects import DEFAULT, Reach, identify
from babelreg.schema.walk import children

__all__ = ["ITEM", "MOST_NAMES", "Level", "Reader", "leads", "spelled", "steps_of"]

ITEM = None
"""The step ``[]``, any item of an array. The other steps are names of properties."""
Step = str | None

MOST_NAMES = 6
_MOST_NODES = 20_000
_PIECE = re.compile(r"(?P<item>\[(?:[0-9]*|\*)\])|(?P<name>(?:[^\\.\[]|\\.|\[(?!(?:[0-9]*|\*)\]))+)", re.DOTALL)
_SPECIAL = re.compile(r"[\\.\[]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@lru_cache(maxsize=1 << 12)
def steps_of(path: str) -> tuple[Step, ...]:
    """The steps of a path; a dot in a name is written ``\\.``."""
    return tuple(ITEM if match["item"] else _ESCAPED.sub(r"\1", match["name"]) for match in _PIECE.finditer(path))


def leads(schema: Any, path: str) -> bool:
    """True when ``path`` leads through properties, items and definitions alone: most do, and need no closer look."""
    node = schema
    for step in steps_of(path):
        if type(node) is dict and "$ref" in node:
            folder, _, name = str(node["$ref"]).removeprefix("#/").partition("/")
            definitions = schema.get(folder) if folder in ("$defs", "definitions") else None
            node = definitions.get(name) if type(definitions) is dict else None
        if type(node) is not dict:
            return False
        node = node.get("properties" if step is not ITEM else "items")
        if step is not ITEM:
            node = node.get(step) if type(node) is dict else None
    return type(node) is dict


def spelled(steps: Iterable[Step]) -> str:
    """The path of ``steps`` as a person writes it."""
    path = ""
    for step in steps:
        if step is ITEM:
            path += "[]"
        else:
            path += ("." if path else "") + _SPECIAL.sub(r"\\\g<0>", step)
    return path


@dataclass(slots=True)
class Level:
    """What the subschemas that judge one value say about its parts.

    ``named`` judge the properties they name, ``others`` all other properties, ``items`` the items. ``anything`` is True
    where it may have any parts at all.
    """

    named: dict[str, list[Any]] = field(default_factory=dict)
    others: list[Any] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    anything: bool = False
    below: dict[Step, Level] = field(default_factory=dict)
    _first: list[str] | None = None

    def first_names(self) -> list[str]:
        """The first of the names that ``named`` has, in alphabetical order: enough to show what there is."""
        if self._first is None:
            self._first = nsmallest(MOST_NAMES + 1, self.named)
        return self._first

    def judging(self, step: Step) -> list[Any] | None:
        """The subschemas of the part that ``step`` leads to, none where there is none; None where it may be any."""
        found = self.items if step is ITEM else self.named.get(step, self.others)
        if found:
            return found
        loose = self.anything or not self.types or ("array" if step is ITEM else "object") in self.types
        return None if loose and not (self.items if step is ITEM else self.named) else []


class Reader:
    """Follows paths through one bundled schema. What many paths pass is looked at once."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        try:
            self._dialect = identify(schema)
        except SchemaError:
            self._dialect = DEFAULT
        self._left = _MOST_NODES
        self._root = self._level([schema])

    def stops(self, steps: Sequence[Step]) -> tuple[int, Level] | None:
        """The index of the first step that leads to nothing, and what is there instead; None when all lead on."""
        level = self._root
        for index, step in enumerate(steps):
            if step not in level.below:
                nodes = level.judging(step)
                if nodes is None:
                    return None
                if not nodes:
                    return index, level
                level.below[step] = self._level(nodes)
            level = level.below[step]
        return None

    def _level(self, nodes: list[Any]) -> Level:
        level, seen = Level(), set[int]()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            self._left -= 1
            if node is True or self._left < 0:
                return Level(anything=True)
            if isinstance(node, dict) and id(node) not in seen:
                seen.add(id(node))
                types = node.get("type")
                named = types if isinstance(types, list) else [types]
                level.types.update(t for t in named if isinstance(t, str))
                waiting.extend(self._gathered(node, level))
        return level

    def _gathered(self, node: dict[str, Any], level: Level) -> Iterator[Any]:
        """Adds what ``node`` says to ``level``; yields what judges the same value."""
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield self._target(reference)
        for keyword, step, schema, reach in children(node, self._dialect):
            if reach in (Reach.IN_PLACE, Reach.CONDITION):
                if schema is not True:  # of a branch that asks nothing, the others still say what there is
                    yield schema
            elif keyword == "properties":
                level.named.setdefault(str(step[-1]), []).append(schema)
            elif reach is Reach.PROPERTY and schema is not False:
                level.others.append(schema)
            elif reach is Reach.ITEM:
                level.items.append(schema)

    def _target(self, reference: str) -> Any:
        try:
            return pointer.find(self._schema, pointer.parse(reference.removeprefix("#")))
        except (KeyError, ValueError):
            return True
