"""Work on many things at once: this process does its share, and copies of it, made by fork, do theirs.

A copy has all that was read so far; only what it found out comes back, through a pipe. What a copy does not bring to
an end, be it that it was killed or that the work raises, is done again here, so that nothing comes out otherwise than
from one process. Where a system cannot copy a process, there is one.

Gain on 2 processors, 333 messages that differ in 1,000: 39 % of the time of ``breaking``, for 6 % more CPU time.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

__all__ = ["cpu_count", "map_forked"]

Item = TypeVar("Item")
Done = TypeVar("Done")


def cpu_count() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_forked(
    items: Sequence[Item], work: Callable[[Item], Done], processes: int, ended: Callable[[], None] = lambda: None
) -> list[Done]:
    """What ``work`` makes of each item, in their order.

    It must be plain data, and depend on nothing that the work on another item leaves behind. ``ended`` is called in
    each copy at its end. Raises what ``work`` raises.
    """
    processes = min(processes, len(items)) if hasattr(os, "fork") else 1
    if processes < 2:
        return [work(item) for item in items]
    shares = [items[first::processes] for first in range(processes)]
    copies = [_Copy(share, work, ended) for share in shares[1:]]
    try:
        done = [[work(item) for item in shares[0]]]
        for share, copy in zip(shares[1:], copies, strict=True):
            found = copy.found()
            done.append([work(item) for item in share] if found is None else found)
    finally:
        for copy in copies:
            copy.end()
    return [done[at % processes][at // processes] for at in range(len(items))]


class _Copy:
    """A copy of this process that works on ``items``."""

    def __init__(self, items: Sequence[Any], work: Callable[[Any], Any], ended: Callable[[], None]) -> None:
        self._reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._reading)
            _run(items, work, ended, writing)
        os.close(writing)

    def found(self) -> list[Any] | None:
        """What it found, once it has ended; None where it did not come to its end."""
        with os.fdopen(os.dup(self._reading), "rb") as pipe:
            body = pipe.read()
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return pickle.loads(body) if status == 0 else None

    def end(self) -> None:
        """End it, if it runs still."""
        if self._process:
            import signal

            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = 0
        os.close(self._reading)


def _run(items: Sequence[Any], work: Callable[[Any], Any], ended: Callable[[], None], writing: int) -> None:
    """All that a copy does. It never returns: what was to be cleaned up is its parent's."""
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
        os._exit(status)  # whatever was raised: the parent does the work again, and it is raised there
