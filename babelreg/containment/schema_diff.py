"""Structural diff of two schemas: the places where a search starts, and that an unknown verdict names.

A place is the path of a value in a document: ``("lines", 0, "qty")``, with 0 for any item and ``"*"`` for a property of
any other name. References are followed on both sides, so a definition that was only moved is not a difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations, without_ref_siblings
from babelreg.schema.values import identical

ANY = "*"
_ABSENT = {"absent": ()}
_MAX_DIFFERENCES = 200
_MAX_PAIRS = 20_000
_MAX_REFERENCES = 64
_MAPS = ("properties", "patternProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_ONE = ("items", "additionalItems", "contains", "unevaluatedItems", "additionalProperties", "unevaluatedProperties",
        "propertyNames", "not", "if", "then", "else")  # fmt: skip
_ITEM = frozenset({"items", "additionalItems", "contains", "unevaluatedItems", "prefixItems"})
_VALUE = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})
_WITH_SUBSCHEMAS = frozenset({*_MAPS, *_LISTS, *_ONE, "$ref", "$defs", "definitions"})


def begins(instance: Pointer, place: Pointer) -> bool:
    """Return True where the value at ``instance`` of a document is at a place or below."""
    pairs = zip(place, instance, strict=False)
    return len(place) <= len(instance) and all(
        isinstance(step, int) if mine == 0 else mine in (ANY, step) for mine, step in pairs
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two schemas differ: in ``keywords``. ``old`` and ``new`` are the pointers to its subschemas.

    Where the subschemas of several pairs differ at one place, the pointers are those of the first pair. ``keywords``
    are sorted; empty where one of the two is a boolean.
    """

    place: Pointer
    old: Pointer
    new: Pointer
    keywords: tuple[str, ...] = ()

    def is_of(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` of a document is at this place."""
        return len(self.place) == len(instance) and self.is_around(instance)

    def is_around(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` of a document is at this place or below."""
        return begins(instance, self.place)


@dataclass(frozen=True, slots=True)
class _Cursor:
    schema: Any
    pointer: Pointer

    def at(self, *steps: str | int) -> _Cursor:
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return _Cursor(schema, self.pointer + steps)


_Step = tuple[Pointer, _Cursor, _Cursor]


def differences(old: Any, new: Any) -> list[Difference]:
    """Return the places where ``old`` and ``new`` differ, those nearest to the root first; 200 at most."""
    anchors = [
        LocalReferences(without_ref_siblings(without_annotations(s, formats=True, asserted=True))) for s in (old, new)
    ]
    waiting: list[_Step] = [((), _Cursor(anchors[0].root, ()), _Cursor(anchors[1].root, ()))]
    by_place: dict[Pointer, Difference] = {}
    seen: set[tuple[int, int]] = set()
    for at, (place, old_cursor, new_cursor) in enumerate(waiting):
        if at >= _MAX_PAIRS or len(by_place) >= _MAX_DIFFERENCES:
            break
        if _has_siblings(old_cursor.schema) or _has_siblings(new_cursor.schema):
            waiting.append((place, _without_reference(old_cursor), _without_reference(new_cursor)))
        left, right = (
            _resolved(cursor, document) for cursor, document in zip((old_cursor, new_cursor), anchors, strict=True)
        )
        if (id(left.schema), id(right.schema)) in seen:
            continue
        seen.add((id(left.schema), id(right.schema)))
        keywords = _differing_keywords(left.schema, right.schema)
        if keywords is not None:
            known = by_place.setdefault(place, Difference(place, left.pointer, right.pointer))
            by_place[place] = replace(known, keywords=tuple(sorted({*known.keywords, *keywords})))
        waiting += _children(place, left, right)
    return list(by_place.values())


def _resolved(cursor: _Cursor, anchors: LocalReferences) -> _Cursor:
    """Return the target of the reference, if any, through a chain of references. Siblings are another pair."""
    for _ in range(_MAX_REFERENCES):
        target = anchors.target(cursor.schema.get("$ref")) if isinstance(cursor.schema, dict) else None
        if target is None:
            return cursor
        cursor = _Cursor(target[1], target[0])
    return cursor


def _has_siblings(schema: Any) -> bool:
    return isinstance(schema, dict) and "$ref" in schema and len(schema) > 1


def _without_reference(cursor: _Cursor) -> _Cursor:
    if not isinstance(cursor.schema, dict) or "$ref" not in cursor.schema:
        return cursor
    own = {keyword: value for keyword, value in cursor.schema.items() if keyword != "$ref"}
    return _Cursor(own, cursor.pointer)


def _differing_keywords(left: Any, right: Any) -> set[str] | None:
    """Return the keywords in which the two differ, None where they do not; subschemas are compared by themselves."""
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return None if identical(left, right) else set()
    own = (left.keys() | right.keys()) - _WITH_SUBSCHEMAS
    differing = {keyword for keyword in own if not identical(*(_keyword_value(s, keyword) for s in (left, right)))}
    differing |= {
        keyword
        for keyword in (*_MAPS, *_LISTS, *_ONE)
        if _without_schemas(left.get(keyword)) != _without_schemas(right.get(keyword))
    }
    return differing or None


def _keyword_value(schema: dict[str, Any], keyword: str) -> Any:
    value = schema.get(keyword, _ABSENT)
    return sorted(map(str, value)) if keyword in ("required", "type") and isinstance(value, list) else value


def _without_schemas(value: Any) -> Any:
    """Return the value of a keyword without its schemas: their number, or that there is one."""
    if isinstance(value, list):
        return len(value)
    return value if value is None or isinstance(value, bool) else "schema"


def _children(place: Pointer, left: _Cursor, right: _Cursor) -> Iterator[_Step]:
    if not (isinstance(left.schema, dict) and isinstance(right.schema, dict)):
        return
    for keyword in _ONE:
        if isinstance(left.schema.get(keyword), dict) and isinstance(right.schema.get(keyword), dict):
            yield _child_place(place, keyword), left.at(keyword), right.at(keyword)
    for keyword in _LISTS:
        old_value, new_value = left.schema.get(keyword), right.schema.get(keyword)
        if isinstance(old_value, list) and isinstance(new_value, list):
            for at in range(min(len(old_value), len(new_value))):
                inside = (*place, at) if keyword in _ITEM else place
                yield inside, left.at(keyword, at), right.at(keyword, at)
    for keyword in _MAPS:
        old_value, new_value = left.schema.get(keyword), right.schema.get(keyword)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            for name in dict.fromkeys([*old_value, *new_value]):
                inside = (*place, name) if keyword == "properties" else (*place, ANY)
                yield inside, _named(left, keyword, name), _named(right, keyword, name)


def _named(cursor: _Cursor, keyword: str, name: str) -> _Cursor:
    subschemas = cursor.schema[keyword]
    return cursor.at(keyword, name) if name in subschemas else _Cursor(True, (*cursor.pointer, keyword))


def _child_place(place: Pointer, keyword: str) -> Pointer:
    return (*place, 0) if keyword in _ITEM else (*place, ANY) if keyword in _VALUE else place
