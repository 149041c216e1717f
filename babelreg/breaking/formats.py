"""When a proof that took ``format`` for an annotation still holds where formats are asserted."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.keywords import Anchors, subschemas

__all__ = ["same_or_dropped"]

# Under these a format that refuses more makes the whole allow more, or other things than it says by itself.
_NOT_CONJUNCTIVE = frozenset(
    {"anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "contains"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_TRANSPARENT = frozenset({"allOf"})
_APART = frozenset({"$defs", "definitions", "contentSchema"})
Path = tuple[Any, ...]


class _Undecided(Exception):
    """The formats of a schema do not all stand where they simply refuse."""


def same_or_dropped(inner: Any, outer: Any) -> bool:
    """True if every format the outer schema asserts is asserted at the same path by the inner one.

    False too where a format of either stands under a union, a negation or a condition, or where a ``$ref`` recurs.
    """
    try:
        return _formats(outer) <= _formats(inner)
    except _Undecided:
        return False


def _formats(root: Any) -> set[tuple[Path, str]]:
    found: set[tuple[Path, str]] = set()
    if _mentions(root):
        _collect(root, (), Anchors(root), found, frozenset(), conjunctive=True)
    return found


def _mentions(schema: Any) -> bool:
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            if isinstance(here.get("format"), str):
                return True
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)
    return False


def _collect(
    schema: Any,
    path: Path,
    anchors: Anchors,
    found: set[tuple[Path, str]],
    open_now: frozenset[int],
    *,
    conjunctive: bool,
) -> None:
    if not isinstance(schema, dict):
        return
    if id(schema) in open_now:
        raise _Undecided
    inside = open_now | {id(schema)}
    if isinstance(schema.get("format"), str):
        if not conjunctive:
            raise _Undecided
        found.add((path, schema["format"]))
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in schema:
            target = anchors.target(schema[keyword])
            if target is None or keyword != "$ref":
                raise _Undecided
            _collect(target[1], path, anchors, found, inside, conjunctive=conjunctive)
    for steps, inner in subschemas(schema):
        keyword = str(steps[0])
        if keyword in _APART:
            continue
        deeper = path if keyword in _TRANSPARENT else (*path, *_step(schema, keyword, steps))
        stays = conjunctive and keyword not in _NOT_CONJUNCTIVE
        _collect(inner, deeper, anchors, found, inside, conjunctive=stays)


def _step(schema: dict[str, Any], keyword: str, steps: tuple[Any, ...]) -> Path:
    """The step, with what decides which values it is for: the rest of an object depends on the names beside it."""
    if keyword == "additionalProperties":
        return (keyword, *(tuple(sorted(schema.get(k) or ())) for k in ("properties", "patternProperties")))
    if keyword in ("items", "additionalItems") and len(steps) == 1:
        prefix = schema.get("prefixItems", schema.get("items"))
        return (keyword, len(prefix) if isinstance(prefix, list) else 0)
    return steps
