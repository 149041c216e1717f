"""Places where the schemas of declared messages are written, each with the sketches of the values that reach it.

Values are followed through properties, items, maps, ``allOf``, references, and through the branches of an ``anyOf``
whose types tell which one a value belongs to. A shared fragment is one place for all messages that refer to it. What is
also used below ``not``, ``if``, ``oneOf`` or ``contains`` is left out: there, a wider schema may refuse more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from babelreg.analysis.sketch.value_sketch import Trait, ValueSketch
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import DEFAULT, identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import subschemas
from babelreg.schema.types import KINDS, declared_kinds, kind_of

__all__ = ["WrittenPlace", "WrittenPlaces", "of_kinds", "seen_kinds"]

_NOT_MONOTONE = frozenset({"not", "if", "oneOf", "contains"})
_BESIDE = frozenset({"allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"})
_OTHER_NAMES = ("additionalProperties", "unevaluatedProperties")


@dataclass
class WrittenPlace:
    """A subschema at ``pointer`` of the file ``path``, in the bundled spelling, and what reaches it.

    ``names`` lead to the values in the data, ``urns`` are their messages. ``referred`` are the kinds of values that its
    ``$ref`` accepts, ``branches`` those that its ``anyOf`` does. ``sketches`` are those of its values, ``undeclared``
    those of properties that it could declare, seen in so many ``objects``. ``is_tag``: a text also chooses the branch
    of a union around it.
    """

    path: str
    pointer: Pointer
    schema: dict[str, Any]
    names: Pointer
    referred: frozenset[str] | None = None
    branches: frozenset[str] | None = None
    sketches: list[ValueSketch] = field(default_factory=list)
    undeclared: dict[str, list[ValueSketch]] = field(default_factory=dict)
    objects: int = 0
    is_tag: bool = False
    urns: set[str] = field(default_factory=set)

    @property
    def values(self) -> ValueSketch:
        """The sketch of all values."""
        return _merged(self.sketches)

    def properties(self) -> Iterator[tuple[str, ValueSketch]]:
        """Yield name and sketch of each property that could be declared."""
        for name, sketches in sorted(self.undeclared.items()):
            yield name, _merged(sketches)


class WrittenPlaces:
    """The places of messages that are added one by one."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, Pointer], WrittenPlace] = {}
        self._frozen: set[tuple[str, Pointer]] = set()

    def add(self, message: Message, sketch: ValueSketch, *, strict: bool) -> None:
        """Add the values of ``message``, whose readers refuse undeclared properties where they are ``strict``."""
        _Walk(message, self._places, strict).visit((), sketch, ("data",))

    def freeze(self, messages: Iterable[Message]) -> None:
        """Leave out all places that one of ``messages`` uses where a wider schema may refuse more."""
        for message in messages:
            if message.schema is not None:
                self._frozen |= {_located(message, pointer) for pointer in _not_monotone(message.schema)}

    def __iter__(self) -> Iterator[WrittenPlace]:
        return (place for at, place in sorted(self._places.items(), key=_order) if at not in self._frozen)


def _order(item: tuple[tuple[str, Pointer], WrittenPlace]) -> tuple[str, tuple[str, ...]]:
    (path, pointer), _ = item
    return path, tuple(map(str, pointer))


def _located(message: Message, pointer: Pointer) -> tuple[str, Pointer]:
    source, at = message.located(pointer)
    return source.path, at


