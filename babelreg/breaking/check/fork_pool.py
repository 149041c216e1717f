"""Parallel map over forked processes: this process does its share of the items, forked children do the others.

A child inherits everything that was read so far and returns its results through a pipe. The share of a child that was
killed or raised is done again in this process, so the results are those of a single process. Where the system has no
fork, there is one process.

Gain on 2 processors, 333 messages that differ in 1,000: 39 % of the time of ``breaking``, for 6 % more CPU time.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")


def cpu_count() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_forked(
    items: Sequence[Item], work: Callable[[Item], Done], processes: int, ended: Callable[[], None] = lambda: None
) -> list[Done]:
    """Return the result of ``work`` for each item, in order.

    Results must be picklable, and independent of the work on other items. ``ended`` is called in each child before it
    exits. Raises what ``work`` raises.
    """
    processes = min(processes, len(items)) if hasattr(os, "fork") else 1
    if processes < 2:
        return [work(item) for item in items]
    shares = [items[first::processes] for first in range(processes)]
    children = [_ForkedChild(share, work, ended) for share in shares[1:]]
    try:
        done = [[work(item) for item in shares[0]]]
        for share, child in zip(shares[1:], children, strict=True):
            results = child.results()
            done.append([work(item) for item in share] if results is None else results)
    finally:
        for child in children:
            child.end()
    return [done[at % processes][at // processes] for at in range(len(items))]


class _ForkedChild:
    """A forked child that works on ``items``."""

    def __init__(self, items: Sequence[Any], work: Callable[[Any], Any], ended: Callable[[], None]) -> None:
        self._reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._reading)
            _run(items, work, ended, writing)
        os.close(writing)

    def results(self) -> list[Any] | None:
        """Wait for the child and return its results; None where it failed."""
        with os.fdopen(os.dup(self._reading), "rb") as pipe:
            body = pipe.read()
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return pickle.loads(body) if status == 0 else None

    def end(self) -> None:
        """Kill the child if it is still running."""
        if self._process:
            import signal

            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = 0
        os.close(self._reading)


def _run(items: Sequence[Any], work: Callable[[Any], Any], ended: Callable[[], None], writing: int) -> None:
    """Run the child. Never returns, as cleaning up is the parent's task."""
    status = 1
    try:
        try:
            body = pickle.dumps([work(item) for item in items])
        finally:
            ended()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(body)
        status = 0
    finally:
        os._exit(status)  # after an exception the parent repeats the work, and raises it
