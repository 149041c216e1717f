"""Proof of one comparison, in the readings of patterns that a verdict needs, and its certificate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from babelreg.containment.certificates.content import READINGS, VERSION
from babelreg.containment.certificates.core_schemas import DRAFTS, View
from babelreg.containment.certificates.facts import Fact, Side
from babelreg.containment.certificates.search import Search

STEPS = 15_000
STEPS_OF_A_SCHEMA = 40
MOST_STEPS = 40_000
"""A step takes 30 to 70 microseconds. The longest proofs of the corpora take 4,000, those of hard schemas 11,000."""
_MOST_CALLS = 6_000


class Proof:
    """What a search found: for each reading of patterns the number of a step, and the steps.

    ``complete`` tells whether it holds for all readings that a verdict needs. Equal schemas get equal answers.
    """

    def __init__(self, views: Sequence[View], steps: int | None) -> None:
        self.readings: dict[str, int] = {}
        self._views = views
        size = sum(len(view.pairs) for view in views)
        budget = min(STEPS + STEPS_OF_A_SCHEMA * size, MOST_STEPS) if steps is None else steps
        self._search = Search(views, budget)
        patterns = any(view.has_patterns() for view in views)
        self._asked = False
        self.complete = self._holds("ecma")
        if self.complete and patterns:
            if not self._asked:
                self.readings["python"] = self.readings["ecma"]
            self.complete = self._asked is False or self._holds("python") or self._holds("python-reader")

    def _holds(self, engine: str) -> bool:
        sides = [Side(view, reading) for view, reading in zip(self._views, READINGS[engine], strict=True)]
        first = Fact(self._views[0].root, sides[0], True), Fact(self._views[1].root, sides[1], False)
        with _deep_recursion():
            number = self._search.first(first)
        self._asked = any(side.asked for side in sides)
        if number is not None:
            self.readings[engine] = number
        return number is not None

    def content(self) -> dict[str, Any]:
        """Return the certificate, a JSON value, without the two views; of all steps those that it needs."""
        search, numbers, tables = self._search, dict[int, int](), dict[int, int]()
        waiting = list(reversed(self.readings.values()))
        while waiting:
            number = waiting.pop()
            if number not in numbers:
                numbers[number] = len(numbers)
                waiting += reversed(search.step(number)[2])
        steps = []
        for number in numbers:
            rule, args, premises = search.step(number)
            first = _OF_TABLES.get(rule, len(args))
            named = (None if table is None else tables.setdefault(table, len(tables)) for table in args[first:])
            steps.append([rule, [*args[:first], *named], [numbers[below] for below in premises]])
        return {
            "version": VERSION,
            "dialect": DRAFTS[self._views[0].draft],
            "formats": self._views[0].formats,
            "readings": {name: numbers[number] for name, number in self.readings.items()},
            "steps": steps,
            "tables": [search.tables[number] for number in tables],
        }


_OF_TABLES = {"no-string": 0, "properties": 1}
"""By rule, the first of its arguments that are tables."""


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let the search go as deep as schemas may be nested: each level of a value takes some twenty calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _MOST_CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def prove(inner: Any, outer: Any, dialect: str, *, formats: bool, steps: int | None = None) -> Proof | None:
    """Search for a proof that ``outer`` allows every document that ``inner`` allows; None for views without rules."""
    try:
        views = [View(schema, DRAFTS.index(dialect), formats=formats) for schema in (inner, outer)]
        return Proof(views, steps)
    except (ValueError, RecursionError):
        return None
