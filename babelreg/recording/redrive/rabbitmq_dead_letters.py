"""Dead letters in a RabbitMQ queue: each is published to its queue, confirmed, and acknowledged after that.

What stays is held without acknowledgement until the end, and goes back to its place when the connection closes. A
quorum queue counts that as a failed delivery, and drops a message that has too many; so one that was counted a few
times is replaced by a copy at the end of the queue, confirmed, whose count begins at 0 again.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from babelreg.recording.redrive.dead_letter import DeadLetter, Move
from babelreg.runtime.transports.amqp_properties import contract_properties, delivery_headers, message_headers

_MOST_RETURNS = 3
"""A quorum queue drops a message after 20 returns, unless a policy says another number."""

_WAIT_SECONDS = 1.0


class _Delivery(NamedTuple):
    """A dead letter as the broker sent it, with pika's properties."""

    tag: int
    properties: Any
    returns: int


class RabbitMQPublisher:
    """The queues of a virtual host. ``parameters`` are pika's."""

    def __init__(self, parameters: Any) -> None:
        self._pika: Any = importlib.import_module("pika")  # an extra of babelqueue, without types
        self._connection: Any = self._pika.BlockingConnection(parameters)
        self._publishing: Any = self._connection.channel()
        self._publishing.confirm_delivery()

    def publish(self, target: str, bodies: Sequence[bytes]) -> None:
        """See Publisher. Raises pika's exception where the queue does not exist."""
        for body in bodies:
            self._publish(target, body, contract_properties(body.decode("utf-8", "surrogateescape"), {}))

    def missing(self, target: str) -> bool:
        """Return whether there is no queue ``target``."""
        return self._waiting(target) is None

    def close(self) -> None:
        with suppress(self._pika.exceptions.AMQPError):
            if self._connection.is_open:
                self._connection.close()

    def _waiting(self, queue: str) -> int | None:
        """Return the number of messages in ``queue``, None if there is no such queue."""
        channel = self._connection.channel()  # of its own: the broker closes it where there is no queue
        try:
            return int(channel.queue_declare(queue, passive=True).method.message_count)
        except self._pika.exceptions.ChannelClosedByBroker as err:
            if err.reply_code != 404:
                raise
            return None
        finally:
            if channel.is_open:
                channel.close()

    def _publish(self, queue: str, body: bytes, properties: dict[str, Any]) -> None:
        """Publish, and return once the broker has the message in ``queue``."""
        self._publishing.basic_publish(
            exchange="",
            routing_key=queue,
            body=body,
            properties=self._pika.BasicProperties(**properties),
            mandatory=True,  # without a queue of that name the message is returned, and not lost
        )


class RabbitMQDeadLetters(RabbitMQPublisher):
    """One queue, which must exist."""

    def __init__(self, parameters: Any, queue: str) -> None:
        super().__init__(parameters)
        self._queue = queue
        try:
            waiting = self._waiting(queue)
            if waiting is None:
                raise LookupError(queue)
            self._unread = waiting
            self._receiving: Any = self._connection.channel()
        except BaseException:
            self.close()
            raise

    def next(self, most: int) -> list[DeadLetter]:
        count = min(most, self._unread)
        letters: list[DeadLetter] = []
        if not count:
            return letters
        self._receiving.basic_qos(prefetch_count=count)  # of the consumer that begins now; the held ones do not count
        for method, properties, body in self._receiving.consume(self._queue, inactivity_timeout=_WAIT_SECONDS):
            if method is None:
                break
            returns = delivery_headers(properties.headers).get("x-delivery-count", "")
            handle = _Delivery(method.delivery_tag, properties, int(returns) if returns.isdigit() else 0)
            letters.append(DeadLetter(body or b"", handle))
            if len(letters) == count:
                break
        self._receiving.cancel()
        self._unread = self._unread - count if letters else 0  # somebody else takes them, too
        return letters

    def leave(self, letters: Sequence[DeadLetter]) -> None:
        for letter in letters:
            delivery: _Delivery = letter.handle
            if delivery.returns >= _MOST_RETURNS:
                self._publish(self._queue, letter.body, _copied(delivery.properties))
                self._receiving.basic_ack(delivery.tag)

    def move(self, moves: Sequence[Move]) -> Iterator[Move]:
        for move in moves:
            delivery: _Delivery = move.letter.handle
            headers = message_headers(delivery_headers(delivery.properties.headers))
            self._publish(move.target, move.body, contract_properties(move.body.decode("utf-8"), headers))
            self._receiving.basic_ack(delivery.tag)
            yield move

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        for letter in letters:
            self._receiving.basic_ack(letter.handle.tag)


def _copied(properties: Any) -> dict[str, Any]:
    """Return the properties of a delivery without the count of its deliveries."""
    members = {name: value for name, value in vars(properties).items() if value is not None}
    headers = {name: value for name, value in (properties.headers or {}).items() if name != "x-delivery-count"}
    return {**members, "headers": headers, "delivery_mode": 2}
