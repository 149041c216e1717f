"""Whether a schema has the field that a path such as ``lines[].qty`` leads to.

Asked of the bundled schema. Whatever a producer may send counts as there: what only one branch of a choice declares,
and any name where the schema leaves names open. A doubt is answered with yes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any

from babelreg.schema.dialects import Reach
from babelreg.schema.field_path import EACH, Step, parts
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import declared_types
from babelreg.schema.walk import children

__all__ = ["MOST_NAMES", "Level", "Reader", "leads"]

MOST_NAMES = 6
_MOST_NODES = 20_000


def leads(schema: Any, path: str) -> bool:
    """True when ``path`` leads through properties, items and definitions alone: most do, and need no closer look."""
    node = schema
    for step in parts(path):
        if type(node) is dict and "$ref" in node:
            folder, _, name = str(node["$ref"]).removeprefix("#/").partition("/")
            definitions = schema.get(folder) if folder in DEFINITIONS else None
            node = definitions.get(name) if type(definitions) is dict else None
        if type(node) is not dict:
            return False
        node = node.get("properties" if step is not EACH else "items")
        if step is not EACH:
            node = node.get(step) if type(node) is dict else None
    return type(node) is dict


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
        found = self.items if step is EACH else self.named.get(step, self.others)
        if found:
            return found
        loose = self.anything or not self.types or ("array" if step is EACH else "object") in self.types
        return None if loose and not (self.items if step is EACH else self.named) else []


class Reader:
    """Follows paths through one bundled schema. What many paths pass is looked at once."""

    def __init__(self, schema: Any) -> None:
        schema = without_ref_siblings(schema)
        self._references = LocalReferences(schema)
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
                level.types.update(declared_types(node) or ())
                waiting.extend(self._gathered(node, level))
        return level

    def _gathered(self, node: dict[str, Any], level: Level) -> Iterator[Any]:
        """Adds what ``node`` says to ``level``; yields what judges the same value."""
        for target in self._references.targets(node):
            yield True if target is None else target[1]
        for keyword, step, schema, reach in children(node, self._references.dialect):
            if reach in (Reach.IN_PLACE, Reach.CONDITION):
                if schema is not True:  # of a branch that asks nothing, the others still say what there is
                    yield schema
            elif keyword == "properties":
                level.named.setdefault(str(step[-1]), []).append(schema)
            elif reach is Reach.PROPERTY and schema is not False:
                level.others.append(schema)
            elif reach is Reach.ITEM:
                level.items.append(schema)
