"""Goals that a search shows or fails to show, and what may be used where.

What follows from a goal that is being shown may be used further down in the value. It may be used elsewhere, too, while
that goal is open, or once it is shown. What failed because it would have rested on a goal about the same value may
succeed where that goal is not open. Steps are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.containment.certificates.claims import Claim, Goal
from babelreg.containment.certificates.core_schemas import View
from babelreg.containment.certificates.facts import Fact, Facts

EVIDENT = -1
"""The number of the step of a goal that needs none."""

_FACTS_OF_A_STEP = 5

Choice = tuple[str, list[Any], list[int]]
"""A rule, its arguments and the numbers of the steps of its premises."""
Name = tuple[int, bool]
"""The name of a fact among others."""


class OutOfSteps(Exception):
    """The search takes more steps than it was given."""


@dataclass(slots=True, eq=False)
class OpenGoal:
    """A goal that is or was open: how deep in the value, and on which others its proof rests.

    ``state`` is None while it is open, then whether it was shown.
    """

    depth: int
    state: bool | None = None
    number: int | None = None
    resting: frozenset[OpenGoal] = frozenset()


class GoalSearch:
    """One search. :meth:`goal` returns the number of the step that shows a goal, None where it finds none."""

    def __init__(self, views: Sequence[View], steps: float) -> None:
        self.tables: list[dict[str, Any]] = []
        self.claim = _SearchedClaim(views, self.tables)
        self.steps: list[Choice] = []
        self._written: dict[Any, int] = {}
        self._left = steps
        self._depth = 0

    def first(self, facts: Sequence[Fact]) -> int | None:
        """Return the step that refutes the facts, which are read as their sides say; None where none is found."""
        self._shown: dict[Any, tuple[int, frozenset[OpenGoal]]] = {}
        self._open: dict[Any, OpenGoal] = {}
        self._failed: dict[Any, frozenset[OpenGoal]] = {}
        self._resting: set[OpenGoal] = set()
        self._blocking: set[OpenGoal] = set()
        try:
            number = self.goal(Goal(facts))
        except (OutOfSteps, RecursionError):
            return None
        return self._number(("apart", [], [])) if number == EVIDENT else number

    def spend(self, steps: float) -> None:
        self._left -= steps
        if self._left < 0:
            raise OutOfSteps

    def goal(self, goal: Goal, focus: Name | None = None) -> int | None:
        """Show a goal; with ``focus`` by that refused schema alone, without splitting the facts into cases."""
        facts = Facts(goal.new, goal.known) if goal.new or goal.known is None else goal.known
        if not facts.types or (goal.name is not None and goal.name not in facts.types):
            return EVIDENT
        if goal.known is not None:
            return self._goal(facts, goal.name, focus)
        depth, self._depth = self._depth, self._depth + 1
        try:
            return self._goal(facts, goal.name, focus)
        finally:
            self._depth = depth

    def _goal(self, facts: Facts, name: str | None, focus: Name | None) -> int | None:
        self.spend(1 + len(facts.found) / _FACTS_OF_A_STEP)
        key = (facts.goal(), name)
        if key in self._shown:
            number, frames = self._shown[key]
            open_frames = self._still_open(frames)
            if open_frames is not None:
                self._resting |= open_frames
                return number
        if key in self._open:
            return self._hypothesis(self._open[key])
        if any(failed is not None and all(frame.state is not True for frame in failed)
               for failed in (self._failed.get((key, None)), self._failed.get((key, focus)))):  # fmt: skip
            self._blocking |= {frame for frame in self._failed.get((key, focus), ()) if frame.state is None}
            return None
        return self._opened(key, facts, name, focus)

    def _opened(self, key: Any, facts: Facts, name: str | None, focus: Name | None) -> int | None:
        frame = self._open[key] = OpenGoal(self._depth)
        resting, blocking = self._resting, self._blocking
        self._resting, self._blocking = set(), set()
        try:
            choice = self._shown_by(facts, name, focus)
        finally:
            del self._open[key]
            own_resting, own_blocking = self._resting - {frame}, self._blocking - {frame}
            self._resting, self._blocking = resting, blocking
        frame.state = choice is not None
        if choice is None:
            self._failed[key, focus] = frozenset(own_blocking)
            self._blocking |= own_blocking
            return None
        frame.resting = frozenset(own_resting)
        self._resting |= own_resting
        number = self._number(choice, frame)
        self._shown[key] = number, frame.resting
        return number

    def _hypothesis(self, frame: OpenGoal) -> int | None:
        """Use a goal that is being shown for a value which contains this one."""
        if frame.depth >= self._depth:
            self._blocking.add(frame)
            return None
        self._resting.add(frame)
        if frame.number is None:
            frame.number = len(self.steps)
            self.steps.append(("", [], []))  # to be replaced when the goal is shown
        return frame.number

    def _still_open(self, frames: frozenset[OpenGoal]) -> set[OpenGoal] | None:
        """Return the open goals that a proof rests on, all about larger values; None where it does not hold here."""
        found: set[OpenGoal] = set()
        waiting, seen = list(frames), set(frames)
        while waiting:
            frame = waiting.pop()
            if frame.state is False or (frame.state is None and frame.depth >= self._depth):
                return None
            if frame.state is None:
                found.add(frame)
            else:
                waiting += frame.resting - seen
                seen |= frame.resting
        return found

    def _number(self, choice: Choice, frame: OpenGoal | None = None) -> int:
        """Write a step, equal ones once, and return its number."""
        if frame is not None and frame.number is not None:
            self.steps[frame.number] = choice
            return frame.number
        rule, args, premises = choice
        number = self._written.setdefault((rule, tuple(args), tuple(premises)), len(self.steps))
        if number == len(self.steps):
            self.steps.append(choice)
        return number

    def _shown_by(self, facts: Facts, name: str | None, focus: Name | None) -> Choice | None:
        """Return the rule that shows a goal, with its premises."""
        raise NotImplementedError


class _SearchedClaim(Claim):
    """A claim whose tables come from the search itself, so that they need not be verified."""

    def table(self, number: int) -> Any:
        return self.tables[number]