class _Walk:
    """The walk of one message's bundled schema along a sketch."""

    def __init__(self, message: Message, places: dict[tuple[str, Pointer], WrittenPlace], strict: bool) -> None:
        self._message = message
        self._root = message.schema
        self._places = places
        self._strict = strict
        self._dialect = identify(message.schema)

    def visit(
        self, pointer: Pointer, sketch: ValueSketch, names: Pointer, *, within: bool = False, is_tag: bool = False
    ) -> None:
        """Follow the values of ``sketch`` from the subschema at ``pointer``.

        ``within``: another subschema around it applies to the same values, and declares properties for both.
        """
        schema = pointers.find(self._root, pointer)
        if not isinstance(schema, dict) or not sketch.count:
            return
        place = self._place(pointer, schema, names)
        place.sketches.append(sketch)
        place.is_tag |= is_tag
        if self._dialect.only_refers(schema):
            self._refer(pointer, place, sketch, names, within=within)
            return
        if "$ref" in schema:
            is_alone = not ({"properties", "patternProperties", *_OTHER_NAMES} | _BESIDE) & schema.keys()
            self._refer(pointer, place, sketch, names, within=within or not is_alone)
            within = within or is_alone  # what is referred to declares properties
        for index in range(len(schema.get("allOf", ()))):
            self.visit((*pointer, "allOf", index), sketch, names, within=True)
        self._visit_branches(pointer, place, sketch, names, within=within)
        if sketch.items is not None and isinstance(schema.get("items"), dict) and "prefixItems" not in schema:
            self.visit((*pointer, "items"), sketch.items, (*names, "[]"))
        if sketch.members is not None and sketch.members.properties is not None:
            self._visit_members(pointer, place, sketch, names, within=within)
        elif sketch.members is not None and not {"properties", "patternProperties"} & schema.keys():
            self._visit_map(pointer, schema, sketch, names)

    def _place(self, pointer: Pointer, schema: dict[str, Any], names: Pointer) -> WrittenPlace:
        at = _located(self._message, pointer)
        place = self._places.setdefault(at, WrittenPlace(*at, schema, names))
        place.urns.add(self._message.urn)
        return place

    def _refer(
        self, pointer: Pointer, place: WrittenPlace, sketch: ValueSketch, names: Pointer, *, within: bool
    ) -> None:
        target = self._target(place.schema["$ref"])
        place.referred = self._kinds(target)
        self.visit(target, of_kinds(sketch, place.referred), names, within=within)

    def _target(self, reference: str) -> Pointer:
        value, steps = self._root, []
        for step in pointers.parse(pointers.unquoted(reference[1:])):
            found = int(step) if isinstance(value, list) else step
            steps.append(found)
            value = pointers.find(value, (found,))
        return tuple(steps)

    def _visit_branches(
        self, pointer: Pointer, place: WrittenPlace, sketch: ValueSketch, names: Pointer, *, within: bool
    ) -> None:
        schema = place.schema
        branches = schema.get("anyOf")
        if not isinstance(branches, list):
            return
        kinds = [self._kinds((*pointer, "anyOf", index)) for index in range(len(branches))]
        if sum(map(len, kinds)) != len(frozenset().union(*kinds)):
            return  # the type of a value does not tell its branch
        place.branches = frozenset().union(*kinds)
        within = within or not schema.keys().isdisjoint(("properties", "$ref", "allOf", "oneOf"))
        for index, own in enumerate(kinds):
            self.visit((*pointer, "anyOf", index), of_kinds(sketch, own), names, within=within)

    def _visit_members(
        self, pointer: Pointer, place: WrittenPlace, sketch: ValueSketch, names: Pointer, *, within: bool
    ) -> None:
        schema, members = place.schema, sketch.members
        assert members is not None
        assert members.properties is not None
        declared = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        rest = schema.get("additionalProperties")
        tags = set(_tags(schema))
        group = _Group(self, pointer)
        can_declare = not within and group.lists and not group.is_open and ("properties" in schema or "allOf" in schema)
        if self._strict:
            can_declare = can_declare and any(schema.get(word) is False for word in _OTHER_NAMES)
        if can_declare:
            place.objects += sketch.objects
        for name, item in members.properties.items():
            matching = [pattern for pattern in patterns if _matches(pattern, name)]
            for pattern in matching:
                self.visit((*pointer, "patternProperties", pattern), item, (*names, name))
            if name in declared:
                self.visit((*pointer, "properties", name), item, (*names, name), is_tag=name in tags)
            elif not matching and isinstance(rest, dict):
                self.visit((*pointer, "additionalProperties"), item, (*names, "*"))
            elif not matching and can_declare and not group.declares(name):
                place.undeclared.setdefault(name, []).append(item)
        # Names that are data are not known: where one is declared all the same, values may be those of that property.
        is_data_name = members.place.judgement.is_data_name
        are_others = not patterns and not any(map(is_data_name, declared))
        if members.values is not None and isinstance(rest, dict) and are_others:
            self.visit((*pointer, "additionalProperties"), members.values, (*names, "*"))

    def _visit_map(self, pointer: Pointer, schema: dict[str, Any], sketch: ValueSketch, names: Pointer) -> None:
        assert sketch.members is not None
        if sketch.members.values is not None and isinstance(schema.get("additionalProperties"), dict):
            self.visit((*pointer, "additionalProperties"), sketch.members.values, (*names, "*"))

    def _kinds(self, pointer: Pointer) -> frozenset[str]:
        """Return the kinds of values that the subschema at ``pointer`` may accept, judged by its types alone."""
        schema = pointers.find(self._root, pointer)
        if not isinstance(schema, dict):
            return KINDS if schema is True else frozenset()
        if self._dialect.only_refers(schema):
            return self._kinds(self._target(schema["$ref"]))
        kinds = declared_kinds(schema)
        if "enum" in schema:
            kinds &= frozenset(map(kind_of, schema["enum"]))
        if "const" in schema:
            kinds &= {kind_of(schema["const"])}
        if "$ref" in schema:
            kinds &= self._kinds(self._target(schema["$ref"]))
        for index in range(len(schema.get("allOf", ()))):
            kinds &= self._kinds((*pointer, "allOf", index))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                branches = [self._kinds((*pointer, word, index)) for index in range(len(schema[word]))]
                kinds &= frozenset().union(*branches)
        return kinds

    def beside(self, pointer: Pointer) -> Iterator[dict[str, Any]]:
        """Yield the subschema at ``pointer`` and all that apply to the same values."""
        schema = pointers.find(self._root, pointer)
        if not isinstance(schema, dict):
            return
        yield schema
        if "$ref" in schema:
            yield from self.beside(self._target(schema["$ref"]))
            if self._dialect.only_refers(schema):
                return
        for step, _ in subschemas(schema):
            if step[0] in _BESIDE:
                yield from self.beside((*pointer, *step))


