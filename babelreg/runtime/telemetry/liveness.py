"""Liveness of a consumer: the time since it last asked its broker for a message, or finished one."""

from __future__ import annotations

import time
from collections.abc import Callable

DEFAULT_WITHIN_SECONDS = 60.0
"""Longer than the longest pause of a consumer that waits for a broker or a database, which is 30 seconds."""


class Liveness:
    """The last sign of life of one consumer. Safe to read from any thread.

    A consumer that waits for messages polls at least once a second; one that waits for its broker to come back tries
    at least every 30 seconds. So silence means that a handler takes long, or hangs.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: float | None = None

    def beat(self) -> None:
        """Record a sign of life."""
        self._last = self._clock()

    def stop(self) -> None:
        """Record that the consumer has stopped: it is not alive until it runs again."""
        self._last = None

    @property
    def seconds_since_activity(self) -> float | None:
        """Seconds since the last poll or the end of the last message; None while the consumer does not run."""
        last = self._last
        return None if last is None else max(0.0, self._clock() - last)

    def is_alive(self, within_seconds: float = DEFAULT_WITHIN_SECONDS) -> bool:
        """Return True if the consumer has polled, or finished a message, within the last ``within_seconds``."""
        seconds = self.seconds_since_activity
        return seconds is not None and seconds <= within_seconds
