"""Dispatch of one delivery: validate it, call its handler, then acknowledge, retry, drop or dead-letter it.

Three steps that a concurrent run takes in different threads: ``classify`` and ``Settlement.settle`` use the
broker, ``attempt`` or ``attempt_async`` call the handler.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from typing import TypeVar

from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope, Verdict
from babelreg.contract.envelope_edit import with_members
from babelreg.errors import UsageError
from babelreg.runtime.awaitables import completed
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.consumer.calls import BlockingCalls, LoopCalls, in_event_loop
from babelreg.runtime.consumer.consequences import Consequences
from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.delivery_limit import DEFAULT_LIMIT, DeliveryLimit
from babelreg.runtime.consumer.expectations import Expectations
from babelreg.runtime.consumer.reports import Reports
from babelreg.runtime.consumer.routes import Route, Routes
from babelreg.runtime.consumer.settlement import Settlement
from babelreg.runtime.consumer.time_limit import HandlerClock
from babelreg.runtime.consumer.valid_delivery import MessageRefused, ValidDelivery
from babelreg.runtime.idempotency.ledger import AsyncLedger, Ledger
from babelreg.runtime.outcome import HANDLED, Outcome
from babelreg.runtime.subscriptions.reading import Reading
from babelreg.runtime.telemetry.instrumentation import Observation, installed
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger

T = TypeVar("T")

_DUPLICATE = Outcome("duplicate")
_NOTHING = nullcontext()
_FAILURES = (Exception, asyncio.CancelledError)


class Dispatcher:
    """The handlers of one app, which receive only valid messages."""

    def __init__(
        self,
        app: BabelQueue,
        on_unknown_urn: str,
        ledger: Ledger | AsyncLedger | None = None,
        delivery_limit: int | None = DEFAULT_LIMIT,
        reading: Reading | None = None,
    ) -> None:
        self.routes = Routes()
        self._app = app
        self.ledger = ledger
        self.expectations: Expectations | None = None
        self.limit = DeliveryLimit(app, ledger, delivery_limit)
        self._without_id: set[str] = set()
        self.ledger_awaits = inspect.iscoroutinefunction(getattr(ledger, "begin", None))
        self.settlement = Settlement(app)
        self._consequences = Consequences(app, on_unknown_urn, self.settlement, reading or Reading(app))
        self._calls = self.blocking_calls()
        self.reports = Reports(app, self.routes, self.settlement.dead_letter_queue, self._calls.wait)

    def blocking_calls(self) -> BlockingCalls:
        """Return the calls of attempts for one more thread."""
        return BlockingCalls(self.ledger)

    def close(self) -> None:
        """Close the event loop of async handlers, if there is one."""
        self._calls.close()

    def dispatch(self, received: ReceivedMessage) -> Outcome:
        """Handle and settle one delivery.

        Raises exceptions that stop a program (KeyboardInterrupt, SystemExit), and those of :meth:`check`.
        """
        self.check()
        started, delivery = time.perf_counter(), self._classify(received)
        if isinstance(delivery, Decision):
            return self.settle(delivery._replace(seconds=time.perf_counter() - started))
        try:
            decision = self.attempt(delivery)
        except BaseException:
            # The program stops: return the message to the queue unchanged.
            self.settlement.redeliver(received, received.body, 0.0)
            raise
        return self.settle(decision)

    def classify(self, received: ReceivedMessage) -> ValidDelivery | Decision:
        """Return the delivery of a valid message that has a handler, else what to do with it.

        Raises as :meth:`check` does.
        """
        started = time.perf_counter()
        delivery = self._classify(received)
        if isinstance(delivery, Decision):
            return delivery._replace(seconds=time.perf_counter() - started)
        return delivery

    def _classify(self, received: ReceivedMessage) -> ValidDelivery | Decision:
        if received.route_urn and dead_letter.refused_by_transport(received):
            detail = f"refused by the transport ({received.route_urn})"
            return self._consequences.dead_letter(received, received.body, Outcome("dead_lettered", "failed", detail))
        contract = self.routes.contract()
        verdict = contract.verdict(dead_letter.text_bytes(received.body))
        if received.route_urn:
            verdict = self._routed(received, contract, verdict)
        envelope = verdict.envelope
        if verdict.reason is None and envelope is not None:
            expected = self.expectations
            unexpected = None if expected is None else expected.unexpected(envelope)
            if expected is None or unexpected is None or not expected.refuses(envelope.urn):
                return self._delivery(received, envelope, contract, reported=unexpected)
            attempts = dead_letter.attempts(received, envelope)
            return self._consequences.refuse(received, attempts, "failed", unexpected)
        if envelope is None or verdict.kind == "poison":
            poison = Outcome("dead_lettered", "poison", _reason(verdict))
            return self._consequences.dead_letter(received, dead_letter.poison(received, _reason(verdict)), poison)
        if verdict.kind == "unknown_urn":
            return self._consequences.unknown(received, envelope)
        if verdict.kind == "data" and (route := self.routes.refused(envelope.urn)) is not None:
            return self._delivery(received, envelope, contract, route, _reason(verdict))
        return self._consequences.refuse(received, dead_letter.attempts(received, envelope), "failed", _reason(verdict))

    def attempt(self, delivery: ValidDelivery, calls: BlockingCalls | None = None) -> Decision:
        """Handle one delivery in this thread; raises only exceptions that stop a program.

        ``calls`` are those of the thread, unless it is the one that closes this dispatcher.
        """
        calls = calls or self._calls
        started = time.perf_counter()
        observation = self.reports.begin(delivery.received) if installed() else None
        try:
            if observation is not None:
                with observation.current():
                    handled = completed(delivery.run(calls))
            elif self.ledger is not None or delivery.clock is not None:
                handled = completed(delivery.run(calls))
            else:
                delivery.run_without_ledger(calls.call)
                handled = True
        except BaseException as error:
            return self._ended(delivery, error, started, observation, stops=not isinstance(error, _FAILURES))
        return Decision(delivery.received, _done(delivery, handled), None, time.perf_counter() - started, observation)

    async def attempt_async(self, delivery: ValidDelivery, calls: LoopCalls) -> Decision:
        """Handle one delivery in the running event loop.

        Raises exceptions that stop a program, and CancelledError if this task was cancelled.
        """
        task = asyncio.current_task()
        started, observation = time.perf_counter(), self.reports.begin(delivery.received)
        try:
            async with calls.lock:
                with _NOTHING if observation is None else observation.current():
                    handled = await delivery.run(calls)
        except BaseException as error:
            cancelled = isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling()
            stops = bool(cancelled) or not isinstance(error, _FAILURES)
            return self._ended(delivery, error, started, observation, stops=stops)
        return Decision(delivery.received, _done(delivery, handled), None, time.perf_counter() - started, observation)

    def _ended(
        self,
        delivery: ValidDelivery,
        error: BaseException,
        started: float,
        observation: Observation | None,
        *,
        stops: bool,
    ) -> Decision:
        """Return what follows from ``error``, which is being handled; raise it if it stops the program or is late."""
        late = delivery.clock is not None and delivery.clock.given_up
        if stops or late:
            if observation is not None:
                observation.abort(error)
            raise error
        decision = self._consequences.failed(delivery, error)
        return decision._replace(seconds=time.perf_counter() - started, observation=observation)

    def given_up(self, delivery: ValidDelivery) -> Decision | None:
        """Return what follows for a delivery whose handler is late and is given up now; None for one that is not."""
        if delivery.clock is None or not delivery.clock.give_up():
            return None
        decision = self._consequences.failed(delivery, delivery.clock.error())
        return decision._replace(seconds=delivery.clock.seconds)

    def settle(self, decision: Decision) -> Outcome:
        """Do what was decided, and report it; the outcome is ``unsettled`` if the broker does not confirm it."""
        return self.reports.settled(decision, self.settlement.settle(decision))

    def settle_all(self, decisions: Sequence[Decision]) -> list[Outcome]:
        """Settle several decisions, as :meth:`settle` does: all acknowledgements, or only one."""
        outcomes = self.settlement.settle_all(decisions)
        return [self.reports.settled(decision, outcome) for decision, outcome in zip(decisions, outcomes, strict=True)]

    def ordering_key(self, delivery: ValidDelivery) -> Hashable | Decision:
        """Return the key in whose order the delivery is handled, None without; a decision where that fails."""
        if delivery.route.ordered_by is None:
            return None
        try:
            by = delivery.route.ordered_by
            key: Hashable = delivery.key if by == "key" else by(delivery.parsed())
            hash(key)
        except Exception as error:
            return self._consequences.failed(delivery, error)
        return key

    def check(self) -> None:
        """Raise UsageError if there are async handlers and an event loop is running in this thread.

        Raises SchemaError that names every message whose validator cannot be built.
        """
        awaits = self.ledger_awaits or self.routes.any_async or self.reports.any_async
        if awaits and in_event_loop():
            raise UsageError(
                "a consumer brings its own event loop and cannot run inside another one",
                fix="await consumer.run_async()",
            )
        self.routes.contract()

    def warn_one_at_a_time(self, concurrency: int) -> None:
        """Log that async handlers do not run at the same time, if that is so: see ``LoopCalls``."""
        if concurrency > 1 and self.ledger is not None and not self.ledger_awaits and self.routes.any_async:
            words = "async handlers run one at a time, because the connection of %s is not async: %s"
            instead = "write them with plain `def`, which run in threads, or take AsyncPostgresLedger"
            logger.warning(words, type(self.ledger).__name__, instead)

    def _routed(self, received: ReceivedMessage, contract: Contract, verdict: Verdict) -> Verdict:
        """Return the verdict about the message that the broker's routing property names."""
        route = dead_letter.route(received)
        if route and verdict.envelope is not None and verdict.envelope.urn != contract.resolve(route):
            # The broker's routing property names the message (Pulsar); the delivery itself keeps its body.
            verdict = contract.verdict(with_members(received.body, {"job": route}).encode("utf-8"))
        return verdict

    def _delivery(
        self,
        received: ReceivedMessage,
        envelope: Envelope,
        contract: Contract,
        raw: Route | None = None,
        reported: str | None = None,
    ) -> ValidDelivery:
        for pointer, problem in envelope.warnings:
            logger.warning("%s: %s: %s", envelope.urn, pointer, problem, extra=delivery_fields(received))
        if self.ledger is not None and not envelope.id:
            self._warn_without_id(received, envelope.urn)
        route, attempts = raw or self.routes[envelope.urn], dead_letter.attempts(received, envelope)
        recoveries = self.limit.recoveries(received)
        seconds = route.sent.time_limit_seconds
        clock = None if seconds is None else HandlerClock(seconds)
        delivery = ValidDelivery(
            received, envelope, route, attempts, recoveries, self.limit, contract, self.ledger, clock, reported
        )
        if route.upcast is not None and (raw := self.routes.refused(envelope.urn)) is not None:
            try:
                delivery.parsed()
            except MessageRefused as error:
                return delivery._replace(route=raw, reported=str(error))
        return delivery

    def _warn_without_id(self, received: ReceivedMessage, urn: str) -> None:
        if urn not in self._without_id:
            self._without_id.add(urn)
            words = "%s: a message without meta.id: the ledger cannot tell when it is delivered again"
            logger.warning(words, urn, extra=delivery_fields(received))


def _done(delivery: ValidDelivery, handled: bool) -> Outcome:
    """Return the outcome of an attempt without an error; not ``handled`` where another one was before."""
    if not handled:
        return _DUPLICATE
    return HANDLED if delivery.reported is None else Outcome("reported", detail=delivery.reported)


def _reason(verdict: Verdict) -> str:
    return f"{verdict.reason}: {verdict.detail}"
