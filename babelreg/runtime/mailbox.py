"""A queue whose timed wait ends, for one thread that reads, and for signal handlers that write."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from contextlib import suppress
from queue import Empty
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """What ``queue.SimpleQueue`` is, without its fault in CPython: with a timeout, ``get`` may wait for ever there.

    It computes the rest of the time anew when a wait is interrupted, or its lock was free, and takes a negative rest
    for no limit. A short timeout on a busy machine is enough, or a signal handler that takes longer than the rest.

    No lock is held between two steps, so a signal handler may interrupt each method, and call ``put``.
    """

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._arrived = threading.Lock()
        self._arrived.acquire()

    def put(self, item: T) -> None:
        """Add ``item``. Safe from any thread and from signal handlers."""
        self._items.append(item)
        with suppress(RuntimeError):  # it is free already, and the reader looks again
            self._arrived.release()

    def get(self, timeout: float = math.inf) -> T:
        """Remove and return the first item; wait for one up to ``timeout`` seconds. Raises Empty."""
        end = time.monotonic() + timeout
        while not self._items:
            left = min(end - time.monotonic(), threading.TIMEOUT_MAX)
            if not (self._arrived.acquire(timeout=left) if left > 0 else self._arrived.acquire(blocking=False)):
                break
        return self.get_nowait()

    def get_nowait(self) -> T:
        """Remove and return the first item. Raises Empty."""
        try:
            return self._items.popleft()
        except IndexError:
            raise Empty from None

    def empty(self) -> bool:
        """Return True if there is nothing to get."""
        return not self._items
