"""The pauses of a consumer whose broker or ledger is away."""

from __future__ import annotations

from babelreg.runtime.telemetry.log_fields import logger

_LONGEST_PAUSE_SECONDS = 30.0


class Pauses:
    """Growing pauses: 1 second, then 2, 4 and so on up to 30; from 1 again after :meth:`reset`."""

    def __init__(self) -> None:
        self._next_seconds = 1.0

    def reset(self) -> None:
        self._next_seconds = 1.0

    def next_seconds(self) -> float:
        """Return the length of the next pause."""
        seconds = self._next_seconds
        self._next_seconds = min(2 * seconds, _LONGEST_PAUSE_SECONDS)
        return seconds

    def after(self, error: Exception) -> float:
        """Report a failure of the broker; return the length of the next pause."""
        pause = self.next_seconds()
        logger.warning("the broker fails (%s: %s); retrying in %d s", type(error).__name__, error, pause)
        return pause
