"""The receiver of RabbitMQ: it subscribes to all queues on one channel, and the broker sends what there is room for.

It has a connection of its own, in which its thread waits while other threads send. The prefetch count is that of each
queue, so that no queue takes the room of another; what is not taken is buffered here, for each queue. An operator who
sees a queue's consumers sees this one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.amqp_properties import delivery_headers
from babelreg.runtime.transports.rabbitmq_connection import AmqpChannel, AmqpConnection
from babelreg.runtime.transports.receiver import Receiver

_GET_PAUSE_SECONDS = 0.02
_WARN_AFTER = 20  # of the 30 minutes of consumer_timeout by default; the broker does not tell its own
_NEARS_TIMEOUT = (
    "a delivery from queue %r is not settled after %s minutes, because its handler, or one before it, is at work: "
    "RabbitMQ delivers it again after consumer_timeout, 30 minutes by default. Keep handlers shorter with "
    "delivery.time_limit_seconds, or raise consumer_timeout in rabbitmq.conf"
)


class RabbitMQDelivery(NamedTuple):
    """The handle of a delivery. ``lock`` is that of its connection; ``recoveries``: see ``CountsRecoveries``."""

    channel: AmqpChannel
    tag: int
    lock: threading.RLock
    recoveries: int | None = 0


def received(
    queue: str, channel: AmqpChannel, lock: Any, method: Any, properties: Any, body: bytes | None
) -> ReceivedMessage:
    """Return a delivery as pika passes it."""
    text = (body or b"").decode("utf-8", "surrogateescape")
    headers = delivery_headers(properties.headers)
    handle = RabbitMQDelivery(channel, method.delivery_tag, lock, _recoveries(method.redelivered, headers))
    return ReceivedMessage(text, queue, handle, headers)


def _recoveries(redelivered: bool, headers: Mapping[str, str]) -> int | None:
    count = headers.get("x-delivery-count", "")
    if count.isdigit():
        return int(count)
    return None if redelivered else 0


class RabbitMQLink(Protocol):
    """The part of a transport that its receiver uses."""

    @property
    def lock(self) -> threading.RLock: ...
    def connection(self) -> AmqpConnection: ...
    def declare(self, queue: str) -> None: ...
    def forget(self, queue: str) -> None: ...
    def close(self) -> None: ...


class RabbitMQReceiver(Receiver):
    """A receiver of subscriptions. ``link`` is a transport whose connection nobody else uses."""

    wakes = True
    keep_seconds = 60.0

    def __init__(self, link: RabbitMQLink, queues: Sequence[str], ahead: int, *, until_empty: bool) -> None:
        self._link = link
        self._ahead = ahead
        self._until_empty = until_empty
        self._buffers: dict[str, deque[ReceivedMessage]] = {queue: deque() for queue in queues}
        self._turns: deque[str] = deque()  # the queues whose buffers are not empty
        self._channel: AmqpChannel | None = None
        self._tags: dict[str, str] = {}
        self._woken = False
        # How often keep() met a delivery, by its id. The delivery stands beside it, so that no other gets that id.
        self._met: dict[int, tuple[ReceivedMessage, int]] = {}

    def take(self, most: int, seconds: float, *, ahead: bool = True) -> Sequence[ReceivedMessage]:
        end = time.monotonic() + seconds
        with self._link.lock:
            if not ahead:
                return self._get(most, end)
            self._subscribe()
            connection = self._link.connection()
            while not (messages := self._buffered(most)):
                left = end - time.monotonic()
                connection.process(max(0.0, left))
                if (left <= 0 or self._woken) and not self._turns:
                    self._woken = False
                    return self._asked(most) if self._until_empty else ()
            return messages

    def wake(self) -> None:
        self._woken = True
        if self._channel is not None:
            self._channel.wake()

    def keep(self, messages: Sequence[ReceivedMessage]) -> None:
        """See Receiver: a delivery is reserved as long as its connection lives, or ``consumer_timeout`` of the broker.

        Nothing renews the latter, so what nears its default is reported, once.
        """
        earlier = self._met
        self._met = {id(message): (message, earlier.get(id(message), (message, 0))[1] + 1) for message in messages}
        for message, count in self._met.values():
            if count == _WARN_AFTER:
                logger.warning(_NEARS_TIMEOUT, message.queue, count, extra=delivery_fields(message))

    def release(self) -> Sequence[ReceivedMessage]:
        with self._link.lock:
            if self._channel is not None and self._channel.is_open:
                for tag in self._tags.values():
                    self._channel.ask("basic_cancel", tag)
            self._tags.clear()
            return self._buffered(len(self._buffers) * self._ahead)

    def close(self) -> None:
        self._link.close()

    def _subscribe(self) -> None:
        channel = self._open()
        for queue in self._buffers if len(self._tags) < len(self._buffers) else ():
            if queue not in self._tags:
                self._link.declare(queue)
                self._tags[queue] = channel.consume(queue, partial(self._receive, queue, channel))

    def _open(self) -> AmqpChannel:
        """Return the channel, opened unless it is; deliveries of an earlier one are lost."""
        if self._channel is None or not self._channel.is_open:
            self._tags.clear()
            for buffer in self._buffers.values():
                buffer.clear()
            self._turns.clear()
            self._channel = self._link.connection().channel()
            self._channel.ask("basic_qos", prefetch_count=self._ahead)
            self._channel.on_cancel(self._cancelled)
        return self._channel

    def _receive(self, queue: str, channel: AmqpChannel, method: Any, properties: Any, body: bytes) -> None:
        buffer = self._buffers[queue]
        if not buffer:
            self._turns.append(queue)
        buffer.append(received(queue, channel, self._link.lock, method, properties, body))

    def _cancelled(self, frame: Any) -> None:
        """Subscribe again to a queue that was deleted."""
        for queue, tag in list(self._tags.items()):
            if tag == frame.method.consumer_tag:
                del self._tags[queue]
                self._link.forget(queue)

    def _buffered(self, most: int) -> list[ReceivedMessage]:
        messages: list[ReceivedMessage] = []
        while self._turns and len(messages) < most:
            queue = self._turns.popleft()
            buffer = self._buffers[queue]
            messages.append(buffer.popleft())
            if buffer:
                self._turns.append(queue)
        return messages

    def _asked(self, most: int) -> list[ReceivedMessage]:
        """Return messages that the broker has, also where it has not sent them yet: its answer comes after those."""
        channel = self._open()
        for queue in self._buffers:
            self._link.declare(queue)
            delivery = channel.get(queue)
            if delivery is not None:
                self._receive(queue, channel, *delivery)
        return self._buffered(most)

    def _get(self, most: int, end: float) -> list[ReceivedMessage]:
        while True:
            messages = self._asked(most)
            left = end - time.monotonic()
            if messages or left <= 0 or self._woken:
                self._woken = False
                return messages
            self._link.connection().process(min(left, _GET_PAUSE_SECONDS))
