"""The checker of certificates: replays the choices of a proof that one view of a schema is contained in another.

The first goal is that no value satisfies the inner view and is refused by the outer one. A step names a rule
(``rules.py``), its arguments, and the steps of its premises; the goals of these are computed here, never read. Premises
may lead back to a goal, if every circle goes into the value: values are finite. docs/proofs.md says why that is sound.
Whatever is not clearly right is refused.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any

from babelreg.containment.certificates.claims import Claim, Goal
from babelreg.containment.certificates.content import READINGS, Certificate, parse, require_target_schemas
from babelreg.containment.certificates.core_schemas import View
from babelreg.containment.certificates.facts import CertificateRefused, Fact, Facts, Side, require
from babelreg.containment.certificates.rules import FOR_ALL_TYPES, RULES

__all__ = ["CertificateRefused", "CertificateTooLarge", "check"]

MOST_GOALS = 200_000


class CertificateTooLarge(CertificateRefused):
    """A certificate that takes more goals than the checker goes through."""


def check(content: Any) -> None:
    """Return if the certificate shows that ``outer`` allows every value that ``inner`` allows.

    It shows it for ECMA-262's reading of patterns, and for one of Python's where the views have patterns.
    Raises CertificateRefused.
    """
    try:
        certificate = parse(content)
        schemas = certificate.inner, certificate.outer
        views = [View(schema, certificate.draft, formats=certificate.formats) for schema in schemas]
        for view, side in zip(views, ("inner", "outer"), strict=True):
            require_target_schemas(view, side)
        patterns = any(view.has_patterns() for view in views)
        require(len(certificate.readings) > 1 or not patterns, "lacks the reading of patterns in Python")
        claim = Claim(views, certificate.tables)
        shown = set()  # whatever the patterns match, if both sides read them alike
        for name, first in certificate.readings.items():
            inner, outer = map(Side, views, READINGS[name])
            if first not in shown or not inner.reads_as(outer):
                goal = Goal((Fact(views[0].root, inner, True), Fact(views[1].root, outer, False)))
                _replay(certificate, claim, goal, first)
                shown |= {first} if inner.reads_as(outer) and not (inner.asked or outer.asked) else set()
    except RecursionError as err:
        raise CertificateTooLarge("is nested too deeply") from err
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, StopIteration) as err:
        raise CertificateRefused(f"is malformed: {err!r}") from err


def _replay(certificate: Certificate, claim: Claim, goal: Goal, first: int) -> None:
    """Split the goal, and each goal that comes of it once, by the rules of the steps. Raises CertificateRefused."""
    facts = Facts(goal.new)
    here: dict[Any, list[Any]] = {}
    """By goal, the goals about the same value that it rests on."""
    waiting = [(facts, goal.name, first)] if facts.types else []
    while waiting:
        facts, name, number = waiting.pop()
        key = (facts.goal(), name)
        if key in here:
            continue
        here[key] = []
        if len(here) > MOST_GOALS:
            raise CertificateTooLarge("needs too many goals", number)
        for below, own, premise in _premises(certificate, claim, facts, name, number):
            waiting.append((below, own.name, premise))
            if own.known is not None:
                here[key].append((below.goal(), own.name))
    try:
        TopologicalSorter(here).prepare()
    except CycleError:
        raise CertificateRefused("goals about one value rest on each other") from None


def _premises(
    certificate: Certificate, claim: Claim, facts: Facts, name: str | None, number: int
) -> list[tuple[Facts, Goal, int]]:
    """Return the goals of a step that are left to be shown, each with its facts and its step."""
    rule, args, premises = certificate.steps[number]
    try:
        require(name is not None or rule in FOR_ALL_TYPES, "is not a rule for values of all types")
        goals = []
        for own in RULES[rule](claim, facts, name, args):
            below = Facts(own.new, own.known) if own.new or own.known is None else own.known
            if below.types and (own.name is None or own.name in below.types):
                goals.append((below, own))
        require(len(goals) == len(premises), f"{rule} has {len(goals)} premises here, not {len(premises)}")
    except CertificateRefused as refused:
        raise CertificateRefused(str(refused), number) from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, StopIteration) as err:
        raise CertificateRefused(f"is malformed: {err!r}", number) from err
    return [(below, own, premise) for (below, own), premise in zip(goals, premises, strict=True)]
