"""Consequences of a delivery that was not handled: another attempt, a dead letter, or its end."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.app import retry_delay
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Envelope
from babelreg.contract.envelope_edit import with_members
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.routes import Route
from babelreg.runtime.consumer.settlement import Settlement
from babelreg.runtime.consumer.time_limit import TimeLimitExceeded
from babelreg.runtime.consumer.valid_delivery import LedgerUnavailable, MessageRefused, ValidDelivery
from babelreg.runtime.errors import rejection
from babelreg.runtime.outcome import Outcome
from babelreg.runtime.subscriptions.reading import Reading

_MOST_STEPS = 64

_DEFERRED, _SKIPPED = Outcome("deferred"), Outcome("skipped")


class Consequences:
    """Decisions on deliveries of one app, which ``settlement`` carries out."""

    def __init__(self, app: BabelQueue, on_unknown_urn: str, settlement: Settlement, reading: Reading) -> None:
        self._app = app
        self._on_unknown_urn = on_unknown_urn
        self._settlement = settlement
        self._reading = reading

    def failed(self, delivery: ValidDelivery, error: BaseException) -> Decision:
        """Return what follows from an attempt that raised ``error``."""
        received, route, attempts = delivery.received, delivery.route, delivery.attempts
        if isinstance(error, MessageRefused):
            return self.refuse(received, attempts, "failed", str(error))
        if isinstance(error, LedgerUnavailable):
            return self._hand_back(received, error)
        rejected = rejection(error)
        if rejected is not None:
            return self._give_up(received, route, attempts + 1, f"rejected: {rejected}", rejected)
        return self._retry_or_give_up(received, route, attempts + 1, error)

    def _hand_back(self, received: ReceivedMessage, failure: LedgerUnavailable) -> Decision:
        """Return the message unchanged: the ledger failed, and not its handler."""
        outcome = Outcome("returned", detail=f"ledger_unavailable: {failure}", error=failure.__cause__)
        return Decision(received, outcome, self._settlement.hand_back)

    def _retry_or_give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, error: BaseException
    ) -> Decision:
        late = isinstance(error, TimeLimitExceeded)
        max_attempts = self._app.max_attempts if route.sent.max_attempts is None else route.sent.max_attempts
        if attempts >= max_attempts:
            detail = f"{'time_limit' if late else 'handler_failed'}: {error}"
            return self._give_up(received, route, attempts, detail, error)
        body = with_members(received.body, {"attempts": attempts})
        delay_seconds = retry_delay_seconds(self._app, route.sent.backoff, attempts)
        outcome = Outcome("retried", detail=f"time_limit: {error}" if late else None, error=error)
        return self._redeliver(received, body, delay_seconds, outcome)

    def _give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, detail: str, error: BaseException
    ) -> Decision:
        if route.sent.on_failure == "delete":
            return Decision(received, Outcome("dropped", "failed", detail, error))
        record = dead_letter.failed(received, attempts, detail, type(error).__name__)
        return self.dead_letter(received, record, Outcome("dead_lettered", "failed", detail, error))

    def unknown(self, received: ReceivedMessage, envelope: Envelope) -> Decision:
        """Follow the strategy for a valid envelope without a handler, unless it is for another service."""
        urn = envelope.urn or ""
        if self._reading.is_skipped(received.queue, urn):
            return Decision(received, _SKIPPED)
        if self._reading.is_for_others(received.queue, urn):
            delay = self._reading.defer(received.queue, urn)
            return self._redeliver(received, received.body, delay, _DEFERRED)
        detail = f"unknown_urn: no handler for {envelope.urn}"
        attempts = dead_letter.attempts(received, envelope)
        if self._on_unknown_urn == UnknownUrnStrategy.DELETE:
            return Decision(received, Outcome("dropped", "unknown_urn", detail))
        if self._on_unknown_urn == UnknownUrnStrategy.RELEASE:
            delay = self._app.unknown_urn_release_delay
            return self._redeliver(received, received.body, delay, Outcome("retried", "unknown_urn", detail))
        if self._on_unknown_urn == UnknownUrnStrategy.FAIL and attempts + 1 < self._app.max_attempts:
            body = with_members(received.body, {"attempts": attempts + 1})
            outcome = Outcome("retried", "unknown_urn", detail)
            return self._redeliver(received, body, retry_delay_seconds(self._app, None, attempts + 1), outcome)
        return self.refuse(received, attempts, "unknown_urn", detail)

    def refuse(self, received: ReceivedMessage, attempts: int, reason: str, detail: str) -> Decision:
        """Dead-letter a message at once, unchanged: no later delivery could succeed."""
        record = dead_letter.refused(received, attempts, reason, detail)
        return self.dead_letter(received, record, Outcome("dead_lettered", reason, detail))

    def _redeliver(self, received: ReceivedMessage, body: str, delay_seconds: float, outcome: Outcome) -> Decision:
        return Decision(received, outcome, partial(self._settlement.redeliver, body=body, delay_seconds=delay_seconds))

    def dead_letter(self, received: ReceivedMessage, record: str, outcome: Outcome) -> Decision:
        """Write ``record`` to the dead-letter queue."""
        return Decision(received, outcome, partial(self._settlement.dead_letter, record=record))


def retry_delay_seconds(
    app: BabelQueue,
    backoff: Mapping[str, float] | None,
    attempts: int,
    uniform: Callable[[float, float], float] = random.uniform,
) -> float:
    """Return the delay of a retry after ``attempts`` attempts: that of the message's policy, else that of the app.

    With a ``backoff`` at random between a half and the whole of ``first_seconds * factor ** (attempts - 1)``, at most
    of ``longest_seconds``, so that messages that failed together are not retried together.
    """
    if backoff is None:
        return retry_delay(
            attempts, app.retry_backoff, app.retry_backoff_multiplier, app.retry_backoff_max, app.retry_jitter
        )
    steps = min(max(attempts - 1, 0), _MOST_STEPS)
    longest = min(backoff["longest_seconds"], backoff["first_seconds"] * backoff["factor"] ** steps)
    return uniform(longest / 2, longest)
