"""Circles of references in place: a schema applies itself to the same value, with no property or item between.

JSON Schema leaves their meaning open. Our validators take the second visit for valid; others recurse without end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.dialects import Reach
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

_Node = tuple[Pointer, Any]


def in_place_circle(references: LocalReferences) -> Pointer | None:
    """Return the pointer of a subschema that closes a circle in place, None without one.

    Definitions that nothing refers to are not followed.
    """
    visited: set[int] = set()
    for node in _reachable(references):
        if id(node[1]) not in visited and (pointer := _circle_from(node, references, visited)) is not None:
            return pointer
    return None


def _reachable(references: LocalReferences) -> Iterator[_Node]:
    """Yield every subschema that applies to some part of a value, each once."""
    waiting: list[_Node] = [((), references.root)]
    seen: set[int] = set()
    while waiting:
        pointer, schema = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield pointer, schema
        waiting.extend(target for target in references.targets(schema) if target is not None)
        waiting.extend(
            (pointer + steps, below)
            for _, steps, below, reach in children(schema, references.dialect)
            if reach is not Reach.NOWHERE
        )


def _circle_from(start: _Node, references: LocalReferences, visited: set[int]) -> Pointer | None:
    """Return the pointer of the subschema that closes a circle reached from ``start``; add those visited."""
    path: list[tuple[_Node, Iterator[_Node]]] = []
    open_now: set[int] = set()
    following: _Node | None = start
    while path or following is not None:
        if following is not None:
            pointer, schema = following
            visited.add(id(schema))
            open_now.add(id(schema))
            path.append((following, references.in_place(schema, pointer, conditions=True)))
        (at, schema), below = path[-1]
        following = None
        for node in below:
            if id(node[1]) in open_now:
                return at
            if isinstance(node[1], dict) and id(node[1]) not in visited:
                following = node
                break
        else:
            open_now.discard(id(schema))
            path.pop()
    return None
