"""Candidate values for a pair of places: allowed by the inner side, likely to be refused by the outer one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import orjson

from babelreg.breaking.containment.search import (
    arrays,
    numbers,
    objects,
    strings,
)
from babelreg.breaking.containment.search.node import (
    Alternative,
    Nodes,
    SearchNode,
    allowed,
    alternatives,
    flat,
    interleaved,
    types_of,
)
from babelreg.schema.keywords import DEPENDENT, NEGATING
from babelreg.schema.types import TYPES
from babelreg.schema.vocabulary import keywords_about

__all__ = ["Search"]

_DEEPEST = 7
_PER_PLACE = 48
_TRIED_FOR_SIMPLEST = 24
_SIMPLEST = {"object": {}, "string": "", "integer": 0, "array": [], "number": 0.5, "boolean": False, "null": None}


class Search:
    """One search. Remembers the simplest value of each place, so that documents are put together bottom up.

    ``steps`` bounds the values tried at all places together: a schema that allows next to nothing would otherwise be
    searched for ever.
    """

    def __init__(self, steps: int = 40_000) -> None:
        self._left = steps
        self._simplest: dict[tuple[int, ...], Any] = {}
        self._orders: dict[tuple[int, ...], tuple[list[Any], list[Any], Nodes]] = {}

    def documents(self, inner: SearchNode, outer: SearchNode | None) -> Iterator[Any]:
        """Whole documents, the likeliest first, without repetition."""
        seen: set[str | bytes] = set()
        for document in self.values((inner,), (outer,) if outer else (), 0, limit=100_000):
            spelled = _spelled(document)
            if spelled not in seen:
                seen.add(spelled)
                yield document

    def values(self, inner: Nodes, outer: Nodes, depth: int, limit: int = _PER_PLACE) -> Iterator[Any]:
        """Values for one place, those that the inner subschemas refuse by themselves left out."""
        hints = flat(outer) + tuple(node for node in flat(inner) if _negative(node))
        ways = alternatives(inner)
        found = interleaved([self._of(way, hints, depth) for way in ways])
        return islice(self._taken(inner, islice(found, 4 * limit)), limit)

    def _taken(self, inner: Nodes, values: Iterator[Any]) -> Iterator[Any]:
        validators = [node.validator for node in inner]
        for value in values:
            self._left -= 1
            if self._left < 0:
                return
            if all(allowed(validator, value) for validator in validators):
                yield value

    def simplest(self, inner: Nodes, depth: int) -> Any:
        """One value for a place, taken by its subschemas where one can be found; raises LookupError where not."""
        key = tuple(id(node.schema) for node in inner)
        if key not in self._simplest:
            if depth > _DEEPEST:
                raise LookupError("too deep")
            self._simplest[key] = LookupError
            self._simplest[key] = next(self.values(inner, (), depth, limit=_TRIED_FOR_SIMPLEST), LookupError)
        value = self._simplest[key]
        if value is LookupError:
            raise LookupError("no value found")
        return value

    def _of(self, way: Alternative, hints: Nodes, depth: int) -> Iterator[Any]:
        listed = _listed(way)
        if listed is not None:
            return iter(self._ordered(listed, hints))
        allowed = types_of(way)
        if not any("type" in node.schema for node in way):
            allowed = _hinted_first(way, allowed)
        wanted = {t for hint in hints for t in types_of((hint,))} if hints else set(TYPES)
        ordered = sorted(allowed, key=lambda t: t in wanted)
        sources = [self._typed(kind, way, hints, depth) for kind in ordered]
        return interleaved([*sources, self._foreign(hints)])

    def _ordered(self, listed: list[Any], hints: Nodes) -> list[Any]:
        """``listed`` with the values first that no hint names; an item of an array asks for this again and again."""
        if len(listed) < 2:
            return listed
        key = (id(listed), *(id(hint.schema) for hint in hints))
        if key not in self._orders:
            named = {_hashable(value) for hint in hints for value in _enumerated(hint)}
            ordered = sorted(listed, key=lambda value: _hashable(value) in named) if named else listed
            self._orders[key] = (ordered, listed, hints)  # what the key names must not go away
        return self._orders[key][0]

    def _typed(self, kind: str, way: Alternative, hints: Nodes, depth: int) -> Iterator[Any]:
        if kind == "string":
            return strings.strings(way, hints)
        if kind in ("integer", "number"):
            return numbers.numbers(way, hints, integer=kind == "integer")
        if kind == "boolean":
            return iter((False, True))
        if kind == "null":
            return iter((None,))
        if depth > _DEEPEST:
            return iter((_SIMPLEST[kind],))
        build: Callable[..., Iterator[Any]] = objects.objects if kind == "object" else arrays.arrays
        return build(self, way, hints, depth)

    def _foreign(self, hints: Nodes) -> Iterator[Any]:
        """Values that the other side names: where they are allowed here, they are often the difference."""
        for hint in hints:
            yield from islice(_enumerated(hint), 8)


def _hashable(value: Any) -> Any:
    """What stands for ``value`` in a set."""
    return _spelled(value) if isinstance(value, (dict, list)) else value


def _spelled(document: Any) -> str | bytes:
    """What tells one document from another."""
    try:
        return orjson.dumps(document)
    except TypeError:  # an integer beyond 64 bits, or half a surrogate pair
        return json.dumps(document)


def _negative(node: SearchNode) -> bool:
    return node.pointer != () and not _NEGATIVE.isdisjoint(node.pointer)


def _enumerated(node: SearchNode) -> list[Any]:
    found = list(node.schema["enum"]) if isinstance(node.schema.get("enum"), list) else []
    return found + ([node.schema["const"]] if "const" in node.schema else [])


def _listed(way: Alternative) -> list[Any] | None:
    for node in way:
        if "const" in node.schema:
            return [node.schema["const"]]
    lists: list[list[Any]] = [node.schema["enum"] for node in way if isinstance(node.schema.get("enum"), list)]
    shortest: list[Any] | None = min(lists, key=lambda listed: len(listed)) if lists else None
    return shortest


_NEGATIVE = NEGATING - {"anyOf", *DEPENDENT}
"""The keywords under which a value that is allowed may be refused."""
_HINTS = {type_: keywords_about(type_) for type_ in ("object", "array", "string", "integer")}


def _hinted_first(way: Alternative, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Types that a keyword speaks of come first: ``properties`` without ``type`` means objects to its author."""
    spoken = {t for t, keywords in _HINTS.items() if any(not keywords.isdisjoint(node.schema) for node in way)}
    return tuple(sorted(allowed, key=lambda t: t not in spoken))
