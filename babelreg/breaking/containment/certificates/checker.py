"""The checker of certificates: replays the derivation that one view of a schema is contained in another.

It is meant to be read. There is one kind of goal: no value, or no value of one JSON type, satisfies all of some facts.
A fact is a subschema that holds for the value, or one that refuses it; the first goal is that no value satisfies the
inner view and is refused by the outer one. A step of the certificate names a rule and the steps of its premises; the
goals of the premises are computed here, never read. docs/proofs.md says why each rule is sound. Whatever is not clearly
right is refused.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from babelreg.breaking.containment.certificates import pattern_tables
from babelreg.breaking.containment.certificates.content import READINGS, Certificate, parse
from babelreg.breaking.containment.certificates.core_schemas import APPLIES, GROUPS, View, mentions, type_of
from babelreg.breaking.containment.certificates.facts import (
    CertificateRefused,
    Fact,
    Facts,
    Side,
    about_others,
    about_property,
    apart,
    closed,
    count,
    given,
    item,
    item_counts,
    items,
    limits,
    positions,
    require,
    required,
)
from babelreg.breaking.containment.certificates.single_values import Validators

__all__ = ["CertificateRefused", "CertificateTooLarge", "check"]

MOST_STEPS = 1_000_000
_PATTERNS = {"pattern", "patternProperties"}
_REFERENCES = {"$ref", "$dynamicRef", "$recursiveRef"}


class CertificateTooLarge(CertificateRefused):
    """A certificate that takes more steps or depth than the checker goes."""


def check(content: Any) -> None:
    """Return if the certificate shows that ``outer`` allows every value that ``inner`` allows.

    It shows it for ECMA-262's reading of patterns, and for one of Python's where the views have patterns.
    Raises CertificateRefused.
    """
    replay = None
    try:
        certificate = parse(content)
        views = _views(certificate)
        shown = set()  # whatever the patterns match
        for name, first in certificate.readings.items():
            if first not in shown:
                replay = _Replay(certificate, views)
                inner, outer = map(Side, views, READINGS[name])
                replay.refute(first, (Fact(views[0].root, inner, True), Fact(views[1].root, outer, False)))
                shown |= set() if inner.asked or outer.asked else {first}
    except RecursionError as err:
        raise CertificateTooLarge("is nested too deeply") from err
    except CertificateRefused as refused:
        raise type(refused)(str(refused), replay.at if replay else None) from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, StopIteration) as err:
        raise CertificateRefused(f"is malformed: {err!r}", replay.at if replay else None) from err


def _views(certificate: Certificate) -> list[View]:
    """Return the inner and the outer view."""
    sides = (certificate.inner, certificate.outer)
    views = [View(side, certificate.draft, formats=certificate.formats) for side in sides]
    patterns = any(view.has_patterns() for view in views)
    require(len(certificate.readings) > 1 or not patterns, "lacks the reading of patterns by Python")
    return views


class _Replay:
    """One replay, with one reading of patterns. Methods that take a step raise CertificateRefused unless it holds."""

    def __init__(self, certificate: Certificate, views: list[View]) -> None:
        self.draft = certificate.draft
        self.steps, self.tables = certificate.steps, certificate.tables
        self.named = [core for view in views for _, core in view.pairs]
        self.validators = Validators(self.draft, formats=certificate.formats)
        self.at: int | None = None
        self.left, self.depth = MOST_STEPS, 0
        self.open: list[tuple[frozenset[Any], int]] = []
        self.used = inf
        self.proved: set[Any] = set()
        self.verified: set[int] = set()

    def step(self, number: int, *rules: str) -> tuple[str, Any, Any]:
        """Return a step, of one of the rules: its rule, arguments and premises. Steps in a circle come to no end."""
        self.at, self.left = number, self.left - 1
        if self.left < 0:
            raise CertificateTooLarge("takes too many steps")
        rule, args, premises = self.steps[number]
        require(not rules or rule in rules, f"is not a step of {rules}")
        return rule, args, premises

    def find(self, facts: Facts, number: int, holds: bool = True) -> Fact:
        """Return the fact about a subschema, which is named by its place in the order of both views."""
        fact = facts.found.get((id(self.named[number]), holds))
        if fact is None:
            raise CertificateRefused("the subschema is not among the facts")
        return fact

    def refute(self, number: int, new: Sequence[Fact], known: Facts | None = None, name: str | None = None) -> None:
        """Goal: no value, or none of the type ``name``, satisfies the new facts and those known of it."""
        facts = Facts(new, known) if new or known is None else known
        if not facts.types or (name is not None and name not in facts.types):
            return None
        rule, args, premises = self.step(number)
        if name is not None:
            return RULES[rule](self, facts, name, args, premises)
        if rule in ("same", "values"):
            return (_same if rule == "same" else _values)(self, facts, None, args, premises)
        goal = facts.goal()
        if rule == "hypothesis":
            return self.assumed(goal)
        if (number, goal) in self.proved:
            return None
        position, used, self.used = len(self.open), self.used, inf
        self.open.append((goal, self.depth))
        require(rule in ("types", "cases"), "is not a rule for values of all types")
        (_types if rule == "types" else _cases)(self, facts, None, args, premises)
        self.open.pop()
        if self.used >= position:
            self.proved.add((number, goal))
        self.used = min(used, self.used if self.used < position else inf)
        return None

    def assumed(self, facts: frozenset[Any]) -> None:
        """Rule: the same goal is being shown for a value that contains this one; values are finite."""
        for position, (goal, depth) in enumerate(self.open):
            if depth < self.depth and goal <= facts:
                self.used = min(self.used, position)
                return
        raise CertificateRefused("no such goal is open for a larger value")

    def refute_parts(self, goals: Iterable[Sequence[Fact]], premises: Any) -> None:
        """Goals about a part of the value."""
        self.depth += 1
        for goal, premise in zip(goals, premises, strict=True):
            self.refute(premise, goal)
        self.depth -= 1

    def excludes(self, fact: Fact, value: Any) -> bool:
        """Return True if a value contradicts the fact."""
        return self.validators.permit(fact, value) is (not fact.holds)

    def table(self, number: int) -> Any:
        """Return a table of patterns, verified once."""
        table = self.tables[number]
        if number not in self.verified:
            try:
                pattern_tables.verify(table)
            except pattern_tables.TableRefused as refused:
                raise CertificateRefused(f"table {number}: {refused}") from refused
            self.verified.add(number)
        return table


_CONDITION = ("if", "then", "else")


# Rules


def _types(replay: _Replay, facts: Facts, name: str | None, args: Any, premises: Any) -> None:
    """A value has one of the types that are left."""
    by_type = dict(zip(args, premises, strict=True))
    for left in sorted(facts.types):
        replay.refute(by_type[left], (), facts, left)


def _cases(replay: _Replay, facts: Facts, name: str | None, args: Any, premises: Any) -> None:
    """A branch of a union holds, of ``oneOf`` no other one; or a condition holds and ``then``, or neither."""
    union, keyword = replay.find(facts, args[0]), args[1]
    require(keyword in ("anyOf", "oneOf", "only", "if"), "is not a union")
    if keyword == "if":
        condition, then, other = (union.about(union.schema.get(word, True)) for word in _CONDITION)
        cases = [[condition, then], [*condition.refusals(condition.schema), other]]
    else:
        cases = [[union.about(branch)] for branch in union.schema["oneOf" if keyword == "only" else keyword]]
        for case in [*cases] if keyword == "only" else ():
            others = [other[0].schema for other in cases if other is not case]
            case += [refused for other in others for refused in union.refusals(other)]
    for case, premise in zip(cases, premises, strict=True):
        replay.refute(premise, case, facts, name)


def _keywords(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """A subschema refuses a value by one of its keywords: each in turn contradicts the other facts."""
    whole = replay.find(facts, args[0], holds=False)
    steps = dict(zip(args[1:], premises, strict=True))
    for keyword in dict.fromkeys(GROUPS.get(keyword, keyword) for keyword in whole.schema):
        if name not in APPLIES.get(keyword, ()):
            continue
        part = whole.about(whole.side.view.part(whole.schema, keyword))
        if keyword in steps:
            _SPLITS.get(keyword, _alone)(replay, facts, name, part, steps.pop(keyword))
        else:
            require(apart(Facts((part,), facts), name, replay.draft), f"{keyword} does not follow")
    require(not steps, f"{list(steps)} is not for a keyword of the schema")


def _same(replay: _Replay, facts: Facts, name: str | None, args: Any, premises: Any) -> None:
    """What holds is written like what is refused, and means the same there."""
    fact, refused = replay.find(facts, args[0]), replay.find(facts, args[1], holds=False)
    text = fact.side.view.text(fact.schema)
    require(text == refused.side.view.text(refused.schema), "they differ")
    require(not mentions(text, _REFERENCES), "they may mean different things")
    alike = not mentions(text, _PATTERNS) or fact.side.reading == refused.side.reading
    require(alike, "their patterns are read differently")


def _values(replay: _Replay, facts: Facts, name: str | None, args: Any, premises: Any) -> None:
    """The facts list the values, and each contradicts a fact."""
    types = facts.types if name is None else {name}
    lists = [[value for value in values if type_of(value) in types] for values in given(facts, "enum")]
    lists += [[None]] if name == "null" else [[False, True]] if name == "boolean" else []
    require(lists, "no fact lists values")
    refused_first = sorted(facts, key=lambda fact: fact.holds)
    for value in min(lists, key=len):
        require(any(replay.excludes(fact, value) for fact in refused_first), f"{value!r} may be left")


def _apart(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    require(apart(facts, name, replay.draft), "a value may be left")


def _no_string(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """A table shows that no string has the patterns and lengths."""
    table, (low, high) = replay.table(args[0]), limits(facts, "minLength", "maxLength")
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


def _no_item(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """There must be an item at the position, and there is none that satisfies the facts."""
    require(name == "array" and 0 <= args[0] < item_counts(facts)[0], "there need not be such an item")
    replay.refute_parts([items(facts, args[0])], premises)


def _no_contained(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """There must be an item that ``contains`` seeks, and there is none at any position."""
    fact = replay.find(facts, args[0])
    require(name == "array" and count(fact.schema.get("minContains", 1)) > 0, "there need not be such an item")
    sought = fact.about(fact.schema["contains"])
    replay.refute_parts([(*items(facts, at), sought) for at in positions(facts)], premises)


def _no_property(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """A required property has no value that satisfies the facts."""
    require(name == "object" and args[0] in required(facts), "the property is not required")
    replay.refute_parts([about_property((fact for fact in facts if fact.holds), args[0])], premises)


# Rules of single keywords by which ``part`` refuses the value; ``number`` is the step that shows that it does not


def _alone(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    replay.refute(number, (part,), facts, name)


def _all_of(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """One of the members refuses the value."""
    _, _, premises = replay.step(number, "all")
    for member, premise in zip(part.schema["allOf"], premises, strict=True):
        replay.refute(premise, (part.about(member),), facts, name)


def _any_of(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """All branches refuse the value, those that the step names among them."""
    _, chosen, (premise,) = replay.step(number, "branches")
    replay.refute(premise, [part.about(part.schema["anyOf"][at]) for at in chosen], facts, name)


def _one_of(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """A chosen branch refuses the value, or another one holds."""
    _, (at,), premises = replay.step(number, "only")
    branches = [part.holding(branch) for branch in part.schema["oneOf"]]
    cases = [part.about(branches[at].schema), *branches[:at], *branches[at + 1 :]]
    for case, premise in zip(cases, premises, strict=True):
        replay.refute(premise, (case,), facts, name)


def _if(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """The condition holds and ``then`` refuses the value, or the condition and ``else`` refuse it."""
    _, _, (first, second) = replay.step(number, "if")
    condition, then, other = (part.about(part.schema.get(word, True)) for word in _CONDITION)
    replay.refute(first, (condition.holding(condition.schema), then), facts, name)
    replay.refute(second, (*condition.refusals(condition.schema), other), facts, name)


def _items(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """The item at a position is refused. Without an item at the position that the step names, there is none later."""
    _, last, premises = replay.step(number, "items")
    goals: list[list[Fact]] = []
    for at in positions([*facts, part.holding(part.schema)]):
        if at >= item_counts([fact for fact in facts if fact.holds])[1]:
            break
        if at in last:
            goals.append(items(facts, at))
            break
        goals += [] if item(part, at).schema is True else [[*items(facts, at), item(part, at)]]
    replay.refute_parts(goals, premises)


def _contains(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """Too few items are what is sought; but those of a fact's ``contains`` are, or those at some positions, or all."""
    rule, args, premises = replay.step(number, "contains-same", "contains-at", "contains-every")
    require("maxContains" not in part.schema, "there is no rule for maxContains")
    refused, least = part.about(part.schema["contains"]), count(part.schema.get("minContains", 1))
    if rule == "contains-same":
        fact = replay.find(facts, args[0])
        require(count(fact.schema.get("minContains", 1)) >= least, "fewer items are sought in the fact")
        return replay.refute_parts([(fact.about(fact.schema["contains"]), refused)], premises)
    low = item_counts(facts)[0]
    every = rule == "contains-every"
    require(low >= least and (every or len(set(args)) >= least), "there may be too few items")
    require(every or all(type(at) is int and 0 <= at < low for at in args), "is not a position")
    return replay.refute_parts([(*items(facts, at), refused) for at in (positions(facts) if every else args)], premises)


