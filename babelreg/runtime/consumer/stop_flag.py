"""The flag that stops a run, set by any thread and by signal handlers."""

from __future__ import annotations

import math
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue

__all__ = ["WAKE_SECONDS", "StopFlag"]

WAKE_SECONDS = 0.5
"""The longest that a main thread waits at once: Python misses a signal that arrives just before a wait begins."""


class StopFlag(threading.Event):
    """An event without a lock, for which one thread waits.

    A signal handler runs in the main thread, between any two of its steps: if that thread held the lock of another
    event, because it was about to wait for it, ``set`` would wait for ever. ``SimpleQueue.put`` may interrupt itself
    and ``get``.
    """

    def __init__(self) -> None:
        self._stopped = False
        self._wakes: SimpleQueue[None] = SimpleQueue()

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
                self._wakes.get(timeout=min(left, WAKE_SECONDS))
        return self._stopped
