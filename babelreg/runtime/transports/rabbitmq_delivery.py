"""One delivery of RabbitMQ, as pika passes it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.transports.amqp_properties import delivery_headers
from babelreg.runtime.transports.rabbitmq_connection import AmqpChannel


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
