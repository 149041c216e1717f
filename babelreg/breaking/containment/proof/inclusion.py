"""Proof search: whether every value that satisfies some facts satisfies a schema, with the derivation.

The question is split by JSON type; the keywords of one type are decided by its :class:`TypeRules`. A union among the
facts is split into cases when no other rule applies; of a union in the outer schema one branch must follow, or the
negation of one. A goal that recurs inside itself, further down in the value, counts as proved: values are finite, so
this is an induction. Steps are counted; a search that runs out of them proves nothing.

Every answer is a derivation (:mod:`babelreg.breaking.containment.proof.derivation`) that an independent checker can
replay, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import (
    BoundSchema,
    DerivedSchemas,
    Facts,
    conjuncts,
    mentions,
    possible_types,
    unions,
)
from babelreg.breaking.containment.proof.derivation import EVIDENT, HYPOTHESIS, Step, every, step
from babelreg.breaking.containment.proof.enums import EnumIndex
from babelreg.breaking.containment.proof.exclusive import Exclusions
from babelreg.breaking.containment.proof.permission import Permissions
from babelreg.breaking.containment.proof.ranges import only_integers
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.types import declared_types
from babelreg.schema.values import identical

__all__ = ["ApplicatorRule", "KeywordSteps", "OutOfSteps", "Proof", "TypeRules"]

_MAX_VALUES = 200
_NONE_OPEN = 1 << 60
_MOST_FAILURES = 3  # of a question, which a hypothesis may prove elsewhere; recursion asks it too often

KeywordSteps = dict[str, Step]
"""The derivations that keywords of the outer schema need; a keyword that needs none is decided by the facts alone."""


class OutOfSteps(Exception):
    """The proof search takes more steps than it was given."""


@dataclass(frozen=True, slots=True)
class TypeRules:
    """Proof rules for the values of one JSON type.

    ``imply`` derives the keywords that the outer schema has for the type from facts, ``unsatisfiable`` that facts
    contradict each other. ``enumerate`` derives that facts leave only values that a schema lists.
    """

    imply: Callable[[Proof, Facts, BoundSchema], KeywordSteps | None]
    unsatisfiable: Callable[[Proof, Facts], Step | None]
    enumerate: Callable[[Proof, Facts, dict[str, Any]], Step | None] | None = None


ApplicatorRule = Callable[["Proof", Facts, str, BoundSchema], Step | None]
"""A rule that derives one keyword of the outer schema for the values of one type."""


class Proof:
    """One proof search. ``implies`` and ``unsatisfiable`` are its two questions, which the rules of a type ask in turn.

    ``rules`` has the rules of each JSON type, ``applicators`` those of keywords such as ``anyOf``. After
    the search, ``reads_patterns`` tells whether the answer may depend on what patterns match.
    """

    def __init__(
        self,
        rules: Mapping[str, TypeRules],
        applicators: Mapping[str, ApplicatorRule],
        dialect: Dialect,
        *,
        formats: bool,
        steps: int,
    ) -> None:
        self._rules = rules
        self._applicators = applicators
        self.dialect = dialect
        self.formats = formats
        self.derived = DerivedSchemas(self.spend)
        self.permissions = Permissions(dialect, formats=formats)
        self._steps = steps
        self._depth = 0
        self._open: dict[tuple[Any, ...], tuple[int, int]] = {}
        self._earliest_used = _NONE_OPEN
        self._proved: dict[tuple[Any, ...], Step] = {}
        self._failed: dict[tuple[Any, ...], int] = {}
        self._negated: set[int] = set()
        # Schemas are identified by id(), so none may be collected before the end.
        self._alive: list[BoundSchema] = []
        self._enums = EnumIndex()
        self._exclusions = Exclusions(self.derived)
        self.reads_patterns = False

    def implies(self, nodes: Facts, outer: BoundSchema) -> Step | None:
        """Derive that every value that satisfies all of ``nodes`` satisfies ``outer``."""
        self.spend(1)
        resolved = outer.resolved(self.dialect)
        if resolved is None:
            return None
        outer = resolved
        if outer.schema is True or outer.schema == {}:
            return EVIDENT
        facts = conjuncts(nodes, self.dialect, self.derived)
        if facts is None:
            return EVIDENT
        self.spend(len(facts))
        self._alive += [*facts, outer]
        question = (frozenset(id(node.schema) for node in facts), id(outer.schema))
        if question in self._open:
            depth, position = self._open[question]
            if depth >= self._depth:
                return None
            self._earliest_used = min(self._earliest_used, position)
            return HYPOTHESIS
        if self._failed.get(question, 0) >= _MOST_FAILURES:
            return None
        return self._proved.get(question) or self._opened(question, facts, outer)

    def _opened(self, question: tuple[Any, ...], facts: Facts, outer: BoundSchema) -> Step | None:
        position, used_before = len(self._open), self._earliest_used
        self._earliest_used = _NONE_OPEN
        self._open[question] = (self._depth, position)
        try:
            result = self._implies_by_type_implied(facts, outer)
        finally:
            del self._open[question]
        if result is None:
            self._failed[question] = self._failed.get(question, 0) + 1
        if self._earliest_used >= position:
            # It rests on no goal around it, so it holds anywhere.
            if result is not None:
                self._proved[question] = result
            self._earliest_used = used_before
        else:
            self._earliest_used = min(self._earliest_used, used_before)
        return result

    def unsatisfiable(self, nodes: Facts) -> Step | None:
        """Derive that no value satisfies all of ``nodes``."""
        facts = conjuncts(nodes, self.dialect, self.derived)
        if facts is None:
            return EVIDENT
        types = possible_types(facts)
        derived = every(self.unsatisfiable_for(facts, type_name) for type_name in types)
        return None if derived is None else step("types", *derived, of=types)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Mark the questions inside the block as being about a part of the value, which is smaller than the value."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def spend(self, steps: int) -> None:
        """Count ``steps``; an operation that takes longer than a look at one schema costs several."""
        self._steps -= steps
        if self._steps < 0:
            raise OutOfSteps

    def _implies_by_type_implied(self, facts: Facts, outer: BoundSchema) -> Step | None:
        types, choices = possible_types(facts), list(unions(facts, self.derived))
        self.spend(len(choices) * len(facts))
        if not choices:
            # Without a union to split, the first type without a proof settles the question.
            derived = every(self._implies_or_void(facts, type_name, outer) for type_name in types)
            return None if derived is None else step("types", *derived, of=types)
        by_type = {type_name: self.implies_for(facts, type_name, outer) for type_name in types}
        if None in by_type.values():
            for named, branches, rest in choices:
                cases = every(self.implies((*rest, *branch), outer) for branch in branches)
                if cases is not None:
                    return step("cases", *cases, of=named)
                exclusive = self._exclusions.of(named[1], [case[0] for case in branches])
                if exclusive is not None:
                    cases = every(self.implies((*rest, *case), outer) for case in exclusive)
                    if cases is not None:
                        return step("cases", *cases, of=(named[0], "only"))
        for type_name, derivation in by_type.items():
            by_type[type_name] = derivation or self.unsatisfiable_for(facts, type_name)
            if by_type[type_name] is None:
                return None
        return step("types", *[premise for premise in by_type.values() if premise], of=types)

    def _implies_or_void(self, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
        return self.implies_for(facts, type_name, outer) or self.unsatisfiable_for(facts, type_name)

    def implies_for(self, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
        """Decide ``implies`` for the values of one type."""
        self.spend(1 + len(facts) // 4)
        resolved = outer.resolved(self.dialect)
        if resolved is None:
            return None
        outer, schema = resolved, resolved.schema
        if schema is True or schema == {}:
            return EVIDENT
        if schema is False:
            return self.unsatisfiable_for(facts, type_name)
        for fact in facts:
            if self._same(fact, outer):
                return step("same", of=(fact, outer))
        values = self._values(facts, type_name)
        if values is not None and all(self._permits(outer, value) is True for value in values):
            return step("values")
        target = outer.target(self.dialect)
        if "$ref" in schema and target is None:
            return None
        keywords: KeywordSteps = {}
        if target is not None:
            referred = self.implies_for(facts, type_name, target)
            if referred is None:
                return None
            keywords["$ref"] = referred
        return self._keywords_implied(facts, type_name, outer, keywords)

    def _keywords_implied(
        self, facts: Facts, type_name: str, outer: BoundSchema, keywords: KeywordSteps
    ) -> Step | None:
        schema = outer.schema
        if not self._type_implied(facts, type_name, schema) or schema.keys() & _UNSUPPORTED[type_name]:
            return None
        if not schema.keys().isdisjoint(("enum", "const")) and not self._enum_implied(facts, type_name, schema):
            decide = self._rules[type_name].enumerate
            enumerated = None if decide is None else decide(self, facts, schema)
            if enumerated is None:
                return None
            keywords["enum"] = enumerated
        for keyword, derive in self._applicators.items():
            if keyword in schema:
                derived = derive(self, facts, type_name, outer)
                if derived is None:
                    return None
                keywords[keyword] = derived
        of_type = self._rules[type_name].imply(self, facts, outer)
        if of_type is None:
            return None
        keywords |= of_type
        return step("keywords", *keywords.values(), of=(outer, *keywords))

    def _same(self, fact: BoundSchema, outer: BoundSchema) -> bool:
        """Return True if both are the same schema with the same meaning in their documents."""
        if fact.schema is outer.schema:
            return True
        if fact.origin is not None or not identical(fact.schema, outer.schema):
            return False
        apart = REFERENCES if fact.reading == outer.reading else (*REFERENCES, "pattern", "patternProperties")
        return not mentions(outer.schema, apart)

    def _type_implied(self, facts: Facts, type_name: str, schema: Any) -> bool:
        types = declared_types(schema)
        if types is None or type_name in types:
            return True
        if type_name != "number" or "integer" not in types:
            return False
        if only_integers(facts, self.dialect):
            return True
        # In draft 4 a list with 1 allows 1.0 as well, which is not an integer there.
        return self.dialect.booleans and any(self._enums.integers_only(node.schema) for node in facts)

    def unsatisfiable_for(self, nodes: Facts, type_name: str) -> Step | None:
        """Decide ``unsatisfiable`` for the values of one type."""
        self.spend(1)
        facts = conjuncts(nodes, self.dialect, self.derived)
        if facts is None or type_name not in possible_types(facts):
            return EVIDENT
        self.spend(len(facts))
        self._alive += facts
        if self._values(facts, type_name) == []:
            return step("values")
        contradiction = self._rules[type_name].unsatisfiable(self, facts)
        if contradiction is not None:
            return contradiction
        for node in facts:
            contradiction = self._negation_contradicted(facts, type_name, node) if "not" in node.schema else None
            if contradiction is not None:
                return contradiction
        for named, branches, rest in unions(facts, self.derived):
            self.spend(len(facts))
            cases = every(self.unsatisfiable_for((*rest, *branch), type_name) for branch in branches)
            if cases is not None:
                return step("cases", *cases, of=named)
            exclusive = self._exclusions.of(named[1], [case[0] for case in branches])
            if exclusive is not None:
                self.spend(len(branches) * len(branches))
                cases = every(self.unsatisfiable_for((*rest, *case), type_name) for case in exclusive)
                if cases is not None:
                    return step("cases", *cases, of=(named[0], "only"))
        return None

    def _negation_contradicted(self, facts: Facts, type_name: str, node: BoundSchema) -> Step | None:
        """Derive that all values of the type satisfy what ``node`` negates."""
        negated = node.schema["not"]
        if not isinstance(negated, dict) or id(negated) in self._negated:
            return None
        self._negated.add(id(negated))
        try:
            return self.implies_for(facts, type_name, node.at(negated))
        finally:
            self._negated.discard(id(negated))

    def _values(self, facts: Facts, type_name: str) -> list[Any] | None:
        """Return all values of the type that facts may leave; None where they cannot be listed."""
        few: dict[str, list[Any]] = {"null": [None], "boolean": [False, True]}
        listed = few.get(type_name)
        for node in facts:
            several = self._enums.of_type(node.schema, type_name)
            if several is not None and len(several) <= _MAX_VALUES:
                listed = several if listed is None else listed
                break
        if listed is None:
            return None
        return [value for value in listed if not any(self._permits(node, value) is False for node in facts)]

    def _enum_implied(self, facts: Facts, type_name: str, schema: dict[str, Any]) -> bool:
        """Return True if one of ``facts`` lists values, and ``schema`` lists all of them that have the type."""
        if "const" in schema and "enum" in schema:
            return False
        self.spend(1)
        return any(self._enums.is_subset(node.schema, schema, type_name) for node in facts)

    def _permits(self, node: BoundSchema, value: Any) -> bool | None:
        """Return whether ``node`` allows ``value``; None where that is not certain."""
        compiled = self.permissions.compiled
        allowed = self.permissions.permits(node, value)
        self.spend(1 + self.permissions.compiled - compiled)
        self.reads_patterns |= self.permissions.reads_patterns
        return allowed


_DYNAMIC = {"$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"}
_UNSUPPORTED: dict[str, set[str]] = {
    "null": _DYNAMIC,
    "boolean": _DYNAMIC,
    "number": _DYNAMIC,
    "string": _DYNAMIC,
    "array": _DYNAMIC | {"unevaluatedItems"},
    "object": _DYNAMIC | {"unevaluatedProperties"},
}
"""Keywords of the outer schema for which there is no proof rule."""
