"""A Kafka transport whose ``publish`` waits until the broker has the message, and with headers.

Headers of a record other than babelqueue's own (``bq-job``) are headers of its message, such as ``traceparent``; they
stay with it in retries and dead letters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.transports.capabilities import Capabilities
from babelreg.runtime.transports.kafka_groups import KafkaGroups, home_of, new_consumer, position_of
from babelreg.runtime.transports.kafka_positions import committed
from babelreg.runtime.transports.kafka_receiver import KafkaReceiver
from babelreg.runtime.transports.kafka_records import InFlight, partition_of, place_of, received, record_of, settled_at
from babelreg.runtime.transports.kafka_writer import KafkaWriter, Record, are_refused
from babelreg.runtime.transports.receiver import DeliveryLostError, PollingReceiver, Receiver
from babelreg.runtime.transports.sdk_settings import kafka_brokers
from babelreg.runtime.transports.subscription_broker import Publication

_SHORTEST_POLL_SECONDS = 0.001
_POLL_INTERVAL_MS = 300_000  # librdkafka's default


class Kafka(KafkaGroups, Transport):
    """A confirmed transport; its arguments are those of babelqueue's, and ``transactions``.

    A retry or a dead letter is written in one transaction with the position of its message: both or neither, whatever
    dies. ``transactions=False`` is for brokers that have none; there a death between the two writes it twice.

    Without retry topics a retry goes to the end of the topic itself. babelqueue refuses to retry then, so that a
    message whose handler fails is redelivered for ever.
    """

    classifies_poison = True
    may_count_first = True
    """See ``DeliveryLimit.counted_besides``: the record at the committed position may be new."""

    def __init__(
        self,
        url: str = "kafka://localhost:9092",
        *,
        producer: Any = None,
        consumer_factory: Callable[[str], Any] | None = None,
        group_id: str = "babelqueue",
        delivery_timeout: float = 30.0,
        retry_tiers_ms: Sequence[int] | None = None,
        transactions: bool = True,
        **client_config: Any,
    ) -> None:
        # Which reads the URL, and refuses retry topics out of order.
        self._brokers = kafka_brokers(KafkaTransport(url, retry_tiers_ms=retry_tiers_ms))
        self.retry_tiers_ms = list(retry_tiers_ms or ())
        self._group_id = group_id
        self._consumer_factory = consumer_factory
        self._client_config = client_config
        self._consumers: dict[str, Any] = {}
        self._in_flight: dict[str, InFlight] = {}
        # The first record of each partition since the last assignment, by queue and partition.
        self._firsts: dict[str, dict[tuple[str, int], Any]] = {}
        self._writer = KafkaWriter(self._settings(), producer, delivery_timeout)
        # Clients of the user's own need not have transactions.
        self._transactional = transactions and producer is None and consumer_factory is None
        self._doubtful: Any = None

    @property
    def capabilities(self) -> Capabilities:
        """See ``Capabilities``: a message can wait in a retry topic."""
        return Capabilities("always", keys=True, delays=bool(self.retry_tiers_ms))

    @property
    def address(self) -> tuple[str | None, int | None]:
        """The host and the port of the first broker."""
        try:
            first = urlsplit("//" + self._brokers.partition(",")[0].rpartition("//")[2])
            return first.hostname, first.port
        except ValueError:
            return None, None

    def publish(self, queue: str, body: str) -> None:
        """Publish and wait. Raises KafkaDeliveryError if the broker does not confirm the message in time."""
        self.publish_settle(queue, body)

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """Publish with headers of the record; see :meth:`publish`."""
        self._send(lambda theirs: theirs.publish_settle(queue, body), headers)

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """See ``PublishesMany``: all are sent before the first confirm is awaited."""
        return self._writer.write([self._record(each) for each in publications])

    def publish_settle(self, queue: str, body: str, route_urn: str = "", key: bytes | None = None) -> None:
        """Publish as babelqueue's ``SettlePublisher``; see :meth:`publish`."""
        self._send(lambda theirs: theirs.publish_settle(queue, body, route_urn, key), {})

    def publish_delayed(self, queue: str, body: str, delay_ms: int) -> None:
        """Publish to the first retry topic that is long enough; see :meth:`publish`."""
        self._send(lambda theirs: theirs.publish_delayed(queue, body, delay_ms), {})

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """See ``CountsRecoveries``: only the record at the committed position may have been delivered before.

        That is the first one of a partition after it was assigned to this process.
        """
        handle = message.handle
        if handle is None:
            return 0
        return None if handle is self._firsts.get(message.queue, {}).get(partition_of(handle)) else 0

    def uncounted(self, queue: str) -> str | None:
        return "Kafka does not count deliveries"

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """Return the next record, or None if none arrives within ``timeout`` seconds.

        Records that were returned earlier and are not settled are delivered again.
        """
        self._go_back(queue)
        return self.next_record(queue, timeout or 1.0)

    def pop_batch(self, queue: str, max: int = 0, timeout: float = 1.0) -> list[ReceivedMessage]:
        """Return up to ``max`` records, 0: all that there are, as babelqueue's ``BatchPopper``; see :meth:`pop`."""
        self._go_back(queue)
        batch: list[ReceivedMessage] = []
        while (max == 0 or len(batch) < max) and (message := self.next_record(queue, timeout or 1.0)) is not None:
            batch.append(message)
        return batch

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> Receiver:
        """See ``Receives``. Its consumer is one of its own, unless the service creates its consumers itself."""
        if self._consumer_factory is not None:
            return PollingReceiver(self.next_record, queues)
        interval_ms = float(self._client_config.get("max.poll.interval.ms", _POLL_INTERVAL_MS))
        return KafkaReceiver(self, self._new_consumer(), queues, interval_ms / 1000)

    def attach(self, consumers: Mapping[str, Any]) -> None:
        """Use these consumers, by topic, in place of those before. What those delivered is delivered again."""
        for earlier in self._consumers.values():
            earlier.close()
        self._consumers = dict(consumers)
        self._in_flight.clear()
        self._firsts.clear()

    def next_record(self, queue: str, seconds: float) -> ReceivedMessage | None:
        """Return the next record as ``pop`` does, but without going back to those that are not settled yet."""
        if self._doubtful is not None:
            self._end_doubt()
        while (record := self._consumer(queue).poll(max(seconds, _SHORTEST_POLL_SECONDS))) is not None:
            message = received(queue, record)
            if message is None:
                return None
            if self._in_flight_of(queue).add(record):
                break
            seconds = 0.0  # it was settled, out of order, before this partition was assigned
        else:
            return None
        message.headers = _message_headers(record.headers())
        if self._inbox is not None:
            vars(message)["home"] = self._inbox
        self._firsts.setdefault(queue, {}).setdefault(partition_of(record), record)
        return message

    def ack(self, message: ReceivedMessage) -> None:
        """Commit up to the first record of the partition that is not settled.

        Raises DeliveryLostError for a record that is delivered again, because of a position before it.
        """
        if message.handle is None:
            return
        if not self.renew(message):
            raise DeliveryLostError(f"a record of topic {message.queue!r} is delivered again from an earlier position")
        position = self._in_flight_of(message.queue).settle(message.handle)
        if position is not None:
            place = place_of(message.handle, position)
            self._consumer(message.queue).commit(offsets=[place], asynchronous=False)

    def rewind(self, message: ReceivedMessage) -> None:
        """Go back to the position of ``message``, unless it is delivered again anyway."""
        if self.renew(message):
            self._consumer(message.queue).seek(position_of(message.handle))
            self._in_flight_of(message.queue).forget_from(message.handle)

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``: a reservation ends when the consumer goes back to an earlier position."""
        return message.handle is not None and message.handle in self._in_flight_of(message.queue)

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``Settlement.put_back``: what is not committed is delivered to the next consumer of the partition."""

    def begin(self, consumer: Any, partitions: Sequence[Any]) -> None:
        """Begin at the positions of partitions that were just assigned to ``consumer``. Raises KafkaException."""
        for place in committed(consumer, partitions) if partitions else ():
            self._firsts.get(place.topic, {}).pop((place.topic, place.partition), None)
            self._in_flight_of(place.topic).begin(place.partition, place.offset, settled_at(place))

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Send to a retry topic: that of this attempt, or for a ``delay`` the first one that is long enough.

        Without retry topics, to the end of the topic itself, without a delay. The topic of a service in a group of its
        own is its inbox.
        """
        tiers, home = self.retry_tiers_ms, home_of(message)
        if not tiers:
            self._hand_on(message, lambda theirs: theirs.publish_settle(home, body, message.route_urn))
        elif delay > 0:
            longer = [tier for tier in tiers if tier >= math.ceil(delay * 1000)]
            self._hand_on(message, lambda theirs: theirs.publish_delayed(home, body, (longer or tiers[-1:])[0]))
        else:
            again = dataclasses.replace(message, queue=home, handle=None)
            self._hand_on(message, lambda theirs: theirs.redeliver(again, body, delay))

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue``, then acknowledge."""
        self._hand_on(message, lambda theirs: theirs.publish_settle(queue, body, message.route_urn))

    def hand_back(self, message: ReceivedMessage) -> None:
        """Return to the position of ``message``, which is delivered next: see ``Settlement.hand_back``."""
        self.rewind(message)

    def close(self) -> None:
        """Send what is not sent yet, and leave the groups."""
        self._writer.close()
        for consumer in self._consumers.values():
            with suppress(Exception):
                consumer.close()

    def _hand_on(self, message: ReceivedMessage, write: Callable[[KafkaTransport], object]) -> None:
        """Write a record with the key and the headers of ``message``, and acknowledge that.

        It is a record of now. With the time of meta.created_at, retention would remove an old message from its new
        topic at once, and the delay of a retry topic, which begins with the record's time, would be over.
        """
        settings = {"timestamp": 0, **({} if message.key is None else {"key": message.key})}
        written = _with_headers(record_of(write, self.retry_tiers_ms), message.headers, settings)
        if message.handle is None or not self._write_in_transaction(message, written):
            self._write(written)
            self.ack(message)

    def _write_in_transaction(self, message: ReceivedMessage, record: Record) -> bool:
        """Write a record and settle ``message``, both or neither; return False where there are no transactions."""
        if not self._transactional:
            return False
        if not self.renew(message):
            raise DeliveryLostError(f"a record of topic {message.queue!r} is delivered again from an earlier position")
        in_flight, consumer = self._in_flight_of(message.queue), self._consumer(message.queue)
        place = place_of(message.handle, in_flight.after(message.handle))
        try:
            self._writer.write_with_position(record, place, consumer.consumer_group_metadata())
        except Exception as error:
            self._transactional = not are_refused(error)
            if not self._transactional:
                return False
            self._doubtful = message
            raise
        in_flight.settle(message.handle)
        return True

    def _end_doubt(self) -> None:
        """Look whether the last transaction was committed, which failed. Raises KafkaException."""
        self._writer.end_transaction()
        queue, handle = self._doubtful.queue, self._doubtful.handle
        for place in committed(self._consumer(queue), [position_of(handle)]):
            if place.offset > handle.offset() or handle.offset() in settled_at(place):
                self._in_flight_of(queue).note(handle)
        self._doubtful = None

    def _send(self, write: Callable[[KafkaTransport], object], headers: Mapping[str, str]) -> None:
        self._write(_with_headers(record_of(write, self.retry_tiers_ms), headers, {}))

    def _write(self, record: Record) -> None:
        (result,) = self._writer.write([record])
        if isinstance(result, Exception):
            raise result

    def _record(self, message: Publication) -> Record | Exception:
        """Return the topic and the record of a message, in the retry topic that is long enough for its delay."""
        key = None if message.key is None else message.key.encode()
        if message.delay <= 0:
            record = record_of(lambda theirs: theirs.publish_settle(message.queue, message.body, "", key))
            return _with_headers(record, message.headers, {})
        tier = next((tier for tier in self.retry_tiers_ms if tier >= math.ceil(message.delay * 1000)), None)
        if tier is None:
            problem = f"a delay of {message.delay} s is longer than that of the last retry topic"
            return UsageError(problem, fix="add a longer one to retry_tiers_ms")
        delayed = record_of(
            lambda theirs: theirs.publish_delayed(message.queue, message.body, tier), self.retry_tiers_ms
        )
        # A record of now, as in _hand_on.
        return _with_headers(delayed, message.headers, {"timestamp": 0, **({} if key is None else {"key": key})})

    def _in_flight_of(self, queue: str) -> InFlight:
        return self._in_flight.setdefault(queue, InFlight())

    def _consumer(self, queue: str) -> Any:
        consumer = self._consumers.get(queue)
        if consumer is None:
            if self._consumer_factory is not None:
                consumer = self._consumer_factory(queue)
            else:
                consumer = self._new_consumer()
                consumer.subscribe([queue], on_assign=self.begin)
            self._consumers[queue] = consumer
        return consumer

    def _new_consumer(self) -> Any:
        own = {"group.id": self._group_id, "enable.auto.commit": False, "auto.offset.reset": "earliest"}
        return new_consumer({**own, **self._settings()})

    def _go_back(self, queue: str) -> None:
        """Go back to the first record in flight of each partition."""
        in_flight = self._in_flight_of(queue)
        for record in list(in_flight.earliest()):
            with suppress(Exception):  # not assigned any more: the next consumer begins there
                self._consumer(queue).seek(position_of(record))
            in_flight.forget_from(record)


def _with_headers(record: Record, headers: Mapping[str, str], settings: Mapping[str, Any]) -> Record:
    topic, known = record
    others = [(name, value.encode()) for name, value in headers.items()]
    return topic, {**known, **settings, "headers": [*known["headers"], *others]}


def _message_headers(headers: Any) -> dict[str, str]:
    """Return the headers of a record without those that repeat its envelope."""
    return {
        name: bytes(value).decode("utf-8", "replace")
        for name, value in headers or []
        if not name.startswith("bq-") and value is not None
    }
