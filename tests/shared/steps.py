"""Cost as a count of executed lines: the same on every machine, however busy it is.

A line counts each time it runs, and a loop on one line once a round, in our own code and in any other Python code that
it calls. What C code does inside one line counts once: where that is the cost in question, use ``hang`` instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["TooManySteps", "growth", "steps"]


class TooManySteps(AssertionError):
    """Raised inside the code under test as soon as it exceeds its budget, so that no test waits for its end."""


def steps(work: Callable[[], object], most: float = float("inf")) -> int:
    """Return the number of lines that ``work`` executes in this thread; raise TooManySteps beyond ``most``."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        if count > most:
            sys.settrace(None)
            raise TooManySteps(f"more than {most:,.0f} steps, at {frame.f_code.co_qualname}")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    if count > most:  # the code under test caught it
        raise TooManySteps(f"more than {most:,.0f} steps")
    return count


def growth(work: Callable[[int], object], small: int, large: int) -> float:
    """Return how much more each unit of size costs at ``large`` than at ``small``.

    1 is linear; ``large / small`` is quadratic. Raises TooManySteps beyond 4.
    """
    few = steps(lambda: work(small))
    return steps(lambda: work(large), most=4 * few * large / small) / few * small / large
