"""Values of which two branches of a ``oneOf`` decide, or what is below ``not``, as they hold beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from babelreg.containment.search.node import Nodes, SearchNode, possible_mappings
from babelreg.schema.values import identical

__all__ = ["contested"]

_MAX_PAIRS = 6
_MAX_BRANCHES = 30
"""Branches of a union that are compared with those of the inner side."""


def contested(inner: Nodes, outer: Nodes) -> Iterator[Nodes]:
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
