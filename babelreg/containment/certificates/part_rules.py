"""Rules of proofs about the items of arrays and the properties of objects: their premises are about parts of the value.

Part of the checker; ``rules.py`` says how rules are written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from babelreg.containment.certificates.claims import Claim, Goal, Rule
from babelreg.containment.certificates.facts import (
    Fact,
    Facts,
    about_property,
    closed,
    count,
    item,
    item_counts,
    items,
    positions,
    require,
    required,
)

_MOST_PATTERNS = 10


# Rules for parts that must be there


def no_item(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """There must be an item at the position, and there is none that satisfies the facts.

    Premises: there must be an item at a position; the facts about it contradict each other.
    Why: the array has no value for the item.
    """
    require(name == "array" and 0 <= args[0] < item_counts(facts)[0], "there need not be such an item")
    return [Goal(items(facts, args[0]))]


def no_contained(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """There must be an item that ``contains`` seeks, and there is none at any position.

    Premises: `contains` holds for at least one item; for each position, what it seeks contradicts the facts about
    the item.
    Why: the item is at a position.
    """
    fact = claim.fact(facts, args[0])
    require(name == "array" and count(fact.schema.get("minContains", 1)) > 0, "there need not be such an item")
    sought = fact.about(fact.schema["contains"])
    return [Goal((*items(facts, at), sought)) for at in positions(facts)]


def no_property(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A required property has no value that satisfies the facts.

    Premises: a required property; the facts about it contradict each other, or `propertyNames` excludes its name.
    Why: the object has no value for the property.
    """
    require(name == "object" and args[0] in required(facts), "the property is not required")
    if is_unnamed(claim, facts, args[0]):
        return []
    return [Goal(about_property((fact for fact in facts if fact.holds), args[0]))]


# Rules for one keyword by which the numbered subschema refuses a part of the value


