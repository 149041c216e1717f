"""What stands in the way before any comparison: schemas that a validator or the prover must not be given."""

from __future__ import annotations

from typing import Any

from babelreg.schema.keywords import REFERENCES
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.subschemas import applied_in_place, mappings, subschemas

__all__ = ["obstacle", "size_problem"]

# The Rust validators and prover recurse over the schema on the machine's stack; so does Python's own.
_DEEPEST = 200
_MOST_NODES = 200_000


def obstacle(schema: Any) -> str | None:
    """Why ``schema`` cannot be compared, as the end of a sentence about it; None where nothing is in the way."""
    if not isinstance(schema, (dict, bool)):
        return "is neither a mapping nor true or false"
    return size_problem(schema) or (_circle(schema) if _refers(schema) else None)


def size_problem(schema: Any) -> str | None:
    """Why ``schema`` is too large for any walk over it; None where it is not. Ends on endless values, too."""
    level = [schema]
    seen = 1
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for here in level:
            if isinstance(here, dict):
                below += here.values()
            elif isinstance(here, list):
                below += here
            if seen + len(below) > _MOST_NODES:
                return f"has more than {_MOST_NODES} values"
        if not below:
            return None
        seen += len(below)
        level = below
    return f"is nested deeper than {_DEEPEST} levels"


def _refers(schema: Any) -> bool:
    """True where something in there may be a reference; most schemas have none, and this is told in no time."""
    return any(not here.keys().isdisjoint(REFERENCES) for here in mappings(schema))


def _circle(root: Any) -> str | None:
    """A ``$ref`` that comes back to itself without going down into the value: no validator has to end on it.

    jsonschema_rs 0.60.3 dies of ``canonicalize({"if": {"unevaluatedProperties": false, "if": {}, "else":
    {"$ref": "#"}}})``, so this is asked before it.
    """
    anchors = LocalReferences(root)
    done: set[int] = set()
    for start in _every(root):
        if id(start) not in done and _returns(start, anchors, done):
            return "has a $ref that leads back to itself without going into a property or an item"
    return None


def _every(root: Any) -> list[Any]:
    found, waiting = [], [root]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            found.append(here)
            waiting.extend(inner for _, inner in subschemas(here))
    return found


def _returns(start: Any, anchors: LocalReferences, done: set[int]) -> bool:
    open_now: set[int] = set()
    waiting: list[tuple[Any, bool]] = [(start, False)]
    while waiting:
        here, leaving = waiting.pop()
        if leaving:
            open_now.discard(id(here))
            done.add(id(here))
            continue
        if id(here) in open_now:
            return True
        if id(here) in done or not isinstance(here, dict):
            continue
        open_now.add(id(here))
        waiting.append((here, True))
        waiting.extend((inner, False) for inner in _next(here, anchors))
    return False


def _next(schema: dict[str, Any], anchors: LocalReferences) -> list[Any]:
    followed = [inner for _, inner in applied_in_place(schema)]
    for keyword in REFERENCES:
        target = anchors.target(schema.get(keyword))
        if target is not None:
            followed.append(target[1])
    return followed
