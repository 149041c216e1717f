"""The order in which a search tries rules: what is likely to lead to a proof. Nothing here is trusted.

A refused schema that the other facts refuse anyhow needs no split. Of unions those come first that leave no choice, and
of branches those that a fact is equal to.
"""

from __future__ import annotations

from typing import Any

from babelreg.containment.certificates.core_schemas import APPLIES, GROUPS, only_refers
from babelreg.containment.certificates.facts import Fact, Facts, excluded, required, tags

_MOST_EXCLUSIVE = 12
"""Branches of a ``oneOf``, above which the refusals of all the others are too many facts for a case."""
_WIDE = 8
_OF_OTHER_NAMES = {"patternProperties", "additionalProperties", "propertyNames"}
UnionChoice = tuple[Fact, str, int]
"""A union that holds, how ``cases`` is to split it, and how many of its cases may be possible."""


class Choices:
    """What is known of the subschemas of two views: their keywords, whether they are equal, and branches overlap."""

    def __init__(self) -> None:
        self._groups: dict[int, list[str]] = {}
        self._overlapping: dict[int, bool] = {}

    def groups(self, core: dict[str, Any]) -> list[str]:
        """Return the keywords of a core schema, one for those that mean something only together."""
        if id(core) not in self._groups:
            self._groups[id(core)] = list(dict.fromkeys(GROUPS.get(keyword, keyword) for keyword in core))
        return self._groups[id(core)]

    def applying(self, core: dict[str, Any], name: str) -> list[str]:
        """Return those that may refuse a value of the type, the cheapest first."""
        return sorted((k for k in self.groups(core) if name in APPLIES.get(k, ())), key=lambda k: k in _DEEP)

    # Refused schemas

    def candidates(self, facts: Facts, name: str) -> list[Fact]:
        """Return the refused schemas that a proof may rest on."""
        known = tags(facts, name)
        return [fact for fact in facts if not fact.holds and self._is_open(fact, facts, name, known)]

    def branches(self, branches: list[Fact], facts: Facts, name: str) -> list[int]:
        """Return the numbers of refused branches that a proof may rest on, the likeliest first."""
        known = tags(facts, name)
        possible = [at for at, branch in enumerate(branches) if not self._is_refused_anyhow(branch, name, known)]
        if len(possible) > 1:
            equal = {fact.text() for fact in facts if fact.holds}
            possible.sort(key=lambda at: branches[at].text() not in equal)
        return possible

    def _is_open(self, fact: Fact, facts: Facts, name: str, known: dict[str, str]) -> bool:
        """Return True unless what the fact says is said by others, or no proof can rest on it."""
        schema, found = fact.schema, facts.found
        if only_refers(schema) or schema.keys() == {"not"} or self._is_refused_anyhow(fact, name, known):
            return False
        groups = self.groups(schema)
        if len(groups) > 1:
            parts = (fact.side.view.part(schema, keyword) for keyword in groups)
            return not any((id(part), False) in found for part in parts)
        below = schema.get("allOf") or [schema[word] for word in ("then", "else") if word in schema and "if" in schema]
        if any((id(member), False) in found for member in below):
            return False
        branches = map(fact.about, schema.get("anyOf", ()))
        return "anyOf" not in schema or not all(
            (id(branch.schema), False) in found or self._is_refused_anyhow(branch, name, known) for branch in branches
        )

    @staticmethod
    def _is_refused_anyhow(fact: Fact, name: str, known: dict[str, str]) -> bool:
        schema = next(iter(fact.targets()), fact.schema)
        if not isinstance(schema, dict):
            return schema is False
        types = schema.get("type")
        wrong = types is not None and name not in types and not (name == "number" and "integer" in types)
        return wrong or excluded(fact, known)

    @staticmethod
    def is_wide(fact: Fact) -> bool:
        """Return True for a long union, of which a case among the facts may tell the branch."""
        return any(len(fact.schema.get(keyword, ())) > _WIDE for keyword in ("anyOf", "oneOf"))

    def is_invertible(self, fact: Fact) -> bool:
        """Return True where nothing is lost by a split of this refused schema."""
        groups = self.groups(fact.schema)
        return len(groups) > 1 or groups[0] in ("allOf", "anyOf", "if")

    # Unions that hold

    def unions(self, facts: Facts, name: str) -> list[UnionChoice]:
        """Return the unions among the facts that were not split yet, the likeliest first."""
        found: list[UnionChoice] = []
        known = tags(facts, name)
        for fact in facts:
            if not fact.holds:
                continue
            for keyword in ("anyOf", "oneOf"):
                if keyword in fact.schema:
                    branches = [fact.about(branch) for branch in fact.schema[keyword]]
                    rule = "only" if keyword == "oneOf" and self._may_overlap(fact) else keyword
                    if not any(self._is_held(branch, facts, rule) for branch in branches):
                        possible = sum(not self._is_refused_anyhow(branch, name, known) for branch in branches)
                        found.append((fact, rule, possible))
            if "if" in fact.schema and not self._is_decided(fact, facts):
                found.append((fact, "if", 2))
        return sorted(found, key=lambda choice: choice[2] > 1)

    @staticmethod
    def _is_held(branch: Fact, facts: Facts, rule: str) -> bool:
        ends = branch.targets() or [branch.schema]
        return any((rule != "only" and (end is True or end == {})) or (id(end), True) in facts.found for end in ends)

    @staticmethod
    def _is_decided(fact: Fact, facts: Facts) -> bool:
        condition = fact.about(fact.schema["if"])
        ends = condition.targets() or [condition.schema]
        return any((id(end), holds) in facts.found for end in ends for holds in (True, False))

    def _may_overlap(self, fact: Fact) -> bool:
        """Return True where the branches of a short ``oneOf`` are not told apart by types or tags."""
        schema, view = fact.schema, fact.side.view
        if id(schema) not in self._overlapping:
            ends = [next(iter(fact.about(b).targets()), b) for b in schema["oneOf"]]
            shapes = [
                (set(end.get("type", ())) if isinstance(end, dict) else set(), view.constants(end)) for end in ends
            ]
            self._overlapping[id(schema)] = 1 < len(ends) <= _MOST_EXCLUSIVE and not all(
                _are_told_apart(left, right) for at, left in enumerate(shapes) for right in shapes[at + 1 :]
            )
        return self._overlapping[id(schema)]


_DEEP = {"allOf", "anyOf", "oneOf", "if", "not", "items", "properties", "contains", "propertyNames", "dependentSchemas"}


def _are_told_apart(left: tuple[set[str], dict[str, str]], right: tuple[set[str], dict[str, str]]) -> bool:
    if left[0] and right[0] and left[0].isdisjoint(right[0]):
        return {"integer", "number"} != left[0] | right[0]
    return any(right[1].get(name, tag) != tag for name, tag in left[1].items())


def described_required(facts: Facts) -> list[str]:
    """Return the required names of whose properties a fact says anything."""
    held = [fact.schema for fact in facts if fact.holds]
    names = required(facts)
    if all(_OF_OTHER_NAMES.isdisjoint(schema) for schema in held):
        names = {name for schema in held for name in schema.get("properties", ()) if name in names}
    return sorted(names)
