"""Subscriptions in RabbitMQ: bindings of queues to one direct exchange, by URN.

Inboxes are quorum queues. A queue that exists, and one that the registry names, is used as SDKs of other languages
declare it: durable, without arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from babelreg.runtime.transports.amqp_properties import contract_properties
from babelreg.runtime.transports.rabbitmq_connection import AmqpConnection

__all__ = ["EXCHANGE", "LOOP_HEADER", "RabbitMQSubscriptions"]

EXCHANGE = "babelqueue.subscriptions"
_FANNED_OUT = "babelqueue.fanned-out."
LOOP_HEADER = "x-babelreg-fan-out"
"""The header of a copy: the queue that was fanned out. A copy that returns there is not copied again."""


class RabbitMQSubscriptions:
    """See ``Subscribes``; a part of the RabbitMQ transport."""

    _pika: Any
    _lock: threading.RLock
    _declared: set[str]
    _inboxes: set[str]

    def _open_connection(self) -> AmqpConnection:
        raise NotImplementedError

    def _confirmed(self, exchange: str, routing_key: str, body: str, properties: dict[str, Any]) -> None:
        raise NotImplementedError

    def _declare(self, queue: str) -> None:
        raise NotImplementedError

    def subscribe(self, queue: str, urns: Iterable[str], *, inbox: bool) -> None:
        """See ``Subscribes``."""
        with self._lock:
            if inbox:
                self._inboxes.add(queue)
            self._declared.discard(queue)  # it may have been deleted
            self._declare(queue)
            channel = self._open_connection().channel()
            channel.ask("exchange_declare", EXCHANGE, "direct", durable=True)
            for urn in urns:
                channel.ask("queue_bind", queue, EXCHANGE, urn)
            channel.close()

    def publish_to_subscribers(
        self, urn: str, body: str, headers: Mapping[str, str], *, without: str | None = None
    ) -> int:
        """See ``Subscribes``. A binding cannot be left out: the loop of a fan-out looks at its own mark instead."""
        errors = self._pika.exceptions
        headers = headers if without is None else {**headers, LOOP_HEADER: without}
        with self._lock:
            try:
                return self._publish_bound(urn, body, headers)
            except errors.NackError:
                raise
            except errors.ChannelClosedByBroker as err:
                if err.reply_code != 404:
                    raise
                return 0  # no exchange, so no subscription
            except (errors.AMQPConnectionError, errors.AMQPChannelError):
                return self._publish_bound(urn, body, headers)  # a stale connection, as in publish_with_headers

    def _publish_bound(self, urn: str, body: str, headers: Mapping[str, str]) -> int:
        try:
            self._confirmed(EXCHANGE, urn, body, contract_properties(body, headers))
        except self._pika.exceptions.UnroutableError:
            return 0
        return 1

    def is_fanned_out(self, queue: str) -> bool:
        """See ``Subscribes``: an exchange of its own is the mark."""
        with self._lock:
            channel = self._open_connection().channel()
            try:
                channel.ask("exchange_declare", _FANNED_OUT + queue, passive=True)
            except self._pika.exceptions.ChannelClosedByBroker as err:
                if err.reply_code != 404:
                    raise
                return False
            channel.close()
            return True

    def mark_fanned_out(self, queue: str) -> None:
        """See ``Subscribes``."""
        with self._lock:
            channel = self._open_connection().channel()
            channel.ask("exchange_declare", _FANNED_OUT + queue, "direct", durable=True)
            channel.close()
