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
from typing import Any

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.transports.amqp_properties import contract_properties, message_headers
from babelreg.runtime.transports.capabilities import Capabilities
from babelreg.runtime.transports.rabbitmq_connection import AmqpChannel, AmqpConnection, AmqpMessage
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE, LOOP_HEADER, RabbitMQQueues, delay_queue
from babelreg.runtime.transports.rabbitmq_receiver import RabbitMQReceiver, received
from babelreg.runtime.transports.receiver import DeliveryLostError
from babelreg.runtime.transports.subscription_broker import Publication

_LONGEST_PAUSE_SECONDS = 0.25
_HEARTBEAT_SECONDS = 10
"""Unless the URL has one. pika misses an answer after at most two intervals, each 5 seconds longer than this."""
_BEAT_SECONDS = 10.0


class RabbitMQ(RabbitMQQueues, Transport):
    """A transport for one ``amqp://`` URL. Connects on first use, and reconnects after a lost connection.

    Thread-safe, with one connection for all threads; after a fork the child opens a connection of its own.
    """

    def __init__(self, url: str) -> None:
        self._pika: Any = importlib.import_module("pika")  # an extra of babelqueue, without types
        self._parameters = self._pika.URLParameters(url)
        if self._parameters.heartbeat is None:
            self._parameters.heartbeat = _HEARTBEAT_SECONDS
        errors = self._pika.exceptions
        self._worth_a_retry = errors.AMQPConnectionError, errors.AMQPChannelError
        self.url = url
        self.lock = threading.RLock()
        """The lock of the connection, which one thread at a time may use."""
        self._closed = threading.Event()
        self._connection: AmqpConnection | None = None
        self._channel: AmqpChannel | None = None
        self._declared: set[str] = set()
        self._inboxes: set[str] = set()
        self._process = 0

    capabilities = Capabilities("always", delays=True)

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
        (result,) = self.publish_many([Publication(queue, None, body, headers)])
        if isinstance(result, Exception):
            raise result

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """See ``PublishesMany``: all are sent before the first confirm is awaited."""
        errors = self._pika.exceptions
        with self.lock:
            results = self._publish(publications)
            lost: Exception | None = None
            for position, result in enumerate(results):
                if isinstance(result, self._worth_a_retry) and not isinstance(result, errors.NackError):
                    # A stale connection, or a deleted queue: both are created again. The broker may have accepted the
                    # message without confirming it; then it has the message twice, with one meta.id. One at a time,
                    # because an exchange that does not exist closes the channel of all.
                    self._declared.discard(publications[position].queue)
                    results[position] = again = lost or self._publish([publications[position]])[0]
                    lost = again if isinstance(again, errors.AMQPConnectionError) else None
            return results

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """Return the next message, or None if none arrives within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        pause = 0.01
        while True:
            with self.lock:
                self.declare(queue)
                channel = self._open_channel()
                delivery = channel.get(queue)
            remaining = end - time.monotonic()
            if delivery is not None:
                return received(queue, channel, self.lock, *delivery)
            if remaining <= 0:
                return None
            time.sleep(min(pause, remaining))  # without the lock: other threads may send meanwhile
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> RabbitMQReceiver:
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
        self._hand_on(message, message.queue, body, delay)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue``, then acknowledge."""
        self._hand_on(message, queue, body)

    def rewind(self, message: ReceivedMessage) -> None:
        """Give the delivery back unchanged."""
        with message.handle.lock:
            if message.handle.channel.is_open:
                message.handle.channel.requeue(message.handle.tag)

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``Settlement.put_back``: to where it was, which counts as a delivery; if it has any, a copy to the end.

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
        with self.lock:
            try:
                self.declare(queue)
                self._try_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if "x-queue-type" in str(err.reply_text):
                    return f"queue {queue!r} is a classic queue, which does not count deliveries"
            except self._pika.exceptions.AMQPError:
                pass  # the first delivery reports it
        return None

    def close(self) -> None:
        """Close the connection: deliveries that were not acknowledged go back to their queues."""
        self._closed.set()
        with self.lock:
            if self._connection is not None and self._connected():
                self._connection.close()

    def _hand_on(self, message: ReceivedMessage, queue: str, body: str, delay: float = 0.0) -> None:
        with self.lock:
            self._open_delivery(message)  # a delivery that the broker repeats needs no copy
            copy = self._message(queue, None, body, message_headers(message.headers), delay=delay)
            (error,) = self._open_channel().publish([copy])
            if error is not None:
                raise error
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

    def _publish(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """Publish once; see ``PublishesMany``."""
        outcomes: Sequence[Exception | None]
        alone = len(publications) == 1
        try:
            messages = [self._message(*publication) for publication in publications]
            outcomes = self._open_channel().publish(messages)
        except (*self._worth_a_retry, OSError) as error:
            outcomes = [error] * len(publications)
        except Exception as error:  # a text that UTF-8 cannot encode, say
            return [error] if alone else [self._publish([each])[0] for each in publications]
        return [
            1 if error is None else 0 if each.urn is not None and self._is_unbound(error, alone) else error
            for each, error in zip(publications, outcomes, strict=True)
        ]

    def _is_unbound(self, error: Exception, alone: bool) -> bool:
        """Return True if there is no subscription, or ``alone`` in its batch not even the exchange."""
        if alone and isinstance(error, self._pika.exceptions.ChannelClosedByBroker):
            return bool(error.reply_code == 404)
        return isinstance(error, self._pika.exceptions.UnroutableError)

    def _message(
        self,
        queue: str,
        urn: str | None,
        body: str,
        headers: Mapping[str, str],
        key: str | None = None,
        delay: float = 0.0,
        without: str | None = None,
    ) -> AmqpMessage:
        """Return what to publish, for a queue that is declared; an unroutable message is an error, and is not lost.

        A delayed one goes to its queue, or to the exchange, when its delay is over. A binding cannot be left out: who
        reads the queue ``without`` finds its name in the message instead.
        """
        headers = headers if without is None else {**headers, LOOP_HEADER: without}
        properties = contract_properties(body, headers)
        exchange, routing_key = ("", queue) if urn is None else (EXCHANGE, urn)
        if urn is None:
            self.declare(queue)
        if delay > 0:
            waiting = delay_queue(routing_key, delay, exchange)
            self._declare_delay(waiting)
            properties["expiration"] = waiting.expiration
            exchange, routing_key = "", waiting.name
        encoded = body.encode("utf-8", "surrogateescape")
        return AmqpMessage(exchange, routing_key, encoded, self._pika.BasicProperties(**properties))

    def _connected(self) -> bool:
        return self._connection is not None and self._process == os.getpid() and self._connection.is_open

    def connection(self) -> AmqpConnection:
        """Return the connection, which is opened if there is none."""
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
        connection = self.connection()
        if self._channel is None or not self._channel.is_open:
            self._channel = connection.channel()
            self._channel.confirm()
        return self._channel

    def _answer(self) -> None:
        with self.lock:
            if self._connection is not None and self._connected():
                self._connection.process(0.0)


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
