"""The rules of proofs: into which goals each one splits a goal. Part of the checker, and meant to be read.

A goal says that no value, or no value of one JSON type, satisfies all of some facts (``facts.py``). A rule is a
function of the facts, of the type, and of arguments that a certificate names; it returns the goals that together show
the goal, or raises CertificateRefused. It never asks whether these can be shown: a search tries rules, a replay applies
the ones that a certificate names. What the docstring of a rule says after ``Premises:`` and
``Why:`` is its row in docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.containment.certificates.apart import apart, only_value, whole_numbers
from babelreg.containment.certificates.claims import Claim, Goal, Rule
from babelreg.containment.certificates.core_schemas import APPLIES, GROUPS, alike, type_of
from babelreg.containment.certificates.facts import Fact, Facts, excluded, given, limits, require, tags
from babelreg.containment.certificates.part_rules import PART_RULES

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
        return _met_and_unmet(union, facts, name)
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
    require(not patterns or fact.side.reads_as(refused.side), "their patterns are read differently")
    return []


def _values(claim: Claim, facts: Facts, name: str | None, args: Sequence[Any]) -> list[Goal]:
    """The facts list the values, and each contradicts a fact.

    Premises: none; an `enum` that holds lists the values (of one type, null and booleans are listed anyhow, and so
    are the multiples of a whole step between two bounds, and the empty value where there is no longer one), and each
    contradicts a fact.
    Why: these are all values; what a schema says of one value: see below.
    """
    values = listed_values(facts, name, claim.draft)
    require(values is not None, "no fact lists values")
    refused_first = sorted(facts, key=lambda fact: fact.holds)
    types = facts.types if name is None else {name}
    for value in values or ():
        contradicts = type_of(value) not in types or any(claim.excludes(fact, value) for fact in refused_first)
        require(contradicts, f"{value!r} may be left")
    return []


def listed_values(facts: Facts, name: str | None, draft: int) -> Sequence[Any] | None:
    """Return the shortest list that has all values, and perhaps some of other types; None where there is none."""
    lists: list[Sequence[Any]] = list(given(facts, "enum"))
    lists += [[None]] if name == "null" else [[False, True]] if name == "boolean" else []
    lists += [empty] if (empty := only_value(facts, name)) else []
    lists += [numbers] if name == "number" and (numbers := whole_numbers(facts, draft)) else []
    return min(lists, key=len, default=None)


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
    return _met_and_unmet(claim.fact(facts, args[0], "if", holds=False), facts, name)


def _met_and_unmet(fact: Fact, facts: Facts, name: str | None) -> list[Goal]:
    """Return the goals that a condition holds, with ``then``, and that it refuses the value, with ``else``."""
    condition, then, other = (fact.about(fact.schema.get(word, True)) for word in ("if", "then", "else"))
    met = Goal((condition.holding(condition.schema), then), facts, name)
    return [met, Goal((*condition.refusals(condition.schema), other), facts, name)]


FOR_ALL_TYPES: dict[str, Rule] = {"types": _types, "cases": _cases, "same": _same, "values": _values}
RULES: dict[str, Rule] = {
    **FOR_ALL_TYPES, "apart": _apart, "keywords": _keywords, "no-string": _no_string, "all": _all_of,
    "branches": _any_of, "only": _one_of, "if": _if, **PART_RULES,
}  # fmt: skip
"""Every rule by its name; :data:`FOR_ALL_TYPES` are the ones that goals about values of all types may be split by."""
