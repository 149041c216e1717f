"""A RabbitMQ transport with publisher confirms, compatible with babelqueue's own transport.

babelqueue's ``PikaTransport`` publishes without waiting for the broker: messages that a crashing broker has not written
yet are lost, unnoticed by the sender. Here ``publish`` returns once the broker has the message on its disk; a retry and
a dead letter are confirmed before the delivery is acknowledged; an acknowledgement never reaches a delivery of another
connection; heartbeats are answered while a handler runs, so that a long one keeps its message; existing queues are used
as they are declared, quorum queues included.
"""

from __future__ import annotations

import importlib
import math
import os
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.subscriptions.broker import Publication
from babelreg.runtime.transports.amqp_properties import contract_properties, delivery_headers, message_headers
from babelreg.runtime.transports.rabbitmq_connection import AmqpChannel, AmqpConnection, AmqpMessage
from babelreg.runtime.transports.rabbitmq_delay import DelayQueue, delay_queue
from babelreg.runtime.transports.rabbitmq_subscriptions import EXCHANGE, RabbitMQSubscriptions
from babelreg.runtime.transports.receiver import DeliveryLostError

if TYPE_CHECKING:
    from babelreg.runtime.transports.rabbitmq_receiver import RabbitMQReceiver

__all__ = ["RabbitMQ", "RabbitMQDelivery", "received"]

_LONGEST_PAUSE_SECONDS = 0.25
_HEARTBEAT_SECONDS = 10
"""Unless the URL has one. pika misses an answer after at most two intervals, each 5 seconds longer than this."""
_BEAT_SECONDS = 10.0


class RabbitMQDelivery(NamedTuple):
    """The handle of a delivery. ``lock`` is that of its connection; ``recoveries``: see ``CountsRecoveries``."""

    channel: AmqpChannel
    tag: int
    lock: threading.RLock
    recoveries: int | None = 0


