"""JSON types that a schema accepts for one value of a document, in all variants of it.

A type is told by ``type``, by the listed values, and by the branches and references beside them. What other keywords
refuse does not count: ``not`` and conditions are left out, so there may be fewer types in truth, never more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.containment.fields import schema_root
from babelreg.containment.search.node import SearchNode
from babelreg.schema.conjuncts import own_kinds
from babelreg.schema.keywords import COMBINED, DEFINITIONS, UNIONS
from babelreg.schema.types import KINDS, TYPES

_MAX_DEPTH = 40
_BOTH_NUMBERS = frozenset({"integer", "fraction"})


def accepted_types(schema: Any, instance: Sequence[str | int]) -> list[str]:
    """Return the words of ``type`` for the value at ``instance``, ``null`` last; empty for any type."""
    kinds = _kinds(schema_root(schema), tuple(instance), _MAX_DEPTH)
    if kinds == KINDS:
        return []
    named = {"number" if kind == "fraction" else kind for kind in kinds}
    named -= {"integer"} if kinds >= _BOTH_NUMBERS else set()
    return [name for name in TYPES if name in named]


def _kinds(node: SearchNode, instance: Sequence[str | int], depth: int) -> frozenset[str]:
    """Return the kinds that ``node`` accepts for the value at ``instance`` below it; all where ``depth`` ends."""
    schema = node.schema
    if schema is False:
        return frozenset()
    if not isinstance(schema, dict) or depth == 0:
        return KINDS
    kinds = own_kinds(schema) if not instance else KINDS
    for child in node.below(instance[0]) if instance else ():
        kinds &= _kinds(child, instance[1:], depth - 1)
    variants: dict[str, frozenset[str]] = {}
    for pointer, below in node.side.references.in_place(schema, node.pointer):
        accepted = _kinds(SearchNode(node.side, pointer, below), instance, depth - 1)
        keyword = pointer[len(node.pointer)] if pointer[: len(node.pointer)] == node.pointer != pointer else None
        if keyword in UNIONS:
            variants[str(keyword)] = variants.get(str(keyword), frozenset()) | accepted
        elif keyword is None or keyword in COMBINED or keyword in DEFINITIONS:  # a member, or what a reference names
            kinds &= accepted
    for accepted in variants.values():
        kinds &= accepted
    return kinds
