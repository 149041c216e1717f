"""One delivery, from bytes to its end: handled, tried again, dropped, or among the dead letters with a reason."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.app import retry_delay
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope, Verdict
from babelreg.errors import UsageError
from babelreg.runtime import record
from babelreg.runtime.errors import Reject
from babelreg.runtime.message import MessageType
from babelreg.runtime.rewrite import with_members
from babelreg.runtime.settle import Settlement
from babelreg.runtime.trace import Context, handling

__all__ = ["Dispatcher", "Handler"]

T = TypeVar("T")
Handler = Callable[[T, Context], Awaitable[None] | None]
"""Plain or async. Returning means done, raising means once more, raising Reject means never."""

logger = logging.getLogger("babelreg.runtime")


@dataclass(frozen=True, slots=True)
class _Registered:
    message: MessageType[Any]
    handler: Handler[Any]


class Dispatcher:
    """The handlers of one app, behind the guard."""

    def __init__(self, app: BabelQueue, on_unknown_urn: str) -> None:
        self._app = app
        self._on_unknown_urn = on_unknown_urn
        self._registered: dict[str, _Registered] = {}
        self._awaits = False
        self._contract: Contract | None = None
        self._settle = Settlement(app)
        self._runner: asyncio.Runner | None = None

    def add(self, message: MessageType[T], handler: Handler[T]) -> None:
        """Raises UsageError when ``message`` has a handler already."""
        if message.urn in self._registered:
            raise UsageError(f"{message.urn} has a handler already", fix="call both from one handler")
        self._registered[message.urn] = _Registered(message, handler)
        self._awaits = self._awaits or inspect.iscoroutinefunction(handler)
        self._contract = None

    def queues(self) -> list[str]:
        """The queues of the registered messages, each once."""
        return list(dict.fromkeys(one.message.queue or self._app.queue for one in self._registered.values()))

    def close(self) -> None:
        """End the event loop of async handlers, if there was one."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def dispatch(self, received: ReceivedMessage) -> None:
        """Bring one delivery to its end.

        Raises what stops a program (KeyboardInterrupt, SystemExit), and UsageError for async handlers inside a
        running event loop.
        """
        if record.unread(received):
            self._settle.bury(received, received.body, f"refused by the transport ({received.route_urn})")
            return
        self.check()
        verdict = self._verdict(received)
        envelope = verdict.envelope
        if verdict.ok and envelope is not None:
            self._handle(received, envelope, self._registered[envelope.urn])
        elif envelope is None or verdict.kind == "poison":
            self._settle.bury(received, record.poison(received, _said(verdict)), _said(verdict))
        elif verdict.kind == "unknown_urn":
            self._unknown(received, envelope)
        else:
            # No later delivery would be any better: no retries.
            refused = record.refused(received, _attempts(received, envelope), "failed", _said(verdict))
            self._settle.bury(received, refused, f"{envelope.urn}: {_said(verdict)}")

    def _verdict(self, received: ReceivedMessage) -> Verdict:
        contract = self._checked()
        verdict = contract.verdict(record.body_bytes(received))
        route = record.route(received)
        if route and verdict.envelope is not None and verdict.envelope.urn != route:
            # The broker's own routing property names the message (Pulsar); the body stays as it is for everyone else.
            verdict = contract.verdict(with_members(received.body, {"job": route}).encode("utf-8"))
        return verdict

    def _checked(self) -> Contract:
        if self._contract is None:
            found = {urn: one.message for urn, one in self._registered.items()}
            schemas = {urn: message.schema for urn, message in found.items()}
            strict = [urn for urn, message in found.items() if message.reader == "strict"]
            self._contract = Contract(schemas, strict=strict)
        return self._contract

    def check(self) -> None:
        """Raises UsageError when there are async handlers and an event loop is running here."""
        if not self._awaits:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        raise UsageError(
            "a consumer brings its own event loop and cannot run inside another one",
            fix="await asyncio.to_thread(consumer.run, handle_signals=False)",
        )

    def _handle(self, received: ReceivedMessage, envelope: Envelope, registered: _Registered) -> None:
        context = _context(received, envelope)
        for pointer, what in envelope.warnings:
            logger.warning("%s: %s: %s", envelope.urn, pointer, what)
        try:
            with handling(context):
                self._call(registered.handler, registered.message.parse(envelope.data), context)
        except Reject as refusal:
            attempts = context.attempts + 1
            self._give_up(received, registered.message, attempts, f"rejected: {refusal}", type(refusal).__name__)
        except (Exception, asyncio.CancelledError) as error:
            logger.warning("%s: attempt %d failed", envelope.urn, context.attempts + 1, exc_info=True)
            self._again_or_give_up(received, registered.message, context, error)
        except BaseException:
            # The program stops: the message goes back as it came.
            self._settle.again(received, received.body, 0.0)
            raise
        else:
            self._settle.done(received)

    def _call(self, handler: Handler[Any], data: Any, context: Context) -> None:
        result = handler(data, context)
        if inspect.isawaitable(result):
            if self._runner is None:
                self._runner = asyncio.Runner()
            self._runner.run(_awaited(result))

    def _again_or_give_up(
        self, received: ReceivedMessage, message: MessageType[Any], context: Context, error: BaseException
    ) -> None:
        attempts = context.attempts + 1
        most = self._app.max_attempts if message.max_attempts is None else message.max_attempts
        if attempts < most:
            self._settle.again(received, with_members(received.body, {"attempts": attempts}), self._delay(attempts))
        else:
            self._give_up(received, message, attempts, f"handler_failed: {error}", type(error).__name__)

    def _delay(self, attempts: int) -> float:
        app = self._app
        return retry_delay(
            attempts, app.retry_backoff, app.retry_backoff_multiplier, app.retry_backoff_max, app.retry_jitter
        )

    def _give_up(
        self, received: ReceivedMessage, message: MessageType[Any], attempts: int, error: str, exception: str
    ) -> None:
        if message.on_failure == "delete":
            logger.error("%s: dropped after %d attempts, as its delivery policy says: %s", message.urn, attempts, error)
            self._settle.done(received)
        else:
            self._settle.bury(received, record.failed(received, attempts, error, exception), f"{message.urn}: {error}")

    def _unknown(self, received: ReceivedMessage, envelope: Envelope) -> None:
        error = f"unknown_urn: no handler for {envelope.urn}"
        attempts = _attempts(received, envelope)
        if self._on_unknown_urn == UnknownUrnStrategy.DELETE:
            logger.warning("dropped a message of %r, for which there is no handler", envelope.urn)
            self._settle.done(received)
        elif self._on_unknown_urn == UnknownUrnStrategy.RELEASE:
            self._settle.again(received, received.body, self._app.unknown_urn_release_delay)
        elif self._on_unknown_urn == UnknownUrnStrategy.FAIL and attempts + 1 < self._app.max_attempts:
            body = with_members(received.body, {"attempts": attempts + 1})
            self._settle.again(received, body, self._delay(attempts + 1))
        else:
            self._settle.bury(received, record.refused(received, attempts, "unknown_urn", error), error)


async def _awaited(result: Awaitable[None]) -> None:
    await result


def _context(received: ReceivedMessage, envelope: Envelope) -> Context:
    meta = envelope.meta
    created = meta.get("created_at")
    return Context(
        urn=envelope.urn,
        trace_id=envelope.trace_id or "",
        message_id=str(meta.get("id") or ""),
        attempts=_attempts(received, envelope),
        queue=received.queue,
        sent_to=str(meta.get("queue") or ""),
        lang=str(meta.get("lang") or ""),
        created_at_ms=created if isinstance(created, int) else None,
        meta=MappingProxyType(dict(meta)),
        headers=MappingProxyType(dict(received.headers)),
    )


def _attempts(received: ReceivedMessage, envelope: Envelope) -> int:
    return max(0, envelope.attempts or 0, received.native_attempts or 0)


def _said(verdict: Verdict) -> str:
    return f"{verdict.reason}: {verdict.detail}"
