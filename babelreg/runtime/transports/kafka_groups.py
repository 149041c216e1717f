"""Consumer groups of services on Kafka, and the topic that a service's own retries and redriven dead letters go to.

What a group writes back to a topic would reach every other group on it. So a service has an inbox on Kafka, too: a
topic with its name, which it alone reads beside the topics that producers write to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from babelqueue.transport import ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.transports.kafka_positions import commit, committed, ranges

__all__ = [
    *("STARTS", "KafkaGroups", "begin_where_empty", "create_topics", "home_of"),
    *("new_consumer", "new_producer", "position_of"),
]

STARTS = ("earliest", "latest")
_FORMER_GROUP = "babelqueue"
_SECONDS = 30.0
_METADATA_SECONDS = 10.0  # a signal is not handled meanwhile


def home_of(message: ReceivedMessage) -> str:
    """Return the queue that a delivery goes back to: its own, on Kafka the inbox of the service."""
    home: str = getattr(message, "home", None) or message.queue
    return home


def new_consumer(settings: Mapping[str, Any]) -> Any:
    """Return a consumer of librdkafka."""
    from confluent_kafka import Consumer

    return Consumer(dict(settings))


def new_producer(settings: Mapping[str, Any]) -> Any:
    """Return a producer of librdkafka."""
    from confluent_kafka import Producer

    return Producer(dict(settings))


def position_of(record: Any) -> Any:
    """Return the position of a record."""
    from confluent_kafka import TopicPartition

    return TopicPartition(record.topic(), record.partition(), record.offset())


def create_topics(settings: Mapping[str, Any], names: Iterable[str]) -> int:
    """Create the topics that do not exist, with the broker's defaults; return their number."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cimpl import NewTopic

    admin = AdminClient(dict(settings))
    known = admin.list_topics(timeout=_METADATA_SECONDS).topics
    missing = [NewTopic(name, -1, -1) for name in dict.fromkeys(names) if name not in known]
    for created in admin.create_topics(missing, operation_timeout=_SECONDS).values() if missing else ():
        with suppress(KafkaException):  # another worker created it; else the first poll reports it
            created.result(_SECONDS)
    return len(missing)


def begin_where_empty(settings: Mapping[str, Any], group: str, topics: Iterable[str]) -> None:
    """Commit the first positions of ``group`` on topics without messages, so that its first start need not ask."""
    from confluent_kafka import TopicPartition

    consumer = new_consumer({**settings, "group.id": group, "enable.auto.commit": False})
    try:
        known = consumer.list_topics(timeout=_SECONDS).topics
        for topic in topics:
            places = [TopicPartition(topic, number) for number in known[topic].partitions] if topic in known else []
            if not places or any(place.offset >= 0 for place in committed(consumer, places)):
                continue
            bounds = ranges(consumer, places)
            if all(low == high for low, high in bounds):
                pairs = zip(places, bounds, strict=True)
                commit(consumer, [TopicPartition(topic, place.partition, low) for place, (low, _) in pairs])
    finally:
        consumer.close()


class KafkaGroups:
    """See ``JoinsGroup``; a part of the Kafka transport."""

    _brokers: str
    _client_config: dict[str, Any]
    _consumer_factory: Any
    _consumers: dict[str, Any]
    _group_id: str
    _inbox: str | None = None

    def join(self, group: str, topics: Iterable[str], start: str | None) -> None:
        """See ``JoinsGroup``. A transport with a group or a factory of the user's own keeps them.

        Raises UsageError for a new group on a topic with messages, unless ``start`` says where it begins or the former
        group, ``babelqueue``, has positions.
        """
        if start is not None and start not in STARTS:
            raise UsageError(f"start is {start!r}", fix=f"use one of {', '.join(STARTS)}")
        if self._consumer_factory is not None:
            return
        topics = list(topics)
        create_topics(self._settings(), [*topics, group, f"{group}.dlq"])
        if self._group_id == _FORMER_GROUP:
            for topic in list(self._consumers):
                self._consumers.pop(topic).close()
            self._group_id = group
            self._take_positions(topics, start)
        self._inbox = group

    def _take_positions(self, topics: Iterable[str], start: str | None) -> None:
        """Commit the first positions of a group that has none on a topic."""
        own, former = self._reader(self._group_id), self._reader(_FORMER_GROUP)
        try:
            for topic in topics:
                self._begin(own, former, topic, start)
        finally:
            own.close()
            former.close()

    def _begin(self, own: Any, former: Any, topic: str, start: str | None) -> None:
        from confluent_kafka import KafkaException, TopicPartition

        metadata = own.list_topics(topic, timeout=_SECONDS).topics[topic]
        places = [TopicPartition(topic, number) for number in metadata.partitions]
        if not places or any(place.offset >= 0 for place in committed(own, places)):
            return
        bounds = ranges(own, places)
        earlier = [place.offset for place in committed(former, places)]
        waiting = sum(high - low for low, high in bounds)
        if start is not None or not any(offset >= 0 for offset in earlier):
            if waiting and start is None:
                raise UsageError(
                    f"group {self._group_id!r} is new on topic {topic!r}, which has {waiting} messages",
                    fix="pass --start earliest to handle them, or --start latest to begin with the next one",
                )
            offsets = [high if start == "latest" else low for low, high in bounds]
        else:
            pairs = zip(earlier, bounds, strict=True)
            offsets = [max(low, min(offset, high)) if offset >= 0 else low for offset, (low, high) in pairs]
            logger.info("group %r takes over from group %r on topic %r", self._group_id, _FORMER_GROUP, topic)
        begin = [TopicPartition(topic, place.partition, offset) for place, offset in zip(places, offsets, strict=True)]
        try:
            commit(own, begin)
        except KafkaException:
            # Another worker of the group has begun meanwhile, and has committed the same.
            if not any(place.offset >= 0 for place in committed(own, places)):
                raise

    def _reader(self, group: str) -> Any:
        return new_consumer({**self._settings(), "group.id": group, "enable.auto.commit": False})

    def _settings(self) -> dict[str, Any]:
        return {"bootstrap.servers": self._brokers, **self._client_config}