class _Group:
    """All subschemas that apply to the same objects: whether they list properties, and take others."""

    def __init__(self, walk: _Walk, pointer: Pointer) -> None:
        schemas = list(walk.beside(pointer))
        self.lists = any("properties" in schema for schema in schemas)
        self.is_open = any(schema.get(word, False) is not False for schema in schemas for word in _OTHER_NAMES)
        self._names = {name for schema in schemas for name in schema.get("properties", {})}
        self._patterns = {pattern for schema in schemas for pattern in schema.get("patternProperties", {})}

    def declares(self, name: str) -> bool:
        return name in self._names or any(_matches(pattern, name) for pattern in self._patterns)


def _tags(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the properties by whose value the branches of a union are told apart."""
    for word in ("oneOf", "anyOf"):
        for branch in schema.get(word, ()):
            for name, item in (branch.get("properties", {}) if isinstance(branch, dict) else {}).items():
                if isinstance(item, dict) and {"const", "enum"} & item.keys():
                    yield name


def _not_monotone(root: Any) -> set[Pointer]:
    """Return the pointers to all subschemas of ``root`` that are used where a wider schema may refuse more."""
    found: set[Pointer] = set()
    waiting: list[tuple[Pointer, Any, bool]] = [((), root, False)]
    seen: set[tuple[Pointer, bool]] = set()
    while waiting:
        pointer, schema, inverted = waiting.pop()
        if not isinstance(schema, dict) or (pointer, inverted) in seen:
            continue
        seen.add((pointer, inverted))
        if inverted:
            found.add(pointer)
            reference = schema.get("$ref")
            if isinstance(reference, str):
                target = pointers.parse(pointers.unquoted(reference[1:]))
                waiting.append((target, pointers.find(root, target), True))
        for step, below in subschemas(schema):
            if step[0] not in ("$defs", "definitions"):
                waiting.append(((*pointer, *step), below, inverted or step[0] in _NOT_MONOTONE))
            elif not inverted:
                waiting.append(((*pointer, *step), below, False))
    return found


@lru_cache(256)
def _pattern_validator(pattern: str) -> Any:
    return DEFAULT.validator_for({"pattern": pattern})


def _matches(pattern: str, name: str) -> bool:
    return bool(_pattern_validator(pattern).is_valid(name))


def seen_kinds(sketch: ValueSketch) -> dict[str, int]:
    """Return the count of values by kind. Numbers with an exponent or a fraction are fractions unless all are whole."""
    counts = {
        "object": sketch.objects,
        "array": sketch.arrays,
        "string": sketch.strings,
        "integer": sketch.integers,
        "boolean": sketch.booleans,
        "null": sketch.nulls,
    }
    if sketch.numbers:
        counts["fraction" if sketch.traits & Trait.FRACTION else "integer"] = sketch.numbers + (
            0 if sketch.traits & Trait.FRACTION else sketch.integers
        )
    return {name: count for name, count in counts.items() if count}


def of_kinds(sketch: ValueSketch, kinds: frozenset[str]) -> ValueSketch:
    """Return the sketch of the values that are of one of ``kinds``; it shares what is below with ``sketch``."""
    if seen_kinds(sketch).keys() <= kinds:
        return sketch
    part = ValueSketch(sketch.place)
    for name in ValueSketch.__slots__:
        setattr(part, name, getattr(sketch, name))
    zeroed = {"object": "objects", "array": "arrays", "string": "strings", "boolean": "booleans", "null": "nulls"}
    for kind, name in zeroed.items():
        if kind not in kinds:
            setattr(part, name, 0)
    if "integer" not in kinds:
        part.integers = 0
    if ("fraction" if sketch.traits & Trait.FRACTION else "integer") not in kinds:
        part.numbers = 0
    if "object" not in kinds:
        part.members = None
    if "array" not in kinds:
        part.items = None
    if "string" not in kinds:
        part.texts, part.formats, part.personal = {}, ValueSketch(sketch.place).formats, {}
        part.traits &= ~Trait.NO_URI
    if not part.integers and not part.numbers:
        part.traits &= Trait.NO_URI
    return part


def _merged(sketches: list[ValueSketch]) -> ValueSketch:
    merged = ValueSketch(sketches[0].place)
    for sketch in sketches:
        merged.merge(sketch)
    return merged
