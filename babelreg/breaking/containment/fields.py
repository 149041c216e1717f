"""The fields a schema declares, by the path a person would write: ``lines[].qty``, ``total.minor``, ``rates.*``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.containment.search.node import SearchNode, Side
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.pointer import Pointer

__all__ = ["DeclaredProperty", "declared", "field_path", "parent_and_name", "schemas_at"]

_DEEPEST = 12
_MOST_FIELDS = 5000
_MOST_PARTS = 20_000
_MOST_IN_PLACE = 200
_ITEM, _VALUE = "[]", "*"


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """One declared property. ``nodes`` are the subschemas that declare it, the first one first as written.

    ``steps`` are the parts of ``path``; a property name, ``[]`` for any item, ``*`` for any other property.
    """

    path: str
    steps: tuple[str, ...]
    nodes: tuple[SearchNode, ...]

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
    found: dict[tuple[str, ...], list[SearchNode]] = {}
    waiting: list[tuple[tuple[str, ...], SearchNode, frozenset[Pointer]]] = [((), _root(schema), frozenset())]
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
    fields = (DeclaredProperty(_written(steps), steps, tuple(nodes)) for steps, nodes in found.items())
    return {field.path: field for field in fields if field.steps[-1] not in (_ITEM, _VALUE)}


def schemas_at(schema: Any, instance: Sequence[str | int]) -> list[SearchNode]:
    """The subschemas that judge the value at ``instance`` in a document."""
    nodes = [_root(schema)]
    for step in instance:
        below = [child for node in nodes for part in _in_place(node) for child in _under(part, step)]
        nodes = list({child.pointer: child for child in below}.values())
    return [part for node in nodes for part in _in_place(node)]


def field_path(instance: Sequence[str | int]) -> str:
    """A place in a document as a field path; the whole document is the empty text."""
    return _written([_ITEM if isinstance(step, int) else step for step in instance])


def parent_and_name(instance: Sequence[str | int]) -> tuple[str, str]:
    """A place in a document as the path of what holds it, and its own name."""
    return field_path(instance[:-1]), field_path(instance[-1:])


def _root(schema: Any) -> SearchNode:
    return Side(schema, DEFAULT, formats=False).node


def _written(steps: Sequence[str]) -> str:
    path = ""
    for step in steps:
        if step == _ITEM:
            path += _ITEM
        else:
            path += ("." if path else "") + step.replace("\\", "\\\\").replace(".", "\\.")
    return path


def _in_place(node: SearchNode) -> Iterator[SearchNode]:
    """The mappings that say something about the same value; what stands under ``not`` and ``if`` does not count."""
    seen: set[Pointer] = set()
    waiting = [node]
    while waiting and len(seen) < _MOST_IN_PLACE:
        here = waiting.pop(0)
        if here.pointer in seen or not isinstance(here.schema, dict):
            continue
        seen.add(here.pointer)
        yield here
        referred = here.referred()
        waiting += [referred] if referred is not None else []
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += here.list(keyword)
        for keyword in ("then", "else"):
            one = here.one(keyword)
            waiting += [one] if one is not None else []
        for held in _named(here, "dependentSchemas"):
            waiting.append(held[1])


def _children(node: SearchNode) -> Iterator[tuple[str, SearchNode]]:
    yield from _named(node, "properties")
    for keyword in ("prefixItems", "items"):
        yield from ((_ITEM, item) for item in node.list(keyword))
    for keyword in ("items", "additionalItems", "contains"):
        one = node.one(keyword)
        if one is not None:
            yield _ITEM, one
    yield from ((_VALUE, held) for held in _values(node))


def _values(node: SearchNode) -> Iterator[SearchNode]:
    """What judges the values of names that are not listed."""
    yield from (held for _, held in _named(node, "patternProperties"))
    rest = node.one("additionalProperties")
    if rest is not None:
        yield rest


def _under(node: SearchNode, step: str | int) -> Iterator[SearchNode]:
    if isinstance(step, int):
        prefix = node.list("prefixItems") or node.list("items")
        if step < len(prefix):
            yield prefix[step]
            return
        yield from (child for kind, child in _children(node) if kind == _ITEM)
        return
    properties = node.schema.get("properties")
    if isinstance(properties, dict) and isinstance(properties.get(step), (dict, bool)):
        yield node.at("properties", step)
    else:
        yield from _values(node)


def _named(node: SearchNode, keyword: str) -> list[tuple[str, SearchNode]]:
    held = node.schema.get(keyword)
    if not isinstance(held, dict):
        return []
    return [(name, node.at(keyword, name)) for name, inner in held.items() if isinstance(inner, (dict, bool))]
