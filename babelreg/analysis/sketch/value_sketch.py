"""Sketch of the JSON values at one place of a message: types, counts and names.

A sketch is a commutative monoid: the same values give the same sketch in any order, and however they are split among
sketches that are merged. Counts add up, and each bound is one of a union, so that what exceeds it stays exceeded.

No value is kept, with one exception: texts that may be members of an enumeration. There are at most 24 of them at a
place, each is like an identifier, and no detector of personal data or secrets refuses it. The names of properties are
kept unless they are data, such as addresses or numbers: then the object is a map.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from babelreg.analysis.sketch.name_set import NameSet
from babelreg.analysis.sketch.text_detection import (
    ALL_FORMATS,
    FORMATS,
    LEAST_PERSONAL,
    Detectors,
    SketchPlace,
    formats_of,
    is_valid,
    may_be_personal,
    named,
)
from babelreg.analysis.sketch.trait import Trait

MAX_MEMBERS = 24
"""Texts of one place that are kept. With more, none is."""

MAX_NAMES = 400
"""Names of properties of one object. With more, all of them are keys of a map."""

MAX_SHAPES = 64
"""Sets of property names that are told apart at one place."""

MAX_DEPTH = 40
"""Levels below which only types are counted: a file of the registry nests less deeply than JSON."""

_SAFE_INTEGER = 2**53 - 1
_INT64 = 2**63

_URI = 1 << FORMATS.index("uri")


def inferable(detectors: Detectors) -> ValueSketch:
    """Return an empty sketch."""
    return ValueSketch(SketchPlace.root(detectors))


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

    def __init__(self, place: SketchPlace) -> None:
        self.place = place
        self.nulls = self.booleans = self.integers = self.numbers = self.strings = self.arrays = self.objects = 0
        self.traits = 0
        self.formats = ALL_FORMATS
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
        texts = self.texts
        if texts is not None and text in texts:  # its formats are known, and nearly all such texts are short
            texts[text] += 1
            if len(text) > LEAST_PERSONAL:
                self._add_personal(text)
            return
        if self.formats:
            self.formats = formats_of(text, self.formats)
        if not (self.formats & _URI or self.traits & Trait.NO_URI or is_valid(text, "uri")):
            self.traits |= Trait.NO_URI
        if texts is not None:
            if len(texts) < MAX_MEMBERS and self.place.judgement.is_member(text):
                texts[text] = 1
            else:
                self.texts = None
        self._add_personal(text)

    def _add_personal(self, text: str) -> None:
        if may_be_personal(text):
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
            names = named(self.texts, other.texts)
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


class ObjectSketch:
    """Sketch of objects at one place.

    ``properties`` are the sketches of the properties by name, None where there were too many names. ``values`` is that
    of all values whose names are data. ``shapes`` are the sets of names, None where there were too many; names that are
    data are not in them. ``texts`` has, for each property all of whose texts are kept, the shapes of the objects by
    text.
    """

    __slots__ = ("_with_texts", "place", "properties", "shapes", "texts", "values")

    def __init__(self, place: SketchPlace) -> None:
        self.place = place
        self.properties: dict[str, ValueSketch] | None = {}
        self.values: ValueSketch | None = None
        self.shapes: dict[frozenset[str], NameSet] | None = {}
        self.texts: dict[str, dict[str, dict[frozenset[str], int]]] = {}
        self._with_texts: list[str] | None = None
        """The properties of which texts are kept; None after another change than that of an object."""

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
                self._with_texts = None
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
            self.shapes[shape] = NameSet(count, first, last)
        else:
            self.shapes = None
            self.texts = {}

    def _add_texts(self, value: dict[str, Any], shape: frozenset[str]) -> None:
        properties = self.properties
        assert properties is not None
        names = self._with_texts
        if names is None:
            names = self._with_texts = [name for name, sketch in properties.items() if sketch.texts is not None]
        for name in names:
            item = value.get(name)
            if type(item) is not str:
                continue
            if properties[name].texts is not None:
                by_text = self.texts.get(name)
                if by_text is None:
                    by_text = self.texts[name] = {}
                by_shape = by_text.get(item)
                if by_shape is None:
                    by_text[item] = {shape: 1}
                else:
                    by_shape[shape] = by_shape.get(shape, 0) + 1
            else:
                self.texts.pop(name, None)
                self._with_texts = None

    def merge(self, other: ObjectSketch) -> None:
        """Add the objects of ``other``, which is not to be used any more."""
        self._with_texts = None
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
            names = named(known, by_text)
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
        self._with_texts = None
        if self.values is None:
            self.values = ValueSketch(self.place.below(None))
        for sketch in (*properties.values(), *sketches):
            self.values.merge(sketch)
        self.values.hide_texts()

    def hide_texts(self, place: SketchPlace) -> None:
        """Forget all texts below, and keep none of later values."""
        self.place = place
        self.texts = {}
        self._with_texts = None
        for sketch in (*(self.properties or {}).values(), *((self.values,) if self.values else ())):
            sketch.hide_texts()
