"""Places where the schemas of declared messages are written, each with the sketches of the values that reach it.

Values are followed through properties, items, maps, ``allOf``, references, and through the branches of an ``anyOf``
whose types tell which one a value belongs to. A shared fragment is one place for all messages that refer to it. What is
also used below ``not``, ``if``, ``oneOf`` or ``contains`` is left out: there, a wider schema may refuse more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.analysis.infer.companions import DescribedNames, companions
from babelreg.analysis.sketch.kinds import of_kinds
from babelreg.analysis.sketch.value_sketch import ValueSketch
from babelreg.contract.views.instance_locations import Location, Locations, Seed
from babelreg.errors import SchemaError
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.conjuncts import own_kinds
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import (
    ADDITIONAL_PROPERTIES,
    BRANCHES,
    COMBINED,
    CONDITIONS,
    DEFINITIONS,
    PROPERTY_KEYWORDS,
    UNEVALUATED,
    UNIONS,
)
from babelreg.schema.local_references import StrictReferences, local_target
from babelreg.schema.pointer import Pointer
from babelreg.schema.regex.matching import matches
from babelreg.schema.subschemas import subschemas
from babelreg.schema.types import KINDS

_NOT_MONOTONE = CONDITIONS | {"oneOf"} | {"contains"}
"""The keywords that may refuse more where their subschemas accept more."""


@dataclass
class WrittenPlace:
    """A subschema at ``pointer`` of the file ``path``, in the bundled spelling, and what reaches it.

    ``names`` lead to the values in the data, ``urns`` are their messages. ``referred`` are the kinds of values that its
    ``$ref`` accepts, ``branches`` those that its ``anyOf`` does. ``sketches`` are those of its values, ``undeclared``
    those of properties that it could declare. ``passing`` are those of properties that another place declares: a
    declaration here would apply to them, too. ``only_required`` are names that no subschema describes, ``described``
    those that companions do. ``is_tag``: a text also chooses the branch of a union around it. ``is_accompanied``:
    another subschema around it applies to the same values.
    """

    path: str
    pointer: Pointer
    schema: dict[str, Any]
    names: Pointer
    referred: frozenset[str] | None = None
    branches: frozenset[str] | None = None
    sketches: list[ValueSketch] = field(default_factory=list)
    undeclared: dict[str, list[ValueSketch]] = field(default_factory=dict)
    passing: dict[str, list[ValueSketch]] = field(default_factory=dict)
    only_required: set[str] = field(default_factory=set)
    described: DescribedNames = field(default_factory=DescribedNames)
    is_tag: bool = False
    is_accompanied: bool = False
    urns: set[str] = field(default_factory=set)

    @property
    def values(self) -> ValueSketch:
        """The sketch of all values."""
        return _merged(self.sketches)

    def properties(self) -> Iterator[tuple[str, ValueSketch]]:
        """Yield name and sketch of each property that could be declared."""
        for name, sketches in sorted(self.undeclared.items()):
            if name not in self.described:
                yield name, _merged([*sketches, *self.passing.get(name, ())])


class WrittenPlaces:
    """The places of messages that are added one by one."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, Pointer], WrittenPlace] = {}
        self._frozen: set[tuple[str, Pointer]] = set()

    def add(self, message: Message, sketch: ValueSketch, *, strict: bool) -> None:
        """Add the values of ``message``, whose readers refuse undeclared properties where they are ``strict``."""
        _Walk(message, self._places, strict).visit((), sketch, ("data",))

    def freeze(self, messages: Iterable[Message]) -> None:
        """Leave out all places that one of ``messages`` uses where a wider schema may refuse more.

        At the others, leave out properties that companions describe in one of ``messages``.
        """
        paths = {path for path, _ in self._places}
        for message in messages:
            if message.schema is None or not _may_use(message, paths):
                continue
            self._frozen |= {_located(message, pointer) for pointer in _not_monotone(message.schema)}
            for pointer, described in companions(message.schema):
                place = self._places.get(_located(message, pointer))
                if place is not None:
                    place.described.add(described)

    def __iter__(self) -> Iterator[WrittenPlace]:
        return (place for at, place in sorted(self._places.items(), key=_order) if at not in self._frozen)


