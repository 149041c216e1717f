"""The limit of deliveries of a message that kills its worker.

Counted are deliveries that ended without a settlement: those that the broker marks as delivered again, or that it
recovered from a worker that died. Retries of handlers that fail are limited by ``max_attempts`` instead.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.idempotency.ledger import AsyncLedger, DeliveryCounter, Ledger
from babelreg.runtime.telemetry.log_fields import logger

DEFAULT_LIMIT = 5


@runtime_checkable
class CountsRecoveries(Protocol):
    """A transport whose broker tells apart first and repeated deliveries."""

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """Return the number of earlier deliveries of ``message`` that ended without a settlement.

        None for a repeated delivery that the broker does not count.
        """
        ...

    def uncounted(self, queue: str) -> str | None:
        """Return the words for a ``queue`` whose repeated deliveries the broker does not count, else None."""
        ...


class DeliveryLimit:
    """The number of deliveries after which a message goes to the dead letters as ``delivery_limit``."""

    def __init__(self, app: BabelQueue, ledger: Ledger | AsyncLedger | None, limit: int | None) -> None:
        if limit is not None and (isinstance(limit, bool) or limit < 1):
            raise UsageError(f"delivery_limit is {limit!r}", fix="pass a number of deliveries, or None for no limit")
        self.limit = limit
        self._app = app
        self.counter = ledger if isinstance(ledger, DeliveryCounter) else None
        """The ledger that counts deliveries for a broker that does not."""
        self._warned = False
        self._transport: Transport | None = None
        self._counting: CountsRecoveries | None = None

    def recoveries(self, received: ReceivedMessage) -> int | None:
        """Return the broker's count of ``received``; None for a repeated delivery that it does not count."""
        if self._app.transport is not self._transport:
            self._look_at_transport()
        counting = self._counting
        count = 0 if counting is None else counting.recoveries(received)
        if count is None and self.counter is None:
            self.warn_uncounted([received.queue])
        return count

    def in_this_life(self, counted: int) -> int:
        """Return the number of earlier deliveries that ended without a settlement, of those that the ledger counted.

        A dead letter that is sent again has all its deliveries again: the count of a ledger goes on, and begins anew
        here after as many as one life has. The count includes the present delivery where the broker cannot tell a first
        delivery from a repeated one. So a message is never refused whose handler was not called as often as the limit
        says; it may be called once more.
        """
        if self.limit is None:
            return 0
        besides = int(getattr(self._app.transport, "may_count_first", False))
        return (counted - 1) % (self.limit + besides) + 1 - besides

    def is_suspect(self, recoveries: int | None) -> bool:
        """Return True for a delivery that may have killed its worker, not only been at hand when that died.

        That is from half of the limit on, and where the ledger counts only those that were begun.
        """
        if self.limit is None:
            return False
        return self.counter is not None if recoveries is None else recoveries >= max(1, self.limit // 2)

    def warn_uncounted(self, queues: list[str]) -> None:
        """Log once that deliveries from one of ``queues`` cannot be limited, if that is so."""
        self._look_at_transport()
        if self._warned or self.limit is None or self.counter is not None or self._counting is None:
            return
        for queue in queues:
            words = self._counting.uncounted(queue)
            if words is not None:
                self._warned = True
                logger.warning(
                    "%s: a message that kills its worker comes again without end; a ledger caps it",
                    words,
                )
                return

    def _look_at_transport(self) -> None:
        """Remember whether the app's transport counts: the check takes longer than the rest of a delivery."""
        self._transport = transport = self._app.transport
        self._counting = transport if isinstance(transport, CountsRecoveries) else None
