"""The fields a schema declares, by the path a person would write: ``lines[].qty``, ``total.minor``, ``rates.*``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.containment.search.node import SearchNode, Side
from babelreg.breaking.containment.search.objects import found_in_name
from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.dialects import Reach, dialect_of
from babelreg.schema.field_path import EACH, OTHERS, Step
from babelreg.schema.field_path import spelled as written
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.walk import children

__all__ = ["DeclaredProperty", "declared", "field_path", "parent_and_name", "schemas_at"]

_DEEPEST = 12
_MOST_FIELDS = 5000
_MOST_PARTS = 20_000
_MOST_IN_PLACE = 200


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """One declared property. ``nodes`` are the subschemas that declare it, the first one first as written.

    ``steps`` are the parts of ``path``: a property name, ``EACH`` for any item, ``OTHERS`` for any other property.
    """

    path: str
    steps: tuple[Step, ...]
    nodes: tuple[SearchNode, ...]

    @property
    def name(self) -> str:
        """Its own name."""
        return str(self.steps[-1])

    @property
    def pointer(self) -> Pointer:
        """Where it is first declared."""
        return self.nodes[0].pointer

    def said(self, keyword: str) -> Any:
        """The first value any of its subschemas gives ``keyword``; None where none does."""
        node = self.saying(keyword)
        return None if node is None else node.schema[keyword]

    def saying(self, keyword: str) -> SearchNode | None:
        """The first of its subschemas that has ``keyword``."""
        parts = (part for node in self.nodes for part in _in_place(node))
        return next((part for part in parts if keyword in part.schema), None)


def declared(schema: Any) -> dict[str, DeclaredProperty]:
    """Every property that ``schema`` declares, at any depth, in the order it is written."""
    found: dict[tuple[Step, ...], list[SearchNode]] = {}
    waiting: list[tuple[tuple[Step, ...], SearchNode, frozenset[Pointer]]] = [((), _root(schema), frozenset())]
    left = _MOST_PARTS
    while waiting and len(found) < _MOST_FIELDS and left > 0:
        steps, node, above = waiting.pop(0)
        if len(steps) > _DEEPEST:
            continue
        for part in _in_place(node):
            left -= 1
            if part.pointer in above:
                continue
            for step, child in _children(part):
                found.setdefault((*steps, step), []).append(child)
                waiting.append(((*steps, step), child, above | {node.pointer, part.pointer}))
    fields = (DeclaredProperty(written(steps), steps, tuple(nodes)) for steps, nodes in found.items())
    return {field.path: field for field in fields if field.steps[-1] not in (EACH, OTHERS)}


def schemas_at(schema: Any, instance: Sequence[str | int]) -> list[SearchNode]:
    """The subschemas that judge the value at ``instance`` in a document."""
    nodes = [_root(schema)]
    for step in instance:
        below = [child for node in nodes for part in _in_place(node) for child in _under(part, step)]
        nodes = list({child.pointer: child for child in below}.values())
    return [part for node in nodes for part in _in_place(node)]


def field_path(instance: Sequence[str | int]) -> str:
    """A place in a document as a field path; the whole document is the empty text."""
    return written(EACH if isinstance(step, int) else step for step in instance)


def parent_and_name(instance: Sequence[str | int]) -> tuple[str, str]:
    """A place in a document as the path of what holds it, and its own name."""
    return field_path(instance[:-1]), field_path(instance[-1:])


def _root(schema: Any) -> SearchNode:
    dialect = dialect_of(schema)
    return Side(without_ref_siblings(schema, dialect), dialect, formats=False).node


def _in_place(node: SearchNode) -> Iterator[SearchNode]:
    """The mappings that say something about the same value; what is under ``not`` and ``if`` does not count."""
    seen: set[Pointer] = set()
    waiting = [node]
    while waiting and len(seen) < _MOST_IN_PLACE:
        part = waiting.pop(0)
        if part.pointer in seen or not isinstance(part.schema, dict):
            continue
        seen.add(part.pointer)
        yield part
        below = part.side.references.in_place(part.schema, part.pointer)
        waiting += [SearchNode(part.side, pointer, schema) for pointer, schema in below]


def _children(node: SearchNode) -> Iterator[tuple[Step, SearchNode]]:
    """The subschemas of properties and items; what judges the values of names that are not listed has one step."""
    for keyword, steps, schema, reach in children(node.schema, node.side.dialect):
        if not isinstance(schema, (dict, bool)):
            continue
        child = SearchNode(node.side, node.pointer + steps, schema)
        if reach is Reach.ITEM:
            yield EACH, child
        elif keyword == "properties":
            yield str(steps[-1]), child
        elif reach is Reach.PROPERTY:
            yield OTHERS, child


def _under(node: SearchNode, step: str | int) -> Iterator[SearchNode]:
    dialect = node.side.dialect
    if isinstance(step, int):
        applied = applied_to_item(node.schema, step, dialect)
    else:
        applied = applied_to_property(node.schema, step, dialect, found_in_name)
    for steps, schema in applied:
        if isinstance(schema, (dict, bool)):
            yield SearchNode(node.side, node.pointer + steps, schema)