def _may_use(message: Message, paths: set[str]) -> bool:
    """Return False for a message whose schema is in none of the files ``paths``."""
    sources = (message.source, *message.origins.values())
    return message.source_map is not None or any(source.path in paths for source in sources)


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
        self._locations = Locations(StrictReferences(message.schema, self._dialect))

    def visit(
        self,
        pointer: Pointer,
        sketch: ValueSketch,
        names: Pointer,
        *,
        within: bool = False,
        is_tag: bool = False,
        above: frozenset[Pointer] = frozenset(),
    ) -> None:
        """Follow the values of ``sketch`` from the subschema at ``pointer``.

        ``within``: another subschema around it applies to the same values, and declares properties for both. ``above``
        are the targets of the references that led here with the same values.
        """
        schema = pointers.find(self._root, pointer)
        if not isinstance(schema, dict) or not sketch.count:
            return
        place = self._place(pointer, schema, names)
        place.sketches.append(sketch)
        place.is_tag |= is_tag
        place.is_accompanied |= within
        if self._dialect.only_refers(schema):
            self._refer(place, sketch, names, within=within, above=above)
            return
        if "$ref" in schema:
            is_alone = (PROPERTY_KEYWORDS | BRANCHES).isdisjoint(schema)
            self._refer(place, sketch, names, within=within or not is_alone, above=above)
            within = within or is_alone  # what is referred to declares properties
        for index in range(len(schema.get("allOf", ()))):
            self.visit((*pointer, "allOf", index), sketch, names, within=True, above=above)
        self._visit_branches(pointer, place, sketch, names, within=within, above=above)
        if sketch.items is not None and "prefixItems" not in schema:
            for steps, _ in applied_to_item(schema, None, self._dialect):
                if steps == ("items",):
                    self.visit((*pointer, *steps), sketch.items, (*names, "[]"))
        if sketch.members is not None and sketch.members.properties is not None:
            self._visit_members(pointer, place, sketch, names, within=within)
        elif sketch.members is not None and not _named_below(schema):
            self._visit_values(pointer, schema, sketch, names)

    def _place(self, pointer: Pointer, schema: dict[str, Any], names: Pointer) -> WrittenPlace:
        at = _located(self._message, pointer)
        place = self._places.setdefault(at, WrittenPlace(*at, schema, names))
        place.urns.add(self._message.urn)
        return place

    def _refer(
        self, place: WrittenPlace, sketch: ValueSketch, names: Pointer, *, within: bool, above: frozenset[Pointer]
    ) -> None:
        target = self._target(place.schema["$ref"])
        place.referred = self._kinds(target)
        if target not in above:  # else a circle, in which a branch refers back to the union around it
            self.visit(target, of_kinds(sketch, place.referred), names, within=within, above=above | {target})

    def _target(self, reference: str) -> Pointer:
        value, steps = self._root, []
        for step in pointers.parse(pointers.unquoted(reference[1:])):
            found = int(step) if isinstance(value, list) else step
            steps.append(found)
            value = pointers.find(value, (found,))
        return tuple(steps)

    def _visit_branches(
        self,
        pointer: Pointer,
        place: WrittenPlace,
        sketch: ValueSketch,
        names: Pointer,
        *,
        within: bool,
        above: frozenset[Pointer],
    ) -> None:
        schema = place.schema
        branches = schema.get("anyOf")
        if not isinstance(branches, list):
            return
        kinds = [self._kinds((*pointer, "anyOf", index)) for index in range(len(branches))]
        if sum(map(len, kinds)) != len(frozenset().union(*kinds)):
            return  # the type of a value does not tell its branch
        place.branches = frozenset().union(*kinds)
        within = within or not schema.keys().isdisjoint({"properties", "$ref", *COMBINED} - {"anyOf"})
        for index, own in enumerate(kinds):
            self.visit((*pointer, "anyOf", index), of_kinds(sketch, own), names, within=within, above=above)

    def _visit_members(
        self, pointer: Pointer, place: WrittenPlace, sketch: ValueSketch, names: Pointer, *, within: bool
    ) -> None:
        schema, members = place.schema, sketch.members
        assert members is not None
        assert members.properties is not None
        tags = set(_tags(schema))
        lists = "properties" in schema or "allOf" in schema
        location = self._closed(schema) if lists and not within else None
        for name, item in members.properties.items():
            for steps, _ in applied_to_property(schema, name, self._dialect, matches):
                if steps[0] not in UNEVALUATED:  # another subschema may evaluate it
                    below = (*names, name if len(steps) > 1 else "*")
                    self.visit((*pointer, *steps), item, below, is_tag=steps[0] == "properties" and name in tags)
            if location is None:
                place.passing.setdefault(name, []).append(item)
            elif not _declares(location, name):
                place.undeclared.setdefault(name, []).append(item)
            elif not _describes(location, name):
                place.only_required.add(name)
        # Names that are data are not known: where one is declared all the same, values may be those of that property.
        declared = schema.get("properties", {})
        if "patternProperties" not in schema and not any(map(members.place.judgement.is_data_name, declared)):
            self._visit_values(pointer, schema, sketch, names)

    def _closed(self, schema: dict[str, Any]) -> Location | None:
        """Return the location of objects where ``schema`` could declare more properties; None where it could not."""
        if self._strict and not any(schema.get(word) is False for word in ADDITIONAL_PROPERTIES):
            return None
        try:
            location = self._locations.location([Seed(schema)])
        except SchemaError:  # beyond the bounds of the views
            return None
        return location if location is not None and location.closed else None

    def _visit_values(self, pointer: Pointer, schema: dict[str, Any], sketch: ValueSketch, names: Pointer) -> None:
        """Follow the values whose names are not known."""
        assert sketch.members is not None
        if sketch.members.values is not None and "additionalProperties" in schema:
            self.visit((*pointer, "additionalProperties"), sketch.members.values, (*names, "*"))

    def _kinds(self, pointer: Pointer, above: frozenset[Pointer] = frozenset()) -> frozenset[str]:
        """Return the kinds of values that the subschema at ``pointer`` may accept, judged by its types alone.

        ``above`` are the targets of the references that led here; where one comes back, it accepts no further kind.
        """
        schema = pointers.find(self._root, pointer)
        if not isinstance(schema, dict):
            return KINDS if schema is True else frozenset()
        kinds = KINDS if self._dialect.only_refers(schema) else own_kinds(schema)
        if "$ref" in schema:
            target = self._target(schema["$ref"])
            kinds &= frozenset() if target in above else self._kinds(target, above | {target})
        if self._dialect.only_refers(schema):
            return kinds
        for index in range(len(schema.get("allOf", ()))):
            kinds &= self._kinds((*pointer, "allOf", index), above)
        for word in UNIONS:
            if word in schema:
                branches = [self._kinds((*pointer, word, index), above) for index in range(len(schema[word]))]
                kinds &= frozenset().union(*branches)
        return kinds


