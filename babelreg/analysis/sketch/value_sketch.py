"""Sketch of the JSON values at one place of a message: types, counts and names.

A sketch is a commutative monoid: the same values give the same sketch in any order, and however they are split among
sketches that are merged. Counts add up, and each bound is one of a union, so that what exceeds it stays exceeded.

No value is kept, with one exception: texts that may be members of an enumeration. There are at most 24 of them at a
place, each is like an identifier, and no detector of personal data or secrets refuses it. The names of properties are
kept unless they are data, such as addresses or numbers: then the object is a map.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from babelreg.schema.dialects import DEFAULT

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = [
    "FORMATS",
    "MAX_MEMBERS",
    "Detectors",
    "ObjectSketch",
    "Shape",
    "Trait",
    "ValueSketch",
    "digest_of",
    "inferable",
    "is_digest",
]

MAX_MEMBERS = 24
"""Texts of one place that are kept. With more, none is."""

MAX_NAMES = 400
"""Names of properties of one object. With more, all of them are keys of a map."""

MAX_SHAPES = 64
"""Sets of property names that are told apart at one place."""

MAX_DEPTH = 40
"""Levels below which only types are counted: a file of the registry nests less deeply than JSON."""

_LONGEST_MEMBER = 40
_MEMBER = re.compile(r"[A-Za-z][A-Za-z0-9_.:+/-]*\Z")
_LONGEST_PERSONAL = 100
_SAFE_INTEGER = 2**53 - 1
_INT64 = 2**63

FORMATS = ("date-time", "date", "uuid", "email", "ipv4", "ipv6", "uri")
"""Formats in the order in which one is chosen; its index is that of its bit."""

_ALL_FORMATS = (1 << len(FORMATS)) - 1
_URI = 1 << FORMATS.index("uri")
# What looks like it: `a:b` is a URI by its grammar, rarely meant. The length excludes most texts at once.
_LOOKS_LIKE = {
    "date-time": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]"),
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z"),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}-"),
    "email": re.compile(r"[^@]+@"),
    "ipv4": re.compile(r"[0-9]{1,3}\."),
    "ipv6": re.compile(r"[0-9A-Fa-f:.]{2,45}\Z"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://"),
}


class Trait:
    """Bits that say what some values at a place are: they bound the numbers, and exclude a format."""

    NEGATIVE = 1
    UNSAFE = 2
    """An integer that a double does not hold."""
    BEYOND_INT64 = 4
    DECIMAL = 8
    """A number that no double returns."""
    FRACTION = 16
    """A number that is not whole: 1.0 is."""
    BELOW_SAFE = 32
    ABOVE_SAFE = 64
    """A number beyond the integers that a double holds."""
    NO_URI = 128
    """A text that is no URI, not even one that does not look like it."""


@dataclass(frozen=True, slots=True)
class Detectors:
    """Detection of what may not be kept.

    ``is_data_name`` tells whether the name of a property is data; one that has a format is, in any case.
    ``has_public_texts`` tells whether the names that lead to a text allow it to be published. ``may_keep`` takes such
    names and a value, and judges both. ``category_of`` returns the category of personal data that a text is, such as an
    e-mail address, and None for most texts.
    """

    is_data_name: Callable[[str], bool]
    has_public_texts: Callable[[tuple[str, ...]], bool]
    may_keep: Callable[[tuple[str, ...], Any], bool]
    category_of: Callable[[str], str | None]


def inferable(detectors: Detectors) -> ValueSketch:
    """Return an empty sketch."""
    return ValueSketch(_Place(_Judgement(detectors), ()))


class _Judgement:
    """The answers of detectors, of which the recent ones are kept."""

    def __init__(self, detectors: Detectors) -> None:
        self.detectors = detectors
        self.is_data_name = lru_cache(1 << 16)(self._is_data_name)
        self.is_member = lru_cache(1 << 12)(self._is_member)
        self.hides = lru_cache(1 << 14)(self._hides)

    def _is_data_name(self, name: str) -> bool:
        return self.detectors.is_data_name(name) or _formats_of(name, _ALL_FORMATS) != 0

    def _hides(self, name: str) -> tuple[bool, bool]:
        """Return whether texts of a property with this name are hidden, and whether all texts below it are."""
        public = self.detectors.has_public_texts
        return not public((name,)), not public((name, "x"))

    def _is_member(self, text: str) -> bool:
        return len(text) <= _LONGEST_MEMBER and _MEMBER.match(text) is not None and self.detectors.may_keep((), text)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of values: the names that lead to it. With ``hides`` no text may be kept of it or its items.

    With ``hides_below``, none may be kept of properties either.
    """

    judgement: _Judgement
    names: tuple[str, ...]
    depth: int = 0
    hides: bool = False
    hides_below: bool = False

    def below(self, name: str | None) -> _Place:
        if name is None:
            return _Place(self.judgement, self.names, self.depth + 1, self.hides, self.hides_below)
        own, below = self.judgement.hides(name)
        hidden = self.hides_below
        return _Place(self.judgement, (*self.names, name), self.depth + 1, hidden or own, hidden or below)


