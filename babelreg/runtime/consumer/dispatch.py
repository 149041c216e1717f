"""Dispatch of one delivery: validate it, call its handler, then acknowledge, retry, drop or dead-letter it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope, Verdict
from babelreg.contract.envelope_edit import with_members
from babelreg.errors import UsageError
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.consumer.attempt import Attempt, LedgerUnavailable, MessageRefused
from babelreg.runtime.consumer.delivery_limit import DEFAULT_LIMIT, DeliveryLimit
from babelreg.runtime.consumer.outcome import HANDLED, Outcome
from babelreg.runtime.consumer.retry_delay import retry_delay_seconds
from babelreg.runtime.consumer.routes import Handler, Route, Routes
from babelreg.runtime.consumer.settlement import Settlement
from babelreg.runtime.errors import Reject
from babelreg.runtime.idempotency.ledger import AsyncLedger, ClosesInLoop, Ledger
from babelreg.runtime.message import MessageType

__all__ = ["Dispatcher"]

T = TypeVar("T")

logger = logging.getLogger("babelreg.runtime")


class Dispatcher:
    """The handlers of one app, which receive only valid messages."""

    def __init__(
        self,
        app: BabelQueue,
        on_unknown_urn: str,
        ledger: Ledger | AsyncLedger | None = None,
        delivery_limit: int | None = DEFAULT_LIMIT,
    ) -> None:
        self.routes = Routes()
        self._app = app
        self._on_unknown_urn = on_unknown_urn
        self._ledger = ledger
        self.limit = DeliveryLimit(app, ledger, delivery_limit)
        self._without_id: set[str] = set()
        self._awaits = inspect.iscoroutinefunction(getattr(ledger, "begin", None))
        self._contract: Contract | None = None
        self._settlement = Settlement(app)
        self._runner: asyncio.Runner | None = None

    def add(self, message: MessageType[T], handler: Handler[T], earlier: Iterable[MessageType[Any]] = ()) -> None:
        """Register ``handler`` for ``message``, and for ``earlier`` versions of it, upcast.

        Raises UsageError when one of them already has a handler, or cannot be upcast.
        """
        self.routes.add(message, earlier, handler)
        self._awaits = self._awaits or inspect.iscoroutinefunction(handler)
        self._contract = None

    def close(self) -> None:
        """Close the event loop of async handlers, if there is one."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        if _in_event_loop():
            # At the end of an async test: a loop cannot be closed while another one runs in the same thread.
            thread = threading.Thread(target=self._close_runner, args=(runner,))
            thread.start()
            thread.join()
        else:
            self._close_runner(runner)

    def _close_runner(self, runner: asyncio.Runner) -> None:
        try:
            if isinstance(self._ledger, ClosesInLoop):
                runner.run(self._ledger.aclose())  # its connections belong to this loop
        finally:
            runner.close()

    def dispatch(self, received: ReceivedMessage) -> Outcome:
        """Handle and settle one delivery.

        Raises exceptions that stop a program (KeyboardInterrupt, SystemExit), and those of :meth:`check`.
        """
        if dead_letter.refused_by_transport(received):
            detail = f"refused by the transport ({received.route_urn})"
            return self._dead_letter(received, received.body, Outcome("dead_lettered", "failed", detail))
        self.check()
        verdict = self._verdict(received)
        envelope = verdict.envelope
        if verdict.reason is None and envelope is not None:
            return self._handle(received, envelope, self.routes[envelope.urn])
        if envelope is None or verdict.kind == "poison":
            poison = Outcome("dead_lettered", "poison", _reason(verdict))
            return self._dead_letter(received, dead_letter.poison(received, _reason(verdict)), poison)
        if verdict.kind == "unknown_urn":
            return self._unknown(received, envelope)
        return self._refuse(received, dead_letter.attempts(received, envelope), "failed", _reason(verdict))

    def check(self) -> None:
        """Raise UsageError if there are async handlers and an event loop is running in this thread.

        Raises SchemaError that names every message whose validator cannot be built.
        """
        if self._awaits and _in_event_loop():
            raise UsageError(
                "a consumer brings its own event loop and cannot run inside another one",
                fix="await asyncio.to_thread(consumer.run, handle_signals=False)",
            )
        self._built_contract()

    def _verdict(self, received: ReceivedMessage) -> Verdict:
        contract = self._built_contract()
        verdict = contract.verdict(dead_letter.body_bytes(received))
        route = dead_letter.route(received)
        if route and verdict.envelope is not None and verdict.envelope.urn != route:
            # The broker's routing property names the message (Pulsar); the delivery itself keeps its body.
            verdict = contract.verdict(with_members(received.body, {"job": route}).encode("utf-8"))
        return verdict

    def _built_contract(self) -> Contract:
        if self._contract is None:
            self._contract = self.routes.contract()
        return self._contract

    def _handle(self, received: ReceivedMessage, envelope: Envelope, route: Route) -> Outcome:
        for pointer, problem in envelope.warnings:
            logger.warning("%s: %s: %s", envelope.urn, pointer, problem)
        attempts = dead_letter.attempts(received, envelope)
        try:
            handled = self._attempt(received, envelope, route).run()
        except MessageRefused as refusal:
            return self._refuse(received, attempts, "failed", str(refusal))
        except LedgerUnavailable as failure:
            return self._hand_back(received, failure)
        except (Exception, asyncio.CancelledError) as error:
            rejection = _rejection(error)
            if rejection is not None:
                return self._give_up(received, route, attempts + 1, f"rejected: {rejection}", rejection)
            logger.warning("%s: attempt %d failed", envelope.urn, attempts + 1, exc_info=True)
            return self._retry_or_give_up(received, route, attempts + 1, error)
        except BaseException:
            # The program stops: return the message to the queue unchanged.
            self._settlement.redeliver(received, received.body, 0.0)
            raise
        return _settled(self._settlement.acknowledge(received), HANDLED if handled else Outcome("duplicate"))

    def _attempt(self, received: ReceivedMessage, envelope: Envelope, route: Route) -> Attempt:
        if self._ledger is not None and not envelope.id:
            self._warn_without_id(envelope.urn)
        limit = self.limit
        return Attempt(
            received,
            envelope,
            route,
            self._built_contract(),
            self._ledger,
            self._wait,
            limit.recoveries(received),
            limit.limit,
            limit.counter,
        )

    def _warn_without_id(self, urn: str) -> None:
        if urn not in self._without_id:
            self._without_id.add(urn)
            logger.warning("%s: a message without meta.id: the ledger cannot tell when it is delivered again", urn)

    def _wait(self, result: Awaitable[Any]) -> Any:
        if self._runner is None:
            self._runner = asyncio.Runner()
        # In the current context: the runner's own is a copy from the time of its first message.
        try:
            return self._runner.run(_awaited(result), context=contextvars.copy_context())
        except (KeyboardInterrupt, SystemExit):
            self.close()  # the handler cleans up now, while its transaction can still be rolled back
            raise

    def _hand_back(self, received: ReceivedMessage, failure: LedgerUnavailable) -> Outcome:
        """Return the message unchanged: the ledger failed, and not its handler."""
        logger.warning("the ledger fails (%s): a message of queue %r goes back unchanged", failure, received.queue)
        outcome = Outcome("returned", detail=f"ledger_unavailable: {failure}", error=failure.__cause__)
        return _settled(self._settlement.hand_back(received), outcome)

    def _retry_or_give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, error: BaseException
    ) -> Outcome:
        max_attempts = self._app.max_attempts if route.sent.max_attempts is None else route.sent.max_attempts
        if attempts >= max_attempts:
            return self._give_up(received, route, attempts, f"handler_failed: {error}", error)
        body = with_members(received.body, {"attempts": attempts})
        delay_seconds = retry_delay_seconds(self._app, route.sent.backoff, attempts)
        return self._redeliver(received, body, delay_seconds, Outcome("retried", error=error))

    def _give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, detail: str, error: BaseException
    ) -> Outcome:
        urn = route.sent.urn
        if route.sent.on_failure == "delete":
            logger.error("%s: dropped after %d attempts, as its delivery policy says: %s", urn, attempts, detail)
            return _settled(self._settlement.acknowledge(received), Outcome("dropped", "failed", detail, error))
        record = dead_letter.failed(received, attempts, detail, type(error).__name__)
        outcome = Outcome("dead_lettered", "failed", detail, error)
        return self._dead_letter(received, record, outcome, f"{urn}: {detail}")

    def _unknown(self, received: ReceivedMessage, envelope: Envelope) -> Outcome:
        detail = f"unknown_urn: no handler for {envelope.urn}"
        attempts = dead_letter.attempts(received, envelope)
        if self._on_unknown_urn == UnknownUrnStrategy.DELETE:
            logger.warning("dropped a message of %r, for which there is no handler", envelope.urn)
            return _settled(self._settlement.acknowledge(received), Outcome("dropped", "unknown_urn", detail))
        if self._on_unknown_urn == UnknownUrnStrategy.RELEASE:
            delay = self._app.unknown_urn_release_delay
            return self._redeliver(received, received.body, delay, Outcome("retried", "unknown_urn", detail))
        if self._on_unknown_urn == UnknownUrnStrategy.FAIL and attempts + 1 < self._app.max_attempts:
            body = with_members(received.body, {"attempts": attempts + 1})
            outcome = Outcome("retried", "unknown_urn", detail)
            return self._redeliver(received, body, retry_delay_seconds(self._app, None, attempts + 1), outcome)
        return self._refuse(received, attempts, "unknown_urn", detail)

    def _refuse(self, received: ReceivedMessage, attempts: int, reason: str, detail: str) -> Outcome:
        """Dead-letter a message at once, unchanged: no later delivery could succeed."""
        record = dead_letter.refused(received, attempts, reason, detail)
        return self._dead_letter(received, record, Outcome("dead_lettered", reason, detail))

    def _redeliver(self, received: ReceivedMessage, body: str, delay_seconds: float, outcome: Outcome) -> Outcome:
        return _settled(self._settlement.redeliver(received, body, delay_seconds), outcome)

    def _dead_letter(self, received: ReceivedMessage, record: str, outcome: Outcome, why: str | None = None) -> Outcome:
        return _settled(self._settlement.dead_letter(received, record, why or outcome.detail or ""), outcome)


def _rejection(error: BaseException) -> Reject | None:
    """Return ``error`` if it is a Reject, else the first Reject in the exception group of a task group, or None."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_rejection, error.exceptions)), None)
    return error if isinstance(error, Reject) else None


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(result: Awaitable[T]) -> T:
    return await result


def _settled(confirmed: bool, outcome: Outcome) -> Outcome:
    return outcome if confirmed else outcome._replace(kind="unsettled")


def _reason(verdict: Verdict) -> str:
    return f"{verdict.reason}: {verdict.detail}"
