"""Subscriptions in RabbitMQ: bindings of queues to one direct exchange, by URN.

Inboxes are quorum queues. A queue that exists, and one that the registry names, is used as SDKs of other languages
declare it: durable, without arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from babelreg.runtime.transports.rabbitmq_connection import AmqpConnection

EXCHANGE = "babelqueue.subscriptions"
_FANNED_OUT = "babelqueue.fanned-out."
LOOP_HEADER = "x-babelreg-fan-out"
"""The header of a copy: the queue that was fanned out. A copy that returns there is not copied again."""


class RabbitMQSubscriptions:
    """See ``Subscribes``; a part of the RabbitMQ transport."""

    lock: threading.RLock
    _pika: Any
    _declared: set[str]
    _inboxes: set[str]

    if TYPE_CHECKING:  # of the transport

        def connection(self) -> AmqpConnection: ...
        def declare(self, queue: str) -> None: ...

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
