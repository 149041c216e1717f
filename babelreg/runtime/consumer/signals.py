"""Signals that stop a run, and the flag that they set, which any thread may set."""

from __future__ import annotations

import asyncio
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty
from types import FrameType
from typing import Any

from babelreg.runtime.mailbox import Mailbox

WAKE_SECONDS = 0.5
"""The longest that a main thread waits at once: Python misses a signal that arrives just before a wait begins."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopFlag(threading.Event):
    """An event without a lock, for which one thread waits.

    A signal handler runs in the main thread, between any two of its steps: if that thread held the lock of another
    event, because it was about to wait for it, ``set`` would wait for ever.
    """

    def __init__(self) -> None:
        self._stopped = False
        self._wakes: Mailbox[None] = Mailbox()

    def is_set(self) -> bool:
        return self._stopped

    def set(self) -> None:
        self._stopped = True
        self._wakes.put(None)

    def clear(self) -> None:
        self._stopped = False
        with suppress(Empty):
            while True:
                self._wakes.get_nowait()

    def wait(self, timeout: float | None = None) -> bool:
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while not self._stopped and (left := deadline - time.monotonic()) > 0:
            with suppress(Empty):
                self._wakes.get(min(left, WAKE_SECONDS))
        return self._stopped


@contextmanager
def stopping_on_signals(
    stop: Callable[[], None],
    *,
    enabled: bool,
    again: Callable[[], None] | None = None,
    only_default: bool = False,
    grace_seconds: float | None = None,
) -> Iterator[None]:
    """Inside the block, the first SIGTERM or SIGINT calls ``stop``, a second one raises KeyboardInterrupt.

    With ``again`` the second one calls that, and a third one raises. ``only_default``: leave signals alone that the
    program handles itself. ``grace_seconds`` after the first signal a timer does what a second one would do, by
    SIGALRM, which is the program's own until then.
    Does nothing outside the main thread, which alone receives signals in Python.
    """
    if not enabled or threading.current_thread() is not threading.main_thread():
        yield
        return
    steps = [stop] if again is None else [stop, again]
    waiting, running = 0, False

    def on_signal(number: int, frame: FrameType | None) -> None:
        # A signal within the step of another waits for its end: a step may hold a lock that the next one needs.
        nonlocal waiting, running
        waiting += 1
        while waiting and not running:
            waiting, running = waiting - 1, True
            try:
                if not steps:
                    raise KeyboardInterrupt
                step = steps.pop(0)
                step()
                if step is stop and grace_seconds is not None and _is_free("SIGALRM", only_default):
                    previous[signal.SIGALRM] = signal.signal(signal.SIGALRM, on_signal)
                    signal.setitimer(signal.ITIMER_REAL, max(0.001, grace_seconds))
            finally:
                running = False

    numbers = [number for number in _SIGNALS if not only_default or _is_default(signal.getsignal(number))]
    previous: dict[signal.Signals, Any] = {}
    previous |= {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        if hasattr(signal, "SIGALRM") and signal.SIGALRM in previous:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in previous.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _is_free(name: str, only_default: bool) -> bool:
    """Return True if this platform has the signal, and it may be handled."""
    return hasattr(signal, name) and not (only_default and not _is_default(signal.getsignal(getattr(signal, name))))


def _is_default(handler: Any) -> bool:
    """Return True for handlers of Python and of ``asyncio.run``."""
    if handler in (signal.SIG_DFL, signal.default_int_handler):
        return True
    return isinstance(getattr(getattr(handler, "func", None), "__self__", None), asyncio.Runner)
