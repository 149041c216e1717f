"""RabbitMQ, with nothing lost on the way: the wire of babelqueue's own transport, but confirmed.

babelqueue's ``PikaTransport`` publishes without waiting for the broker: what a broker that crashes had not written yet
is gone, and the sender does not know. Here ``publish`` comes back once the broker has the message on its disk; a
retry and a dead letter are confirmed before the delivery is acknowledged; an acknowledgement never reaches another
connection's delivery; heartbeats are answered while a handler runs, so that a long one keeps its message; queues that
exist are used as they are, quorum queues too.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.transports.amqp_properties import contract_properties, delivery_headers, passed_on

__all__ = ["DeliveryLostError", "RabbitMQ"]

_LONGEST_PAUSE_SECONDS = 0.25
_BEAT_SECONDS = 10.0


class DeliveryLostError(Exception):
    """The connection that a delivery came on is gone: the broker gives the message to somebody again."""


class _Handle(NamedTuple):
    channel: Any
    tag: int


class RabbitMQ(Transport):
    """A transport for one ``amqp://`` URL. Connects when first used, and again after a connection was lost.

    Safe to use from several threads, which share one connection, and after a fork, when the child has one of its own.
    """

    def __init__(self, url: str) -> None:
        self._pika: Any = importlib.import_module("pika")  # an extra of babelqueue, without types
        self._parameters = self._pika.URLParameters(url)
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._connection: Any = None
        self._channel: Any = None
        self._declared: set[str] = set()
        self._process = 0

    def publish(self, queue: str, body: str) -> None:
        """Return once the broker has the message. Raises what pika raises when it does not take it."""
        self.publish_with_headers(queue, body, {})

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """As :meth:`publish`, with headers beside the envelope."""
        errors = self._pika.exceptions
        with self._lock:
            try:
                self._publish(queue, body, headers)
            except errors.NackError:
                raise
            except (errors.AMQPConnectionError, errors.AMQPChannelError):
                # A connection that died of age, or a queue that somebody deleted: both are made anew. The broker may
                # have taken the message and not said so; then it is there twice, with one meta.id.
                self._declared.discard(queue)
                self._publish(queue, body, headers)

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """The next message, or None when none comes within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        pause = 0.01
        while True:
            with self._lock:
                self._declare(queue)
                channel = self._open_channel()
                method, properties, body = channel.basic_get(queue=queue, auto_ack=False)
                left = end - time.monotonic()
                if method is None and left > 0:
                    self._connection.sleep(min(pause, left))
            if method is not None:
                text = (body or b"").decode("utf-8", "surrogateescape")
                handle = _Handle(channel, method.delivery_tag)
                return ReceivedMessage(text, queue, handle, delivery_headers(properties.headers))
            if left <= 0:
                return None
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def ack(self, message: ReceivedMessage) -> None:
        """Raises DeliveryLostError when the delivery's connection is gone."""
        with self._lock:
            self._held(message).basic_ack(delivery_tag=message.handle.tag)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Put ``body`` at the end of the queue, then acknowledge. At once: RabbitMQ knows no ``delay`` by itself."""
        self._hand_on(message, message.queue, body)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue``, then acknowledge."""
        self._hand_on(message, queue, body)

    def rewind(self, message: ReceivedMessage) -> None:
        """Give the delivery back unchanged."""
        with self._lock:
            if message.handle.channel.is_open:
                message.handle.channel.basic_nack(delivery_tag=message.handle.tag, requeue=True)

    def close(self) -> None:
        """Close the connection: deliveries that were not acknowledged go back to their queues."""
        self._closed.set()
        with self._lock:
            if self._connected():
                with suppress(self._pika.exceptions.AMQPError):  # it ended by itself
                    self._connection.close()

    def _hand_on(self, message: ReceivedMessage, queue: str, body: str) -> None:
        with self._lock:
            self._held(message)  # a delivery that comes again by itself needs no copy
            self._publish(queue, body, passed_on(message.headers))
            self.ack(message)

    def _held(self, message: ReceivedMessage) -> Any:
        channel = message.handle.channel
        if not channel.is_open:
            raise DeliveryLostError(f"the connection that a message of queue {message.queue!r} came on is gone")
        return channel

    def _publish(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        self._declare(queue)
        self._open_channel().basic_publish(
            exchange="",
            routing_key=queue,
            body=body.encode("utf-8", "surrogateescape"),
            properties=self._pika.BasicProperties(**contract_properties(body, headers)),
            mandatory=True,  # a queue that is gone is an error, not the end of the message
        )

    def _declare(self, queue: str) -> None:
        if not self._connected() or queue not in self._declared:
            try:
                self._try_declare(queue, passive=True)
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if err.reply_code != 404:
                    raise
                self._try_declare(queue, durable=True)
            self._declared.add(queue)

    def _try_declare(self, queue: str, **how: bool) -> None:
        # On a channel of its own: a refusal closes the channel, and with it go the deliveries in hand.
        channel = self._open_connection().channel()
        channel.queue_declare(queue=queue, **how)
        channel.close()

    def _connected(self) -> bool:
        return self._connection is not None and self._process == os.getpid() and self._connection.is_open

    def _open_connection(self) -> Any:
        if not self._connected():
            self._connection = self._pika.BlockingConnection(self._parameters)
            self._process = os.getpid()
            self._channel = None
            self._declared.clear()
            self._closed.set()
            self._closed = threading.Event()
            asked = self._parameters.heartbeat
            seconds = min(_BEAT_SECONDS, asked / 3) if isinstance(asked, int) and asked > 0 else _BEAT_SECONDS
            threading.Thread(target=_beat, args=(weakref.ref(self), self._closed, seconds), daemon=True).start()
        return self._connection

    def _open_channel(self) -> Any:
        connection = self._open_connection()
        if self._channel is None or not self._channel.is_open:
            self._channel = connection.channel()
            self._channel.confirm_delivery()
        return self._channel

    def _answer(self) -> None:
        with self._lock:
            if self._connected():
                self._connection.process_data_events(time_limit=0)


def _beat(transport: weakref.ref[RabbitMQ], closed: threading.Event, seconds: float) -> None:
    """Read and answer what the broker sends while nobody else does: without it, it hangs up on long handlers."""
    while not closed.wait(seconds):
        alive = transport()
        if alive is None:
            return
        try:
            alive._answer()
        except Exception:
            return  # whoever uses the connection next finds it closed, and opens another one
        del alive
