"""One delivery, from bytes to its end: handled, tried again, dropped, or among the dead letters with a reason."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.app import retry_delay
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope, Verdict
from babelreg.errors import UsageError
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.bytes.envelope_patch import with_members
from babelreg.runtime.consumer.acknowledge import Settlement
from babelreg.runtime.consumer.attempt import Attempt, MessageRefused
from babelreg.runtime.consumer.outcome import HANDLED, Outcome
from babelreg.runtime.consumer.routes import Handler, Route, Routes
from babelreg.runtime.errors import Reject
from babelreg.runtime.idempotency.ledger import Ledger
from babelreg.runtime.message import MessageType

__all__ = ["Dispatcher"]

T = TypeVar("T")

logger = logging.getLogger("babelreg.runtime")


class Dispatcher:
    """The handlers of one app, behind the guard."""

    def __init__(self, app: BabelQueue, on_unknown_urn: str, ledger: Ledger | None = None) -> None:
        self.routes = Routes()
        self._app = app
        self._on_unknown_urn = on_unknown_urn
        self._ledger = ledger
        self._awaits = False
        self._contract: Contract | None = None
        self._settle = Settlement(app)
        self._runner: asyncio.Runner | None = None

    def add(self, message: MessageType[T], handler: Handler[T], earlier: Iterable[MessageType[Any]] = ()) -> None:
        """Let ``handler`` take ``message``, and ``earlier`` versions of it upcast.

        Raises UsageError when one of them has a handler already, or cannot be upcast.
        """
        self.routes.add(message, earlier, handler)
        self._awaits = self._awaits or inspect.iscoroutinefunction(handler)
        self._contract = None

    def close(self) -> None:
        """End the event loop of async handlers, if there was one."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        if _in_event_loop():
            # An async test is over: a loop cannot be ended where another one runs.
            thread = threading.Thread(target=runner.close)
            thread.start()
            thread.join()
        else:
            runner.close()

    def dispatch(self, received: ReceivedMessage) -> Outcome:
        """Bring one delivery to its end.

        Raises what stops a program (KeyboardInterrupt, SystemExit), and what :meth:`check` raises.
        """
        if dead_letter.unread(received):
            detail = f"refused by the transport ({received.route_urn})"
            return self._bury(received, received.body, Outcome("dead_lettered", "failed", detail))
        self.check()
        verdict = self._verdict(received)
        envelope = verdict.envelope
        if verdict.reason is None and envelope is not None:
            return self._handle(received, envelope, self.routes[envelope.urn])
        if envelope is None or verdict.kind == "poison":
            dead = Outcome("dead_lettered", "poison", _said(verdict))
            return self._bury(received, dead_letter.poison(received, _said(verdict)), dead)
        if verdict.kind == "unknown_urn":
            return self._unknown(received, envelope)
        return self._refuse(received, dead_letter.attempts(received, envelope), "failed", _said(verdict))

    def check(self) -> None:
        """Raises UsageError when there are async handlers and an event loop is running here.

        Raises SchemaError that names every message for which no validator can be built.
        """
        if self._awaits and _in_event_loop():
            raise UsageError(
                "a consumer brings its own event loop and cannot run inside another one",
                fix="await asyncio.to_thread(consumer.run, handle_signals=False)",
            )
        self._checked()

    def _verdict(self, received: ReceivedMessage) -> Verdict:
        contract = self._checked()
        verdict = contract.verdict(dead_letter.body_bytes(received))
        route = dead_letter.route(received)
        if route and verdict.envelope is not None and verdict.envelope.urn != route:
            # The broker's own routing property names the message (Pulsar); the body stays as it is for everyone else.
            verdict = contract.verdict(with_members(received.body, {"job": route}).encode("utf-8"))
        return verdict

    def _checked(self) -> Contract:
        if self._contract is None:
            self._contract = self.routes.contract()
        return self._contract

    def _handle(self, received: ReceivedMessage, envelope: Envelope, route: Route) -> Outcome:
        for pointer, what in envelope.warnings:
            logger.warning("%s: %s: %s", envelope.urn, pointer, what)
        attempts = dead_letter.attempts(received, envelope)
        try:
            handled = Attempt(received, envelope, route, self._checked(), self._ledger, self._wait).make()
        except MessageRefused as refusal:
            return self._refuse(received, attempts, "failed", str(refusal))
        except (Exception, asyncio.CancelledError) as error:
            rejection = _rejection(error)
            if rejection is not None:
                return self._give_up(received, route, attempts + 1, f"rejected: {rejection}", rejection)
            logger.warning("%s: attempt %d failed", envelope.urn, attempts + 1, exc_info=True)
            return self._again_or_give_up(received, route, attempts + 1, error)
        except BaseException:
            # The program stops: the message goes back as it came.
            self._settle.again(received, received.body, 0.0)
            raise
        return _settled(self._settle.done(received), HANDLED if handled else Outcome("duplicate"))

    def _wait(self, result: Awaitable[None]) -> None:
        if self._runner is None:
            self._runner = asyncio.Runner()
        # In today's context: the runner's own is a copy made while its first message was handled.
        try:
            self._runner.run(_awaited(result), context=contextvars.copy_context())
        except (KeyboardInterrupt, SystemExit):
            self.close()  # the handler cleans up now, while what it writes can still be undone
            raise

    def _again_or_give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, error: BaseException
    ) -> Outcome:
        most = self._app.max_attempts if route.sent.max_attempts is None else route.sent.max_attempts
        if attempts >= most:
            return self._give_up(received, route, attempts, f"handler_failed: {error}", error)
        body = with_members(received.body, {"attempts": attempts})
        return self._again(received, body, self._delay(attempts), Outcome("retried", error=error))

    def _delay(self, attempts: int) -> float:
        app = self._app
        return retry_delay(
            attempts, app.retry_backoff, app.retry_backoff_multiplier, app.retry_backoff_max, app.retry_jitter
        )

    def _give_up(
        self, received: ReceivedMessage, route: Route, attempts: int, said: str, error: BaseException
    ) -> Outcome:
        urn = route.sent.urn
        if route.sent.on_failure == "delete":
            logger.error("%s: dropped after %d attempts, as its delivery policy says: %s", urn, attempts, said)
            return _settled(self._settle.done(received), Outcome("dropped", "failed", said, error))
        block = dead_letter.failed(received, attempts, said, type(error).__name__)
        return self._bury(received, block, Outcome("dead_lettered", "failed", said, error), f"{urn}: {said}")

    def _unknown(self, received: ReceivedMessage, envelope: Envelope) -> Outcome:
        said = f"unknown_urn: no handler for {envelope.urn}"
        attempts = dead_letter.attempts(received, envelope)
        if self._on_unknown_urn == UnknownUrnStrategy.DELETE:
            logger.warning("dropped a message of %r, for which there is no handler", envelope.urn)
            return _settled(self._settle.done(received), Outcome("dropped", "unknown_urn", said))
        if self._on_unknown_urn == UnknownUrnStrategy.RELEASE:
            delay = self._app.unknown_urn_release_delay
            return self._again(received, received.body, delay, Outcome("retried", "unknown_urn", said))
        if self._on_unknown_urn == UnknownUrnStrategy.FAIL and attempts + 1 < self._app.max_attempts:
            body = with_members(received.body, {"attempts": attempts + 1})
            return self._again(received, body, self._delay(attempts + 1), Outcome("retried", "unknown_urn", said))
        return self._refuse(received, attempts, "unknown_urn", said)

    def _refuse(self, received: ReceivedMessage, attempts: int, reason: str, said: str) -> Outcome:
        """To the dead letters at once, as it came: no later delivery would be any better."""
        block = dead_letter.refused(received, attempts, reason, said)
        return self._bury(received, block, Outcome("dead_lettered", reason, said))

    def _again(self, received: ReceivedMessage, body: str, delay_seconds: float, outcome: Outcome) -> Outcome:
        return _settled(self._settle.again(received, body, delay_seconds), outcome)

    def _bury(self, received: ReceivedMessage, block: str, outcome: Outcome, why: str | None = None) -> Outcome:
        return _settled(self._settle.bury(received, block, why or outcome.detail or ""), outcome)


def _rejection(error: BaseException) -> Reject | None:
    """The Reject that ``error`` is, or that is among those of a task group."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_rejection, error.exceptions)), None)
    return error if isinstance(error, Reject) else None


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(result: Awaitable[None]) -> None:
    await result


def _settled(taken: bool, outcome: Outcome) -> Outcome:
    return outcome if taken else outcome._replace(kind="unsettled")


def _said(verdict: Verdict) -> str:
    return f"{verdict.reason}: {verdict.detail}"
