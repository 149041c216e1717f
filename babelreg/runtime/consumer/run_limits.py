"""The limits of a concurrent run: handlers at the same time, messages reserved in advance, deliveries in all."""

from __future__ import annotations

from typing import NamedTuple

from babelreg.errors import UsageError

DEFAULT_GRACE_SECONDS = 25.0
"""How long handlers may work on after the first signal: Kubernetes kills after 30."""


class RunLimits(NamedTuple):
    """The limits of one run; ``prefetch`` is beyond ``concurrency``."""

    concurrency: int
    prefetch: int
    max_messages: int | None = None
    timeout_seconds: float = 1.0
    wait_for_broker: bool = False
    grace_seconds: float | None = DEFAULT_GRACE_SECONDS

    @property
    def ahead(self) -> int:
        """The number of messages to reserve in all."""
        return self.concurrency + self.prefetch

    def outlasts(self, error: Exception, *, reached: bool) -> bool:
        """Return True if the run goes on after ``error`` of the broker, which was ``reached`` before or not."""
        lasting = self.max_messages is None and (reached or self.wait_for_broker)
        return lasting and not isinstance(error, UsageError)  # which no pause changes

    def check(self, name: str) -> None:
        """Raise UsageError for numbers that cannot be; it calls ``concurrency`` by its ``name``."""
        if isinstance(self.concurrency, bool) or self.concurrency < 1:
            raise UsageError(f"{name} is {self.concurrency!r}", fix="pass 1 or more")
        if isinstance(self.prefetch, bool) or self.prefetch < 0:
            raise UsageError(f"prefetch is {self.prefetch!r}", fix="pass 0 or more")
