"""babelqueue's Kafka transport with a ``publish`` that waits until the broker has the message, and with headers.

Headers of a record other than babelqueue's own (``bq-job``) are headers of its message, such as ``traceparent``; they
stay with it in retries and dead letters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.transports.kafka_groups import KafkaGroups, home_of
from babelreg.runtime.transports.receiver import DeliveryLostError, PollingReceiver, Receiver

__all__ = ["Kafka"]

# The headers of what is published: babelqueue's methods take none.
_headers: ContextVar[Mapping[str, str]] = ContextVar("babelreg_kafka_headers", default=MappingProxyType({}))
# A retry or a dead letter is a record of now. With the time of meta.created_at, retention would remove an old message
# from its new topic at once, and the delay of a retry topic, which begins with the record's time, would be over.
_passed_on: ContextVar[bool] = ContextVar("babelreg_kafka_passed_on", default=False)
_SHORTEST_POLL_SECONDS = 0.001
_POLL_INTERVAL_MS = 300_000  # librdkafka's default


class Kafka(KafkaGroups, KafkaTransport):
    """babelqueue's transport, confirmed. Without retry topics a retry goes to the end of the topic itself.

    babelqueue refuses to retry without retry topics, so that a message whose handler fails is redelivered for ever.
    """

    may_count_first = True
    """See ``DeliveryLimit.counted_besides``: the record at the committed position may be new."""

    def publish(self, queue: str, body: str) -> None:
        """Publish and wait. Raises KafkaDeliveryError if the broker does not confirm the message in time."""
        self.publish_settle(queue, body)

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """Publish with headers of the record; see :meth:`publish`."""
        with _publishing(headers):
            self.publish_settle(queue, body)

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """See ``CountsRecoveries``: only the record at the committed position may have been delivered before.

        That is the first one of a partition after it was assigned to this process.
        """
        handle = message.handle
        first = self._first_handles().get(message.queue, {}).get(self._partition_of(handle))
        return None if handle is not None and handle is first else 0

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``."""
        return "Kafka does not count deliveries"

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """Return the next record, or None if none arrives within ``timeout`` seconds."""
        return self._noted(queue, super().pop(queue, timeout))

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> Receiver:
        """See ``Receives``. Its consumer is one of its own, unless the service creates its consumers itself."""
        if self._consumer_factory is not None:
            return PollingReceiver(self.next_record, queues)
        from babelreg.runtime.transports.kafka_receiver import KafkaReceiver

        interval_ms = float(self._client_config.get("max.poll.interval.ms", _POLL_INTERVAL_MS))
        return KafkaReceiver(self, super()._build_consumer(queues[0]), queues, interval_ms / 1000)

    def attach(self, consumers: Mapping[str, Any]) -> None:
        """Use these consumers, by topic, in place of those before. What those delivered is delivered again."""
        for earlier in self._consumers.values():
            earlier.close()
        self._consumers = dict(consumers)
        self._pending.clear()
        self._settled.clear()
        self._first_handles().clear()

    def next_record(self, queue: str, seconds: float) -> ReceivedMessage | None:
        """Return the next record as ``pop`` does, but without going back to those that are not settled yet."""
        return self._noted(queue, self._poll_one(queue, max(seconds, _SHORTEST_POLL_SECONDS)))

    def ack(self, message: ReceivedMessage) -> None:
        """Commit up to the first record of the partition that is not settled.

        Raises DeliveryLostError for a record that is delivered again, because of a position before it.
        """
        if message.handle is not None and not self.renew(message):
            raise DeliveryLostError(f"a record of topic {message.queue!r} is delivered again from an earlier position")
        super().ack(message)

    def rewind(self, message: ReceivedMessage) -> None:
        """Go back to the position of ``message``, unless it is delivered again anyway."""
        if self.renew(message):
            super().rewind(message)

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``: a reservation ends when the consumer goes back to an earlier position."""
        return any(handle is message.handle for handle in self._pending.get(message.queue, ()))

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``PutsBack``: what is not committed is delivered to the next consumer of the partition."""

    def _noted(self, queue: str, received: ReceivedMessage | None) -> ReceivedMessage | None:
        if received is not None:
            received.headers = _message_headers(received.handle.headers())
            if self._inbox is not None:
                vars(received)["home"] = self._inbox
            firsts = self._first_handles().setdefault(queue, {})
            firsts.setdefault(self._partition_of(received.handle), received.handle)
        return received

    def _build_consumer(self, queue: str) -> Any:
        consumer = super()._build_consumer(queue)
        consumer.subscribe([queue], on_assign=lambda *assigned: self._first_handles().pop(queue, None))
        return consumer

    def forget_first(self, partitions: Sequence[Any]) -> None:
        """Note that the next record of each of these partitions is the first one."""
        for partition in partitions:
            self._first_handles().get(partition.topic, {}).pop((partition.topic, partition.partition), None)

    def _first_handles(self) -> dict[str, dict[Any, Any]]:
        """The first record of each partition since the last assignment, by queue and partition."""
        handles: dict[str, dict[Any, Any]] = vars(self).setdefault("_firsts", {})
        return handles

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Send to a retry topic: that of this attempt, or for a ``delay`` the first one that is long enough.

        Without retry topics, to the end of the topic itself, without a delay. The topic of a service in a group of its
        own is its inbox.
        """
        with _publishing(message.headers, passed_on=True):
            if self.retry_tiers_ms and delay > 0:
                self._redeliver_after(message, body, math.ceil(delay * 1000))
            elif self.retry_tiers_ms:
                self._redeliver_by_attempts(message, body, delay)
            else:
                self.publish_settle(home_of(message), body, message.route_urn, message.key)
                self.ack(message)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue``, then acknowledge."""
        with _publishing(message.headers, passed_on=True):
            self.publish_settle(queue, body, message.route_urn, message.key)
        self.ack(message)

    def _redeliver_by_attempts(self, message: ReceivedMessage, body: str, delay: float) -> None:
        if home_of(message) == message.queue:
            super().redeliver(message, body, delay)
        else:
            tiers = self.retry_tiers_ms
            self._redeliver_after(message, body, tiers[min(self._attempts_before(message), len(tiers) - 1)])

    def _redeliver_after(self, message: ReceivedMessage, body: str, delay_ms: int) -> None:
        tiers = self.retry_tiers_ms
        tier = next((number for number, longest in enumerate(tiers, 1) if longest >= delay_ms), len(tiers))
        topic, record = self._tier_record(home_of(message), body, tier, tiers[tier - 1])
        if message.key is not None:
            record["key"] = message.key
        self._produce_confirmed(self._producer_(), topic, record)
        self.ack(message)

    def hand_back(self, message: ReceivedMessage) -> None:
        """Return to the position of ``message``, which is delivered next: see ``Settlement.hand_back``."""
        self.rewind(message)

    def _produce_confirmed(self, producer: Any, queue: str, kwargs: dict[str, Any]) -> None:
        more = [(name, value.encode("utf-8")) for name, value in _headers.get().items()]
        record = {**kwargs, "headers": [*kwargs.get("headers", []), *more]}
        if _passed_on.get():
            record.pop("timestamp", None)
        super()._produce_confirmed(producer, queue, record)


@contextmanager
def _publishing(headers: Mapping[str, str], *, passed_on: bool = False) -> Iterator[None]:
    tokens = _headers.set(headers), _passed_on.set(passed_on)
    try:
        yield
    finally:
        _headers.reset(tokens[0])
        _passed_on.reset(tokens[1])


def _message_headers(headers: Any) -> dict[str, str]:
    """Return the headers of a record without those that repeat its envelope."""
    return {
        name: bytes(value).decode("utf-8", "replace")
        for name, value in headers or []
        if not name.startswith("bq-") and value is not None
    }
