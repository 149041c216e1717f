"""Values that two branches of a ``oneOf`` of the outer side take, so that it refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

from babelreg.breaking.containment.search.node import Nodes, possible_mappings
from babelreg.schema.values import identical

__all__ = ["contested"]

_MAX_PAIRS = 6


def contested(inner: Nodes, outer: Nodes) -> Iterator[Nodes]:
    """Yield ``inner`` with two branches each of a ``oneOf`` in ``outer``, for a few pairs.

    A ``oneOf`` that the inner side has as well refuses what two of its branches take.
    """
    own = [node.schema["oneOf"] for node in possible_mappings(inner) if "oneOf" in node.schema]
    for node in possible_mappings(outer):
        branches = node.list("oneOf")
        if branches and not any(identical(node.schema["oneOf"], union) for union in own):
            yield from ((*inner, *pair) for pair in islice(combinations(branches, 2), _MAX_PAIRS))
