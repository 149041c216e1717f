"""A connection to RabbitMQ that works within the calls of its user, and confirms the messages of a batch together.

pika's blocking connection awaits the confirm of a message before it sends the next one. This one is an asynchronous
connection of pika on I/O services of our own: all messages of a batch are sent before their confirms are awaited.
"""

from __future__ import annotations

import importlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from babelreg.runtime.transports.pika_services import CallerServices

_MOST_BUFFERED_BYTES = 2**16
_CLOSE_SECONDS = 5.0


class AmqpMessage(NamedTuple):
    """A message to publish; ``properties`` are pika's."""

    exchange: str
    routing_key: str
    body: bytes
    properties: Any


class AmqpConnection:
    """An open connection. One thread at a time may use it, except for :meth:`wake`. Raises pika's exceptions."""

    def __init__(self, parameters: Any) -> None:
        pika = importlib.import_module("pika")  # an extra of babelqueue, without types
        self._services = CallerServices(parameters.socket_timeout)
        self._error: BaseException | None = None
        self._closed_error = pika.exceptions.ConnectionClosedByClient(200, "closed")
        opened: list[Any] = []
        self._native = pika.SelectConnection(parameters, opened.append, self._ended, self._ended, self._services)
        while not opened:
            self.process(None)

    @property
    def is_open(self) -> bool:
        """False once the connection is known to be lost."""
        return self._error is None and bool(self._native.is_open)

    def channel(self) -> AmqpChannel:
        """Open a channel."""
        return AmqpChannel(self, self._native)

    def process(self, seconds: float | None) -> None:
        """Write what has gathered, and read once; wait for that up to ``seconds``, None: until :meth:`wake`."""
        if self._error is None:
            self._services.poll(seconds)
        if self._error is not None:
            self._services.close()
            raise self._error

    def flush(self, most_bytes: int = 0) -> None:
        """Write if more than ``most_bytes`` have gathered."""
        if self._services.gathered_bytes > most_bytes:
            self.process(0.0)

    def wake(self) -> None:
        """Let :meth:`process` in another thread return."""
        self._services.wake()

    def close(self) -> None:
        """Close the connection, or leave it where the broker does not answer."""
        if self.is_open:
            self._native.close()
        end = time.monotonic() + _CLOSE_SECONDS
        with suppress(Exception):
            while time.monotonic() < end:
                self.process(end - time.monotonic())
        self._error = self._error or self._closed_error
        self._services.close()

    def _ended(self, _: Any, error: BaseException) -> None:
        self._error = error
        for failed in (error, *error.args):
            if attempts := getattr(failed, "exceptions", None):  # AMQPConnectionWorkflowFailed: as pika's blocking one
                last = attempts[-1]
                self._error = getattr(last, "exception", last) if failed is error else type(error)(last)


