"""Guided search: documents that reach one place and vary there alone, which a full search finds too late.

The place is the path of a value: names, 0 for any item, ``"*"`` for a property that is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from babelreg.containment.search import arrays, objects
from babelreg.containment.search.alternatives import Alternative, alternatives, possible_mappings, types_of
from babelreg.containment.search.node import Nodes, SearchNode, allowed, interleaved, nodes_below
from babelreg.containment.search.values import CandidateSearch
from babelreg.schema.keywords import DEPENDENT, UNIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import identical

_ANY = "*"
_MAX_ITEMS = 4
_TRIED = 8
_VALUES_PER_PLACE = 40
_MAX_PAIRS = 6
_MAX_BRANCHES = 30
"""Branches of a union that are compared with those of the inner side."""
_CONDITIONAL = {"if", *DEPENDENT}
_SHALLOW = 1
"""Depth at which values outside the path are generated, however deep the place is."""


def documents_reaching(search: CandidateSearch, inner: Nodes, outer: Nodes, place: Pointer) -> Iterator[Any]:
    """Yield values of the inner side that have a value at ``place``, the likeliest to be refused by the outer first."""
    if not place:
        yield from interleaved(search.values(nodes, outer, _SHALLOW) for nodes in (inner, *_contested(inner, outer)))
        return
    step, below = place[0], place[1:]
    kind = "object" if isinstance(step, str) else "array"
    mappings = possible_mappings(outer)
    # In turn: the member of a union that differs may be the last one.
    yield from interleaved(
        _objects(search, way, mappings, step, below)
        if isinstance(step, str)
        else _arrays(search, way, mappings, step, below)
        for nodes in (inner, *_contested(inner, outer))
        for way in alternatives(nodes)
        if kind in types_of(way)
    )


def _objects(
    search: CandidateSearch, way: Alternative, outer: Nodes, name: str, below: Pointer
) -> Iterator[dict[str, Any]]:
    conditional = any(not _CONDITIONAL.isdisjoint(node.schema) for node in way)
    least, fixed, refused = search.once(_beside, way, outer)
    tags = {key: value for key, value in fixed.items() if key not in (*least, name)}
    for each in objects.some_names(search, way, outer, _SHALLOW) if name == _ANY else [name]:
        inner = nodes_below(way, each)
        if inner or name != _ANY:
            values = documents_reaching(search, inner, nodes_below(outer, each), below)
            wrong = {key: value for key, value in refused.items() if key != each}
            # Further down each place has its own limit.
            for value in islice(values, None if below and name != _ANY else _VALUES_PER_PLACE):
                if wrong:
                    yield {**least, **wrong, each: value}
                yield {**least, each: value}
                if tags:
                    yield {**least, **tags, each: value}
                if conditional:  # the value may meet another condition, or demand another property
                    yield objects.plainest(search, way, _SHALLOW, {each: value})


def _beside(search: CandidateSearch, way: Alternative, outer: Nodes) -> tuple[dict[str, Any], ...]:
    """Return the properties to put beside a value: the required, those with one value, and those that are refused."""
    least, fixed = objects.plainest(search, way, _SHALLOW), objects.fixed(search, way, _SHALLOW)
    return least, fixed, _refused_values(search, way, outer)


def _refused_values(search: CandidateSearch, way: Alternative, outer: Nodes) -> dict[str, Any]:
    """Return properties that branches of a union in ``outer`` refuse, as none of them may accept the object."""
    if all(node.schema.keys().isdisjoint(UNIONS) for node in outer):
        return {}
    values: dict[str, Any] = {}
    for name in islice(dict.fromkeys(name for node in outer for name in node.mapping("properties")), _MAX_ITEMS):
        inner, wanted = nodes_below(way, name), nodes_below(outer, name)
        offered = search.values(inner, wanted, _SHALLOW) if inner else iter(objects.EXTRA_VALUES)
        found = (value for value in islice(offered, _TRIED) if not all(allowed(n.validator, value) for n in wanted))
        for value in islice(found, 1):
            values[name] = value
    return values


def _arrays(search: CandidateSearch, way: Alternative, outer: Nodes, at: int, below: Pointer) -> Iterator[list[Any]]:
    least = arrays.plainest(search, way, _SHALLOW)
    for place in [at] if at else range(max(1, min(len(least), _MAX_ITEMS))):
        before = [value for n in range(len(least), place) for value in search.simplest(nodes_below(way, n), _SHALLOW)]
        if len(least) + len(before) < place:
            continue
        values = documents_reaching(search, nodes_below(way, place), nodes_below(outer, place), below)
        for value in islice(values, _VALUES_PER_PLACE):
            yield [*least[:place], *before, value, *least[place + 1 :]]


def _contested(inner: Nodes, outer: Nodes) -> Iterator[Nodes]:
    """Yield ``inner`` with what makes the outer side refuse: two branches of a ``oneOf``, or a negated schema.

    Pairs of which the inner side has a branch as well come last: it refuses what two of its branches take. But where a
    ``oneOf`` is a branch of another one, a value is allowed as two of its branches take it, and the other one's do not.
    """
    own = [node for node in possible_mappings(inner) if "oneOf" in node.schema]
    known = [branch.schema for node in own for branch in node.list("oneOf")[:_MAX_BRANCHES]]
    for node in possible_mappings(outer):
        for pair in _pairs(node, known):
            yield (*inner, *pair)
        if (negated := node.one("not")) is not None:
            yield (*inner, negated)
    for node in possible_mappings(tuple(branch for union in own for branch in union.list("oneOf"))):
        for pair in _pairs(node, ()):
            yield (*inner, *pair)


def _pairs(node: SearchNode, known: Sequence[Any]) -> Iterator[Nodes]:
    """Yield a few pairs of branches of a ``oneOf``, without those of which both are known."""
    branches = node.list("oneOf")[:_MAX_BRANCHES]
    shared = {at for at, branch in enumerate(branches) if any(identical(branch.schema, other) for other in known)}
    pairs = sorted(combinations(range(len(branches)), 2), key=lambda pair: shared.issuperset(pair))
    yield from (tuple(branches[at] for at in pair) for pair in pairs[:_MAX_PAIRS] if not shared.issuperset(pair))