def _property_names(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """A name is refused that facts admit, or that a fact lists which admits no others."""
    rule, args, premises = replay.step(number, "names", "listed-names")
    text = part.holding(part.side.view.make({"type": ["string"]}, "string"))
    refused = part.about(part.schema["propertyNames"])
    if rule == "names":
        holding = [fact for fact in facts if fact.holds and "propertyNames" in fact.schema]
        admitted = [fact.about(fact.schema["propertyNames"]) for fact in holding]
        return replay.refute_parts([(text, *admitted, refused)], premises)
    fact = replay.find(facts, args[0])
    require(closed(fact), "other properties may be there")
    names = [part.side.view.make({"enum": [own]}, "name", own) for own in sorted(fact.schema.get("properties", {}))]
    return replay.refute_parts([(text, text.about(own), refused) for own in names], premises)


def _properties(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """The value of a listed property is refused, or one of the others, by the patterns that their names match."""
    _, tables, premises = replay.step(number, "properties")
    holding = tuple(fact for fact in facts if fact.holds)
    names = sorted({own for fact in (*holding, part) for own in fact.schema.get("properties", {})})
    patterns = sorted({(p, f.side.reading) for f in (*holding, part) for p in f.schema.get("patternProperties", {})})
    require(len(patterns) <= 8, "there are too many patterns")
    about: list[Callable[[Iterable[Fact]], list[Fact]]] = [functools.partial(about_property, name=own) for own in names]
    chosen = list(itertools.product((True, False), repeat=len(patterns)))
    for choice, table in zip(chosen, tables or [None] * len(chosen), strict=True):
        matched = {pattern for pattern, yes in zip(patterns, choice, strict=True) if yes}
        if table is None:
            about.append(functools.partial(about_others, matched=matched))
        else:
            _no_name(replay.table(table), matched, set(patterns) - matched, names)
    goals = [(*what(holding), wanted) for what in about for wanted in what((part,)) if wanted.schema is not True]
    replay.refute_parts(goals, premises)


def _no_name(table: Any, matched: Any, others: Any, names: list[str]) -> None:
    """No name but those listed matches exactly these patterns."""
    demanded, refused = ({tuple(pattern) for pattern in table[name]} for name in ("all", "none"))
    bounded = table["least"] == 0 and table["most"] is None and set(table["but"]) <= set(names)
    require(demanded <= matched and refused <= others and bounded, "the table is of other patterns")


def _dependent(replay: _Replay, facts: Facts, name: str, part: Fact, number: Any) -> None:
    """A property is there, and the names or the schema that it demands refuse the object."""
    _, _, premises = replay.step(number, "dependent")
    ((_, rules),) = part.schema.items()
    for (own, demanded), premise in zip(sorted(rules.items()), premises, strict=True):
        make = part.side.view.make
        present = part.holding(make({"type": ["object"], "required": [own]}, "present", own))
        names = make({"required": demanded}, id(rules), own)
        refused = part.about(names if isinstance(demanded, list) else demanded)
        replay.refute(premise, (present, refused), facts)


RULES: dict[str, Callable[[_Replay, Facts, str, Any, Any], None]] = {
    "cases": _cases, "keywords": _keywords, "same": _same, "values": _values, "apart": _apart, "no-string": _no_string,
    "no-item": _no_item, "no-contained": _no_contained, "no-property": _no_property,
}  # fmt: skip
"""The rules for values of one type; ``cases``, ``same`` and ``values`` are for all, too."""
_SPLITS: dict[str, Callable[[_Replay, Facts, str, Fact, Any], None]] = {
    "allOf": _all_of, "anyOf": _any_of, "oneOf": _one_of, "if": _if, "items": _items, "contains": _contains,
    "propertyNames": _property_names, "properties": _properties, "dependencies": _dependent,
    "dependentRequired": _dependent, "dependentSchemas": _dependent,
}  # fmt: skip