def _named_below(schema: Mapping[str, Any]) -> bool:
    """Return True for a schema that says something of properties by their names."""
    return not (PROPERTY_KEYWORDS - {*ADDITIONAL_PROPERTIES}).isdisjoint(schema)


def _declares(location: Location, name: str) -> bool:
    return name in location.names or any(matches(pattern, name) for pattern in location.patterns)


def _describes(location: Location, name: str) -> bool:
    """Return True where a name is more than required: some subschema says what its values are."""
    described = any(name in node.schema.get("properties", {}) for node in location.nodes)
    return described or any(matches(pattern, name) for pattern in location.patterns)


def _tags(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the properties by whose value the branches of a union are told apart."""
    for word in UNIONS:
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
            target = local_target(root, schema.get("$ref"))
            if target is not None:
                waiting.append((*target, True))
        for step, below in subschemas(schema):
            if step[0] not in DEFINITIONS:
                waiting.append(((*pointer, *step), below, inverted or step[0] in _NOT_MONOTONE))
            elif not inverted:
                waiting.append(((*pointer, *step), below, False))
    return found


def _merged(sketches: list[ValueSketch]) -> ValueSketch:
    merged = ValueSketch(sketches[0].place)
    for sketch in sketches:
        merged.merge(sketch)
    return merged
