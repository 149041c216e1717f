"""Proof search: whether every value that satisfies some facts satisfies a schema.

The question is split by JSON type; the keywords of one type are decided by its :class:`TypeRules`. A union among the
facts is split into cases when no other rule applies; of a union in the outer schema one branch must follow, or the
negation of one. A goal that recurs inside itself, further down in the value, counts as proved: values are finite, so
this is an induction. Steps are counted; a search that runs out of them proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import (
    BoundSchema,
    Facts,
    conjuncts,
    mentions,
    possible_types,
    unions,
)
from babelreg.breaking.containment.proof.enums import EnumIndex, permits
from babelreg.breaking.containment.proof.ranges import only_integers
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.simplify import without_annotations
from babelreg.schema.types import declared_types
from babelreg.schema.values import identical

__all__ = ["OutOfSteps", "Proof", "TypeRules"]

_MAX_VALUES = 200
_VALIDATION_STEPS = 5


class OutOfSteps(Exception):
    """The proof search takes more steps than it was given."""


@dataclass(frozen=True, slots=True)
class TypeRules:
    """Proof rules for the values of one JSON type.

    ``imply`` decides whether facts imply the keywords that the outer schema has for the type, ``unsatisfiable`` whether
    facts contradict each other. ``enumerate`` decides whether facts leave only values that a schema lists.
    """

    imply: Callable[[Proof, Facts, BoundSchema], bool]
    unsatisfiable: Callable[[Proof, Facts], bool]
    enumerate: Callable[[Proof, Facts, dict[str, Any]], bool] | None = None


class Proof:
    """One proof search. ``implies`` and ``unsatisfiable`` are its two questions, which the rules of a type ask in turn.

    ``rules`` has the rules of each JSON type. Of the patterns ``opaque`` nothing is known but that each equals itself.
    """

    def __init__(
        self,
        rules: Mapping[str, TypeRules],
        dialect: Dialect,
        *,
        formats: bool,
        steps: int,
        opaque: Set[str] = frozenset(),
    ) -> None:
        self._rules = rules
        self.dialect = dialect
        self._opaque = opaque
        self.formats = formats
        self._steps = steps
        self._depth = 0
        self._open: dict[tuple[Any, ...], int] = {}
        self._negated: set[int] = set()
        # Schemas are identified by id(), so none may be collected before the end.
        self._alive: list[BoundSchema] = []
        self._stripped: dict[int, Any] = {}
        self._enums = EnumIndex()

    def implies(self, nodes: Facts, outer: BoundSchema) -> bool:
        """Return True if every value that satisfies all of ``nodes`` surely satisfies ``outer``."""
        self.spend(1)
        facts = conjuncts(nodes, self.dialect)
        if facts is None or outer.schema is True or outer.schema == {}:
            return True
        self._alive += [*facts, outer]
        question = (frozenset(id(node.schema) for node in facts), id(outer.schema))
        if question in self._open:
            return self._open[question] < self._depth
        self._open[question] = self._depth
        try:
            return self._implies_by_type_implied(facts, outer)
        finally:
            del self._open[question]

    def unsatisfiable(self, nodes: Facts) -> bool:
        """Return True if surely no value satisfies all of ``nodes``."""
        facts = conjuncts(nodes, self.dialect)
        return facts is None or all(self._unsatisfiable_for(facts, type_name) for type_name in possible_types(facts))

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

    def _implies_by_type_implied(self, facts: Facts, outer: BoundSchema) -> bool:
        choices = list(unions(facts))
        if not choices:
            # Without a union to split, the first type without a proof settles the question.
            return all(
                self._implies_for(facts, type_name, outer) or self._unsatisfiable_for(facts, type_name)
                for type_name in possible_types(facts)
            )
        open_types = [
            type_name for type_name in possible_types(facts) if not self._implies_for(facts, type_name, outer)
        ]
        if not open_types:
            return True
        if any(all(self.implies((*rest, branch), outer) for branch in branches) for branches, rest in choices):
            return True
        return all(self._unsatisfiable_for(facts, type_name) for type_name in open_types)

    def _implies_for(self, facts: Facts, type_name: str, outer: BoundSchema) -> bool:
        """Decide ``implies`` for the values of one type."""
        self.spend(1)
        schema = outer.schema
        if schema is True:
            return True
        if schema is False:
            return self._unsatisfiable_for(facts, type_name)
        if any(self._same(fact, outer) for fact in facts):
            return True
        target = outer.target(self.dialect)
        if "$ref" in schema and target is None:
            return False
        if target is not None:
            if not self._implies_for(facts, type_name, target):
                return False
            if self.dialect.ref_alone:
                return True
        values = self._values(facts, type_name)
        if values is not None and self._all_permitted(values, facts, outer):
            return True
        return (
            self._type_implied(facts, type_name, schema)
            and not schema.keys() & _UNSUPPORTED[type_name]
            and (
                schema.keys().isdisjoint(("enum", "const"))
                or self._enum_implied(facts, type_name, schema)
                or self._enumerated(facts, type_name, schema)
            )
            and self._applicators_implied(facts, type_name, outer)
            and self._rules[type_name].imply(self, facts, outer)
        )

    def _same(self, fact: BoundSchema, outer: BoundSchema) -> bool:
        """Return True if both are the same schema with the same meaning in their documents."""
        if fact.schema is outer.schema:
            return True
        left, right = self._without_annotations(fact), self._without_annotations(outer)
        return identical(left, right) and not mentions(right, REFERENCES)

    def _without_annotations(self, node: BoundSchema) -> Any:
        if id(node.schema) not in self._stripped:
            self._alive.append(node)
            self._stripped[id(node.schema)] = without_annotations(node.schema, formats=self.formats)
        return self._stripped[id(node.schema)]

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

    def _applicators_implied(self, facts: Facts, type_name: str, outer: BoundSchema) -> bool:
        schema = outer.schema
        return (
            all(self._implies_for(facts, type_name, outer.at(branch)) for branch in schema.get("allOf", ()))
            and ("anyOf" not in schema or self._any_of_implied(facts, type_name, outer))
            and ("oneOf" not in schema or self._one_of_implied(facts, type_name, outer))
            and ("not" not in schema or self._unsatisfiable_for((*facts, outer.at(schema["not"])), type_name))
            and ("if" not in schema or self._conditional_implied(facts, type_name, outer))
        )

    def _any_of_implied(self, facts: Facts, type_name: str, outer: BoundSchema) -> bool:
        branches = [outer.at(branch) for branch in outer.schema["anyOf"]]
        if any(self._implies_for(facts, type_name, branch) for branch in branches):
            return True
        for at, branch in enumerate(branches):
            if isinstance(branch.schema, dict) and branch.schema.keys() == {"not"}:
                # Only values that satisfy the negated schema are left for the other branches.
                more = conjuncts((*facts, branch.at(branch.schema["not"])), self.dialect)
                others = branches[:at] + branches[at + 1 :]
                if more is None or type_name not in possible_types(more):
                    return True
                if any(self._implies_for(more, type_name, other) for other in others):
                    return True
        return False

    def _one_of_implied(self, facts: Facts, type_name: str, outer: BoundSchema) -> bool:
        branches = [outer.at(branch) for branch in outer.schema["oneOf"]]
        for at, branch in enumerate(branches):
            others = branches[:at] + branches[at + 1 :]
            if self._implies_for(facts, type_name, branch) and all(
                self._unsatisfiable_for((*facts, other), type_name) for other in others
            ):
                return True
        return False

    def _conditional_implied(self, facts: Facts, type_name: str, outer: BoundSchema) -> bool:
        schema = outer.schema
        condition, then, other = (outer.at(schema.get(keyword, True)) for keyword in ("if", "then", "else"))
        met = conjuncts((*facts, condition), self.dialect)
        if met is not None and type_name in possible_types(met) and not self._implies_for(met, type_name, then):
            return False
        unmet = conjuncts((*facts, outer.at({"not": condition.schema})), self.dialect)
        if unmet is None or type_name not in possible_types(unmet):
            return True
        return self._implies_for(unmet, type_name, other) or self._implies_for(facts, type_name, condition)

    def _unsatisfiable_for(self, nodes: Facts, type_name: str) -> bool:
        """Decide ``unsatisfiable`` for the values of one type."""
        self.spend(1)
        facts = conjuncts(nodes, self.dialect)
        if facts is None or type_name not in possible_types(facts):
            return True
        self._alive += facts
        if self._values(facts, type_name) == [] or self._rules[type_name].unsatisfiable(self, facts):
            return True
        if any(self._negation_contradicted(facts, type_name, node) for node in facts if "not" in node.schema):
            return True
        return any(
            all(self._unsatisfiable_for((*rest, branch), type_name) for branch in branches)
            for branches, rest in unions(facts)
        )

    def _negation_contradicted(self, facts: Facts, type_name: str, node: BoundSchema) -> bool:
        """Return True if all values of the type satisfy what ``node`` negates."""
        negated = node.schema["not"]
        if id(negated) in self._negated:
            return False
        self._negated.add(id(negated))
        try:
            return self._implies_for(facts, type_name, node.at(negated))
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

    def _all_permitted(self, values: list[Any], facts: Facts, outer: BoundSchema) -> bool:
        return all(self._permits(outer, value) is True for value in values)

    def _enumerated(self, facts: Facts, type_name: str, schema: dict[str, Any]) -> bool:
        """Return True if ``facts`` leave only values of the type that ``schema`` lists."""
        decide = self._rules[type_name].enumerate
        return decide is not None and decide(self, facts, schema)

    def _permits(self, node: BoundSchema, value: Any) -> bool | None:
        """Return whether ``node`` allows ``value``; None where that is not certain."""
        self.spend(_VALIDATION_STEPS)
        return permits(node.schema, value, self.dialect, formats=self.formats, opaque=self._opaque)


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
