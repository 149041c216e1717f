"""A broker in memory, so that a service tests its producers and handlers without one.

    def test_an_order_asks_for_an_invoice():
        with Broker(app) as broker:                      # stands in for the broker of the service's app
            outcome = broker.deliver(consumer, OrdersCreated(order_id=1042))
            assert outcome.kind == "handled"
            assert broker.sent(InvoiceRequested) == [InvoiceRequested(order_id=1042)]

Deliveries go through the same guard as those of a real broker. Async handlers run in a loop of their own: from an
async test call ``await asyncio.to_thread(broker.deliver, consumer, data)``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from babelqueue import BabelQueue, EnvelopeCodec
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.runtime.consumer.consume import Consumer
from babelreg.runtime.consumer.outcome import Outcome
from babelreg.runtime.message import MessageType, message_type

__all__ = ["Broker", "DeadLetter"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message among the dead letters. ``reason`` is failed | unknown_urn | poison; ``body`` the record as written."""

    queue: str
    reason: str
    error: str
    body: str


class Broker:
    """Takes the place of the broker of ``app`` until it is closed; without one it has an app of its own, ``app``."""

    def __init__(self, app: BabelQueue | None = None) -> None:
        self.app = BabelQueue("memory://") if app is None else app
        self._before = self.app.transport
        self._transport = _Recorder()
        self.app.transport = self._transport
        self._used: dict[int, Consumer] = {}

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the app its broker back, and end the event loops of async handlers."""
        self.app.transport = self._before
        for consumer in self._used.values():
            consumer.close()

    def deliver(
        self, consumer: Consumer, data: T, *, of: type[T] | None = None, attempts: int = 0, trace_id: str | None = None
    ) -> Outcome:
        """Deliver one message to ``consumer``; ``of`` names its class where data is a typed dictionary.

        The data need not be what a producer would send: whether it is handled is the guard's business.
        """
        message: MessageType[Any] = message_type(type(data) if of is None else of)
        queue = message.queue or self.app.queue
        envelope = EnvelopeCodec.make(message.urn, message.dump(data), queue=queue, trace_id=trace_id)
        return self.deliver_raw(consumer, {**envelope, "attempts": attempts}, queue)

    def deliver_raw(self, consumer: Consumer, body: str | bytes | Mapping[str, Any], queue: str = "") -> Outcome:
        """Deliver any body: an envelope, or what should have been one."""
        if isinstance(body, bytes):
            text = body.decode("utf-8", "surrogateescape")
        else:
            text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return self._dispatch(consumer, ReceivedMessage(text, queue or self.app.queue))

    def deliver_waiting(self, consumer: Consumer, most: int = 1000) -> list[Outcome]:
        """Deliver what waits in the queues, retries and what handlers sent too, until nothing does or ``most`` were."""
        outcomes: list[Outcome] = []
        while len(outcomes) < most:
            received = next(filter(None, map(self._transport.pop, consumer.queues)), None)
            if received is None:
                break
            outcomes.append(self._dispatch(consumer, received))
        return outcomes

    def sent(self, model: type[T]) -> list[T]:
        """The data of every ``model`` that was sent, in order, typed."""
        message = message_type(model)
        return [message.parse(envelope["data"]) for envelope in self.envelopes if envelope["job"] == message.urn]

    @property
    def envelopes(self) -> list[dict[str, Any]]:
        """Every envelope that was sent, in order. Retries and dead letters are none of them."""
        return [json.loads(body) for body in self._transport.sent]

    @property
    def dead_letters(self) -> list[DeadLetter]:
        """What lies among the dead letters, in order."""
        return [_dead_letter(queue, body) for queue, body in self._transport.dead]

    def _dispatch(self, consumer: Consumer, received: ReceivedMessage) -> Outcome:
        self._used[id(consumer)] = consumer
        return consumer.dispatch(received)


class _Recorder(InMemoryTransport):
    """babelqueue's transport in memory, with a record of what was sent and what was given up."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.dead: list[tuple[str, str]] = []

    def publish(self, queue: str, body: str) -> None:
        self.sent.append(body)
        super().publish(queue, body)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        super().publish(message.queue, body)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        self.dead.append((queue, body))


def _dead_letter(queue: str, body: str) -> DeadLetter:
    block = json.loads(body).get("dead_letter") or {}
    return DeadLetter(queue, str(block.get("reason") or ""), str(block.get("error") or ""), body)
