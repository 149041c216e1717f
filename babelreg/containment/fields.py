"""Fields that a schema declares, by field path: ``lines[].qty``, ``total.minor``, ``rates.*``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.containment.search.node import SearchDocument, SearchNode
from babelreg.containment.search.objects import found_in_name
from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.dialects import Reach, dialect_of
from babelreg.schema.field_path import EACH, OTHERS, Step
from babelreg.schema.field_path import spelled as written
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

_MAX_DEPTH = 12
_MAX_FIELDS = 5000
_MAX_PARTS = 20_000
_MAX_IN_PLACE = 200


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """A declared property. ``nodes`` are the subschemas that declare it, in the order written.

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
        """Return the pointer to its first declaration."""
        return self.nodes[0].pointer

    def keyword_value(self, keyword: str) -> Any:
        """Return the first value of ``keyword`` in its subschemas; None where there is none."""
        node = self.node_with(keyword)
        return None if node is None else node.schema[keyword]

    def node_with(self, keyword: str) -> SearchNode | None:
        """Return the first of its subschemas that has ``keyword``, or None."""
        parts = (part for node in self.nodes for part in _in_place(node))
        return next((part for part in parts if keyword in part.schema), None)


def declared(schema: Any) -> dict[str, DeclaredProperty]:
    """Return every property that ``schema`` declares at any depth, by path, in the order written."""
    nodes_by_steps: dict[tuple[Step, ...], list[SearchNode]] = {}
    waiting: list[tuple[tuple[Step, ...], SearchNode, frozenset[Pointer]]] = [((), schema_root(schema), frozenset())]
    budget = _MAX_PARTS
    while waiting and len(nodes_by_steps) < _MAX_FIELDS and budget > 0:
        steps, node, above = waiting.pop(0)
        if len(steps) > _MAX_DEPTH:
            continue
        for part in _in_place(node):
            budget -= 1
            if part.pointer in above:
                continue
            for step, child in _children(part):
                nodes_by_steps.setdefault((*steps, step), []).append(child)
                waiting.append(((*steps, step), child, above | {node.pointer, part.pointer}))
    fields = (DeclaredProperty(written(steps), steps, tuple(nodes)) for steps, nodes in nodes_by_steps.items())
    return {field.path: field for field in fields if field.steps[-1] not in (EACH, OTHERS)}


def schemas_at(schema: Any, instance: Sequence[str | int]) -> list[SearchNode]:
    """Return the subschemas that apply to the value at ``instance`` in a document."""
    nodes = [schema_root(schema)]
    for step in instance:
        below = [child for node in nodes for part in _in_place(node) for child in schemas_below(part, step)]
        nodes = list({child.pointer: child for child in below}.values())
    return [part for node in nodes for part in _in_place(node)]


def field_path(instance: Sequence[str | int]) -> str:
    """Return a location in a document as a field path; empty for the document itself."""
    return written(EACH if isinstance(step, int) else step for step in instance)


def declared_path(instance: Sequence[str | int], schemas: Sequence[Any]) -> str:
    """Return a location in a document as a field path with ``*`` for a name that none of ``schemas`` lists."""
    steps: list[Step] = []
    for at, step in enumerate(instance):
        listed = isinstance(step, int) or any(_lists(schema, instance[:at], step) for schema in schemas)
        steps.append(EACH if isinstance(step, int) else step if listed else OTHERS)
    return written(steps)


def lists_every_name(schema: Any, instance: Sequence[str | int]) -> bool:
    """Return True where ``schema`` lists each property on the way to ``instance`` in a document."""
    return all(isinstance(step, int) or _lists(schema, instance[:at], step) for at, step in enumerate(instance))


def _lists(schema: Any, instance: Sequence[str | int], name: str) -> bool:
    listed = (node.schema.get("properties") for node in schemas_at(schema, instance))
    return any(isinstance(properties, dict) and name in properties for properties in listed)


def schema_root(schema: Any) -> SearchNode:
    """Return the root of ``schema``, without what stands beside a ``$ref`` that makes it void."""
    return SearchDocument(schema, dialect_of(schema), formats=False).node


def _in_place(node: SearchNode) -> Iterator[SearchNode]:
    """Yield the mappings that apply to the same value, without those below ``not`` and ``if``."""
    seen: set[Pointer] = set()
    waiting = [node]
    while waiting and len(seen) < _MAX_IN_PLACE:
        part = waiting.pop(0)
        if part.pointer in seen or not isinstance(part.schema, dict):
            continue
        seen.add(part.pointer)
        yield part
        below = part.side.references.in_place(part.schema, part.pointer)
        waiting += [SearchNode(part.side, pointer, schema) for pointer, schema in below]


def _children(node: SearchNode) -> Iterator[tuple[Step, SearchNode]]:
    """Yield the subschemas of properties and items with their steps; unlisted properties share one step."""
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


def schemas_below(node: SearchNode, step: str | int) -> Iterator[SearchNode]:
    """Yield the subschemas of ``node`` itself that every property or item at ``step`` satisfies."""
    dialect = node.side.dialect
    if isinstance(step, int):
        applied = applied_to_item(node.schema, step, dialect)
    else:
        applied = applied_to_property(node.schema, step, dialect, found_in_name)
    for steps, schema in applied:
        if isinstance(schema, (dict, bool)) and steps != ("contains",):
            yield SearchNode(node.side, node.pointer + steps, schema)