class AmqpChannel:
    """A channel. Its methods return when the broker has answered, and raise the reason for which it closed the channel.

    Other methods of pika's channels are called by :meth:`ask`.
    """

    def __init__(self, connection: AmqpConnection, native: Any) -> None:
        pika = importlib.import_module("pika")
        self._errors, self._empty = pika.exceptions, pika.spec.Basic.GetEmpty
        self._connection = connection
        self._reason: Exception | None = None
        self._intact = True
        self._published = 0
        self._unconfirmed: dict[int, int] = {}  # the position in its batch, by delivery tag
        self._refused: list[int] = []
        self._returned: Counter[tuple[str, str, bytes]] = Counter()
        opened: list[Any] = []
        self._native = native.channel(on_open_callback=opened.append)
        self._native.add_on_close_callback(self._closed)
        self._await(lambda: bool(opened))

    @property
    def is_open(self) -> bool:
        """False once the channel is known to be closed."""
        return self._intact and self._connection.is_open and bool(self._native.is_open)

    def ask(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of pika's channel that has a callback; return the frame that the broker answers."""
        answers: list[Any] = []
        getattr(self._native, method)(*arguments, callback=answers.append, **options)
        self._await(lambda: bool(answers))
        return answers[0]

    def consume(self, queue: str, receive: Callable[[Any, Any, bytes], None]) -> str:
        """Subscribe to ``queue``; return the consumer tag. ``receive`` takes method, properties and body."""
        frame = self.ask("basic_consume", queue, lambda _, *delivery: receive(*delivery))
        return str(frame.method.consumer_tag)

    def on_cancel(self, callback: Callable[[Any], object]) -> None:
        """Call ``callback`` with the frame where the broker ends a subscription."""
        self._native.add_on_cancel_callback(callback)

    def get(self, queue: str) -> tuple[Any, Any, bytes] | None:
        """Return the method, the properties and the body of the next message, or None if the queue is empty."""
        answers: list[Any] = []
        self._native.add_callback(lambda _: answers.append(None), [self._empty])
        self._native.basic_get(queue, lambda _, *delivery: answers.append(delivery))
        self._await(lambda: bool(answers))
        answer: tuple[Any, Any, bytes] | None = answers[0]
        return answer

    def ack(self, *tags: int) -> None:
        """Acknowledge deliveries."""
        for tag in tags:
            self._native.basic_ack(tag)
        self._connection.flush()

    def requeue(self, tag: int) -> None:
        """Give a delivery back."""
        self._native.basic_nack(tag, requeue=True)
        self._connection.flush()

    def confirm(self) -> None:
        """Let the broker confirm what is published on this channel."""
        self._native.add_on_return_callback(self._return)
        self.ask("confirm_delivery", self._confirm)

    def publish(self, messages: Sequence[AmqpMessage]) -> list[Exception | None]:
        """Publish persistently to queues that exist; return for each message None once it is confirmed, else the error.

        An unroutable message is an UnroutableError, one that the broker refused a NackError. With any other exception
        the broker may or may not have the message.
        """
        outcomes: list[Exception | None] = [None] * len(messages)
        try:
            self._send(messages, outcomes)
            self._await(lambda: not self._unconfirmed)
        except Exception as error:
            for position in self._unconfirmed.values():
                outcomes[position] = error
        except BaseException:
            self._intact = False  # an interrupt may have come between a message and its count
            raise
        for position in self._refused:
            outcomes[position] = self._errors.NackError([messages[position]])
        for position, message in enumerate(messages if self._returned else ()):
            if self._returned[message[:3]] and outcomes[position] is None:
                self._returned[message[:3]] -= 1
                outcomes[position] = self._errors.UnroutableError([message])
        self._unconfirmed, self._refused = {}, []
        self._returned.clear()
        return outcomes

    def wake(self) -> None:
        self._connection.wake()

    def close(self) -> None:
        """Close the channel."""
        if self.is_open:
            self._native.close()
            self._await(lambda: bool(self._native.is_closed), closing=True)

    def _send(self, messages: Sequence[AmqpMessage], outcomes: list[Exception | None]) -> None:
        for position, message in enumerate(messages):
            try:
                self._native.basic_publish(*message, mandatory=True)
            except Exception as error:
                outcomes[position] = self._reason or error  # nothing of it was sent
                continue
            self._published += 1
            self._unconfirmed[self._published] = position
            self._connection.flush(_MOST_BUFFERED_BYTES)

    def _confirm(self, frame: Any) -> None:
        tag, positions = frame.method.delivery_tag, self._unconfirmed
        tags = list(itertools.takewhile(lambda sent: sent <= tag, positions)) if frame.method.multiple else [tag]
        settled = [positions.pop(sent) for sent in tags if sent in positions]
        if frame.method.NAME == "Basic.Nack":
            self._refused += settled

    def _return(self, _: Any, method: Any, __: Any, body: bytes) -> None:
        self._returned[method.exchange, method.routing_key, body] += 1

    def _closed(self, _: Any, reason: Exception) -> None:
        self._reason = reason

    def _await(self, done: Callable[[], bool], *, closing: bool = False) -> None:
        try:
            while not done():
                if self._reason is not None and not closing:
                    raise self._reason
                self._connection.process(None)
        except BaseException as error:
            self._intact = self._intact and isinstance(error, Exception)  # after an interrupt the answer is to come
            raise