class RabbitMQ(RabbitMQSubscriptions, Transport):
    """A transport for one ``amqp://`` URL. Connects on first use, and reconnects after a lost connection.

    Thread-safe, with one connection for all threads; after a fork the child opens a connection of its own.
    """

    def __init__(self, url: str) -> None:
        self._pika: Any = importlib.import_module("pika")  # an extra of babelqueue, without types
        self._parameters = self._pika.URLParameters(url)
        if self._parameters.heartbeat is None:
            self._parameters.heartbeat = _HEARTBEAT_SECONDS
        self.url = url
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._connection: AmqpConnection | None = None
        self._channel: AmqpChannel | None = None
        self._declared: set[str] = set()
        self._inboxes: set[str] = set()
        self._process = 0

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port of the broker."""
        return self._parameters.host, self._parameters.port

    def another(self) -> RabbitMQ:
        """Return a transport to the same broker with a connection of its own."""
        made = type(self)(self.url)
        made._inboxes = self._inboxes
        return made

    def publish(self, queue: str, body: str) -> None:
        """Return once the broker has the message. Raises pika's exception if the broker does not accept it."""
        self.publish_with_headers(queue, body, {})

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """Publish with AMQP headers; see :meth:`publish`."""
        errors = self._pika.exceptions
        with self._lock:
            try:
                self._publish(queue, body, headers)
            except errors.NackError:
                raise
            except (errors.AMQPConnectionError, errors.AMQPChannelError):
                # A stale connection, or a deleted queue: both are created again. The broker may have accepted the
                # message without confirming it; then it has the message twice, with one meta.id.
                self._declared.discard(queue)
                self._publish(queue, body, headers)

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """See ``PublishesMany``: all are sent before the first confirm is awaited."""
        errors = self._pika.exceptions
        with self._lock:
            try:
                messages = [self._message(each) for each in publications]
                outcomes = self._open_channel().publish(messages)
            except (errors.AMQPConnectionError, errors.AMQPChannelError) as error:
                outcomes = [error] * len(publications)
            return self._one_by_one(publications, outcomes)

    def _one_by_one(
        self, publications: Sequence[Publication], outcomes: Sequence[Exception | None]
    ) -> list[int | Exception]:
        """Return the results, and publish again what a closed connection or channel left open."""
        errors, results = self._pika.exceptions, list[int | Exception]()
        lost: Exception | None = None
        for (queue, urn, body, headers), outcome in zip(publications, outcomes, strict=True):
            if outcome is None:
                results.append(1)
            elif isinstance(outcome, errors.UnroutableError) and urn is not None:
                results.append(0)
            elif lost is not None or isinstance(outcome, errors.NackError):
                results.append(lost or outcome)
            else:
                try:
                    if urn is not None:
                        results.append(self.publish_to_subscribers(urn, body, headers))
                        continue
                    self.publish_with_headers(queue, body, headers)
                    results.append(1)
                except Exception as error:
                    lost = error if isinstance(error, errors.AMQPConnectionError) else None
                    results.append(error)
        return results

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """Return the next message, or None if none arrives within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        pause = 0.01
        while True:
            with self._lock:
                self._declare(queue)
                channel = self._open_channel()
                delivery = channel.get(queue)
            remaining = end - time.monotonic()
            if delivery is not None:
                return received(queue, channel, self._lock, *delivery)
            if remaining <= 0:
                return None
            time.sleep(min(pause, remaining))  # without the lock: other threads may send meanwhile
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> RabbitMQReceiver:
        """See ``Receives``."""
        from babelreg.runtime.transports.rabbitmq_receiver import RabbitMQReceiver

        return RabbitMQReceiver(self.another(), queues, ahead, until_empty=until_empty)

    def ack(self, message: ReceivedMessage) -> None:
        """Acknowledge. Raises DeliveryLostError if the connection of the delivery is closed."""
        with message.handle.lock:
            self._open_delivery(message).ack(message.handle.tag)

    def ack_many(self, messages: Sequence[ReceivedMessage]) -> None:
        """See ``AcknowledgesMany``. Raises as :meth:`ack`, and acknowledges nothing, if one connection is closed."""
        with messages[0].handle.lock:
            channels = {self._open_delivery(message) for message in messages}
            for channel in channels:
                channel.ack(*(message.handle.tag for message in messages if message.handle.channel is channel))

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Put ``body`` at the end of the queue, or into a delay queue for ``delay`` seconds, then acknowledge."""
        if delay > 0:
            self._hand_on(message, delay_queue(message.queue, delay), body)
        else:
            self._hand_on(message, message.queue, body)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue``, then acknowledge."""
        self._hand_on(message, queue, body)

    def rewind(self, message: ReceivedMessage) -> None:
        """Give the delivery back unchanged."""
        with message.handle.lock:
            if message.handle.channel.is_open:
                message.handle.channel.requeue(message.handle.tag)

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``PutsBack``: to where it was taken from, which counts as a delivery; if it has any, a copy to the end.

        So a message that is reserved at the end of each of many runs does not reach the limit of deliveries.
        """
        if message.handle.recoveries:
            self._hand_on(message, message.queue, message.body)
        else:
            self.rewind(message)

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``: a reservation ends with its connection."""
        return bool(message.handle.channel.is_open)

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """See ``CountsRecoveries``: quorum queues count."""
        count: int | None = message.handle.recoveries
        return count

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``: a classic queue refuses to be declared as a quorum queue."""
        with self._lock:
            try:
                self._declare(queue)
                self._try_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if "x-queue-type" in str(err.reply_text):
                    return f"queue {queue!r} is a classic queue, which does not count deliveries"
            except self._pika.exceptions.AMQPError:
                pass  # the first delivery reports it
        return None

    @property
    def lock(self) -> threading.RLock:
        """The lock of the connection, which one thread at a time may use."""
        return self._lock

    def declare(self, queue: str) -> None:
        """Declare ``queue`` unless it exists."""
        self._declare(queue)

    def forget(self, queue: str) -> None:
        """Declare ``queue`` again at its next use: it was deleted."""
        self._declared.discard(queue)

    def connection(self) -> AmqpConnection:
        """Return the connection, which is opened if there is none."""
        return self._open_connection()

    def close(self) -> None:
        """Close the connection: deliveries that were not acknowledged go back to their queues."""
        self._closed.set()
        with self._lock:
            if self._connection is not None and self._connected():
                self._connection.close()

    def _hand_on(self, message: ReceivedMessage, queue: str | DelayQueue, body: str) -> None:
        with self._lock:
            self._open_delivery(message)  # a delivery that the broker repeats needs no copy
            self._publish(queue, body, message_headers(message.headers))
            self.ack(message)

    def _open_delivery(self, message: ReceivedMessage) -> AmqpChannel:
        channel: AmqpChannel = message.handle.channel
        if not channel.is_open:
            raise DeliveryLostError(
                f"the channel of a delivery from queue {message.queue!r} is closed: the connection was lost, or the "
                "handler took longer than consumer_timeout of the broker (30 minutes by default), which cannot be "
                "renewed; keep it shorter with delivery.time_limit_seconds, or raise consumer_timeout in rabbitmq.conf"
            )
        return channel

    def _publish(self, queue: str | DelayQueue, body: str, headers: Mapping[str, str]) -> None:
        properties = contract_properties(body, headers)
        if isinstance(queue, DelayQueue):
            self._declare(str(queue.arguments["x-dead-letter-routing-key"]))
            self._declare_delay(queue)
            properties["expiration"] = queue.expiration
            queue = queue.name
        else:
            self._declare(queue)
        self._confirmed("", queue, body, properties)

    def _confirmed(self, exchange: str, routing_key: str, body: str, properties: dict[str, Any]) -> None:
        """Return once the broker has confirmed the message; an unroutable one is an error, and is not lost."""
        channel = self._open_channel()
        (error,) = channel.publish([self._encoded(exchange, routing_key, body, properties)])
        if error is not None:
            raise error

    def _message(self, publication: Publication) -> AmqpMessage:
        queue, urn, body, headers = publication
        properties = contract_properties(body, headers)
        if urn is not None:
            return self._encoded(EXCHANGE, urn, body, properties)
        self._declare(queue)
        return self._encoded("", queue, body, properties)

    def _encoded(self, exchange: str, routing_key: str, body: str, properties: dict[str, Any]) -> AmqpMessage:
        encoded = body.encode("utf-8", "surrogateescape")
        return AmqpMessage(exchange, routing_key, encoded, self._pika.BasicProperties(**properties))

    def _declare(self, queue: str) -> None:
        if not self._connected() or queue not in self._declared:
            try:
                self._try_declare(queue, passive=True)
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if err.reply_code != 404:
                    raise
                arguments = {"x-queue-type": "quorum"} if queue in self._inboxes else None
                self._try_declare(queue, durable=True, arguments=arguments)
            self._declared.add(queue)

    def _declare_delay(self, delay: DelayQueue) -> None:
        if not self._connected() or delay.name not in self._declared:
            try:
                self._try_declare(delay.name, durable=True, arguments=delay.arguments)
            except self._pika.exceptions.ChannelClosedByBroker:
                self._try_declare(delay.name, durable=True, arguments=delay.classic_arguments)
            self._declared.add(delay.name)

    def _try_declare(self, queue: str, **options: Any) -> None:
        # On a separate channel: a refusal closes the channel, and would close that of open deliveries.
        channel = self._open_connection().channel()
        channel.ask("queue_declare", queue, **options)
        channel.close()

    def _connected(self) -> bool:
        return self._connection is not None and self._process == os.getpid() and self._connection.is_open

    def _open_connection(self) -> AmqpConnection:
        if self._connection is None or not self._connected():
            self._connection = AmqpConnection(self._parameters)
            self._process = os.getpid()
            self._channel = None
            self._declared.clear()
            self._closed.set()
            self._closed = threading.Event()
            seconds = min(_BEAT_SECONDS, (self._parameters.heartbeat or math.inf) / 3)
            threading.Thread(target=_beat, args=(weakref.ref(self), self._closed, seconds), daemon=True).start()
        return self._connection

    def _open_channel(self) -> AmqpChannel:
        connection = self._open_connection()
        if self._channel is None or not self._channel.is_open:
            self._channel = connection.channel()
            self._channel.confirm()
        return self._channel

    def _answer(self) -> None:
        with self._lock:
            if self._connection is not None and self._connected():
                self._connection.process(0.0)


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


def _beat(transport: weakref.ref[RabbitMQ], closed: threading.Event, seconds: float) -> None:
    """Answer the broker's heartbeats while handlers run; without answers the broker closes the connection."""
    while not closed.wait(seconds):
        alive = transport()
        if alive is None:
            return
        try:
            alive._answer()
        except Exception:
            return  # the next use finds the connection closed and opens another one
        del alive