def refused_items(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
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


def contains_same(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """What a fact contains as often is sought.

    Premises: `contains` refuses, without `maxContains`; what a fact contains as often is refused.
    Why: each item that the fact counts would be one that is sought.
    """
    refused, least = _sought(claim, facts, name, args)
    fact = claim.fact(facts, args[1])
    require(count(fact.schema.get("minContains", 1)) >= least, "fewer items are sought in the fact")
    return [Goal((fact.about(fact.schema["contains"]), refused))]


def contains_at(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The items at as many positions, which must be there, are what is sought.

    Premises: `contains` refuses, without `maxContains`; the items at as many positions that must be there are
    refused.
    Why: so many items would be what is sought.
    """
    refused, least = _sought(claim, facts, name, args)
    low, chosen = item_counts(facts)[0], args[1:]
    require(len(set(chosen)) >= least and all(0 <= at < low for at in chosen), "there may be too few items")
    return [Goal((*items(facts, at), refused)) for at in chosen]


def contains_every(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
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


def names(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """A name is refused that facts admit.

    Premises: `propertyNames` refuses; a name that the facts admit is refused.
    Why: one of the names is refused, and the facts admit it.
    """
    text, refused = _refused_name(claim, facts, name, args)
    return [Goal((text, *naming(facts), refused))]


def listed_names(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
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


def properties(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The value of a listed property is refused, or one of the others, by the patterns that their names match.

    Premises: `properties`, `patternProperties` or `additionalProperties` refuses; for each listed name that no
    `propertyNames` excludes: its value is refused; for each set of patterns that another name may match exactly: the
    value is refused. A set is left out with a table of why no name matches it.
    Why: the name of the refused value is listed, or matches one of the sets.
    """
    require(name == "object", "the goal is not about objects")
    part = claim.fact(facts, args[0], "properties", holds=False)
    every, choices = sets_of_patterns(facts, part)
    goals = list(goals_of_names(claim, facts, part))
    for matched, table in zip(choices, args[1:] or [None] * len(choices), strict=True):
        if table is None:
            goals += property_goals(facts, part, matched)
        else:
            _no_name(claim.table(table), matched, set(every) - matched, listed(facts, part))
    return goals


def patterns(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
    """The value of a listed property is refused, or one whose name matches a pattern, or one that matches none.

    Premises: `properties`, `patternProperties` or `additionalProperties` refuses; for each listed name that no
    `propertyNames` excludes: its value is refused; for each pattern that refuses: the value is refused, beside what
    facts say of the same pattern; then beside the `additionalProperties` of the facts all whose patterns are among
    these: it is refused by `additionalProperties`.
    Why: the name of the refused value is listed, or matches one of the patterns, or none.
    """
    require(name == "object", "the goal is not about objects")
    part = claim.fact(facts, args[0], "properties", holds=False)
    holding = [fact for fact in facts if fact.holds]
    goals = list(goals_of_names(claim, facts, part))
    for pattern, refused in part.schema.get("patternProperties", {}).items():
        alike = (fact for fact in holding if (pattern, part.side.reading) in _patterns(fact))
        beside = [fact.about(fact.schema["patternProperties"][pattern]) for fact in alike]
        goals.append(Goal((*beside, part.about(refused))))
    others = [fact for fact in (*holding, part) if _patterns(fact) <= _patterns(part)]
    return [*goals, Goal(about_property(others, set()))]


def goals_of_names(claim: Claim, facts: Facts, part: Fact) -> Iterator[Goal]:
    """Yield the goals about the values of the properties that facts list."""
    for own in listed(facts, part):
        if not is_unnamed(claim, facts, own):
            yield from property_goals(facts, part, own)


def listed(facts: Facts, part: Fact) -> list[str]:
    """Return the names of properties that facts list."""
    about = (fact for fact in (*facts, part) if fact.holds or fact is part)
    return sorted({own for fact in about for own in fact.schema.get("properties", {})})


def _patterns(fact: Fact) -> set[tuple[str, str]]:
    """Return the patterns of a fact, each with how it is read."""
    return {(pattern, fact.side.reading) for pattern in fact.schema.get("patternProperties", {})}


def sets_of_patterns(facts: Facts, part: Fact) -> tuple[list[tuple[str, str]], list[set[tuple[str, str]]]]:
    """Return the patterns of names of the facts, and the sets of them that another name may match."""
    about = (fact for fact in (*facts, part) if fact.holds or fact is part)
    every = sorted({pattern for fact in about for pattern in _patterns(fact)})
    require(len(every) <= _MOST_PATTERNS, "there are too many patterns")
    choices = itertools.product((True, False), repeat=len(every))
    return every, [{p for p, yes in zip(every, choice, strict=True) if yes} for choice in choices]


def is_unnamed(claim: Claim, facts: Facts, name: str) -> bool:
    """Return True if no object has a property of this name, as ``propertyNames`` refuses it."""
    return any(claim.excludes(fact, name) for fact in naming(facts))


def naming(facts: Facts) -> Iterator[Fact]:
    """Yield what facts say of the names of properties."""
    holding = (fact for fact in facts if fact.holds and "propertyNames" in fact.schema)
    return (fact.about(fact.schema["propertyNames"]) for fact in holding)


def property_goals(facts: Facts, part: Fact, which: str | set[tuple[str, str]]) -> list[Goal]:
    """Return the goals about the value of the property of a name, or of one whose name matches just these patterns."""
    wanted = [fact for fact in about_property((part,), which) if fact.schema is not True]
    holding = about_property((fact for fact in facts if fact.holds), which) if wanted else ()
    return [Goal((*holding, fact)) for fact in wanted]


def _no_name(table: Any, matched: Any, others: Any, names: list[str]) -> None:
    """No name but those listed matches exactly these patterns."""
    demanded, refused = ({tuple(pattern) for pattern in table[name]} for name in ("all", "none"))
    bounded = table["least"] == 0 and table["most"] is None and set(table["but"]) <= set(names)
    require(demanded <= matched and refused <= others and bounded, "the table is of other patterns")


def dependent(claim: Claim, facts: Facts, name: str, args: Sequence[Any]) -> list[Goal]:
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
PART_RULES: dict[str, Rule] = {
    "no-item": no_item, "no-contained": no_contained, "no-property": no_property, "items": refused_items,
    "contains-same": contains_same, "contains-at": contains_at, "contains-every": contains_every, "names": names,
    "listed-names": listed_names, "properties": properties, "patterns": patterns, "dependent": dependent,
}  # fmt: skip
