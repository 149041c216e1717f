"""Preconditions of a comparison: schemas that validators cannot process."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any

from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.keywords import REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.subschemas import applied_in_place, subschemas

# The Rust validators recurse over the schema on the machine's stack; so does Python's own.
_MAX_DEPTH = 200
_MAX_NODES = 200_000
_MAX_IN_PLACE = 10_000
"""Validators follow each reference again: definitions that refer twice to the next would take for ever. Below
``unevaluatedProperties`` they apply everything twice, to validate and to see what is evaluated."""
_FOLLOWED = frozenset({*REFERENCES, *UNEVALUATED})


def obstacle(schema: Any, dialect: Dialect | None = None) -> str | None:
    """Return why ``schema`` cannot be compared, as the end of a sentence about it; None where it can.

    ``dialect`` is that in which it is read, by default the one that it names.
    """
    if not isinstance(schema, (dict, bool)):
        return "is neither a mapping nor true or false"
    if problem := size_problem(schema):
        return problem
    every = [schema] if isinstance(schema, dict) else []
    for one in every:
        every += [below for _, below in subschemas(one) if isinstance(below, dict)]
    # Validators follow the dialect that a subschema names; views and proofs know one only.
    known = dialect or dialect_of(schema)
    if not all(known.is_named(below["$schema"]) for below in every[1:] if "$schema" in below):
        return "has a subschema with another $schema"
    return _endless(schema, every)


def size_problem(schema: Any) -> str | None:
    """Return why ``schema`` is too large for a walk over it; None where it is not. Terminates on cyclic values."""
    level = [schema]
    seen = 1
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
            if seen + len(below) > _MAX_NODES:
                return f"has more than {_MAX_NODES} values"
        if not below:
            return None
        seen += len(below)
        level = below
    return f"is nested deeper than {_MAX_DEPTH} levels"


def _endless(root: Any, every: list[dict[str, Any]]) -> str | None:
    """Return that a ``$ref`` refers to itself without going into the value: a validator need not terminate on it.

    Or that one takes far too long, as it applies the same subschemas to one value again and again.
    """
    if all(schema.keys().isdisjoint(_FOLLOWED) for schema in every):
        return None  # nothing is applied twice
    anchors = LocalReferences(root)
    applied: dict[int, list[dict[str, Any]]] = {}
    waiting = list(every)
    for schema in waiting:
        if id(schema) not in applied:
            applied[id(schema)] = _applied_in_place(schema, anchors)
            waiting += applied[id(schema)]
    try:
        order = list(TopologicalSorter({name: map(id, below) for name, below in applied.items()}).static_order())
    except CycleError:
        return "has a $ref that refers to itself without going into a property or an item"
    twice = {id(schema) for schema in waiting if not schema.keys().isdisjoint(UNEVALUATED)}
    sizes: dict[int, int] = {}
    for name in order:
        sizes[name] = 1 + (1 + (name in twice)) * sum(sizes[id(below)] for below in applied[name])
    if any(size > _MAX_IN_PLACE for size in sizes.values()):
        again = "because references reach the same ones again, or unevaluatedProperties or unevaluatedItems are nested"
        return f"applies more than {_MAX_IN_PLACE} subschemas to one value, {again}"
    return None


def _applied_in_place(schema: dict[str, Any], anchors: LocalReferences) -> list[dict[str, Any]]:
    named = (anchors.target(schema[keyword]) for keyword in REFERENCES if keyword in schema)
    followed = [target[1] for target in named if target is not None]
    return [below for below in (*followed, *(part for _, part in applied_in_place(schema))) if isinstance(below, dict)]
