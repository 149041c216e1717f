"""The rules of proofs: into which goals each one splits a goal. Part of the checker, and meant to be read.

A goal says that no value, or no value of one JSON type, satisfies all of some facts (``facts.py``). A rule is a
function of the facts, of the type, and of arguments that a certificate names; it returns the goals that together show
the goal, or raises CertificateRefused. It never asks whether these can be shown: a search tries rules, a replay applies
the ones that a certificate names. What the docstring of a rule says after ``Premises:`` and
``Why:`` is its row in docs/proofs.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from babelreg.breaking.containment.certificates import pattern_tables
from babelreg.breaking.containment.certificates.core_schemas import APPLIES, GROUPS, View, alike, type_of
from babelreg.breaking.containment.certificates.facts import (
    CertificateRefused,
    Fact,
    Facts,
    about_others,
    about_property,
    apart,
    closed,
    count,
    excluded,
    given,
    item,
    item_counts,
    items,
    limits,
    positions,
    require,
    required,
    tags,
)
from babelreg.breaking.containment.certificates.single_values import Validators

__all__ = ["FOR_ALL_TYPES", "RULES", "Claim", "Goal", "classes_of_names", "property_goals"]

_MOST_PATTERNS = 8


class Goal(NamedTuple):
    """No value satisfies ``new`` and ``known`` facts, or none of the type ``name``.

    Without ``known`` facts it is a goal about a part of the value.
    """

    new: Sequence[Fact]
    known: Facts | None = None
    name: str | None = None


class Claim:
    """What rules need beside facts: the subschemas of both views by their number, tables of patterns, validators."""

    def __init__(self, views: Sequence[View], tables: list[Any], *, formats: bool) -> None:
        self.draft = views[0].draft
        self.named = [(view, core) for view in views for _, core in view.pairs]
        self.tables = tables
        self._verified: set[int] = set()
        self._validators = Validators(self.draft, formats=formats)

    def fact(self, facts: Facts, number: int, keyword: str | None = None, *, holds: bool = True) -> Fact:
        """Return the fact about a subschema, or about one of its keywords, that is among the facts."""
        view, core = self.named[number]
        schema = core if keyword is None else view.part(core, keyword)
        fact = facts.found.get((id(schema), holds))
        if fact is None:
            raise CertificateRefused("the subschema is not among the facts")
        return fact

    def excludes(self, fact: Fact, value: Any) -> bool:
        """Return True if a value contradicts the fact."""
        return self._validators.permit(fact, value) is (not fact.holds)

    def table(self, number: int) -> Any:
        """Return a table of patterns, verified once."""
        table = self.tables[number]
        if number not in self._verified:
            try:
                pattern_tables.verify(table)
            except pattern_tables.TableRefused as refused:
                raise CertificateRefused(f"table {number}: {refused}") from refused
            self._verified.add(number)
        return table


Rule = Callable[[Claim, Facts, Any, Sequence[Any]], list[Goal]]
_CONDITION = ("if", "then", "else")
_WITH_OTHERS = {"unevaluatedProperties", "unevaluatedItems"}


# Rules for values of all types; all but ``types`` are for those of one type, too


def _types(claim: Claim, facts: Facts, name: str | None, args: Sequence[Any]) -> list[Goal]:
    """A value has one of the types that are left.

    Premises: the goal for each type that the facts admit.
    Why: a value has exactly one type.
    """
    require(name is None, "the goal is about one type")
    return [Goal((), facts, left) for left in sorted(facts.types)]


def _cases(claim: Claim, facts: Facts, name: str | None, args: Sequence[Any]) -> list[Goal]:
    """A branch of a union holds, of ``oneOf`` no other one; or a condition holds and ``then``, or neither.

    Premises: the goal with one more fact for each branch of an `anyOf` or `oneOf` that holds and that no tag
    excludes; with `only`, for each branch of a `oneOf`, with the facts that the others refuse the value; for `if`,
    with `if` and `then`, and with `else` where `if` refuses the value.
    Why: a branch holds, of a `oneOf` just one; a condition holds or it refuses the value.
    """
    union, keyword = claim.fact(facts, args[0]), args[1]
    if keyword == "if":
        condition, then, other = (union.about(union.schema.get(word, True)) for word in _CONDITION)
        met, unmet = (condition, then), (*condition.refusals(condition.schema), other)
        return [Goal(case, facts, name) for case in (met, unmet)]
    require(keyword in ("anyOf", "oneOf", "only"), "is not a union")
    branches = [union.about(branch) for branch in union.schema["oneOf" if keyword == "only" else keyword]]
    known = tags(facts, name)
    goals = []
    for at, branch in enumerate(branches):
        if not excluded(branch, known):
            others = [*branches[:at], *branches[at + 1 :]] if keyword == "only" else ()
            goals.append(Goal((branch, *(f for other in others for f in union.refusals(other.schema))), facts, name))
    return goals


def _same(claim: Claim, facts: Facts, name: str | None, args: Sequence[Any]) -> list[Goal]:
    """What holds, or one of its keywords, is written like what is refused, and means the same there.

    Premises: none; a schema that holds, or one of its keywords, has the same core schema as one that refuses, and
    so has all that their references lead to; without patterns where the two sides read them differently, and no
    keyword `unevaluated...` alone.
    Why: the same text means the same.
    """
    fact = claim.fact(facts, args[0])
    refused = claim.fact(facts, args[1], *args[2:], holds=False)
    require(_WITH_OTHERS.isdisjoint(args[2:]), "the keyword depends on others")
    schema = fact.side.view.part(fact.schema, args[2]) if args[2:] else fact.schema
    patterns = alike(fact.side.view, schema, refused.side.view, refused.schema)
    require(patterns is not None, "they differ, or may mean different things")
    require(not patterns or fact.side.reading == refused.side.reading, "their patterns are read differently")
    return []


def _values(claim: Claim, facts: Facts, name: str | None, args: Sequence[Any]) -> list[Goal]:
    """The facts list the values, and each contradicts a fact.

    Premises: none; an `enum` that holds lists the values (of one type, null and booleans are listed anyhow), and
    each contradicts a fact.
    Why: these are all values; what a schema says of one value: see below.
    """
    types = facts.types if name is None else {name}
    lists = [[value for value in values if type_of(value) in types] for values in given(facts, "enum")]
    lists += [[None]] if name == "null" else [[False, True]] if name == "boolean" else []
    require(lists, "no fact lists values")
    refused_first = sorted(facts, key=lambda fact: fact.holds)
    for value in min(lists, key=len):
        require(any(claim.excludes(fact, value) for fact in refused_first), f"{value!r} may be left")
    return []


# Rules for values of one type


def _apart(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """Single keywords contradict each other.

    Premises: none; single keywords contradict each other.
    Why: see below.
    """
    require(apart(facts, name, claim.draft), "a value may be left")
    return []


def _keywords(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A subschema refuses a value by one of its keywords.

    Premises: a schema refuses the value; for each of its keywords that speaks of the type, the goal with one more
    fact: this keyword refuses it.
    Why: a schema refuses a value if one of its keywords does.
    """
    whole = claim.fact(facts, args[0], holds=False)
    keywords = dict.fromkeys(GROUPS.get(keyword, keyword) for keyword in whole.schema)
    view = whole.side.view
    return [
        Goal((whole.about(view.part(whole.schema, keyword)),), facts, name)
        for keyword in keywords
        if name in APPLIES.get(keyword, ())
    ]