class ValueSketch:
    """Sketch of the values at one place.

    The counts are those of the JSON types. A number that is written with a fraction or an exponent counts as one that
    may have a fraction. ``texts`` are the texts with their counts, None where there were too many, or one that may not
    be kept. ``formats`` has a bit for each format that all texts have. ``personal`` counts texts by the category of
    personal data that they are.
    """

    __slots__ = (
        "arrays", "booleans", "formats", "integers", "items", "members", "nulls", "numbers", "objects", "personal",
        "place", "strings", "texts", "traits",
    )  # fmt: skip

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.nulls = self.booleans = self.integers = self.numbers = self.strings = self.arrays = self.objects = 0
        self.traits = 0
        self.formats = _ALL_FORMATS
        self.texts: dict[str, int] | None = None if place.hides else {}
        self.personal: dict[str, int] = {}
        self.items: ValueSketch | None = None
        self.members: ObjectSketch | None = None

    @property
    def count(self) -> int:
        """Number of values."""
        present = self.booleans + self.integers + self.numbers + self.strings + self.arrays + self.objects
        return self.nulls + present

    def add(self, value: Any, day: int = 0) -> None:
        """Add a value of a message that was sent on ``day``, counted from 1970-01-01."""
        kind = type(value)
        if kind is str:
            self._add_text(value)
        elif kind is dict:
            self.objects += 1
            if self.place.depth < MAX_DEPTH:
                if self.members is None:
                    self.members = ObjectSketch(self.place)
                self.members.add(value, day)
        elif value is None:
            self.nulls += 1
        elif kind is bool:
            self.booleans += 1
        elif kind is int:
            self.integers += 1
            if value < 0:
                self.traits |= Trait.NEGATIVE
            if not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
                self.traits |= Trait.BELOW_SAFE if value < 0 else Trait.ABOVE_SAFE
                self.traits |= Trait.UNSAFE if -_INT64 <= value < _INT64 else Trait.UNSAFE | Trait.BEYOND_INT64
        elif kind is list:
            self.arrays += 1
            if self.place.depth < MAX_DEPTH:
                if self.items is None:
                    self.items = ValueSketch(self.place.below(None))
                for item in value:
                    self.items.add(item, day)
        else:
            self.numbers += 1
            if value < 0:
                self.traits |= Trait.NEGATIVE
            if not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
                self.traits |= Trait.BELOW_SAFE if value < 0 else Trait.ABOVE_SAFE
            elif not self.traits & Trait.FRACTION and value != int(value):
                self.traits |= Trait.FRACTION
            if kind is Decimal:
                self.traits |= Trait.DECIMAL
                if value != value.to_integral_value():
                    self.traits |= Trait.FRACTION

    def _add_text(self, text: str) -> None:
        self.strings += 1
        if self.formats:
            self.formats = _formats_of(text, self.formats)
        if not (self.formats & _URI or self.traits & Trait.NO_URI or _is_valid(text, "uri")):
            self.traits |= Trait.NO_URI
        texts = self.texts
        if texts is not None:
            if text in texts:
                texts[text] += 1
            elif len(texts) < MAX_MEMBERS and self.place.judgement.is_member(text):
                texts[text] = 1
            else:
                self.texts = None
        if len(text) <= _LONGEST_PERSONAL and _may_be_personal(text):
            category = self.place.judgement.detectors.category_of(text)
            if category is not None:
                self.personal[category] = self.personal.get(category, 0) + 1

    def merge(self, other: ValueSketch) -> None:
        """Add the values of ``other``, which is not to be used any more."""
        for counted in ("nulls", "booleans", "integers", "numbers", "strings", "arrays", "objects"):
            setattr(self, counted, getattr(self, counted) + getattr(other, counted))
        self.traits |= other.traits
        self.formats &= other.formats
        for category, count in other.personal.items():
            self.personal[category] = self.personal.get(category, 0) + count
        if self.texts is not None and other.texts is not None:
            names = _named(self.texts, other.texts)
            if names:
                self.texts = {names.get(text, text): count for text, count in self.texts.items()}
            for text, count in other.texts.items():
                text = names.get(text, text)
                self.texts[text] = self.texts.get(text, 0) + count
            if len(self.texts) > MAX_MEMBERS:
                self.texts = None
        else:
            self.texts = None
        if other.items is not None:
            if self.items is None:
                self.items = ValueSketch(self.place.below(None))
            self.items.merge(other.items)
        if other.members is not None:
            if self.members is None:
                self.members = ObjectSketch(self.place)
            self.members.merge(other.members)

    def hide_texts(self) -> None:
        """Forget all texts, here and below, and keep none of later values."""
        self.texts = None
        self.place = replace(self.place, hides=True, hides_below=True)
        if self.items is not None:
            self.items.hide_texts()
        if self.members is not None:
            self.members.hide_texts(self.place)


