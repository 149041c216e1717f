"""How fast this machine is right now: the measure that every benchmark prints beside its seconds.

Machines differ, and one machine differs from minute to minute. What a figure costs in fixed loops stays about the same.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

__all__ = ["QUICK", "beside", "described", "empty_seconds", "loop_seconds"]

QUICK = "--quick" in sys.argv or "BENCHMARKS_QUICK" in os.environ
"""Whether a benchmark works on a few messages only, to show that it works: its bars mean nothing then."""
_ROUNDS = 30_000 if QUICK else 3_000_000
_RUNS = 3


def loop_seconds(*, processor: bool = False) -> float:
    """Return the seconds of a fixed loop on one core: on the clock, or on the processor."""
    clock = time.process_time if processor else time.perf_counter

    def once() -> float:
        started, total = clock(), 0
        for number in range(_ROUNDS):
            total += number * number % 7
        return clock() - started

    return statistics.median(once() for _ in range(_RUNS))


def empty_seconds() -> float:
    """Return the seconds of ``python -c pass``, the least that any command of Python takes."""

    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(_RUNS))


def beside(seconds: float, *, processor: bool = False, start: bool = False) -> str:
    """Return what ``seconds`` are in fixed loops, measured now; with ``start`` also in starts of an empty Python.

    ``processor``: these are seconds of processor time.
    """
    text = f"{seconds / loop_seconds(processor=processor):8.2f} loops"
    return f"{text} {seconds / empty_seconds():8.1f} x python -c pass" if start else text


def described() -> str:
    """Return the two measures themselves, for the head of a table."""
    return f"fixed CPU loop {loop_seconds():.3f} s, python -c pass {empty_seconds():.3f} s, {os.cpu_count()} cores"
