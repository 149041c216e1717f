"""Limits that only end what would never end: at least twenty times the usual, and no measure of speed.

They count processor time, so that a busy machine does not use them up, and end a test as an error of its own kind.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Hang", "in_a_child", "limited"]


class Hang(BaseException):
    """The code under test does not end. No ``Exception``: code that handles those must not swallow it."""


@contextmanager
def limited(cpu_seconds: float) -> Iterator[None]:
    """Raise Hang in the main thread when the block has used so much processor time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang(f"does not end within {cpu_seconds:g} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def in_a_child(work: Callable[[], object], cpu_seconds: int) -> None:
    """Run ``work`` in a forked process, and raise Hang when that has used so much processor time.

    Unlike ``limited`` it ends C code too, a regular expression for example. Raises AssertionError when ``work`` fails.
    """
    child = os.fork()
    if child == 0:
        _run_and_exit(work, cpu_seconds)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        raise Hang(f"does not end within {cpu_seconds} seconds of processor time")
    assert status == 0, f"the child process ended with status {status}; its own output says why"


def _run_and_exit(work: Callable[[], object], cpu_seconds: int) -> None:
    code = 1
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
