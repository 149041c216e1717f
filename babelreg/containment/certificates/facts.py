"""Facts about one value: what the checker's goals are made of, and what follows from them.

A fact is a core schema that holds for the value, or that refuses it. Part of the checker: of
babelreg, it imports other parts only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from babelreg.containment.certificates import pattern_tables
from babelreg.containment.certificates.core_schemas import TYPES, View, only_refers, type_of


class CertificateRefused(Exception):
    """Refusal of a certificate: the number of the invalid step, None for the whole certificate, and the reason."""

    def __init__(self, reason: str, step: int | None = None) -> None:
        super().__init__(reason if step is None else f"step {step}: {reason}")
        self.step = step


def require(holds: object, reason: str) -> None:
    """Refuse the step unless ``holds``."""
    if not holds:
        raise CertificateRefused(reason)


class Side:
    """A view, and how its patterns are read; ``asked`` tells whether that was asked for, but to compare it."""

    def __init__(self, view: View, reading: str) -> None:
        self.view = view
        self.asked = False
        self._reading = reading

    @property
    def reading(self) -> str:
        self.asked = True
        return self._reading

    def reads_as(self, other: Side) -> bool:
        """Return True if both sides read patterns alike."""
        return self._reading == other._reading


class Fact(NamedTuple):
    """A core schema of a side that holds for the value, or that refuses it."""

    schema: Any
    side: Side
    holds: bool

    def about(self, schema: Any) -> Fact:
        """Return a fact of the same side that holds as this one does."""
        return Fact(schema, self.side, self.holds)

    def holding(self, schema: Any) -> Fact:
        return Fact(schema, self.side, True)

    def text(self) -> str:
        """Return the JSON of the core schema."""
        return self.side.view.text(self.schema)

    def targets(self) -> list[Any]:
        """Return a list of what this fact says in other words: the target of a reference; empty for none."""
        return self.side.view.target(self.schema["$ref"]) if only_refers(self.schema) else []

    def refusals(self, schema: Any) -> list[Fact]:
        """Return that the schema refuses the value; so does each branch, where it is an ``anyOf``."""
        refused = [schema]
        for part in refused:
            refused += part["anyOf"] if isinstance(part, dict) and part.keys() == {"anyOf"} else ()
        return [Fact(part, self.side, False) for part in refused]


class Facts:
    """Facts with all that follows from them at once, and the types that the value may still have."""

    __slots__ = ("_demanding", "_referring", "found", "types")

    def __init__(self, new: Iterable[Fact], known: Facts | None = None) -> None:
        self.found: dict[tuple[int, bool], Fact] = {} if known is None else dict(known.found)
        self.types: frozenset[str] = frozenset(TYPES) if known is None else known.types
        self._demanding: list[Fact] = [] if known is None else known._demanding.copy()
        self._referring: list[Fact] = [] if known is None else known._referring.copy()
        waiting = list(new)
        while waiting or (self._demanding and (waiting := self._demanded())):
            fact = waiting.pop()
            schema, _, holds = fact
            if schema is True or not schema:
                if (schema is False) == holds:
                    self.types = frozenset()
                    return
            elif (name := (id(schema), holds)) not in self.found:
                self.found[name] = fact
                self._referring += [fact] if only_refers(schema) else []
                if (name[0], not holds) in self.found:
                    self.types = frozenset()
                    return
                if holds:
                    self._hold(fact, waiting)
                elif len(schema) == 1:
                    self._refuse(fact, waiting)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.found.values())

    def goal(self) -> frozenset[Any]:
        """Return the names of the facts, without references to what is among them, or to what refuses nothing."""
        return frozenset(self.found).difference(
            (id(fact.schema), fact.holds)
            for fact in self._referring
            if any(end is True or not end or (id(end), fact.holds) in self.found for end in fact.targets())
        )

    def _hold(self, fact: Fact, waiting: list[Fact]) -> None:
        schema = fact.schema
        if "type" in schema:
            self.types = self.types.intersection("number" if name == "integer" else name for name in schema["type"])
        if "enum" in schema:
            self.types = self.types.intersection(fact.side.view.keys(schema["enum"]))
        if "allOf" in schema:
            waiting += map(fact.about, schema["allOf"])
        if "dependentRequired" in schema or "dependentSchemas" in schema:
            self._demanding.append(fact)
        if "$ref" in schema:
            waiting += map(fact.about, fact.side.view.target(schema["$ref"]))
        if "not" in schema:
            waiting += fact.refusals(schema["not"])

    def _refuse(self, fact: Fact, waiting: list[Fact]) -> None:
        ((keyword, value),) = fact.schema.items()
        if keyword == "type":
            self.types = self.types.difference(value)
        elif keyword == "not":
            waiting.append(fact.holding(value))
        elif keyword == "$ref":
            waiting += map(fact.about, fact.side.view.target(value))

    def _demanded(self) -> list[Fact]:
        """Return what must hold of an object as a property must be there; nothing that is among the facts."""
        names, new = required(self) if self.types == {"object"} else set(), list[Fact]()
        for fact in self._demanding:
            lists, schemas = (fact.schema.get(keyword, {}) for keyword in ("dependentRequired", "dependentSchemas"))
            make = fact.side.view.make
            new += [fact.about(make({"required": lists[name]}, id(lists), name)) for name in lists if name in names]
            new += [fact.about(schemas[name]) for name in schemas if name in names]
        return [f for f in new if f.schema is not True and f.schema != {} and (id(f.schema), True) not in self.found]


# What facts say


def given(facts: Iterable[Fact], keyword: str, holds: bool = True) -> Iterator[Any]:
    for fact in facts:
        if fact.holds == holds and keyword in fact.schema and (holds or len(fact.schema) == 1):
            yield fact.schema[keyword]


def patterns_of(facts: Iterable[Fact], holds: bool) -> set[tuple[str, str]]:
    """Return the patterns that match the value, or do not, each with how it is read."""
    having = [fact for fact in facts if fact.holds == holds and "pattern" in fact.schema]
    return {(fact.schema["pattern"], fact.side.reading) for fact in having if holds or len(fact.schema) == 1}


def limits(facts: Iterable[Fact], least: str, most: str) -> tuple[float, float]:
    """Return the smallest and the largest number of characters, items or members."""
    lows = [*map(count, given(facts, least)), *(count(value) + 1 for value in given(facts, most, False))]
    highs = [*map(count, given(facts, most)), *(count(value) - 1 for value in given(facts, least, False))]
    return max(lows, default=0), min(highs, default=inf)


def count(value: Any) -> int:
    require(type_of(value) == "number" and value >= 0 and value == int(value), "a limit cannot be read")
    return int(value)


def exact(value: Any) -> Fraction | None:
    """Return a number as it is written: 0.1 is a tenth. None where it is none, or beyond all bounds."""
    if type_of(value) != "number":
        return None
    written = Decimal(repr(value))
    return Fraction(written) if written.is_finite() and abs(written.adjusted()) < 400 else None


def item(fact: Fact, at: int) -> Fact:
    """Return what a fact says of the item at a position."""
    prefix = fact.schema.get("prefixItems", ())
    return fact.about(prefix[at] if at < len(prefix) else fact.schema.get("items", True))


def items(facts: Iterable[Fact], at: int) -> list[Fact]:
    return [item(fact, at) for fact in facts if fact.holds]


def positions(facts: Iterable[Fact]) -> range:
    """Return the positions for which facts that hold have schemas, and one that stands for all that follow."""
    return range(max((len(fact.schema.get("prefixItems", ())) for fact in facts if fact.holds), default=0) + 1)


def item_counts(facts: Iterable[Fact]) -> tuple[float, float]:
    low, high = limits(facts, "minItems", "maxItems")
    closed = [
        len(fact.schema.get("prefixItems", ())) for fact in facts if fact.holds and fact.schema.get("items") is False
    ]
    return low, min([high, *closed])


def required(facts: Iterable[Fact]) -> set[str]:
    return {name for names in given(facts, "required") for name in names}


def closed(fact: Fact) -> bool:
    """Return True if a fact admits no other properties than those that it lists."""
    return fact.holds and fact.schema.get("additionalProperties") is False and not fact.schema.get("patternProperties")


def tags(facts: Facts, name: str | None) -> dict[str, str]:
    """Return required properties with the only value that they have, of what can be an object only."""
    if name != "object" and facts.types != {"object"}:
        return {}
    constants = [found for fact in facts if fact.holds and (found := fact.side.view.constants(fact.schema))]
    names = required(facts) if constants else set()
    return {own: tag for found in constants for own, tag in found.items() if own in names}


def excluded(branch: Fact, known: dict[str, str]) -> bool:
    """Return True if a schema does not hold for an object with these tags."""
    constants = branch.side.view.constants(branch.schema) if known else {}
    return any(known.get(own, tag) != tag for own, tag in constants.items())


def about_property(facts: Iterable[Fact], which: str | set[tuple[str, str]]) -> list[Fact]:
    """Return what facts say of the value of a property: the one named so, or one that is not listed and whose name
    matches exactly these patterns.
    """
    applied: list[Fact] = []
    for fact in facts:
        own = fact.schema.get("properties", {})
        schemas = [own[which]] if isinstance(which, str) and which in own else []
        for pattern, schema in fact.schema.get("patternProperties", {}).items():
            schemas += [schema] if _is_matched(pattern, fact.side.reading, which) else []
        applied += [fact.about(schema) for schema in schemas or [fact.schema.get("additionalProperties", True)]]
    return applied


def _is_matched(pattern: str, reading: str, which: str | set[tuple[str, str]]) -> bool:
    if not isinstance(which, str):
        return (pattern, reading) in which
    matched = pattern_tables.matches(pattern, reading, which)
    require(matched is not None, "a pattern cannot be read")
    return bool(matched)
