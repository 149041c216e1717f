"""Evidence of an expectation that no proof covers: in how many of the recorded values it held, by their sketch.

A sketch has the number of values by type, the texts of small enumerations, and the properties that objects had. What
an expectation asks beyond that, such as a length or a bound, it does not decide; a judgement of the messages does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from babelreg.analysis.sketch.kinds import seen_kinds
from babelreg.analysis.sketch.text_detection import FORMATS, digest_of, is_digest
from babelreg.analysis.sketch.trait import Trait
from babelreg.analysis.sketch.value_sketch import MAX_DEPTH, ObjectSketch, ValueSketch
from babelreg.errors import SchemaError
from babelreg.schema.keywords import ANNOTATIONS
from babelreg.schema.regex.matching import matches
from babelreg.schema.types import declared_kinds, kind_of


class SketchEvidence(NamedTuple):
    """An expectation failed in ``failed`` of ``values``; unless ``exact``, in at least as many."""

    failed: int
    values: int
    exact: bool = True


class _Undecided(Exception):
    """The sketch does not tell whether the values satisfy a keyword."""


class _Failures(NamedTuple):
    """The number of values that a keyword refuses; unless ``exact``, a lower bound that is not 0."""

    number: int
    exact: bool = True


_NONE = _Failures(0)


def evidence(sketch: ValueSketch, expected: Any) -> SketchEvidence | None:
    """Return in how many values of ``sketch`` the schema ``expected`` failed; None where the sketch does not tell."""
    try:
        failures = _failures(sketch, expected)
    except (_Undecided, SchemaError):
        return None
    return SketchEvidence(failures.number, sketch.count, failures.exact)


def _failures(sketch: ValueSketch, expected: Any) -> _Failures:
    if isinstance(expected, bool):
        return _NONE if expected else _Failures(sketch.count)
    parts: list[_Failures] = []
    decided = True
    for keyword, value in expected.items():
        if keyword in ANNOTATIONS or (keyword.startswith("x-") and keyword != "x-open-enum"):
            continue
        try:
            if keyword not in _KEYWORDS:
                raise _Undecided
            parts.append(_KEYWORDS[keyword](sketch, value))
        except _Undecided:
            decided = False
    together = _together(parts)
    if decided:
        return together
    if not together.number:
        raise _Undecided
    return together._replace(exact=False)


def _together(parts: Iterable[_Failures]) -> _Failures:
    """Return the failures of several keywords, which may concern the same values."""
    failing = [part for part in parts if part.number]
    if len(failing) < 2:
        return failing[0] if failing else _NONE
    return _Failures(max(part.number for part in failing), False)


def _type(sketch: ValueSketch, types: Any) -> _Failures:
    allowed = declared_kinds({"type": types})
    refused = {kind: count for kind, count in seen_kinds(sketch).items() if kind not in allowed}
    if "fraction" in refused and "integer" in allowed:  # some of them are whole: 1.0
        others = sum(count for kind, count in refused.items() if kind != "fraction")
        return _Failures(others + 1, False)
    return _Failures(sum(refused.values()))


def _enum(sketch: ValueSketch, members: Sequence[Any]) -> _Failures:
    listed: dict[str, list[Any]] = {}
    for member in members:
        kind = kind_of(member)
        listed.setdefault("number" if kind in ("integer", "fraction") else kind, []).append(member)
    refused = _refused_texts(sketch, listed.get("string", ()))
    if "null" not in listed:
        refused += sketch.nulls
    booleans = set(listed.get("boolean", ()))
    if sketch.booleans and len(booleans) == 1:
        raise _Undecided
    refused += 0 if booleans else sketch.booleans
    for kind, count in (
        ("number", sketch.integers + sketch.numbers), ("array", sketch.arrays), ("object", sketch.objects)
    ):  # fmt: skip
        if count and kind in listed:
            raise _Undecided
        refused += count
    return _Failures(refused)


def _refused_texts(sketch: ValueSketch, members: Sequence[str]) -> int:
    if not members or not sketch.strings:
        return sketch.strings
    if sketch.texts is None:
        raise _Undecided
    accepted = {*members, *map(digest_of, members)}
    return sum(count for text, count in sketch.texts.items() if text not in accepted)


def _texts(sketch: ValueSketch, accepts: Callable[[str], bool]) -> _Failures:
    """Return the failures of a keyword on texts, all of which have to be known."""
    if sketch.strings and (sketch.texts is None or any(map(is_digest, sketch.texts))):
        raise _Undecided
    return _Failures(sum(count for text, count in (sketch.texts or {}).items() if not accepts(text)))


def _format(sketch: ValueSketch, name: Any) -> _Failures:
    if not sketch.strings or (name in FORMATS and sketch.formats >> FORMATS.index(name) & 1):
        return _NONE
    raise _Undecided  # a text that does not look like one may be one


def _not_negative(sketch: ValueSketch, bound: Any) -> _Failures:
    if sketch.integers + sketch.numbers and (bound > 0 or sketch.traits & Trait.NEGATIVE):
        raise _Undecided
    return _NONE


def _items_number(sketch: ValueSketch, bound: int, *, refuses_empty: bool) -> _Failures:
    if not sketch.arrays or (refuses_empty and bound == 0):
        return _NONE
    if sketch.place.depth >= MAX_DEPTH or (sketch.items is not None and sketch.items.count):
        raise _Undecided
    return _Failures(sketch.arrays) if refuses_empty else _NONE


def _items(sketch: ValueSketch, expected: Any) -> _Failures:
    if not sketch.arrays or expected is True:
        return _NONE
    if sketch.place.depth >= MAX_DEPTH:
        raise _Undecided
    failures = _failures(sketch.items, expected) if sketch.items is not None else _NONE
    return _Failures(1, False) if failures.number else _NONE


def _members(sketch: ValueSketch) -> ObjectSketch:
    if sketch.members is None or sketch.members.properties is None:
        raise _Undecided
    return sketch.members


def _property(members: ObjectSketch, name: str) -> ValueSketch | None:
    assert members.properties is not None
    if members.place.judgement.is_data_name(name):
        raise _Undecided
    return members.properties.get(name)


def _required(sketch: ValueSketch, names: Sequence[str]) -> _Failures:
    if not sketch.objects or not names:
        return _NONE
    members = _members(sketch)
    properties = [_property(members, name) for name in names]
    if len(names) > 1 and members.shapes is not None:
        wanted = frozenset(names)
        return _Failures(sum(seen.count for shape, seen in members.shapes.items() if not wanted <= shape))
    return _together(_Failures(sketch.objects - (item.count if item is not None else 0)) for item in properties)


def _properties(sketch: ValueSketch, expected: Mapping[str, Any]) -> _Failures:
    if not sketch.objects:
        return _NONE
    members = _members(sketch)
    below = ((_property(members, name), schema) for name, schema in expected.items())
    return _together(_failures(item, schema) for item, schema in below if item is not None)


_KEYWORDS: Mapping[str, Callable[[ValueSketch, Any], _Failures]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda sketch, value: _enum(sketch, [value]),
    "minLength": lambda sketch, bound: _texts(sketch, lambda text: len(text) >= bound),
    "maxLength": lambda sketch, bound: _texts(sketch, lambda text: len(text) <= bound),
    "pattern": lambda sketch, pattern: _texts(sketch, lambda text: matches(pattern, text)),
    "format": _format,
    "minimum": _not_negative,
    "minItems": lambda sketch, bound: _items_number(sketch, bound, refuses_empty=True),
    "maxItems": lambda sketch, bound: _items_number(sketch, bound, refuses_empty=False),
    "items": _items,
    "required": _required,
    "properties": _properties,
    "allOf": lambda sketch, schemas: _together(_failures(sketch, schema) for schema in schemas),
}
"""The keywords that a sketch may decide."""
