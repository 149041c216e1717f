"""An in-memory broker for the tests of producers and handlers.

    def test_an_order_asks_for_an_invoice():
        with Broker(app) as broker:                      # replaces the broker of the service's app
            outcome = broker.deliver(consumer, OrdersCreated(order_id=1042))
            assert outcome.kind == "handled"
            assert broker.sent(InvoiceRequested) == [InvoiceRequested(order_id=1042)]

``Broker(app, like="kafka")`` refuses what that broker refuses by its default settings: messages and headers that are
too large, headers where it has none, delays, names of queues. Without ``like`` it is the broker of the app; for an app
in memory it has no limits, but refuses headers that Redis would lose. Other limits are
``Broker(like=LIMITS["kafka"]._replace(message_bytes=5_000_000))``.

Deliveries are validated and dispatched exactly as those of a real broker. Async handlers run in their own event loop:
from an async test call ``await asyncio.to_thread(broker.deliver, consumer, data)``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from babelqueue import BabelQueue, EnvelopeCodec
from babelqueue.transport import InMemoryTransport, ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.consumer.consume import Consumer
from babelreg.runtime.errors import BrokerLimitError
from babelreg.runtime.message import MessageType, message_type
from babelreg.runtime.outcome import Outcome
from babelreg.runtime.telemetry.messaging_system import messaging_system
from babelreg.runtime.transports.capabilities import KEY_HEADER, Capabilities, capabilities
from babelreg.runtime.transports.message_limits import LIMITS, MessageLimits
from babelreg.runtime.transports.replacements import confirmed
from babelreg.runtime.transports.subscription_broker import Publication

__all__ = ["LIMITS", "Broker", "BrokerLimitError", "DeadLetter", "MessageLimits"]

T = TypeVar("T")

_ANY = Capabilities("declared", keys=True, delays=True)
"""Those of a broker that a test does not name: headers that Redis would lose are refused."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message in a dead-letter queue. ``reason`` is failed | unknown_urn | poison; ``body`` the record as written."""

    queue: str
    reason: str
    error: str
    body: str


class Broker(AbstractContextManager["Broker"]):
    """Replaces the broker of ``app`` until it is closed. Without an app it creates one: ``broker.app``.

    ``like`` names the broker whose limits hold: redis, laravel, rabbitmq or kafka.
    """

    def __init__(self, app: BabelQueue | None = None, *, like: str | MessageLimits | None = None) -> None:
        self.app = BabelQueue("memory://") if app is None else app
        self._before = self.app.transport
        self._transport = _Recorder(_limits(self._before, like))
        self.app.transport = self._transport
        self._used: dict[int, Consumer] = {}

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Restore the broker of the app, and close the event loops of async handlers."""
        self.app.transport = self._before
        for consumer in self._used.values():
            consumer.close()

    def deliver(
        self,
        consumer: Consumer,
        data: T,
        *,
        of: type[T] | None = None,
        attempts: int = 0,
        trace_id: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Deliver one message to ``consumer``; ``of`` names its class where data is a typed dictionary.

        The data may be invalid, as that of any sender: the consumer validates it.
        """
        message: MessageType[Any] = message_type(type(data) if of is None else of)
        queue = message.queue or self.app.queue
        envelope = EnvelopeCodec.make(message.urn, message.dump(data), queue=queue, trace_id=trace_id)
        return self.deliver_raw(consumer, {**envelope, "attempts": attempts}, queue, headers)

    def deliver_raw(
        self,
        consumer: Consumer,
        body: str | bytes | Mapping[str, Any],
        queue: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Deliver any body: an envelope, or a malformed one."""
        if isinstance(body, bytes):
            text = body.decode("utf-8", "surrogateescape")
        else:
            text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return self._dispatch(consumer, ReceivedMessage(text, queue or self.app.queue, headers=dict(headers or {})))

    def deliver_waiting(self, consumer: Consumer, most: int = 1000) -> list[Outcome]:
        """Deliver all messages in the queues, with retries and messages sent by handlers; at most ``most`` of them."""
        outcomes: list[Outcome] = []
        while len(outcomes) < most:
            received = next(filter(None, map(self._transport.pop, consumer.queues)), None)
            if received is None:
                break
            outcomes.append(self._dispatch(consumer, received))
        return outcomes

    def sent(self, model: type[T]) -> list[T]:
        """Return the data of every sent message of class ``model``, in order."""
        message = message_type(model)
        return [message.parse(envelope["data"]) for envelope in self.envelopes if envelope["job"] == message.urn]

    @property
    def envelopes(self) -> list[dict[str, Any]]:
        """Every envelope that was sent, in order, without retries and dead letters."""
        return [json.loads(each.body) for each in self._transport.sent]

    @property
    def publications(self) -> list[Publication]:
        """Every message that was sent, in order, with its headers, key and delay."""
        return list(self._transport.sent)

    @property
    def dead_letters(self) -> list[DeadLetter]:
        """The dead letters, in order."""
        return [_dead_letter(queue, body) for queue, body in self._transport.dead]

    def _dispatch(self, consumer: Consumer, received: ReceivedMessage) -> Outcome:
        self._used[id(consumer)] = consumer
        return consumer.dispatch(received)


class _Recorder(InMemoryTransport):
    """babelqueue's in-memory transport, which records what is sent, within the limits of a broker. Delays are over."""

    def __init__(self, limits: MessageLimits | None) -> None:
        super().__init__()
        self._limits = limits
        self.capabilities = _ANY if limits is None else limits.capabilities
        self.sent: list[Publication] = []
        self.dead: list[tuple[str, str]] = []

    def publish(self, queue: str, body: str) -> None:
        self.publish_with_headers(queue, body, {})

    def publish_with_headers(self, queue: str, body: str, headers: dict[str, str]) -> None:
        self._take(Publication(queue, None, body, headers))

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        return [self._taken(each) for each in publications]

    def _taken(self, message: Publication) -> int | Exception:
        try:
            self._take(message)
        except BrokerLimitError as error:
            return error
        return 1

    def _take(self, message: Publication) -> None:
        self._check(message.queue, message.body, message.headers, message.delay)
        self.sent.append(message)
        key = {} if message.key is None else {KEY_HEADER: message.key}
        super().publish_with_headers(message.queue, message.body, {**message.headers, **key})

    def _check(self, queue: str, body: str, headers: Mapping[str, str], delay_seconds: float = 0.0) -> None:
        if self._limits is not None:
            self._limits.check(queue, body, headers, delay_seconds)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self._check(message.queue, body, message.headers, delay)
        super().publish_with_headers(message.queue, body, message.headers)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        self._check(queue, body, message.headers)
        self.dead.append((queue, body))


def _limits(transport: Transport, like: str | MessageLimits | None) -> MessageLimits | None:
    if isinstance(like, MessageLimits):
        return like
    if like is not None and like not in LIMITS:
        raise UsageError(f"there is no broker {like!r}", fix=f"use one of {', '.join(LIMITS)}")
    if like is not None:
        return LIMITS[like]
    known = LIMITS.get(messaging_system(transport).name)
    return None if known is None else known._replace(capabilities=capabilities(confirmed(transport)))


def _dead_letter(queue: str, body: str) -> DeadLetter:
    block = json.loads(body).get("dead_letter") or {}
    return DeadLetter(queue, str(block.get("reason") or ""), str(block.get("error") or ""), body)
