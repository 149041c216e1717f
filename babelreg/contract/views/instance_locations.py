"""Locations of an instance that a schema describes, and the names that it declares at each.

A location represents "every instance value reached by this path of names and items". Several subschemas may apply to
one location: branches of ``allOf``, a ``$ref`` and its siblings, the same property under two branches. The
names declared there are those of all of them, so views must be built on locations and not on subschemas.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.schema import keywords
from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.dialects import Dialect
from babelreg.schema.local_references import StrictReferences
from babelreg.schema.regex.matching import matches, may_overlap

MAX_LOCATIONS = 1_000
"""A schema may combine its subschemas in exponentially many ways; of 5,700 real ones, the largest needs 94."""

MAX_STEPS = 2_000_000
"""Each name is matched with each part of a schema: this many matches take about two seconds."""

Step = tuple[str, str | int]
"""Step to a value: ("name", x), ("pattern", p), ("additional", ""), ("index", 2), ("rest", "")."""

_FEWER = "use fewer nested anyOf/oneOf, or fewer patternProperties beside them"

_SILENT = keywords.ANNOTATIONS | keywords.IDENTIFIERS | {"$ref", "$schema", *keywords.DEFINITIONS}


class Seed(NamedTuple):
    """A subschema that applies to a location. ``firm``: to every value there, not only to some (``contains``)."""

    schema: Any
    firm: bool = True

    @property
    def key(self) -> tuple[int, bool]:
        return id(self.schema), self.firm


@dataclass(eq=False)
class Location:
    """One location.

    ``nodes`` are the mappings that apply to it in place, ``not``, ``if`` and bare references left out. ``names`` and
    ``patterns`` are what they declare; ``lists``: some of them has ``properties`` or ``patternProperties``; ``open``:
    some of them says explicitly what other properties may be, and so declares every name. ``merged``: it
    represents several, or is below such a location, because a subschema is reached by several steps.
    """

    graph: Locations = field(repr=False)
    seeds: tuple[Seed, ...]
    nodes: tuple[Seed, ...] = ()
    names: dict[str, None] = field(default_factory=dict)
    patterns: dict[str, None] = field(default_factory=dict)
    lists: bool = False
    open: bool = False
    merged: bool = False
    _below: dict[Step, Location | None] = field(default_factory=dict, repr=False)
    _seeds_by_step: dict[Step, list[Seed]] = field(default_factory=dict, repr=False)
    _joined: dict[tuple[Step, ...], Location | None] = field(default_factory=dict, repr=False)

    @property
    def closed(self) -> bool:
        """True when there are undeclared names here: properties are listed and others are not mentioned."""
        return self.lists and not self.open

    @property
    def ignores(self) -> bool:
        """True when readers ignore names here: some are listed or all others refused, and none explicitly admitted."""
        refuses = any(node.schema.get(word) is False for node in self.nodes for word in keywords.ADDITIONAL_PROPERTIES)
        return not self.open and (self.lists or refuses)

    @cached_property
    def only(self) -> Any:
        """The only mapping that applies to this location, when references alone lead to it; else None."""
        return self.nodes[0].schema if len(self.nodes) == 1 else None

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step that leads to a further location, in the order written."""
        return tuple(dict.fromkeys(self._steps()))

    def _steps(self) -> Iterator[Step]:
        for node in self.nodes:
            for keyword, value in node.schema.items():
                if keyword not in self.graph.dialect.keywords:
                    continue
                if keyword == "properties" and isinstance(value, dict):
                    yield from (("name", name) for name in value)
                elif keyword == "patternProperties" and isinstance(value, dict):
                    yield from (("pattern", pattern) for pattern in value)
                elif keyword in keywords.ADDITIONAL_PROPERTIES:
                    yield "additional", ""
                elif keyword in keywords.ITEM_KEYWORDS and isinstance(value, list):
                    yield from (("index", index) for index in range(len(value)))
                elif keyword in _REST:
                    yield "rest", ""
        # to a name that is only required, the subschemas of other properties apply
        yield from (("name", name) for name in self.names)

    def at(self, step: Step) -> Location | None:
        """Return the location one step below, or None when a view has nothing to change there."""
        if step not in self._below:
            self._below[step] = self.graph.location(self._seeds(step), merged=self.merged)
        return self._below[step]

    def around(self, subschema: Any) -> Location | None:
        """Return the location of everything that ``subschema``, a child of a node here, may apply to.

        More than one step when it is reached by a name here and by a pattern there.
        """
        reached = self._reaching.get(id(subschema), [])
        if len(reached) == 1:
            return self.at(reached[0])
        steps = tuple(reached)
        if steps not in self._joined:
            places = {id(self.at(step)) for step in steps}
            seeds = [seed for step in steps for seed in self._seeds(step)]
            self._joined[steps] = self.graph.location(seeds, merged=self.merged or len(places) > 1)
        return self._joined[steps]

    @cached_property
    def _reaching(self) -> dict[int, list[Step]]:
        """The steps that lead to a subschema, by its identity."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            for key in {id(seed.schema) for seed in self._seeds(step)}:
                found.setdefault(key, []).append(step)
        return found

    def _seeds(self, step: Step) -> list[Seed]:
        if step not in self._seeds_by_step:
            self._seeds_by_step[step] = self._applying(step)
        return self._seeds_by_step[step]

    def _applying(self, step: Step) -> list[Seed]:
        kind, what = step
        seeds: list[Seed] = []
        self.graph.spend(len(self.nodes))
        for node in self.nodes:
            if kind in ("name", "index", "rest"):
                seeds += self._applied(node, kind, what)
            else:
                seeds += [Seed(subschema, node.firm) for subschema in self._of_pattern(node.schema, kind, str(what))]
        return seeds

    def _applied(self, node: Seed, kind: str, what: str | int) -> list[Seed]:
        schema, dialect = node.schema, self.graph.dialect
        if kind == "name":
            self.graph.spend(len(schema.get("patternProperties", ())))
            applied = applied_to_property(schema, str(what), dialect, matches)
        else:
            applied = applied_to_item(schema, int(what) if kind == "index" else sys.maxsize, dialect)
        return [Seed(subschema, node.firm and steps != ("contains",)) for steps, subschema in applied]

    def _of_pattern(self, schema: dict[str, Any], kind: str, pattern: str) -> list[Any]:
        own, patterns = _mapping(schema, "properties"), _mapping(schema, "patternProperties")
        subschemas: list[Any] = []
        if kind == "pattern":
            self.graph.spend(len(patterns) + len(own))
            subschemas = [patterns[other] for other in patterns if may_overlap(other, pattern)]
            subschemas += [own[name] for name in own if matches(pattern, name)]
        if not subschemas or (kind == "pattern" and pattern not in patterns):
            subschemas += [schema[word] for word in keywords.ADDITIONAL_PROPERTIES if word in schema]
        return subschemas


_BY_PROPERTY = ("properties", *keywords.DEPENDENT)
_NAMING = ("required", "dependentRequired", "maxProperties", "x-open-enum")
_REST = keywords.ITEM_KEYWORDS - {"prefixItems"}


def _mapping(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


class Locations:
    """All locations of one document, created on demand."""

    def __init__(self, document: StrictReferences) -> None:
        self.document = document
        self._view_keywords = frozenset([*document.dialect.keywords, *keywords.REFERENCES, *_NAMING])
        self._known: dict[tuple[frozenset[tuple[int, bool]], bool], Location] = {}
        self._spent = 0

    def spend(self, steps: int) -> None:
        """Count steps of work. Raises SchemaError beyond :data:`MAX_STEPS`."""
        self._spent += steps
        if self._spent > MAX_STEPS:
            raise SchemaError("the schema has too many combinations of its parts", fix=_FEWER)

    @property
    def dialect(self) -> Dialect:
        return self.document.dialect

    @cached_property
    def root(self) -> Location | None:
        """The location of the whole instance; None when a view has nothing to change in it."""
        return self.location([Seed(self.document.root)])

    def is_reference(self, schema: Any) -> bool:
        """Return True for a ``$ref`` with no sibling that asserts anything."""
        if not isinstance(schema, dict) or "$ref" not in schema:
            return False
        return self.dialect.ref_alone or all(keyword in _SILENT or keyword.startswith("x-") for keyword in schema)

    def referred(self, schema: Any) -> Any:
        """Return the end of a chain of bare references; a circle ends where it began."""
        seen = set()
        while self.is_reference(schema) and id(schema) not in seen:
            seen.add(id(schema))
            schema = self.document.schema(schema)
        return schema

    def location(self, seeds: Iterable[Seed], *, merged: bool = False) -> Location | None:
        """Return the location that exactly these subschemas apply to; None when a view has nothing to change there."""
        distinct = {seed.key: seed for seed in seeds}.values()
        self.spend(len(distinct))
        ends = {end.key: end for seed in distinct for end in [Seed(self.referred(seed.schema), seed.firm)]}
        ends = {key: end for key, end in ends.items() if self._concerns_views(end.schema)}
        if not ends:
            return None
        key = (frozenset(ends), merged)
        if key not in self._known:
            if len(self._known) >= MAX_LOCATIONS:
                raise SchemaError("the schema has too many combinations of its parts", fix=_FEWER)
            self._known[key] = self._made(tuple(ends.values()))
            self._known[key].merged = merged
        return self._known[key]

    def _concerns_views(self, schema: Any) -> bool:
        """Return True for a mapping with keywords about names, values below or open enums: most have none."""
        return isinstance(schema, dict) and not self._view_keywords.isdisjoint(schema)

    def _made(self, seeds: tuple[Seed, ...]) -> Location:
        made = Location(self, seeds)
        nodes: dict[tuple[int, bool], Seed] = {}
        waiting = list(reversed(seeds))
        while waiting:
            node = waiting.pop()
            if isinstance(node.schema, dict) and node.key not in nodes:
                nodes[node.key] = node
                # a stack, so the first written must come off first
                waiting += reversed([Seed(below, node.firm) for below in self.document.schemas_in_place(node.schema)])
        made.nodes = tuple(node for node in nodes.values() if not self.is_reference(node.schema))
        for node in made.nodes:
            self._declare(made, node)
        return made

    def _declare(self, location: Location, node: Seed) -> None:
        schema = node.schema
        for keyword in _BY_PROPERTY:
            location.names.update(dict.fromkeys(_mapping(schema, keyword)))
        for needed in [schema.get("required"), *_mapping(schema, "dependentRequired").values(),
                       *_mapping(schema, "dependencies").values()]:  # fmt: skip
            if isinstance(needed, list):
                location.names.update({name: None for name in needed if isinstance(name, str)})
        location.patterns.update(dict.fromkeys(_mapping(schema, "patternProperties")))
        if node.firm and ("properties" in schema or "patternProperties" in schema):
            location.lists = True
        location.open |= any(
            keyword in schema and not self.admits_nothing(schema[keyword])
            for keyword in keywords.ADDITIONAL_PROPERTIES
            if keyword in self.dialect.keywords
        )

    @staticmethod
    def admits_nothing(schema: Any) -> bool:
        """Return True for ``false``: it refuses undeclared names without declaring any."""
        return schema is False
