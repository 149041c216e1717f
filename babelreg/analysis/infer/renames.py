"""Properties that took the place of others: never together, one after the other in time, and alike in type."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from babelreg.analysis.sketch.name_set import NameSet
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch

_LEAST_OBJECTS = 3
_EPOCH = date(1970, 1, 1)


class Rename(NamedTuple):
    """A property that was no longer sent from about the day on which another one, of the same types, was first sent."""

    path: str
    old: str
    new: str
    day: date

    def __str__(self) -> str:
        return f"{self.path}{self.old} became {self.path}{self.new} on {self.day.isoformat()}"


def renames(data: ValueSketch) -> Iterator[Rename]:
    """Yield the likely renames in the objects of ``data`` and below."""
    waiting = [("", data)]
    while waiting:
        path, sketch = waiting.pop()
        if sketch.items is not None:
            waiting.append((f"{path.removesuffix('.')}[].", sketch.items))
        members = sketch.members
        if members is None or members.properties is None:
            continue
        waiting += [(f"{path}{name}.", item) for name, item in sorted(members.properties.items(), reverse=True)]
        yield from _renamed(path, sketch, members)


def _renamed(path: str, sketch: ValueSketch, members: ObjectSketch) -> Iterator[Rename]:
    properties = members.properties or {}
    optional = sorted(name for name, item in properties.items() if _LEAST_OBJECTS <= item.count < sketch.objects)
    spans = {name: _span(name, members) for name in optional}
    for old in optional:
        for new in optional:
            before, after = spans[old], spans[new]
            if (
                old != new
                and before is not None
                and after is not None
                and before.last <= after.first
                and before.first < after.last
                and _types(properties[old]) == _types(properties[new])
                and _similar(old, new)
                and not any(old in shape and new in shape for shape in members.shapes or ())
                and properties[old].count + properties[new].count == sketch.objects
            ):
                yield Rename(path, old, new, _EPOCH + timedelta(days=after.first))


def _span(name: str, members: ObjectSketch) -> NameSet | None:
    """Return the count of the objects that have a property, with their first and last day; None without any."""
    span: NameSet | None = None
    for shape, seen in (members.shapes or {}).items():
        if name in shape and span is None:
            span = NameSet(seen.count, seen.first, seen.last)
        elif name in shape and span is not None:
            span.add(seen.count, seen.first, seen.last)
    return span


def _similar(old: str, new: str) -> bool:
    """Return True for names that share their letters but for case and separators, or a word."""
    return _words(old) == _words(new) or bool(set(_words(old)) & set(_words(new)))


def _words(name: str) -> tuple[str, ...]:
    words, word = [], ""
    for before, letter in zip(" " + name, name, strict=False):
        if not letter.isalnum() or (letter.isupper() and before.islower()):
            words.append(word)
            word = ""
        word += letter.lower() if letter.isalnum() else ""
    return tuple(each for each in (*words, word) if each)


def _types(sketch: ValueSketch) -> tuple[bool, ...]:
    numbers = sketch.integers + sketch.numbers
    return tuple(map(bool, (sketch.objects, sketch.arrays, sketch.strings, numbers, sketch.booleans)))
