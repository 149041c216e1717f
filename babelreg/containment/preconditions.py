"""Preconditions of a comparison: schemas that validators cannot process."""

from __future__ import annotations

from typing import Any

from babelreg.schema.dialects import Dialect, dialect_of
from babelreg.schema.keywords import IN_PLACE, REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.subschemas import applied_in_place, subschemas

# The Rust validators recurse over the schema on the machine's stack; so does Python's own.
_MAX_DEPTH = 200
_MAX_NODES = 200_000
_MAX_IN_PLACE = 10_000
"""Validators follow each reference again: definitions that refer twice to the next would take for ever. Below
``unevaluatedProperties`` they apply everything twice, to validate and to see what is evaluated."""
_FOLLOWED = frozenset({*REFERENCES, *UNEVALUATED})
_APPLYING = IN_PLACE.union(REFERENCES)


def obstacle(schema: Any, dialect: Dialect | None = None) -> str | None:
    """Return why ``schema`` cannot be compared, as the end of a sentence about it; None where it can.

    ``dialect`` is that in which it is read, by default the one that it names.
    """
    if not isinstance(schema, (dict, bool)):
        return "is neither a mapping nor true or false"
    if problem := size_problem(schema):
        return problem
    root, *others = _all_subschemas(schema) or [{}]
    # Validators follow the dialect that a subschema names; views and proofs know one only.
    known = dialect or dialect_of(schema)
    if not all(known.is_named(below["$schema"]) for below in others if "$schema" in below):
        return "has a subschema with another $schema"
    return _endless(schema, [root, *others])


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
    """Return that a ``$ref`` refers back to itself without going into the value: a validator need not terminate on it.

    Or that one takes far too long, as it applies the same subschemas to one value again and again.
    """
    if all(schema.keys().isdisjoint(_FOLLOWED) for schema in every):
        return None  # nothing is applied twice
    anchors = LocalReferences(root)
    sizes: dict[int, int] = {}
    for start in every:
        if not start.keys().isdisjoint(_APPLYING) and _is_cyclic(start, anchors, sizes):
            return "has a $ref that refers back to itself without going into a property or an item"
    if any(size > _MAX_IN_PLACE for size in sizes.values()):
        again = "as references reach the same ones again, or unevaluatedProperties or unevaluatedItems are nested"
        return f"applies more than {_MAX_IN_PLACE} subschemas to one value, {again}"
    return None


def _all_subschemas(root: Any) -> list[dict[str, Any]]:
    """Return all subschemas that are mappings, the root first."""
    subschemas_found, waiting = list[dict[str, Any]](), [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            subschemas_found.append(item)
            waiting.extend(inner for _, inner in subschemas(item))
    return subschemas_found


def _is_cyclic(start: Any, anchors: LocalReferences, sizes: dict[int, int]) -> bool:
    """Return True for a circle in place; add to ``sizes`` how many subschemas each one applies, counting repeats.

    One that applies no other is left out: it counts as one.
    """
    open_now: set[int] = set()
    waiting: list[tuple[Any, bool]] = [(start, False)]
    while waiting:
        item, leaving = waiting.pop()
        if leaving:
            open_now.discard(id(item))
            below = _applied_in_place(item, anchors)
            times = 1 if item.keys().isdisjoint(UNEVALUATED) else 2
            sizes[id(item)] = 1 + times * sum(sizes.get(id(inner), int(isinstance(inner, dict))) for inner in below)
            continue
        if id(item) in open_now:
            return True
        if id(item) in sizes or not isinstance(item, dict) or item.keys().isdisjoint(_APPLYING):
            continue
        open_now.add(id(item))
        waiting.append((item, True))
        waiting.extend((inner, False) for inner in _applied_in_place(item, anchors))
    return False


def _applied_in_place(schema: dict[str, Any], anchors: LocalReferences) -> list[Any]:
    followed = [inner for _, inner in applied_in_place(schema)]
    named = (anchors.target(schema[keyword]) for keyword in REFERENCES if keyword in schema)
    return followed + [target[1] for target in named if target is not None]
