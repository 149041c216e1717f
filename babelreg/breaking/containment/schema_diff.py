"""Where two schemas differ, found by walking through both at once: the places to search first, and to name last.

A place is the path of a value in a document: ``("lines", 0, "qty")``, with 0 for any item and ``"*"`` for a property of
any other name. References are followed on both sides, so that a definition may move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations, without_ref_siblings
from babelreg.schema.values import identical

__all__ = ["ANY", "Difference", "differences"]

ANY = "*"
_MOST_FOUND = 24
_MOST_PAIRS = 20_000
_MOST_REFERENCES = 64
_MAPS = ("properties", "patternProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_ONE = ("items", "additionalItems", "contains", "unevaluatedItems", "additionalProperties", "unevaluatedProperties",
        "propertyNames", "not", "if", "then", "else")  # fmt: skip
_ITEM = frozenset({"items", "additionalItems", "contains", "unevaluatedItems", "prefixItems"})
_VALUE = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})
_HELD = frozenset({*_MAPS, *_LISTS, *_ONE, "$ref", "$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the two say something else. ``old`` and ``new`` lead to what each says of it."""

    place: Pointer
    old: Pointer
    new: Pointer


@dataclass(frozen=True, slots=True)
class _Here:
    schema: Any
    pointer: Pointer

    def at(self, *steps: str | int) -> _Here:
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return _Here(schema, self.pointer + steps)


_Step = tuple[Pointer, _Here, _Here]


def differences(old: Any, new: Any) -> list[Difference]:
    """The places where ``old`` and ``new`` differ, those nearest to the root first; a few dozen at most."""
    anchors = [LocalReferences(without_ref_siblings(without_annotations(s, formats=True))) for s in (old, new)]
    waiting: list[_Step] = [((), _Here(anchors[0].root, ()), _Here(anchors[1].root, ()))]
    found: dict[Pointer, Difference] = {}
    seen: set[tuple[int, int]] = set()
    for at, (place, one, other) in enumerate(waiting):
        if at >= _MOST_PAIRS or len(found) >= _MOST_FOUND:
            break
        if _has_siblings(one.schema) or _has_siblings(other.schema):
            waiting.append((place, _without_reference(one), _without_reference(other)))
        left, right = (_followed(here, known) for here, known in zip((one, other), anchors, strict=True))
        if (id(left.schema), id(right.schema)) in seen:
            continue
        seen.add((id(left.schema), id(right.schema)))
        if _differ(left.schema, right.schema):
            found.setdefault(place, Difference(place, left.pointer, right.pointer))
        waiting += _below(place, left, right)
    return list(found.values())


def _followed(here: _Here, anchors: LocalReferences) -> _Here:
    """Where the reference leads, through others; the keywords beside it are a pair of their own."""
    for _ in range(_MOST_REFERENCES):
        target = anchors.target(here.schema.get("$ref")) if isinstance(here.schema, dict) else None
        if target is None:
            return here
        here = _Here(target[1], target[0])
    return here


def _has_siblings(schema: Any) -> bool:
    return isinstance(schema, dict) and "$ref" in schema and len(schema) > 1


def _without_reference(here: _Here) -> _Here:
    if not isinstance(here.schema, dict) or "$ref" not in here.schema:
        return here
    return _Here({keyword: value for keyword, value in here.schema.items() if keyword != "$ref"}, here.pointer)


def _differ(left: Any, right: Any) -> bool:
    """True where what they say themselves is not the same; what stands below is looked at by itself."""
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return not identical(left, right)
    own = [{word: _said(schema, word) for word in schema if word not in _HELD} for schema in (left, right)]
    if not identical(*own):
        return True
    return any(_shape(left.get(word)) != _shape(right.get(word)) for word in (*_MAPS, *_LISTS, *_ONE))


def _said(schema: dict[str, Any], word: str) -> Any:
    said = schema[word]
    return sorted(map(str, said)) if word in ("required", "type") and isinstance(said, list) else said


def _shape(held: Any) -> Any:
    """What a keyword holds, but for the schemas themselves: names, how many, whether there is one."""
    if isinstance(held, list):
        return len(held)
    return held if held is None or isinstance(held, bool) else "schema"


def _below(place: Pointer, left: _Here, right: _Here) -> Iterator[_Step]:
    if not (isinstance(left.schema, dict) and isinstance(right.schema, dict)):
        return
    for word in _ONE:
        if isinstance(left.schema.get(word), dict) and isinstance(right.schema.get(word), dict):
            yield _inside(place, word), left.at(word), right.at(word)
    for word in _LISTS:
        ours, theirs = left.schema.get(word), right.schema.get(word)
        if isinstance(ours, list) and isinstance(theirs, list):
            for at in range(min(len(ours), len(theirs))):
                inside = (*place, at) if word in _ITEM else place
                yield inside, left.at(word, at), right.at(word, at)
    for word in _MAPS:
        ours, theirs = left.schema.get(word), right.schema.get(word)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            for name in dict.fromkeys([*ours, *theirs]):
                inside = (*place, name) if word == "properties" else (*place, ANY)
                yield inside, _named(left, word, name), _named(right, word, name)


def _named(here: _Here, word: str, name: str) -> _Here:
    held = here.schema[word]
    return here.at(word, name) if name in held else _Here(True, (*here.pointer, word))


def _inside(place: Pointer, word: str) -> Pointer:
    return (*place, 0) if word in _ITEM else (*place, ANY) if word in _VALUE else place
