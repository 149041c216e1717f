"""Values that the outer side refuses as two branches of a ``oneOf`` take them, or what is below ``not``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from babelreg.containment.search.node import Nodes, possible_mappings
from babelreg.schema.values import identical

__all__ = ["contested"]

_MAX_PAIRS = 6
_MAX_BRANCHES = 30
"""Branches of a union that are compared with those of the inner side."""


def contested(inner: Nodes, outer: Nodes) -> Iterator[Nodes]:
    """Yield ``inner`` with two branches each of a ``oneOf`` in ``outer``, for a few pairs, or with a negated schema.

    Pairs of which the inner side has a branch as well come last: it refuses what two of its branches take.
    """
    own = [branch.schema for node in possible_mappings(inner) for branch in node.list("oneOf")[:_MAX_BRANCHES]]
    for node in possible_mappings(outer):
        branches = node.list("oneOf")[:_MAX_BRANCHES]
        known = {at for at, branch in enumerate(branches) if any(identical(branch.schema, other) for other in own)}
        pairs = sorted(combinations(range(len(branches)), 2), key=lambda pair: known.issuperset(pair))
        yield from (
            (*inner, *(branches[at] for at in pair)) for pair in pairs[:_MAX_PAIRS] if not known.issuperset(pair)
        )
        if (negated := node.one("not")) is not None:
            yield (*inner, negated)
