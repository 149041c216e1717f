"""Search for a proof: tries the rules of the checker on a goal, and records the choices that led to one.

A search is trusted with nothing: a replay (``checker.py``) goes through the choices on its own. ``choices.py`` says
what is tried first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

from babelreg.containment.certificates import part_rules
from babelreg.containment.certificates.apart import apart
from babelreg.containment.certificates.choices import Choices, described_required
from babelreg.containment.certificates.claims import Goal
from babelreg.containment.certificates.core_schemas import APPLIES, View, is_rounded
from babelreg.containment.certificates.facts import (
    CertificateRefused,
    Fact,
    Facts,
    closed,
    given,
    item_counts,
    limits,
    patterns_of,
    positions,
)
from babelreg.containment.certificates.goal_search import EVIDENT, Choice, GoalSearch, Name
from babelreg.containment.certificates.rules import RULES, listed_values
from babelreg.containment.certificates.table_search import Pattern, table_of

_TRANSITIONS_OF_A_STEP = 25
_MOST_POSITIONS = 40
_FEW_PATTERNS = 3
"""More patterns of names are first gone through one by one, as they have many sets."""
_CANNOT = (CertificateRefused, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


class Search(GoalSearch):
    """One search by all rules of the checker."""

    def __init__(self, views: Sequence[View], steps: float) -> None:
        super().__init__(views, steps)
        self.choices = Choices()
        named = enumerate(self.claim.named)
        self._numbers: dict[int, tuple[Any, ...]] = {id(core): (number,) for number, (_, core) in named}
        self._table_numbers: dict[Any, int | None] = {}

    # Which rule shows a goal

    def _shown_by(self, facts: Facts, name: str | None, focus: Name | None) -> Choice | None:
        if name is None:
            return self._same(facts, None) or self._listed(facts, None) or self._apply(facts, None, "types", [], focus)
        if apart(facts, name, self.claim.draft):
            return "apart", [], []
        for fact in facts:
            speaks = (name in APPLIES.get(keyword, ()) for keyword in self.choices.groups(fact.schema))
            if not fact.holds and not any(speaks):
                return "keywords", list(self._named(fact)[:1]), []
        at_once = self._same(facts, name) or self._listed(facts, name) or self._no_string(facts, name)
        return at_once or (self._in_full(facts, name) if focus is None else self._focused(facts, name, focus))

    def _focused(self, facts: Facts, name: str, focus: Name) -> Choice | None:
        """Show the goal by one refused schema, whatever the others say."""
        fact = facts.found.get(focus)
        if fact is None:
            return None
        if ends := fact.targets():
            return self._focused(facts, name, (id(ends[0]), False))
        is_negation = fact.schema.keys() == {"not"}
        return self._in_full(facts, name) if is_negation else self._split(facts, name, fact, focused=True)

    def _in_full(self, facts: Facts, name: str) -> Choice | None:
        candidates = self.choices.candidates(facts, name)
        unions = self.choices.unions(facts, name)
        if unions and (unions[0][2] <= 1 or any(self.choices.is_wide(fact) for fact in candidates)):
            return self._cases(facts, name, unions[0])
        several = len(candidates) > 1
        if (any_of := next((fact for fact in candidates if fact.schema.keys() == {"anyOf"}), None)) is not None:
            return self._split(facts, name, any_of)
        for fact in candidates:
            choice = self._focused(facts, name, (id(fact.schema), False)) if several else self._split(facts, name, fact)
            if choice is not None:
                return choice
        if not several and candidates and self.choices.is_invertible(candidates[0]):
            return None
        if (choice := self._contradiction(facts, name)) is not None:
            return choice
        if unions:
            return self._cases(facts, name, unions[0])
        for fact in candidates if several else ():
            if self.choices.is_invertible(fact):
                return self._split(facts, name, fact)
        return None

    def _apply(
        self, facts: Facts, name: str | None, rule: str, args: Sequence[Any], focus: Name | int | None = None
    ) -> Choice | None:
        """Return the rule with the steps of its premises; None where it does not apply, or one cannot be shown."""
        try:
            goals = RULES[rule](self.claim, facts, name, args)
        except _CANNOT:
            return None
        premises = self._every(goals, focus)
        return None if premises is None else (rule, list(args), premises)

    def _first(self, tries: Iterable[tuple[str, Sequence[Any]]], facts: Facts, name: str | None) -> Choice | None:
        for rule, args in tries:
            choice = self._apply(facts, name, rule, args)
            if choice is not None:
                return choice
        return None

    # Facts that are refuted at once

    def _same(self, facts: Facts, name: str | None) -> Choice | None:
        # A reference whose target is among the facts is not part of the goal: it may be missing elsewhere.
        every = [fact for fact in facts if not fact.targets()]
        held = {fact.text(): fact for fact in every if fact.holds and self._is_named(fact)}
        for refused in every if held else ():
            if refused.holds:
                continue
            named, own = self._named(refused), refused.text()
            ways = [[*self._named(held[own]), *named]] if own in held else []
            if len(named) == 2:
                number, keyword = named
                having = [fact for fact in held.values() if keyword in fact.schema]
                alike = (fact for fact in having if fact.about(fact.side.view.part(fact.schema, keyword)).text() == own)
                ways += [[*self._named(fact), number, keyword] for fact in alike]
            choice = self._first((("same", args) for args in ways), facts, name)
            if choice is not None:
                return choice
        return None

    def _listed(self, facts: Facts, name: str | None) -> Choice | None:
        """Show that each value that an ``enum`` lists contradicts a fact."""
        values = listed_values(facts, name, self.claim.draft)
        if values is None:
            return None
        plain = all(fact.schema.keys() <= ({"enum", "type"} if fact.holds else {"enum"}) for fact in facts)
        if plain and name not in ("null", "boolean") and not is_rounded(list(values)):
            return None  # single keywords would contradict each other
        self.spend(len(values) / 5)
        return self._apply(facts, name, "values", [])

    def _no_string(self, facts: Facts, name: str) -> Choice | None:
        demanded, refused = sorted(patterns_of(facts, True)), sorted(patterns_of(facts, False))
        but = [v for values in given(facts, "enum", False) for v in values if isinstance(v, str)]
        if name != "string" or not (demanded or refused):
            return None
        low, high = limits(facts, "minLength", "maxLength")
        most = None if high == inf else int(high)
        tries: list[tuple[list[Pattern], list[str]]] = [([pattern], []) for pattern in refused]
        tries += [([], but[:100])] if demanded else []
        tries += [(refused, but[:100])] if len(refused) > 1 or (refused and but) else []
        tables = (self._table(demanded, none_of, left_out, int(low), most) for none_of, left_out in tries)
        number = next((table for table in tables if table is not None), None)
        return None if number is None else ("no-string", [number], [])

    def _table(
        self, demanded: Iterable[Pattern], none_of: Iterable[Pattern], but: Iterable[str], *lengths: int | None
    ) -> int | None:
        """Return the number of the table that no string has the patterns; None where there is none."""
        claim = tuple(sorted(demanded)), tuple(sorted(none_of)), tuple(but), *lengths
        if claim not in self._table_numbers:
            table, seen = table_of(*claim)
            self.spend(1 + seen / _TRANSITIONS_OF_A_STEP)
            self._table_numbers[claim] = None if table is None else len(self.tables)
            self.tables += [] if table is None else [table]
        return self._table_numbers[claim]

    # Splits of a refused schema

    def _split(self, facts: Facts, name: str, fact: Fact, *, focused: bool = False) -> Choice | None:
        groups = self.choices.groups(fact.schema)
        number = self._named(fact)[0]
        if len(groups) > 1:
            return self._keywords(facts, name, fact, focused)
        (keyword,) = groups
        if keyword == "allOf":
            return self._apply(facts, name, "all", [number], 0 if focused else None)
        if keyword == "if":
            return self._apply(facts, name, "if", [number])
        if keyword in ("anyOf", "oneOf"):
            return self._branches(facts, name, fact, keyword, focused)
        if keyword in ("dependencies", "dependentRequired", "dependentSchemas"):
            return self._apply(facts, name, "dependent", [number, keyword], -1 if focused else None)
        if keyword == "properties":
            many = len(fact.schema.get("patternProperties", ())) > _FEW_PATTERNS
            choice = self._apply(facts, name, "patterns", [number]) if many else None
            return choice or self._properties(facts, fact, number)
        if keyword == "items":
            ends = range(min(len(positions(facts)), _MOST_POSITIONS))
            return self._first((("items", [number, *last]) for last in ((), *((at,) for at in ends))), facts, name)
        if keyword == "contains":
            return self._first(self._ways_to_contain(facts, number), facts, name)
        if keyword == "propertyNames":
            ways = [("names", [number])]
            ways += [("listed-names", [number, *self._named(f)]) for f in facts if closed(f) and self._is_named(f)]
            return self._first(ways, facts, name)
        return None

    def _keywords(self, facts: Facts, name: str, fact: Fact, focused: bool) -> Choice | None:
        """Split by keyword. The cheapest come first, as one that cannot be shown ends it."""
        (number,), view = self._named(fact), fact.side.view
        steps: dict[str, int] = {}
        for keyword in self.choices.applying(fact.schema, name):
            part = view.part(fact.schema, keyword)
            self._numbers.setdefault(id(part), (number, keyword))
            below = self.goal(Goal((fact.about(part),), facts, name), (id(part), False) if focused else None)
            if below is None:
                return None
            steps[keyword] = below
        order = [keyword for keyword in self.choices.groups(fact.schema) if keyword in steps]
        return "keywords", [number], [steps[keyword] for keyword in order if steps[keyword] != EVIDENT]

    def _branches(self, facts: Facts, name: str, fact: Fact, keyword: str, focused: bool) -> Choice | None:
        number = self._named(fact)[0]
        order = self.choices.branches([fact.about(branch) for branch in fact.schema[keyword]], facts, name)
        if keyword == "anyOf" and not focused:
            return self._apply(facts, name, "branches", [number, *sorted(order)])
        rule = "only" if keyword == "oneOf" else "branches"
        for at in order:
            goals = RULES[rule](self.claim, facts, name, [number, at])
            # The branch itself comes first; of the other ones, nothing is known to be refused.
            first = self._every(goals[:1], 0)
            others = self._every(goals[1:]) if first is not None else None
            if first is not None and others is not None:
                return rule, [number, at], first + others
        return None

    def _every(self, goals: Iterable[Goal], focus: Name | int | None = None) -> list[int] | None:
        """Return the steps that show goals; None at the first that cannot be shown.

        ``focus``: by that fact, or by the new one at that position.
        """
        numbers: list[int] = []
        for goal in goals:
            if isinstance(focus, int):
                number = self.goal(goal, (id(goal.new[focus].schema), False) if goal.new else None)
            else:
                number = self.goal(goal, focus)
            if number is None:
                return None
            numbers += [number] if number != EVIDENT else []
        return numbers

    def _properties(self, facts: Facts, fact: Fact, number: int) -> Choice | None:
        tables: list[int | None] = []
        try:
            names, (patterns, choices) = part_rules.listed(facts, fact), part_rules.sets_of_patterns(facts, fact)
            premises = self._every(part_rules.goals_of_names(self.claim, facts, fact))
            if premises is None:
                return None
            for matched in choices:
                below = self._every(part_rules.property_goals(facts, fact, matched))
                tables.append(None if below is not None else self._table(matched, set(patterns) - matched, names))
                if below is None and tables[-1] is None:
                    return None
                premises += below or []
        except _CANNOT:
            return None
        return "properties", [number, *(tables if any(table is not None for table in tables) else ())], premises

    def _ways_to_contain(self, facts: Facts, number: int) -> Iterable[tuple[str, list[Any]]]:
        for own in self._containing(facts):
            yield "contains-same", [number, *own]
        low = min(item_counts(facts)[0], _MOST_POSITIONS)
        least = int(self.claim.named[number][1].get("minContains", 1))
        for at in range(int(low) - least + 1):
            yield "contains-at", [number, *range(at, at + least)]
        yield "contains-every", [number]

    # Facts that hold

    def _contradiction(self, facts: Facts, name: str) -> Choice | None:
        """Show that a part of the value which must be there cannot be."""
        tries: list[tuple[str, list[Any]]] = []
        if name == "object":
            tries += [("no-property", [own]) for own in described_required(facts)]
        if name == "array":
            tries += [("no-contained", list(own)) for own in self._containing(facts)]
            most = min(item_counts(facts)[0], len(positions(facts)), _MOST_POSITIONS)
            tries += [("no-item", [at]) for at in range(int(most))]
        return self._first(tries, facts, name) if tries else None

    def _cases(self, facts: Facts, name: str, union: tuple[Fact, str, int]) -> Choice | None:
        fact, keyword, _ = union
        return self._apply(facts, name, "cases", [*self._named(fact), keyword]) if self._is_named(fact) else None

    # Names of facts

    def _containing(self, facts: Facts) -> list[Sequence[Any]]:
        """Return the names of the facts that hold and have ``contains``."""
        having = (fact for fact in facts if fact.holds and "contains" in fact.schema)
        return [self._named(fact) for fact in having if self._is_named(fact)]

    def _is_named(self, fact: Fact) -> bool:
        return len(self._numbers.get(id(fact.schema), ())) == 1

    def _named(self, fact: Fact) -> Sequence[Any]:
        """Return the number of the subschema, with a keyword where the fact is about one of several only."""
        return self._numbers.get(id(fact.schema), (-1, ""))