class Shape:
    """Objects that have the same names: their count, and the first and the last day on which they were sent."""

    __slots__ = ("count", "first", "last")

    def __init__(self, count: int, first: int, last: int) -> None:
        self.count = count
        self.first = first
        self.last = last

    def add(self, count: int, first: int, last: int) -> None:
        """Add ``count`` objects that were sent from ``first`` to ``last``."""
        self.count += count
        self.first = min(self.first, first)
        self.last = max(self.last, last)


class ObjectSketch:
    """Sketch of objects at one place.

    ``properties`` are the sketches of the properties by name, None where there were too many names. ``values`` is that
    of all values whose names are data. ``shapes`` are the sets of names, None where there were too many; names that are
    data are not in them. ``texts`` has, for each property all of whose texts are kept, the shapes of the objects by
    text.
    """

    __slots__ = ("place", "properties", "shapes", "texts", "values")

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.properties: dict[str, ValueSketch] | None = {}
        self.values: ValueSketch | None = None
        self.shapes: dict[frozenset[str], Shape] | None = {}
        self.texts: dict[str, dict[str, dict[frozenset[str], int]]] = {}

    def add(self, value: dict[str, Any], day: int) -> None:
        """Add an object that was sent on ``day``."""
        properties = self.properties
        if properties is None:
            self._add_values(value.values(), day)
            return
        is_data_name = self.place.judgement.is_data_name
        data = False
        for name, item in value.items():
            sketch = properties.get(name)
            if sketch is None:
                if is_data_name(name):
                    data = True
                    self._add_values((item,), day)
                    continue
                sketch = properties[name] = ValueSketch(self.place.below(name))
            sketch.add(item, day)
        if self.shapes is not None:
            shape = frozenset(name for name in value if name in properties) if data else frozenset(value)
            self._add_shape(shape, 1, day, day)
            if self.shapes is not None:
                self._add_texts(value, shape)
        if len(properties) > MAX_NAMES:
            self.become_map()

    def _add_values(self, values: Iterable[Any], day: int) -> None:
        if self.values is None:
            self.values = ValueSketch(self.place.below(None))
        for value in values:
            self.values.add(value, day)

    def _add_shape(self, shape: frozenset[str], count: int, first: int, last: int) -> None:
        assert self.shapes is not None
        known = self.shapes.get(shape)
        if known is not None:
            known.add(count, first, last)
        elif len(self.shapes) < MAX_SHAPES:
            self.shapes[shape] = Shape(count, first, last)
        else:
            self.shapes = None
            self.texts = {}

    def _add_texts(self, value: dict[str, Any], shape: frozenset[str]) -> None:
        properties = self.properties
        assert properties is not None
        for name, item in value.items():
            if type(item) is str and (sketch := properties.get(name)) is not None:
                if sketch.texts is not None:
                    by_shape = self.texts.setdefault(name, {}).setdefault(item, {})
                    by_shape[shape] = by_shape.get(shape, 0) + 1
                elif name in self.texts:
                    del self.texts[name]

    def merge(self, other: ObjectSketch) -> None:
        """Add the objects of ``other``, which is not to be used any more."""
        if other.values is not None:
            if self.values is None:
                self.values = ValueSketch(self.place.below(None))
            self.values.merge(other.values)
        if self.properties is None or other.properties is None:
            self.become_map(*(other.properties or {}).values())
            return
        for name, sketch in other.properties.items():
            if name not in self.properties:
                self.properties[name] = ValueSketch(self.place.below(name))
            self.properties[name].merge(sketch)
        for shape, seen in (other.shapes or {}).items():
            if self.shapes is not None:
                self._add_shape(shape, seen.count, seen.first, seen.last)
        if self.shapes is None or other.shapes is None:
            self.shapes, self.texts = None, {}
        else:
            self._merge_texts(other)
        if len(self.properties) > MAX_NAMES:
            self.become_map()

    def _merge_texts(self, other: ObjectSketch) -> None:
        assert self.properties is not None
        for name, by_text in other.texts.items():
            known = self.texts.setdefault(name, {})
            names = _named(known, by_text)
            if names:
                known = self.texts[name] = {names.get(text, text): shapes for text, shapes in known.items()}
            for text, shapes in by_text.items():
                mine = known.setdefault(names.get(text, text), {})
                for shape, count in shapes.items():
                    mine[shape] = mine.get(shape, 0) + count
        for name in [name for name in self.texts if self.properties[name].texts is None]:
            del self.texts[name]

    def become_map(self, *sketches: ValueSketch) -> None:
        """Make all properties, and ``sketches``, values of a map.

        Below it no text is kept, since it depends on the names on the way, which are lost.
        """
        properties, self.properties, self.shapes, self.texts = self.properties or {}, None, None, {}
        if self.values is None:
            self.values = ValueSketch(self.place.below(None))
        for sketch in (*properties.values(), *sketches):
            self.values.merge(sketch)
        self.values.hide_texts()

    def hide_texts(self, place: _Place) -> None:
        """Forget all texts below, and keep none of later values."""
        self.place = place
        self.texts = {}
        for sketch in (*(self.properties or {}).values(), *((self.values,) if self.values else ())):
            sketch.hide_texts()


