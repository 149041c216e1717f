"""Resolution of field paths such as ``lines[].qty`` in a bundled schema.

A field exists when a producer may send it: if only one branch of a choice declares it, and for any name where the
schema leaves names open. In doubt it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from babelreg.schema.dialects import Reach
from babelreg.schema.field_path import EACH, Step, parts
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import declared_types
from babelreg.schema.walk import children

MAX_NAMES = 6
_MAX_NODES = 20_000


def resolves_directly(schema: Any, path: str) -> bool:
    """Return True when ``path`` resolves through properties, items and definitions alone: a fast check."""
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


class PathLevel:
    """Subschemas of the parts of one value, collected from all subschemas that apply to it.

    ``named`` apply to the properties of these names, ``others`` to all other properties, ``items`` to the items.
    ``anything`` is True where the value may have any parts.
    """

    def __init__(self, *, anything: bool = False) -> None:
        self.named: dict[str, list[Any]] = {}
        self.others: list[Any] = []
        self.items: list[Any] = []
        self.types: set[str] = set()
        self.anything = anything
        self.below: dict[Step, PathLevel] = {}
        self._first: list[str] | None = None

    def first_names(self) -> list[str]:
        """Return the first names in ``named``, in alphabetical order, to show in a message."""
        if self._first is None:
            from heapq import nsmallest

            self._first = nsmallest(MAX_NAMES + 1, self.named)
        return self._first

    def subschemas(self, step: Step) -> list[Any] | None:
        """Return the subschemas of the part at ``step``, none if there is no such part; None if it may be anything."""
        subschemas = self.items if step is EACH else self.named.get(step, self.others)
        if subschemas:
            return subschemas
        unrestricted = self.anything or not self.types or ("array" if step is EACH else "object") in self.types
        return None if unrestricted and not (self.items if step is EACH else self.named) else []


class PathResolver:
    """Resolver of paths in one bundled schema; levels that many paths share are computed once."""

    def __init__(self, schema: Any) -> None:
        schema = without_ref_siblings(schema)
        self._references = LocalReferences(schema)
        self._budget = _MAX_NODES
        self._root = self._level([schema])

    def first_missing(self, steps: Sequence[Step]) -> tuple[int, PathLevel] | None:
        """Return the index of the first step without a target, and the level before it; None when all steps resolve."""
        level = self._root
        for index, step in enumerate(steps):
            if step not in level.below:
                nodes = level.subschemas(step)
                if nodes is None:
                    return None
                if not nodes:
                    return index, level
                level.below[step] = self._level(nodes)
            level = level.below[step]
        return None

    def _level(self, nodes: list[Any]) -> PathLevel:
        level, seen = PathLevel(), set[int]()
        pending = list(nodes)
        while pending:
            node = pending.pop()
            self._budget -= 1
            if node is True or self._budget < 0:
                return PathLevel(anything=True)
            if isinstance(node, dict) and id(node) not in seen:
                seen.add(id(node))
                level.types.update(declared_types(node) or ())
                pending.extend(self._collect(node, level))
        return level

    def _collect(self, node: dict[str, Any], level: PathLevel) -> Iterator[Any]:
        """Add the parts in ``node`` to ``level``, and yield the subschemas that apply to the same value."""
        for target in self._references.targets(node):
            yield True if target is None else target[1]
        for keyword, step, schema, reach in children(node, self._references.dialect):
            if reach in (Reach.IN_PLACE, Reach.CONDITION):
                if schema is not True:  # a branch without conditions; the others still declare fields
                    yield schema
            elif keyword == "properties":
                level.named.setdefault(str(step[-1]), []).append(schema)
            elif reach is Reach.PROPERTY and schema is not False:
                level.others.append(schema)
            elif reach is Reach.ITEM:
                level.items.append(schema)
