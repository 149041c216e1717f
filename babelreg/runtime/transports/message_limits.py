"""Limits that brokers set to a message, for tests without one: the default settings of brokers and their clients."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from babelreg.runtime.errors import BrokerLimitError
from babelreg.runtime.transports.capabilities import Capabilities

_KIB, _MIB = 1024, 1024 * 1024


class MessageLimits(NamedTuple):
    """The limits of one broker. None: there is none.

    ``message_bytes`` count the body, and the headers where the broker stores both in one value. ``setting`` is that
    of ``message_bytes``.
    """

    broker: str
    message_bytes: int
    setting: str
    capabilities: Capabilities
    header_bytes: int | None = None
    queue_bytes: int | None = None
    queue_characters: str | None = None
    delay_seconds: float | None = None

    def check(self, queue: str, body: str, headers: Mapping[str, str], delay_seconds: float = 0.0) -> None:
        """Raise BrokerLimitError if the broker would refuse the message."""
        size = len(body.encode("utf-8", "surrogateescape"))
        of_headers = sum(len(name.encode()) + len(value.encode()) for name, value in headers.items())
        if headers and self.capabilities.headers == "never":
            self._refuse("the broker does not support headers", "send their values as data")
        if self.header_bytes is not None and of_headers > self.header_bytes:
            self._refuse(f"headers of {of_headers} bytes are above {self.header_bytes}", "send less in headers")
        if size + (of_headers if self.header_bytes is None else 0) > self.message_bytes:
            way = f"send a reference to the data, or raise {self.setting} and test with a larger limit"
            self._refuse(f"a message of {size + of_headers} bytes is above {self.message_bytes}", way)
        if self.queue_bytes is not None and len(queue.encode()) > self.queue_bytes:
            self._refuse(f"the name of queue {queue[:40]}… is longer than {self.queue_bytes} bytes", "shorten it")
        if self.queue_characters is not None and not re.fullmatch(self.queue_characters, queue):
            self._refuse(f"queue {queue[:80]!r} has other characters than {self.queue_characters}", "rename it")
        if self.delay_seconds is not None and delay_seconds > self.delay_seconds:
            way = "send it later, for instance from a table of what is due"
            self._refuse(f"a delay of {delay_seconds:g} seconds is above {self.delay_seconds:g}", way)

    def _refuse(self, detail: str, way: str) -> None:
        raise BrokerLimitError(f"{self.broker} would refuse the message: {detail}", fix=way)


_REDIS = MessageLimits("Redis", 512 * _MIB, "proto-max-bulk-len", Capabilities("declared", delays=True))
LIMITS = {
    "redis": _REDIS,
    # Its lists hold the bare envelope, which Laravel decodes.
    "laravel": _REDIS._replace(broker="Redis in Laravel's layout", capabilities=Capabilities("never", delays=True)),
    # The default of RabbitMQ 4. Headers travel in one frame; a delay is the time to live of a queue, in 32 bits.
    "rabbitmq": MessageLimits(
        "RabbitMQ",
        16 * _MIB,
        "max_message_size",
        Capabilities("always", delays=True),
        header_bytes=127 * _KIB,
        queue_bytes=255,
        delay_seconds=(2**32 - 1) / 1000,
    ),
    # The default of librdkafka, which is below that of the broker.
    "kafka": MessageLimits(
        "Kafka",
        1_000_000,
        "message.max.bytes",
        Capabilities("always", keys=True),
        queue_bytes=249,
        queue_characters=r"[A-Za-z0-9._-]+",
    ),
}
"""The limits of the brokers that a test can name."""
