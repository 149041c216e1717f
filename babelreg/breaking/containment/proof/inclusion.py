"""Does one schema lie within another? Both are taken apart until what is left is evident.

The question is asked for each type of value by itself: do all values of that type, for which these facts hold, satisfy
that schema? A union on the left is split when nothing else helps; on the right one branch must do, or the negation of
one. A question that comes up again inside itself, further down in the value, is taken for proved: values end, so an
induction over them closes the circle. Steps are counted, and when they run out nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import Any

from babelreg.breaking.containment.proof import arrays, objects, scalars
from babelreg.breaking.containment.proof.enums import Enums
from babelreg.breaking.containment.proof.facts import (
    BoundSchema,
    Facts,
    conjoined,
    kinds_of,
    own_resources,
    without_foreign,
)
from babelreg.schema.applicators import Anchors, identical, without_annotations
from babelreg.schema.dialects import Dialect

__all__ = ["Proof", "lies_within"]

STEPS = 80_000
_MOST_VALUES = 200
_MOST_BRANCHES = 64
_JUDGING = 5
_EXPANDED = frozenset({"$ref", "allOf"})


class _OutOfSteps(Exception):
    """The proof takes longer than is allowed."""


def lies_within(
    inner: Any,
    outer: Any,
    dialect: Dialect,
    *,
    formats: bool = False,
    steps: int = STEPS,
    opaque: Set[str] = frozenset(),
) -> bool:
    """True if surely every document that ``inner`` allows is allowed by ``outer``. False says nothing.

    Neither may be what ``obstacle`` refuses: a schema that is its own negation has no meaning to reason about. Of the
    patterns ``opaque`` nothing is known but that each is the same as itself.
    """
    if own_resources(inner, dialect) or own_resources(outer, dialect):
        return False  # references lead elsewhere within them
    proof = Proof(dialect, formats=formats, steps=steps, opaque=opaque)
    left, right = (without_foreign(schema, dialect) for schema in (inner, outer))
    try:
        return proof.holds((BoundSchema(left, Anchors(left)),), BoundSchema(right, Anchors(right)))
    except (_OutOfSteps, RecursionError):
        return False


class Proof:
    """One search for a proof. ``holds`` and ``void`` are its two questions; the modules of one type ask them back."""

    def __init__(self, dialect: Dialect, *, formats: bool, steps: int, opaque: Set[str] = frozenset()) -> None:
        self.dialect = dialect
        self._opaque = opaque
        self.formats = formats
        self._steps = steps
        self._depth = 0
        self._open: dict[tuple[Any, ...], int] = {}
        self._negated: set[int] = set()
        # Questions are told apart by the identity of schemas, so none may be thrown away before the end.
        self._kept: list[BoundSchema] = []
        self._stripped: dict[int, Any] = {}
        self._enums = Enums()

    def holds(self, nodes: Facts, outer: BoundSchema) -> bool:
        """True if every value for which all of ``nodes`` hold surely satisfies ``outer``."""
        self.spend(1)
        facts = conjoined(nodes, self.dialect)
        if facts is None or outer.schema is True or outer.schema == {}:
            return True
        self._kept += [*facts, outer]
        question = (frozenset(id(node.schema) for node in facts), id(outer.schema))
        if question in self._open:
            return self._open[question] < self._depth
        self._open[question] = self._depth
        try:
            return self._each_kind(facts, outer)
        finally:
            del self._open[question]

    def void(self, nodes: Facts) -> bool:
        """True if surely no value satisfies all of ``nodes``."""
        facts = conjoined(nodes, self.dialect)
        return facts is None or all(self._none_of_kind(facts, kind) for kind in kinds_of(facts))

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Around questions about what is inside a value, which is smaller than the value."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def spend(self, steps: int) -> None:
        """Count ``steps``: what takes longer than looking at a schema costs more of them."""
        self._steps -= steps
        if self._steps < 0:
            raise _OutOfSteps

    def _each_kind(self, facts: Facts, outer: BoundSchema) -> bool:
        unions = list(_unions(facts))
        if not unions:
            # Nothing can be split, so the first type that is left decides.
            return all(self._of_kind(facts, kind, outer) or self._none_of_kind(facts, kind) for kind in kinds_of(facts))
        open_kinds = [kind for kind in kinds_of(facts) if not self._of_kind(facts, kind, outer)]
        if not open_kinds:
            return True
        if any(all(self.holds((*rest, branch), outer) for branch in branches) for branches, rest in unions):
            return True
        return all(self._none_of_kind(facts, kind) for kind in open_kinds)

    def _of_kind(self, facts: Facts, kind: str, outer: BoundSchema) -> bool:
        """``holds`` for the values of one type."""
        self.spend(1)
        schema = outer.schema
        if schema is True:
            return True
        if schema is False:
            return self._none_of_kind(facts, kind)
        if any(self._same(fact, outer) for fact in facts):
            return True
        target = outer.target(self.dialect)
        if "$ref" in schema and target is None:
            return False
        if target is not None:
            if not self._of_kind(facts, kind, target):
                return False
            if self.dialect.ref_alone:
                return True
        values = self._values(facts, kind)
        if values is not None and self._every_value(values, facts, outer):
            return True
        return (
            self._type(facts, kind, schema)
            and not schema.keys() & _OPAQUE[kind]
            and (
                schema.keys().isdisjoint(("enum", "const"))
                or self._listed_within(facts, kind, schema)
                or (kind == "string" and scalars.listed(self, facts, schema))
            )
            and self._in_place(facts, kind, outer)
            and _OF_KIND[kind](self, facts, outer)
        )

    def _same(self, fact: BoundSchema, outer: BoundSchema) -> bool:
        """True if both are the same schema and mean the same where they stand."""
        if fact.schema is outer.schema:
            return True
        left, right = self._bare(fact), self._bare(outer)
        return identical(left, right) and not scalars.mentions(right, scalars.REFERENCES)

    def _bare(self, node: BoundSchema) -> Any:
        if id(node.schema) not in self._stripped:
            self._kept.append(node)
            self._stripped[id(node.schema)] = without_annotations(node.schema, formats=self.formats)
        return self._stripped[id(node.schema)]

    def _type(self, facts: Facts, kind: str, schema: Any) -> bool:
        said = schema.get("type")
        if said is None:
            return True
        types = {said} if isinstance(said, str) else set(said)
        if kind in types:
            return True
        if kind != "number" or "integer" not in types:
            return False
        return scalars.whole(facts, self.dialect) or any(self._enums.whole(node.schema) for node in facts)

    def _in_place(self, facts: Facts, kind: str, outer: BoundSchema) -> bool:
        schema = outer.schema
        return (
            all(self._of_kind(facts, kind, outer.at(branch)) for branch in schema.get("allOf", ()))
            and ("anyOf" not in schema or self._any(facts, kind, outer))
            and ("oneOf" not in schema or self._one(facts, kind, outer))
            and ("not" not in schema or self._none_of_kind((*facts, outer.at(schema["not"])), kind))
            and ("if" not in schema or self._conditional(facts, kind, outer))
        )

    def _any(self, facts: Facts, kind: str, outer: BoundSchema) -> bool:
        branches = [outer.at(branch) for branch in outer.schema["anyOf"]]
        if any(self._of_kind(facts, kind, branch) for branch in branches):
            return True
        for at, branch in enumerate(branches):
            if isinstance(branch.schema, dict) and branch.schema.keys() == {"not"}:
                # A value that the other branches must take is one of which the negated holds.
                more = conjoined((*facts, branch.at(branch.schema["not"])), self.dialect)
                others = branches[:at] + branches[at + 1 :]
                if more is None or kind not in kinds_of(more):
                    return True
                if any(self._of_kind(more, kind, other) for other in others):
                    return True
        return False

    def _one(self, facts: Facts, kind: str, outer: BoundSchema) -> bool:
        branches = [outer.at(branch) for branch in outer.schema["oneOf"]]
        for at, branch in enumerate(branches):
            others = branches[:at] + branches[at + 1 :]
            if self._of_kind(facts, kind, branch) and all(
                self._none_of_kind((*facts, other), kind) for other in others
            ):
                return True
        return False

    def _conditional(self, facts: Facts, kind: str, outer: BoundSchema) -> bool:
        schema = outer.schema
        condition, then, other = (outer.at(schema.get(keyword, True)) for keyword in ("if", "then", "else"))
        met = conjoined((*facts, condition), self.dialect)
        if met is not None and kind in kinds_of(met) and not self._of_kind(met, kind, then):
            return False
        unmet = conjoined((*facts, outer.at({"not": condition.schema})), self.dialect)
        if unmet is None or kind not in kinds_of(unmet):
            return True
        return self._of_kind(unmet, kind, other) or self._of_kind(facts, kind, condition)

    def _none_of_kind(self, nodes: Facts, kind: str) -> bool:
        """``void`` for the values of one type."""
        self.spend(1)
        facts = conjoined(nodes, self.dialect)
        if facts is None or kind not in kinds_of(facts):
            return True
        self._kept += facts
        if self._values(facts, kind) == [] or _VOID[kind](self, facts):
            return True
        if any(self._contradicted(facts, kind, node) for node in facts if "not" in node.schema):
            return True
        return any(
            all(self._none_of_kind((*rest, branch), kind) for branch in branches) for branches, rest in _unions(facts)
        )

    def _contradicted(self, facts: Facts, kind: str, node: BoundSchema) -> bool:
        """True if what ``node`` negates holds for all values of the type anyway."""
        negated = node.schema["not"]
        if id(negated) in self._negated:
            return False
        self._negated.add(id(negated))
        try:
            return self._of_kind(facts, kind, node.at(negated))
        finally:
            self._negated.discard(id(negated))

    def _values(self, facts: Facts, kind: str) -> list[Any] | None:
        """All values of the type that may be left; None where they cannot be listed."""
        few: dict[str, list[Any]] = {"null": [None], "boolean": [False, True]}
        listed = few.get(kind)
        for node in facts:
            several = self._enums.of_kind(node.schema, kind)
            if several is not None and len(several) <= _MOST_VALUES:
                listed = several if listed is None else listed
                break
        if listed is None:
            return None
        return [value for value in listed if not any(self._judged(node, value) is False for node in facts)]

    def _listed_within(self, facts: Facts, kind: str, schema: dict[str, Any]) -> bool:
        """True if one of ``facts`` lists values, of which those of the type are all listed by ``schema``."""
        if "const" in schema and "enum" in schema:
            return False
        self.spend(1)
        return any(self._enums.within(node.schema, schema, kind) for node in facts)

    def _every_value(self, values: list[Any], facts: Facts, outer: BoundSchema) -> bool:
        return all(self._judged(outer, value) is True for value in values)

    def _judged(self, node: BoundSchema, value: Any) -> bool | None:
        """Whether ``node`` allows ``value``; None where that hangs on what its references lead to."""
        self.spend(_JUDGING)
        return scalars.judged(node.schema, value, self.dialect, formats=self.formats, opaque=self._opaque)


def _unions(facts: Facts) -> Iterator[tuple[list[BoundSchema], Facts]]:
    """Each union among the facts: its branches, one of which holds, and the facts that hold beside it."""
    # What is referred to stands among the facts itself; from there the union would come back.
    apart = tuple(node.at(_less(node.schema, _EXPANDED)) if node.schema.keys() & _EXPANDED else node for node in facts)
    for at, node in enumerate(apart):
        for keyword in ("anyOf", "oneOf"):
            branches = node.schema.get(keyword)
            if isinstance(branches, list) and len(branches) <= _MOST_BRANCHES:
                rest = node.at(_less(node.schema, {keyword}))
                yield [node.at(branch) for branch in branches], (*apart[:at], rest, *apart[at + 1 :])


def _less(schema: dict[str, Any], keywords: Set[str]) -> dict[str, Any]:
    """``schema`` without ``keywords``, and without those that look at what others beside them have seen."""
    gone = keywords | {"unevaluatedItems", "unevaluatedProperties"}
    return {keyword: value for keyword, value in schema.items() if keyword not in gone}


_DYNAMIC = {"$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"}
_OPAQUE: dict[str, set[str]] = {
    "null": _DYNAMIC,
    "boolean": _DYNAMIC,
    "number": _DYNAMIC,
    "string": _DYNAMIC,
    "array": _DYNAMIC | {"unevaluatedItems"},
    "object": _DYNAMIC | {"unevaluatedProperties"},
}
"""Keywords of the outer schema about which nothing is proved."""

_OF_KIND = {
    "null": scalars.nothing_more,
    "boolean": scalars.nothing_more,
    "number": scalars.numbers,
    "string": scalars.strings,
    "array": arrays.holds,
    "object": objects.holds,
}
_VOID = {
    "null": scalars.never,
    "boolean": scalars.never,
    "number": scalars.no_number,
    "string": scalars.no_string,
    "array": arrays.void,
    "object": objects.void,
}