def _may_be_personal(text: str) -> bool:
    """Return False for most texts that no detector finds: it takes longer than these tests."""
    return "@" in text or (len(text) > 11 and (text[0].isdigit() or text[2:4].isdigit()))


def digest_of(text: str) -> str:
    """Return what a file has in place of a text that was seen too rarely."""
    return "#" + blake2b(text.encode(), digest_size=8).hexdigest()


def is_digest(text: str) -> bool:
    """Return True for a digest. A text that may be kept begins with a letter."""
    return text.startswith("#")


def _named(some: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Return the texts by the digests that the other side has for them."""
    digests = {text for text in (*some, *others) if is_digest(text)}
    if not digests:
        return {}
    known = {digest_of(text): text for text in (*some, *others) if not is_digest(text)}
    return {digest: known[digest] for digest in digests if digest in known}


def _formats_of(text: str, among: int) -> int:
    """Return the bits of ``among`` whose formats ``text`` has, by the validator of messages."""
    bits = 0
    for index, name in enumerate(FORMATS):
        if among & (1 << index) and _LOOKS_LIKE[name].match(text) and _is_valid(text, name):
            bits |= 1 << index
    return bits


def _is_valid(text: str, name: str) -> bool:
    try:
        return _validator(name).is_valid(text)
    except ValueError:  # half a surrogate pair
        return False


@lru_cache(len(FORMATS))
def _validator(name: str) -> Validator:
    return DEFAULT.validator_for({"type": "string", "format": name})
