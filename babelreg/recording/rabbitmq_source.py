"""A RabbitMQ queue as the source of a recording, on a connection of its own.

The broker sends ahead what fits into a batch; the batch is acknowledged with one frame once it is stored. Whatever was
sent and not acknowledged goes back to its place in the queue when the connection ends, for whatever reason.
"""

from __future__ import annotations

import importlib
import time
from contextlib import suppress
from typing import Any, NamedTuple

from babelreg.errors import InputError
from babelreg.recording.amqp_headers import recorded_message
from babelreg.runtime.recording.queue_source import MAX_BATCH_BYTES

_STALLED_SECONDS = 20.0
_MORE_SECONDS = 0.05
"""How long an incomplete batch waits for another message."""


class AmqpDelivery(NamedTuple):
    """One message as the broker sends it: from which exchange, with pika's properties."""

    exchange: str
    properties: Any
    body: bytes

    @property
    def message(self) -> bytes:
        """The message as a recording holds it: with its headers where a wire format needs them."""
        return recorded_message(self.body, self.properties.headers, self.properties.content_type)


class Deliveries:
    """The deliveries of one queue to one channel, acknowledged together."""

    def __init__(self, parameters: Any, prefetch: int) -> None:
        pika = importlib.import_module("pika")  # an extra of babelqueue, without types
        self.errors: Any = pika.exceptions
        self.connection: Any = pika.BlockingConnection(parameters)
        self.channel: Any = self.connection.channel()
        self.channel.basic_qos(prefetch_count=prefetch)
        self._last_tag = 0

    def next(self, queue: str, most: int, timeout_seconds: float) -> list[AmqpDelivery]:
        """Return the next deliveries; none if none arrives within ``timeout_seconds``."""
        deliveries: list[AmqpDelivery] = []
        size, wait = 0, timeout_seconds
        while len(deliveries) < most and size < MAX_BATCH_BYTES:
            method, properties, body = next(
                self.channel.consume(queue, inactivity_timeout=wait), (None, None, None)
            )  # which ends when the broker cancels the consumer
            if method is None:
                break
            self._last_tag = method.delivery_tag
            deliveries.append(AmqpDelivery(method.exchange, properties, body or b""))
            size, wait = size + len(body or b""), _MORE_SECONDS
        return deliveries

    def acknowledge(self) -> None:
        """Acknowledge all deliveries that :meth:`next` returned."""
        tag, self._last_tag = self._last_tag, 0
        if tag:
            self.channel.basic_ack(tag, multiple=True)

    def waiting(self, queue: str) -> int:
        """Return the number of messages in ``queue`` that are not sent to a consumer. Raises if there is no queue."""
        return int(self.channel.queue_declare(queue, passive=True).method.message_count)

    def close(self) -> None:
        """Close the connection, after everything that was to be sent on it."""
        with suppress(self.errors.AMQPError):
            if self.connection.is_open:
                self.connection.close()


class RabbitMQSource:
    """One queue, which must exist. ``parameters`` are pika's."""

    def __init__(self, parameters: Any, queue: str, *, prefetch: int = 1_000) -> None:
        self._queue = queue
        self._deliveries = Deliveries(parameters, min(prefetch, 65_535))
        self._idle_since = 0.0
        try:
            self._deliveries.waiting(queue)
        except BaseException:
            self._deliveries.close()
            raise

    def receive(self, most: int, timeout_seconds: float) -> list[bytes]:
        deliveries = self._deliveries.next(self._queue, most, timeout_seconds)
        if deliveries:
            self._idle_since = 0.0
        return [delivery.message for delivery in deliveries]

    def acknowledge(self) -> None:
        self._deliveries.acknowledge()

    def is_empty(self) -> bool:
        """Return whether no message waits in the queue.

        Raises InputError if messages wait and none arrives for 20 seconds: the queue is a stream, or gives them to
        another consumer only.
        """
        waiting = self._deliveries.waiting(self._queue)
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if waiting and now - self._idle_since > _STALLED_SECONDS:
            raise InputError(
                f"RabbitMQ has {waiting} messages in queue {self._queue!r} but delivers none",
                fix="stop its other consumers, if it allows a single active one; a stream cannot be drained",
            )
        return waiting == 0

    def waiting(self) -> int:
        """Return the number of messages in the queue."""
        return self._deliveries.waiting(self._queue)

    def close(self) -> None:
        self._deliveries.close()
