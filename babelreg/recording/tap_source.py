"""A copy of what is published to a RabbitMQ exchange, as the source of a recording.

A queue of our own is bound beside those of the consumers, who notice nothing. The default exchange, where BabelQueue
publishes, takes no bindings, and on the exchange of subscriptions one would hide from producers that no service is
subscribed. There the broker's firehose is read, a copy of each publication on the exchange ``amq.rabbitmq.trace``,
which an administrator turns on per virtual host. A probe now and then shows whether it is on: a message to our own
queue, which arrives after its copy in the firehose, as one channel keeps the order.

The queue is bounded, so that a tap that is slower than the publishers does not fill the broker. What the broker drops
goes to a second queue, where it is counted.

Source: RabbitMQ documentation, "Firehose Tracer": routing key ``publish.<exchange>``, headers ``exchange_name``,
``routing_keys`` and ``routed_queues``, the body of the message.
"""

from __future__ import annotations

import re
import secrets
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError
from babelreg.recording.amqp_headers import recorded_message
from babelreg.recording.rabbitmq_source import AmqpDelivery, Deliveries
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE

TRACE_EXCHANGE = "amq.rabbitmq.trace"
_FIREHOSE_EXCHANGES = ("", EXCHANGE)
_PROBE_SECONDS = 60.0
_COUNT_SECONDS = 5.0
_MOST_LOST = 10_000


@dataclass(frozen=True, slots=True)
class TapOptions:
    """The publications to copy: those to ``exchange``, the empty text for those of BabelQueue.

    They go to the default exchange and to that of subscriptions; ``queues`` selects those that reach one of these
    queues. ``routing_keys`` are patterns of a topic exchange, or keys.
    ``durable``: the name of a queue that outlives the tap, else one that goes with its connection. ``max_length`` is
    the number of messages that the queue holds.
    """

    exchange: str = ""
    routing_keys: tuple[str, ...] = ()
    queues: frozenset[str] = frozenset()
    durable: str | None = None
    max_length: int = 100_000


class TapSource:
    """One tap; see the module. ``lost`` counts messages that the broker dropped because the queue was full.

    ``note`` is called with a sentence when the firehose is turned off or on meanwhile.
    """

    def __init__(
        self, parameters: Any, options: TapOptions, *, prefetch: int = 1_000, note: Callable[[str], None] = print
    ) -> None:
        self._options = options
        self._vhost = str(parameters.virtual_host)
        self._note = note
        self._queue = options.durable or f"babelreg.tap.{secrets.token_hex(8)}"
        self._lost_queue = f"{self._queue}.lost"
        self._probed_at = self._counted_at = time.monotonic()
        self._copy_seen = False
        self.lost = 0
        self.tracing: bool | None = None
        self._deliveries = Deliveries(parameters, min(prefetch, 65_535))
        try:
            self._bind()
            self._count_lost()
            if not options.exchange and not self._probe():
                self._note("this user may not publish, so it cannot be checked whether the firehose is on")
        except BaseException:
            self._deliveries.close()
            raise

    def receive(self, most: int, timeout_seconds: float) -> list[bytes]:
        """See QueueSource. Raises UsageError if the first probe shows that the firehose is off."""
        now = time.monotonic()
        if now - self._counted_at > _COUNT_SECONDS:
            self._counted_at = now
            self._count_lost()
        if not self._options.exchange and now - self._probed_at > _PROBE_SECONDS:
            self._probe()
        bodies = self._wanted(self._deliveries.next(self._queue, most, timeout_seconds))
        if not bodies:
            self._deliveries.acknowledge()
        return bodies

    def acknowledge(self) -> None:
        self._deliveries.acknowledge()

    def is_empty(self) -> bool:
        """Return False: publishers go on."""
        return False

    def close(self) -> None:
        """See QueueSource. Unless it is durable, the queue is gone then."""
        self._deliveries.close()

    def _bind(self) -> None:
        channel, options = self._deliveries.channel, self._options
        exchange = options.exchange or TRACE_EXCHANGE
        if exchange == EXCHANGE:
            raise UsageError(
                f"a tap of {EXCHANGE} would count as a subscription, and hide from producers that others are gone",
                fix="remove --exchange: the firehose also carries these messages; --queue NAME selects an inbox",
            )
        channel.exchange_declare(exchange, passive=True)
        keys: Sequence[str] = options.routing_keys or ("#",)
        if not options.exchange:
            keys = [f"publish.{name}" for name in _FIREHOSE_EXCHANGES]
        elif not options.routing_keys and self._type_of(options.exchange) == "direct":
            raise UsageError(
                f"{options.exchange!r} is a direct exchange, from which nothing is copied without routing keys",
                fix="name them: --routing-key KEY, repeatable",
            )
        lifetime = {"durable": True} if options.durable else {"exclusive": True, "auto_delete": True}
        channel.queue_declare(self._lost_queue, arguments={"x-max-length": _MOST_LOST}, **lifetime)
        arguments = {
            "x-max-length": options.max_length,
            "x-overflow": "drop-head",
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": self._lost_queue,
        }
        channel.queue_declare(self._queue, arguments=arguments, **lifetime)
        for key in keys:
            channel.queue_bind(self._queue, exchange, key)

    def _type_of(self, exchange: str) -> str | None:
        """Return the type of an exchange that exists; None if the broker does not tell.

        It does where an exchange of this name and another type is declared: by refusing that, and the channel.
        """
        errors = self._deliveries.errors
        channel = self._deliveries.connection.channel()
        try:
            channel.exchange_declare(exchange, "topic")
        except errors.ChannelClosedByBroker as err:
            match = re.search(r"arg 'type' .* current is '(\w+)'", err.reply_text)
            return match[1] if match else None
        channel.close()
        return "topic"

    def _probe(self) -> bool:
        """Send a message to our queue; return False if this user may not publish."""
        self._probed_at = time.monotonic()
        try:
            channel = self._deliveries.connection.channel()
            channel.basic_publish("", self._queue, b"")
            channel.close()
        except self._deliveries.errors.ChannelClosedByBroker:
            return False
        return True

    def _wanted(self, deliveries: Sequence[AmqpDelivery]) -> list[bytes]:
        if self._options.exchange:
            return [delivery.message for delivery in deliveries]
        bodies = []
        for delivery in deliveries:
            headers = delivery.properties.headers or {}
            keys = {*(headers.get("routing_keys") or ()), *(headers.get("routed_queues") or ())}
            if delivery.exchange != TRACE_EXCHANGE:
                self._answered()
            elif self._queue in keys:
                self._copy_seen = True
            elif headers.get("exchange_name") in _FIREHOSE_EXCHANGES and (
                not self._options.queues or not self._options.queues.isdisjoint(keys)
            ):
                original = headers.get("properties") or {}
                bodies.append(recorded_message(delivery.body, original.get("headers"), original.get("content_type")))
        return bodies

    def _answered(self) -> None:
        """Note what a probe that came back shows."""
        before, self.tracing, self._copy_seen = self.tracing, self._copy_seen, False
        if before is None and not self.tracing:
            raise UsageError(
                f"the firehose of virtual host {self._vhost!r} is off, so the default exchange cannot be read",
                fix=f"rabbitmqctl trace_on -p {shlex.quote(self._vhost)}   (on the broker, after each restart)",
            )
        if before is not None and before != self.tracing:
            state = "on again" if self.tracing else "off: nothing is recorded until it is on again"
            self._note(f"the firehose of virtual host {self._vhost!r} was turned {state}")

    def _count_lost(self) -> None:
        channel = self._deliveries.channel
        self.lost += int(channel.queue_purge(self._lost_queue).method.message_count)
