"""Branches of a ``oneOf`` that may hold together: where one holds, the others do not, which is a fact, too."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, DerivedSchemas, Facts
from babelreg.schema.types import declared_types

__all__ = ["Exclusions"]

_MOST_BRANCHES = 12
"""Above, the negations of all the others for each branch are too many facts."""
_MOST_HOPS = 20


class Exclusions:
    """The cases of each ``oneOf`` of one proof in which the branches that do not hold are negated."""

    def __init__(self, derived: DerivedSchemas) -> None:
        self._derived = derived
        self._overlapping: dict[int, bool] = {}

    def of(self, keyword: str, branches: list[BoundSchema]) -> list[Facts] | None:
        """Return the facts of each case: one branch, and the negations of the others.

        None where they add nothing, as types or tags tell all branches apart, or are too many.
        """
        if keyword != "oneOf" or not 1 < len(branches) <= _MOST_BRANCHES:
            return None
        first = id(branches[0].schema)
        if first not in self._overlapping:
            self._overlapping[first] = _may_overlap(branches)
        if not self._overlapping[first]:
            return None
        return [
            (branch, *(self._derived.negation(other) for other in branches if other is not branch))
            for branch in branches
        ]


def _may_overlap(branches: list[BoundSchema]) -> bool:
    shapes = [_shape(branch) for branch in branches]
    return any(not _apart(left, right) for at, left in enumerate(shapes) for right in shapes[at + 1 :])


_Shape = tuple[frozenset[str] | None, dict[str, Any]]
"""The types of a branch, None for all, and the only value of each property that is required and has just one."""


def _shape(branch: BoundSchema) -> _Shape:
    schema = branch.schema
    for _ in range(_MOST_HOPS):
        target = branch.anchors.target(schema.get("$ref")) if isinstance(schema, dict) else None
        if target is None:
            break
        schema = target[1]
    if not isinstance(schema, dict):
        return None, {}
    types, properties = declared_types(schema), schema.get("properties")
    tags = {
        name: schema["const"] if "const" in schema else schema["enum"][0]
        for name, schema in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(schema, dict) and ("const" in schema or len(schema.get("enum") or ()) == 1)
    }
    required = schema.get("required") or ()
    return None if types is None else frozenset(types), {n: tag for n, tag in tags.items() if n in required}


def _apart(left: _Shape, right: _Shape) -> bool:
    if left[0] is not None and right[0] is not None and left[0].isdisjoint(right[0]):
        return {"integer", "number"} != left[0] | right[0]
    return any(name in right[1] and right[1][name] != tag for name, tag in left[1].items())
