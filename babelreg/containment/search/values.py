"""Candidate values: allowed by the inner side, likely to be refused by the outer one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, TypeVar, cast

import orjson

from babelreg.containment.search import arrays, numbers, objects, strings
from babelreg.containment.search.alternatives import Alternative, alternatives, possible_mappings, types_of
from babelreg.containment.search.node import Nodes, SearchNode, allowed, interleaved
from babelreg.schema.keywords import DEPENDENT, NEGATING
from babelreg.schema.keywords_by_type import keywords_about
from babelreg.schema.types import TYPES

_MAX_DEPTH = 7
"""Depth of the variations of a document; what is required further down is as simple as possible."""
_MAX_REQUIRED_DEPTH = 32
_VALUES_PER_PLACE = 48
_TRIED_FOR_SIMPLEST = 24
_STEPS_FOR_PLACE = 10
"""Steps for the preparation of one place, which costs as much as so many values."""
_CHARACTERS_OF_A_STEP = 2_048

T = TypeVar("T")


class CandidateSearch:
    """Search for candidate documents. The simplest value of each place is cached, so documents are built bottom-up.

    ``steps`` bounds the places and the values tried at all of them together: the search of a schema that allows next
    to nothing, or refers to itself in many ways, would otherwise not end.
    """

    def __init__(self, steps: int = 40_000) -> None:
        self._steps_left = steps
        self._simplest: dict[tuple[int, ...], list[Any]] = {(): [1]}
        self._none_from: dict[tuple[int, ...], int] = {}
        """The depth from which on no value was found. Nearer to the root there may be one, as fewer are too deep."""
        self._orders: dict[tuple[int, ...], tuple[list[Any], list[Any], Nodes]] = {}
        self._made: dict[tuple[Any, ...], Any] = {}

    def documents(self, inner: SearchNode, outer: SearchNode | None) -> Iterator[Any]:
        """Yield documents, the likeliest first, without repetition."""
        seen: set[str | bytes] = set()
        for document in self.values((inner,), (outer,) if outer else (), 0, limit=100_000):
            spelled = _spelled(document)
            self._steps_left -= len(spelled) // _CHARACTERS_OF_A_STEP
            if spelled not in seen:
                seen.add(spelled)
                yield document

    def values(self, inner: Nodes, outer: Nodes, depth: int, limit: int = _VALUES_PER_PLACE) -> Iterator[Any]:
        """Yield values for one place, without those that an inner subschema refuses."""
        self._steps_left -= _STEPS_FOR_PLACE
        if self._steps_left < 0:
            return iter(())
        negated = (node for node in possible_mappings(inner) if not _NEGATIVE.isdisjoint(node.pointer))
        hints = (*possible_mappings(outer), *negated)
        ways = alternatives(inner)
        candidates = interleaved([self._of(way, hints, depth) for way in ways])
        return islice(self._accepted(inner, islice(candidates, 4 * limit)), limit)

    def _accepted(self, inner: Nodes, values: Iterator[Any]) -> Iterator[Any]:
        validators = [node.validator for node in inner]
        for value in values:
            self._steps_left -= 1 + (len(value) // _CHARACTERS_OF_A_STEP if isinstance(value, str) else 0)
            if self._steps_left < 0:
                return
            if all(allowed(validator, value) for validator in validators):
                yield value

    def spend(self, steps: int) -> None:
        """Count ``steps`` that are not for one value; without any left no place is searched any more."""
        self._steps_left -= steps

    def once(self, make: Callable[[CandidateSearch, Nodes, Nodes], T], inner: Nodes, outer: Nodes) -> T:
        """Return what ``make`` returns for these subschemas; it is called once for each pair of them."""
        key = (make, *((tuple(id(node.schema) for node in nodes)) for nodes in (inner, outer)))
        if key not in self._made:
            self._made[key] = make(self, inner, outer)
        return cast("T", self._made[key])

    def simplest(self, inner: Nodes, depth: int) -> list[Any]:
        """Return a list of one value for a place, accepted by its subschemas: 1 without any; empty if none is found."""
        key = tuple(id(node.schema) for node in inner)
        if key in self._simplest:
            return self._simplest[key]
        if depth > _MAX_REQUIRED_DEPTH or depth >= self._none_from.get(key, depth + 1):
            return []
        self._none_from[key] = 0  # a value that contains itself is none
        found = list(islice(self.values(inner, (), depth, limit=_TRIED_FOR_SIMPLEST), 1))
        if found:
            self._simplest[key] = found
        self._none_from[key] = depth
        return found

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
        return interleaved([*sources, self._named_by_hints(hints)])

    def _ordered(self, listed: list[Any], hints: Nodes) -> list[Any]:
        """Return ``listed``, the values first that no hint names; cached, as every array item needs it."""
        if len(listed) < 2:
            return listed
        key = (id(listed), *(id(hint.schema) for hint in hints))
        if key not in self._orders:
            others = (hint for hint in hints if hint.schema.get("enum") is not listed)
            named = {_hashable(value) for hint in others for value in _enumerated(hint)}
            ordered = sorted(listed, key=lambda value: _hashable(value) in named) if named else listed
            self._orders[key] = (ordered, listed, hints)  # objects that the key identifies must stay alive
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
        if depth > _MAX_DEPTH:
            plainest: Callable[..., Any] = objects.plainest if kind == "object" else arrays.plainest
            return (make() for make in (partial(plainest, self, way, depth), dict if kind == "object" else list))
        build: Callable[..., Iterator[Any]] = objects.objects if kind == "object" else arrays.arrays
        return build(self, way, hints, depth)

    def _named_by_hints(self, hints: Nodes) -> Iterator[Any]:
        """Yield values that the other side names: where they are allowed here, they are often the difference."""
        for hint in hints:
            yield from islice(_enumerated(hint), 8)


def _hashable(value: Any) -> Any:
    """Return a hashable key for ``value``."""
    return _spelled(value) if isinstance(value, (dict, list)) else value


def _spelled(document: Any) -> str | bytes:
    """Return a serialization that identifies a document."""
    try:
        return orjson.dumps(document)
    except TypeError:  # an integer beyond 64 bits, or an unpaired surrogate
        return json.dumps(document)


def _enumerated(node: SearchNode) -> list[Any]:
    values = list(node.schema["enum"]) if isinstance(node.schema.get("enum"), list) else []
    return values + ([node.schema["const"]] if "const" in node.schema else [])


def _listed(way: Alternative) -> list[Any] | None:
    for node in way:
        if "const" in node.schema:
            return [node.schema["const"]]
    lists: list[list[Any]] = [node.schema["enum"] for node in way if isinstance(node.schema.get("enum"), list)]
    return min(lists, key=len, default=None)


_NEGATIVE = NEGATING - {"anyOf", *DEPENDENT}
"""The keywords under which a value that is allowed may be refused."""
_HINTS = {type_: keywords_about(type_) for type_ in ("object", "array", "string", "integer")}


def _hinted_first(way: Alternative, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``allowed``, types with a keyword of their own first: ``properties`` without ``type`` suggests objects."""
    hinted = {t for t, keywords in _HINTS.items() if any(not keywords.isdisjoint(node.schema) for node in way)}
    return tuple(sorted(allowed, key=lambda t: t not in hinted))