def _no_string(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A table shows that no string has the patterns and lengths.

    Premises: none; a table of patterns shows that no string has the patterns and lengths.
    Why: see below.
    """
    table, (low, high) = claim.table(args[0]), limits(facts, "minLength", "maxLength")
    demanded, refused = (
        {(pattern, fact.side.reading) for fact in facts for pattern in given([fact], "pattern", holds)}
        for holds in (True, False)
    )
    require({tuple(pattern) for pattern in table["all"]} <= demanded, "the table demands a pattern that no fact has")
    require({tuple(pattern) for pattern in table["none"]} <= refused, "the table refuses another pattern")
    listed = [value for values in given(facts, "enum", False) for value in values]
    require(all(text in listed for text in table["but"]), "the table leaves out a string that is not refused")
    bounded = table["least"] <= low and (table["most"] is None or high <= table["most"])
    require(name == "string" and bounded, "the table leaves out strings")
    return []


def _no_item(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """There must be an item at the position, and there is none that satisfies the facts.

    Premises: there must be an item at a position; the facts about it contradict each other.
    Why: the array has no value for the item.
    """
    require(name == "array" and 0 <= args[0] < item_counts(facts)[0], "there need not be such an item")
    return [Goal(items(facts, args[0]))]


def _no_contained(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """There must be an item that ``contains`` seeks, and there is none at any position.

    Premises: `contains` holds for at least one item; for each position, what it seeks contradicts the facts about
    the item.
    Why: the item is at a position.
    """
    fact = claim.fact(facts, args[0])
    require(name == "array" and count(fact.schema.get("minContains", 1)) > 0, "there need not be such an item")
    sought = fact.about(fact.schema["contains"])
    return [Goal((*items(facts, at), sought)) for at in positions(facts)]


def _no_property(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A required property has no value that satisfies the facts.

    Premises: a required property; the facts about it contradict each other.
    Why: the object has no value for the property.
    """
    require(name == "object" and args[0] in required(facts), "the property is not required")
    return [Goal(about_property((fact for fact in facts if fact.holds), args[0]))]


# Rules for one keyword by which the numbered subschema refuses the value


def _all_of(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """One of the members refuses the value.

    Premises: `allOf` refuses; for each member: it refuses the value.
    Why: one of the members does.
    """
    part = claim.fact(facts, args[0], "allOf", holds=False)
    return [Goal((part.about(member),), facts, name) for member in part.schema["allOf"]]


def _any_of(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """All branches refuse the value, those that the step names among them.

    Premises: `anyOf` refuses; one premise: the named branches refuse the value.
    Why: all branches do.
    """
    part = claim.fact(facts, args[0], "anyOf", holds=False)
    return [Goal([part.about(part.schema["anyOf"][at]) for at in args[1:]], facts, name)]


def _one_of(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A chosen branch refuses the value, or another one holds that no tag excludes.

    Premises: `oneOf` refuses; the named branch refuses the value; for each other one that no tag excludes: it
    holds.
    Why: no branch holds, so the named one refuses, or two do, so one beside the named one holds.
    """
    part, at, known = claim.fact(facts, args[0], "oneOf", holds=False), args[1], tags(facts, name)
    branches = [part.holding(branch) for branch in part.schema["oneOf"]]
    others = (branch for branch in [*branches[:at], *branches[at + 1 :]] if not excluded(branch, known))
    return [Goal((case,), facts, name) for case in (part.about(branches[at].schema), *others)]


def _if(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The condition holds and ``then`` refuses the value, or the condition and ``else`` refuse it.

    Premises: `if` refuses; the condition holds and `then` refuses; the condition refuses and `else` does.
    Why: the condition holds or it refuses the value.
    """
    part = claim.fact(facts, args[0], "if", holds=False)
    condition, then, other = (part.about(part.schema.get(word, True)) for word in _CONDITION)
    first = Goal((condition.holding(condition.schema), then), facts, name)
    return [first, Goal((*condition.refusals(condition.schema), other), facts, name)]


def _items(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The item at a position is refused. Without an item at the position that the step names, there is none later.

    Premises: `items` or `prefixItems` refuses; for each position, the last one for all that follow: the item is
    refused. Positions that the facts close are left out, and so are those after one that the step names, if the
    facts admit no item there.
    Why: the refused item is at a position.
    """
    require(name == "array", "the goal is not about arrays")
    part, last = claim.fact(facts, args[0], "items", holds=False), args[1:]
    goals: list[Goal] = []
    most = item_counts([fact for fact in facts if fact.holds])[1]
    for at in positions([*facts, part.holding(part.schema)]):
        if at >= most:
            break
        if at in last:
            goals.append(Goal(items(facts, at)))
            break
        goals += [] if item(part, at).schema is True else [Goal([*items(facts, at), item(part, at)])]
    return goals


def _contains_same(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """What a fact contains as often is sought.

    Premises: `contains` refuses, without `maxContains`; what a fact contains as often is refused.
    Why: each item that the fact counts would be one that is sought.
    """
    refused, least = _sought(claim, facts, name, args)
    fact = claim.fact(facts, args[1])
    require(count(fact.schema.get("minContains", 1)) >= least, "fewer items are sought in the fact")
    return [Goal((fact.about(fact.schema["contains"]), refused))]


def _contains_at(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The items at as many positions, which must be there, are what is sought.

    Premises: `contains` refuses, without `maxContains`; the items at as many positions that must be there are
    refused.
    Why: so many items would be what is sought.
    """
    refused, least = _sought(claim, facts, name, args)
    low, chosen = item_counts(facts)[0], args[1:]
    require(len(set(chosen)) >= least and all(0 <= at < low for at in chosen), "there may be too few items")
    return [Goal((*items(facts, at), refused)) for at in chosen]


def _contains_every(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """All items are what is sought, and there are enough.

    Premises: `contains` refuses, without `maxContains`; items at all positions are refused, of which there are
    enough.
    Why: all items would be what is sought.
    """
    refused, least = _sought(claim, facts, name, args)
    require(item_counts(facts)[0] >= least, "there may be too few items")
    return [Goal((*items(facts, at), refused)) for at in positions(facts)]


def _sought(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> tuple[Fact, int]:
    """Return that an item is not what is sought, and how many there are to be."""
    require(name == "array", "the goal is not about arrays")
    part = claim.fact(facts, args[0], "contains", holds=False)
    require("maxContains" not in part.schema, "there is no rule for maxContains")
    return part.about(part.schema["contains"]), count(part.schema.get("minContains", 1))


def _names(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A name is refused that facts admit.

    Premises: `propertyNames` refuses; a name that the facts admit is refused.
    Why: one of the names is refused, and the facts admit it.
    """
    text, refused = _refused_name(claim, facts, name, args)
    admitted = (f.about(f.schema["propertyNames"]) for f in facts if f.holds and "propertyNames" in f.schema)
    return [Goal((text, *admitted, refused))]


def _listed_names(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A name is refused that a fact lists which admits no others.

    Premises: `propertyNames` refuses; each name of a closed object is refused.
    Why: the object has no other names.
    """
    text, refused = _refused_name(claim, facts, name, args)
    fact, view = claim.fact(facts, args[1]), refused.side.view
    require(closed(fact), "other properties may be there")
    names = [view.make({"enum": [own]}, "name", own) for own in sorted(fact.schema.get("properties", {}))]
    return [Goal((text, text.about(own), refused)) for own in names]


def _refused_name(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> tuple[Fact, Fact]:
    """Return that a name is a string, and that it is refused."""
    require(name == "object", "the goal is not about objects")
    part = claim.fact(facts, args[0], "propertyNames", holds=False)
    text = part.holding(part.side.view.make({"type": ["string"]}, "string"))
    return text, part.about(part.schema["propertyNames"])


def _properties(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The value of a listed property is refused, or one of the others, by the patterns that their names match.

    Premises: `properties`, `patternProperties` or `additionalProperties` refuses; for each listed name: its value
    is refused; for each set of patterns that another name may match exactly: the value is refused. A set is left
    out with a table of why no name matches it.
    Why: the name of the refused value is listed, or matches one of the sets.
    """
    require(name == "object", "the goal is not about objects")
    part = claim.fact(facts, args[0], "properties", holds=False)
    names, patterns, choices = classes_of_names(facts, part)
    goals = [goal for own in names for goal in property_goals(facts, part, own)]
    for matched, table in zip(choices, args[1:] or [None] * len(choices), strict=True):
        if table is None:
            goals += property_goals(facts, part, matched)
        else:
            _no_name(claim.table(table), matched, set(patterns) - matched, names)
    return goals


def classes_of_names(facts: Facts, part: Fact) -> tuple[list[str], list[tuple[str, str]], list[set[tuple[str, str]]]]:
    """Return the names that facts list, their patterns, and the sets of patterns that another name may match."""
    holding = [fact for fact in facts if fact.holds]
    names = sorted({own for fact in (*holding, part) for own in fact.schema.get("properties", {})})
    patterns = sorted({(p, f.side.reading) for f in (*holding, part) for p in f.schema.get("patternProperties", {})})
    require(len(patterns) <= _MOST_PATTERNS, "there are too many patterns")
    choices = itertools.product((True, False), repeat=len(patterns))
    return names, patterns, [{p for p, yes in zip(patterns, choice, strict=True) if yes} for choice in choices]


def property_goals(facts: Facts, part: Fact, which: str | set[tuple[str, str]]) -> list[Goal]:
    """Return the goals about the value of the property of a name, or of one whose name matches just these patterns."""

    def about(applied: Iterable[Fact]) -> list[Fact]:
        return about_property(applied, which) if isinstance(which, str) else about_others(applied, which)

    wanted = [fact for fact in about((part,)) if fact.schema is not True]
    holding = about(fact for fact in facts if fact.holds) if wanted else ()
    return [Goal((*holding, fact)) for fact in wanted]


def _no_name(table: Any, matched: Any, others: Any, names: list[str]) -> None:
    """No name but those listed matches exactly these patterns."""
    demanded, refused = ({tuple(pattern) for pattern in table[name]} for name in ("all", "none"))
    bounded = table["least"] == 0 and table["most"] is None and set(table["but"]) <= set(names)
    require(demanded <= matched and refused <= others and bounded, "the table is of other patterns")


def _dependent(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A property is there, and the names or the schema that it demands refuse the object.

    Premises: `dependentRequired`, `dependentSchemas` or `dependencies` refuses; for each name: the property is
    there, and what it demands refuses the object. After draft 7 validators may ignore `dependencies`, so it counts
    where it refuses only.
    Why: a property whose demand is not met is there.
    """
    part = claim.fact(facts, args[0], args[1], holds=False)
    require(part.schema.keys() <= _DEPENDENT, "is not a keyword of dependents")
    ((_, rules),) = part.schema.items()
    goals = []
    for own, demanded in sorted(rules.items()):
        make = part.side.view.make
        present = part.holding(make({"type": ["object"], "required": [own]}, "present", own))
        names = make({"required": demanded}, id(rules), own)
        goals.append(Goal((present, part.about(names if isinstance(demanded, list) else demanded)), facts))
    return goals


_DEPENDENT = {"dependencies", "dependentRequired", "dependentSchemas"}
FOR_ALL_TYPES: dict[str, Rule] = {"types": _types, "cases": _cases, "same": _same, "values": _values}
RULES: dict[str, Rule] = {
    **FOR_ALL_TYPES, "apart": _apart, "keywords": _keywords, "no-string": _no_string, "no-item": _no_item,
    "no-contained": _no_contained, "no-property": _no_property, "all": _all_of, "branches": _any_of, "only": _one_of,
    "if": _if, "items": _items, "contains-same": _contains_same, "contains-at": _contains_at,
    "contains-every": _contains_every, "names": _names, "listed-names": _listed_names, "properties": _properties,
    "dependent": _dependent,
}  # fmt: skip
"""Every rule by its name; :data:`FOR_ALL_TYPES` are the ones that goals about values of all types may be split by."""
