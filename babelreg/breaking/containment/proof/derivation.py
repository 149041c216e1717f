"""Derivations: trees of rule applications, as the proof search builds them. docs/proofs.md lists the rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = ["APART", "EVIDENT", "HYPOTHESIS", "PatternLemma", "Step", "every", "step"]

Step = tuple[str, tuple[Any, ...], tuple[Any, ...]]
"""A rule's name, its arguments and the derivations of its premises."""


class PatternLemma(NamedTuple):
    """The claim that no string of ``least`` to ``most`` code points matches all of ``matching``, none of ``none_of``,
    and is none of ``but``. A pattern comes with its reading.
    """

    matching: tuple[tuple[str, str], ...]
    none_of: tuple[tuple[str, str], ...]
    least: int
    most: int | None
    but: tuple[str, ...]


def step(rule: str, *premises: Step, of: tuple[Any, ...] = ()) -> Step:
    """Return the application of ``rule`` with the arguments ``of``."""
    return (rule, of, premises)


EVIDENT = step("evident")
"""The outer schema refuses nothing, a fact is false, or the facts leave no value of the type."""
APART = step("apart")
"""Single keywords of the facts contradict each other."""
HYPOTHESIS = step("hypothesis")
"""The same goal is being proved for a value that contains this one."""


def every(premises: Iterable[Step | None]) -> tuple[Step, ...] | None:
    """Return all premises; None at the first without a derivation."""
    derived = []
    for premise in premises:
        if premise is None:
            return None
        derived.append(premise)
    return tuple(derived)
