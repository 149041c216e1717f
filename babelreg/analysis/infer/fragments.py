"""Shared fragments: objects of about the same properties at several places, in one message or in many.

The places of objects are grouped by the names and types of their properties. The sketches of a group are merged, so
that the evidence of all its places adds up: a property that each place had too rarely may be required in the fragment.

Objects of two or three properties, such as an amount and its currency, tell little by their names: those of one group
have the very same ones of the same types, and either the same name themselves or the same members of an enumeration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from babelreg.analysis.infer.maps import is_map
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch

_LEAST_PLACES = 3
_LEAST_NAMES = 2
_FEW_NAMES = 3
_LEAST_SHARED_TEXTS = 2
_LEAST_SIMILARITY = 0.75
_PLURALS = ((re.compile(r"ies\Z"), "y"), (re.compile(r"(?<=ss)es\Z|(?<![su])s\Z"), ""))
_SEPARATOR = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class ObjectPlace:
    """A place of objects: the name of the message, the names that lead there, and the sketch of its values."""

    message: str
    names: tuple[str, ...]
    sketch: ValueSketch
    members: ObjectSketch


@dataclass
class SharedFragment:
    """A group of places whose objects are of one kind. ``sketch`` is that of all their values."""

    places: list[ObjectPlace]
    sketch: ValueSketch
    name: str = ""


@dataclass
class Fragments:
    """The shared fragments of recorded messages, by name."""

    by_name: Mapping[str, SharedFragment] = field(default_factory=dict)
    _by_members: dict[int, SharedFragment] = field(default_factory=dict)

    def of(self, members: ObjectSketch) -> SharedFragment | None:
        """Return the fragment of the objects of a sketch, which is one of the messages or in a fragment."""
        return self._by_members.get(id(members))


def find_fragments(messages: Mapping[str, ValueSketch], taken: Sequence[str] = ()) -> Fragments:
    """Return the fragments of ``messages``, sketches of data by name. No fragment has a name of ``taken``.

    The result holds for these very sketches, to which nothing may be added afterwards.
    """
    places = [place for name, sketch in sorted(messages.items()) for place in _places(name, sketch)]
    groups = [group for group in _groups(places) if len(group) >= _LEAST_PLACES]
    found = [_merged(group) for group in groups]
    by_members = {id(place.members): fragment for fragment in found for place in fragment.places}
    for fragment in found:
        _map_merged(fragment.sketch, [place.sketch for place in fragment.places], by_members)
    _name(found, taken)
    return Fragments({fragment.name: fragment for fragment in sorted(found, key=lambda each: each.name)}, by_members)


def _places(message: str, data: ValueSketch) -> Iterator[ObjectPlace]:
    """Yield the places of objects below the root of a message that have enough properties to be told apart."""
    waiting: list[tuple[tuple[str, ...], ValueSketch]] = [((), data)]
    while waiting:
        names, sketch = waiting.pop()
        members = sketch.members
        if sketch.items is not None:
            waiting.append(((*names, "[]"), sketch.items))
        if members is None:
            continue
        if members.values is not None:
            waiting.append(((*names, "*"), members.values))
        waiting += [((*names, name), item) for name, item in (members.properties or {}).items()]
        if names and len(members.properties or ()) >= _LEAST_NAMES and not is_map(sketch, members):
            yield ObjectPlace(message, names, sketch, members)


def _groups(places: Sequence[ObjectPlace]) -> list[list[ObjectPlace]]:
    """Return the places in groups whose first member has about the properties of all others."""
    ordered = sorted(places, key=lambda place: (-len(place.members.properties or ()), place.message, place.names))
    groups: list[list[ObjectPlace]] = []
    by_name: dict[str, list[int]] = {}
    for place in ordered:
        properties = place.members.properties or {}
        common = Counter(number for name in properties for number in by_name.get(name, ()))
        candidates = sorted(common, key=lambda number: (-_similarity(groups[number][0], place, common[number]), number))
        chosen = next((number for number in candidates if _belongs(place, groups[number], common[number])), None)
        if chosen is not None:
            groups[chosen].append(place)
            continue
        for name in properties:
            by_name.setdefault(name, []).append(len(groups))
        groups.append([place])
    return groups


def _similarity(first: ObjectPlace, other: ObjectPlace, common: int) -> float:
    """Return the share of names that two places have in common, of those that either has."""
    return common / (len(first.members.properties or ()) + len(other.members.properties or ()) - common)


def _belongs(place: ObjectPlace, group: Sequence[ObjectPlace], common: int) -> bool:
    first = group[0]
    if _similarity(first, place, common) < _LEAST_SIMILARITY:
        return False
    mine, theirs = place.members.properties or {}, first.members.properties or {}
    if any(not _compatible(item, theirs[name]) for name, item in mine.items() if name in theirs):
        return False
    if len(mine) <= _FEW_NAMES and not _alike(place, first):
        return False
    # An object within one of the same group would make the fragment refer to itself.
    return not any(other.message == place.message and _is_within(place.names, other.names) for other in group)


def _alike(some: ObjectPlace, other: ObjectPlace) -> bool:
    """Return True for objects of few properties that are of one kind all the same."""
    mine, theirs = some.members.properties or {}, other.members.properties or {}
    if mine.keys() != theirs.keys() or any(_types(item) != _types(theirs[name]) for name, item in mine.items()):
        return False
    return _name_of(some) == _name_of(other) or any(_share_texts(item, theirs[name]) for name, item in mine.items())


def _share_texts(some: ValueSketch, other: ValueSketch) -> bool:
    """Return True for texts that are members of the same enumeration."""
    common = (some.texts or {}).keys() & (other.texts or {}).keys()
    return len(common) >= _LEAST_SHARED_TEXTS and 2 * len(common) >= max(len(some.texts or ()), len(other.texts or ()))


def _is_within(some: tuple[str, ...], other: tuple[str, ...]) -> bool:
    length = min(len(some), len(other))
    return some[:length] == other[:length]


def _compatible(some: ValueSketch, other: ValueSketch) -> bool:
    mine, theirs = _types(some), _types(other)
    return not mine or not theirs or bool(mine & theirs)


def _types(sketch: ValueSketch) -> set[str]:
    counts = {
        "object": sketch.objects,
        "array": sketch.arrays,
        "string": sketch.strings,
        "number": sketch.integers + sketch.numbers,
        "boolean": sketch.booleans,
    }
    return {name for name, count in counts.items() if count}


def _merged(group: Sequence[ObjectPlace]) -> SharedFragment:
    merged = ValueSketch(group[0].sketch.place)
    for place in group:
        merged.merge(place.sketch)
    return SharedFragment(list(group), merged)


def _map_merged(merged: ValueSketch, parts: Sequence[ValueSketch], by_members: dict[int, SharedFragment]) -> None:
    """Let what is in a merged sketch belong to the fragments to which the same places of all its parts belong."""
    below: list[tuple[ValueSketch | None, list[ValueSketch | None]]] = [(merged.items, [part.items for part in parts])]
    if merged.members is not None:
        members = [part.members for part in parts if part.members is not None]
        below.append((merged.members.values, [each.values for each in members]))
        for name, named in (merged.members.properties or {}).items():
            below.append((named, [(each.properties or {}).get(name) for each in members]))
    for item, candidates in below:
        present = [part for part in candidates if part is not None]
        if item is None or not present:
            continue
        if item.members is not None:
            objects = [part.members for part in present if part.members is not None]
            fragments = [by_members.get(id(each)) for each in objects]
            if fragments and fragments[0] is not None and all(each is fragments[0] for each in fragments):
                by_members[id(item.members)] = fragments[0]
                continue
        _map_merged(item, present, by_members)


def _name(fragments: Sequence[SharedFragment], taken: Sequence[str]) -> None:
    """Name each fragment for the property that most often has it; the one at most places first."""
    used = {_folded(name) for name in taken}
    for fragment in sorted(
        fragments, key=lambda each: (-len(each.places), each.places[0].message, each.places[0].names)
    ):
        names = Counter(filter(None, (_name_of(place) for place in fragment.places)))
        wanted = [name for name, _ in sorted(names.items(), key=lambda item: (-item[1], item[0]))] or ["shared"]
        name = next((name for name in wanted if _folded(name) not in used), None)
        number = 2
        while name is None:
            numbered = f"{wanted[0]}-{number}"
            name = None if _folded(numbered) in used else numbered
            number += 1
        used.add(_folded(name))
        fragment.name = name


def _name_of(place: ObjectPlace) -> str:
    """Return the name of an object as words with hyphens: that of its property, the singular of a list's."""
    names = [name for name in place.names if name not in ("[]", "*")]
    if not names:
        return ""
    words = "-".join(word.lower() for word in _SEPARATOR.split(names[-1]) if word)[:60].strip("-")
    return _singular(words) if place.names[-1] in ("[]", "*") else words


def _singular(word: str) -> str:
    for plural, ending in _PLURALS:
        if plural.search(word):
            return plural.sub(ending, word)
    return word


def _folded(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())
