"""Queues of RabbitMQ: how they are declared, what is bound to them, and those in which messages wait.

Subscriptions are bindings of queues to one direct exchange, by URN. Inboxes are quorum queues. A queue that exists, and
one that the registry names, is used as SDKs of other languages declare it: durable, without arguments.

A message with a delay waits in a queue of its own until its time to live is over, and goes back to its queue then. A
queue expires its messages at its head only. So the delays of one queue differ by less than a factor of two: queues are
for up to 1, 2, 4, 8 seconds and so on, and a message that waits for another before it is late by less than its own
delay. They are quorum queues that keep a message until its queue has confirmed it (``at-least-once``, RabbitMQ 3.10):
classic queues lose messages that expire while the broker crashes. They are never deleted: a queue that expired would
take its messages along.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.runtime.transports.rabbitmq_connection import AmqpConnection

EXCHANGE = "babelqueue.subscriptions"
_FANNED_OUT = "babelqueue.fanned-out."
LOOP_HEADER = "x-babelreg-fan-out"
"""The header of a copy: the queue that was fanned out. A copy that returns there is not copied again."""

_LONGEST_SECONDS = 2.0**31 / 1000 / 2  # what AMQP clients may assume to fit into 32 bits of milliseconds


class DelayQueue(NamedTuple):
    """The queue for one delay: its name and its arguments; ``expiration`` is that of the message, in milliseconds."""

    name: str
    arguments: dict[str, Any]
    expiration: str

    @property
    def classic_arguments(self) -> dict[str, Any]:
        """The arguments of a classic queue, for a broker that knows no such quorum queues."""
        return {name: self.arguments[name] for name in ("x-dead-letter-exchange", "x-dead-letter-routing-key")}


def delay_queue(routing_key: str, seconds: float, exchange: str = "") -> DelayQueue:
    """Return the delay queue for messages that go to ``exchange`` after ``seconds``; "" delivers to a queue.

    Where nothing is bound to the exchange with that key by then, the message stays in the delay queue until it is.
    """
    seconds = min(seconds, _LONGEST_SECONDS)
    longest = 2 ** max(0, math.ceil(math.log2(seconds)))
    arguments = {
        "x-queue-type": "quorum",
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": exchange,
        "x-dead-letter-routing-key": routing_key,
    }
    return DelayQueue(f"{routing_key}.delay.{longest}", arguments, str(math.ceil(seconds * 1000)))


class RabbitMQQueues:
    """The queues of one connection; see ``Subscribes``. A part of the RabbitMQ transport."""

    lock: threading.RLock
    _pika: Any
    _declared: set[str]
    _inboxes: set[str]

    if TYPE_CHECKING:  # of the transport

        def connection(self) -> AmqpConnection: ...
        def _connected(self) -> bool: ...

    def declare(self, queue: str) -> None:
        """Declare ``queue`` unless it exists."""
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
        channel = self.connection().channel()
        channel.ask("queue_declare", queue, **options)
        channel.close()

    def forget(self, queue: str) -> None:
        """Declare ``queue`` again at its next use: it was deleted."""
        self._declared.discard(queue)

    def subscribe(self, queue: str, urns: Iterable[str], *, inbox: bool) -> None:
        with self.lock:
            if inbox:
                self._inboxes.add(queue)
            self._declared.discard(queue)  # it may have been deleted
            self.declare(queue)
            channel = self.connection().channel()
            channel.ask("exchange_declare", EXCHANGE, "direct", durable=True)
            for urn in urns:
                channel.ask("queue_bind", queue, EXCHANGE, urn)
            channel.close()

    def is_fanned_out(self, queue: str) -> bool:
        """See ``Subscribes``: an exchange of its own is the mark."""
        with self.lock:
            channel = self.connection().channel()
            try:
                channel.ask("exchange_declare", _FANNED_OUT + queue, passive=True)
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if err.reply_code != 404:
                    raise
                return False
            channel.close()
            return True

    def mark_fanned_out(self, queue: str) -> None:
        with self.lock:
            channel = self.connection().channel()
            channel.ask("exchange_declare", _FANNED_OUT + queue, "direct", durable=True)
            channel.close()
