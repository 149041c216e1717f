"""Ways to satisfy several subschemas at once: the alternatives that their unions and conditions leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from babelreg.containment.search.node import MAX_ALTERNATIVES, Nodes, SearchNode, distinct, interleaved
from babelreg.schema.keywords import IN_PLACE, REFERENCES, UNIONS
from babelreg.schema.types import declared_types
from babelreg.schema.values import identical

_PREFERRED = ("object", "string", "integer", "array", "number", "boolean", "null")
_MAX_DEPTH_IN_PLACE = 24
_MAX_VISITED = 2_000
_FOLLOWED = IN_PLACE.union(REFERENCES)
"""Keywords whose subschemas apply to the same value; most subschemas have none of them."""

Alternative = tuple[SearchNode, ...]
"""Mappings that must all hold, including those in place: by $ref, allOf and one branch of each union."""


_KnownAlternatives = dict[tuple[int, int], list[Alternative]]
"""Alternatives by identity and depth of a subschema, shared by branches with the same reference targets."""


def alternatives(nodes: Nodes) -> list[Alternative]:
    """Return the ways to satisfy all of ``nodes``, at most a dozen. Empty where one of them allows nothing."""
    known: _KnownAlternatives = {}
    ways: list[Alternative] = [()]
    for node in nodes:
        ways = _crossed(ways, _of_one(node, 0, known))
    return [distinct(way) for way in ways]


def _of_one(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    if node.schema is False or depth > _MAX_DEPTH_IN_PLACE:
        return []
    if not isinstance(node.schema, dict):
        return [()]
    key = (id(node.schema), depth)
    if key not in known:
        if len(known) >= _MAX_VISITED:
            return []
        known[key] = []
        known[key] = _of_mapping(node, depth, known)
    return known[key]


def _of_mapping(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    ways: list[Alternative] = [(node,)]
    if node.schema.keys().isdisjoint(_FOLLOWED):
        return ways
    referred = node.referred()
    if referred is not None:
        ways = _crossed(ways, _of_one(referred, depth + 1, known))
    for part in node.list("allOf"):
        ways = _crossed(ways, _of_one(part, depth + 1, known))
    for union in UNIONS:
        branches = node.list(union)
        if len(branches) > MAX_ALTERNATIVES:
            branches.sort(key=lambda branch: id(branch.schema) in node.side.shared)
        if branches:
            ways = _crossed(ways, _spread([_of_one(branch, depth + 1, known) for branch in branches]))
    return _crossed(ways, _conditional(node, depth, known))


def _conditional(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    condition = node.one("if")
    if condition is None:
        return [()]
    then, otherwise = node.one("then"), node.one("else")
    taken = _of_one(condition, depth + 1, known)
    if then is not None:
        taken = _crossed(taken, _of_one(then, depth + 1, known))
    return _spread([taken, [()] if otherwise is None else _of_one(otherwise, depth + 1, known)])


def _crossed(left: list[Alternative], right: list[Alternative]) -> list[Alternative]:
    """Return each of ``left`` with each of ``right``: the first ones, and the last, which meets the fewest conditions.

    Where there is a choice on both sides, those are left out that want two values of a required property.
    """
    if len(left) == 1 or len(right) == 1:
        ways = [a + b for a in left for b in right]
    else:
        tagged = [(b, _tags(b)) for b in right]
        ways = [a + b for a in left for tags in (_tags(a),) for b, others in tagged if _agree(tags, others)]
    return ways if len(ways) <= MAX_ALTERNATIVES else [*ways[: MAX_ALTERNATIVES - 1], ways[-1]]


def _tags(way: Alternative) -> dict[str, Any]:
    """Return the required properties of which one value is allowed, as constants."""
    required = {name for node in way if "required" in node.schema for name in node.required()}
    properties = [node.mapping("properties") for node in way if "properties" in node.schema] if required else []
    return {
        name: listed[name]["const"]
        for listed in properties
        for name in required.intersection(listed)
        if isinstance(listed[name], dict) and "const" in listed[name]
    }


def _agree(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(identical(value, right[name]) for name, value in left.items() if name in right)


def _spread(groups: list[list[Alternative]]) -> list[Alternative]:
    return list(interleaved(groups))[: MAX_ALTERNATIVES * 2]


def possible_mappings(nodes: Nodes, limit: int = 40, *, conditions: bool = True) -> Nodes:
    """Return every mapping that may apply to the value, from all branches of all unions; with ``conditions`` also those
    below ``not`` and ``if``.
    """
    mappings: dict[int, SearchNode] = {}
    waiting, shared = list(nodes), list[SearchNode]()
    while (waiting or shared) and len(mappings) < limit:
        node = (waiting or shared).pop(0)
        if not isinstance(node.schema, dict) or id(node.schema) in mappings:
            continue
        mappings[id(node.schema)] = node
        if node.schema.keys().isdisjoint(_FOLLOWED):
            continue
        below = node.side.references.in_place(node.schema, node.pointer, conditions=conditions)
        for pointer, schema in below:
            (shared if id(schema) in node.side.shared else waiting).append(SearchNode(node.side, pointer, schema))
    return tuple(mappings.values())


def types_of(alternative: Iterable[SearchNode]) -> tuple[str, ...]:
    """Return the JSON types that all mappings of ``alternative`` allow, in a fixed order."""
    types = list(_PREFERRED)
    for node in alternative:
        allowed = declared_types(node.schema)
        if allowed is not None:
            types = [name for name in types if name in allowed or (name == "integer" and "number" in allowed)]
    return tuple(types)
