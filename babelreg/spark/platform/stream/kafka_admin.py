"""Questions to a Kafka cluster through the client that Spark's source brings: ids of topics, offsets of partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babelreg.errors import BabelregError, UsageError
from babelreg.spark.platform.stream.place import KafkaPlace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Offsets = Mapping[str, Mapping[int, int]]
"""The next offset to read, by topic and partition."""

_TIMEOUT = {"default.api.timeout.ms": "30000", "request.timeout.ms": "30000"}
_SECURITY = "--option kafka.security.protocol=SASL_SSL --option kafka.sasl.jaas.config=@FILE"


@dataclass(frozen=True, slots=True)
class LostRange:
    """Messages ``[start, end)`` of a partition that Kafka deleted before they were read."""

    topic: str
    partition: int
    start: int
    end: int

    def __str__(self) -> str:
        last = self.end - 1
        what = f"offset {self.start}" if self.start == last else f"offsets {self.start} to {last}"
        return f"{self.topic} partition {self.partition}: {what}"


def topic_ids(session: SparkSession, place: KafkaPlace, options: Mapping[str, str]) -> dict[str, str]:
    """Return the id of each topic: a topic that is deleted and created again has another.

    Raises UsageError if no broker answers, or a topic does not exist or may not be read.
    """
    with _client(session, place, options) as client:
        described = client.describeTopics(_names(session, place)).allTopicNames().get()
        return {topic: str(described.get(topic).topicId()) for topic in place.topics}


def earliest_offsets(session: SparkSession, place: KafkaPlace, options: Mapping[str, str]) -> Offsets:
    """Return the first offset that each partition still has. Raises UsageError."""
    jvm: Any = session._jvm
    with _client(session, place, options) as client:
        described = client.describeTopics(_names(session, place)).allTopicNames().get()
        wanted = jvm.java.util.HashMap()
        for topic in place.topics:
            for info in described.get(topic).partitions():
                key = jvm.org.apache.kafka.common.TopicPartition(topic, info.partition())
                wanted.put(key, jvm.org.apache.kafka.clients.admin.OffsetSpec.earliest())
        result: dict[str, dict[int, int]] = {}
        for entry in client.listOffsets(wanted).all().get().entrySet():
            key = entry.getKey()
            result.setdefault(str(key.topic()), {})[int(key.partition())] = int(entry.getValue().offset())
        return result


def lost_ranges(next_offsets: Offsets, earliest: Offsets) -> list[LostRange]:
    """Return the offsets that were to be read next and do not exist any more."""
    return [
        LostRange(topic, partition, start, earliest[topic][partition])
        for topic, partitions in sorted(next_offsets.items())
        for partition, start in sorted(partitions.items())
        if start < earliest.get(topic, {}).get(partition, start)
    ]


@contextmanager
def _client(session: SparkSession, place: KafkaPlace, options: Mapping[str, str]) -> Iterator[Any]:
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    jvm: Any = session._jvm
    settings = {name.removeprefix("kafka."): value for name, value in options.items() if name.startswith("kafka.")}
    properties = jvm.java.util.Properties()
    for name, value in {"bootstrap.servers": ",".join(place.servers), **_TIMEOUT, **settings}.items():
        properties.put(name, value)
    client = None
    try:
        client = jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)
        yield client
    except Py4JJavaError as err:
        raise kafka_error(_cause(err.java_exception), place) from err
    finally:
        if client is not None:
            client.close(jvm.java.time.Duration.ZERO)


def _names(session: SparkSession, place: KafkaPlace) -> Any:
    jvm: Any = session._jvm
    names = jvm.java.util.ArrayList()
    for topic in place.topics:
        names.add(topic)
    return names


def _cause(exception: Any) -> str:
    """Return the class name of the innermost cause."""
    while (cause := exception.getCause()) is not None:
        exception = cause
    return str(exception.getClass().getSimpleName())


def kafka_error(cause: str, place: KafkaPlace) -> BabelregError:
    """Return the error for an exception of Kafka's client, named without its package; its text may hold secrets."""
    brokers = ",".join(place.servers)
    if cause == "UnknownTopicOrPartitionException":
        return UsageError(
            f"{brokers} has no topic {' or '.join(place.topics)}", fix="check the name; names are case-sensitive"
        )
    if cause in ("TimeoutException", "BrokerNotAvailableException", "DisconnectException", "ConnectException"):
        return UsageError(
            f"no Kafka broker answers at {brokers}",
            fix=f"check the address; where brokers ask for credentials: {_SECURITY}",
        )
    if cause == "ConfigException" and "host" in brokers:
        return UsageError(f"the address {brokers} cannot be resolved", fix="check the address of the brokers")
    if "Authentication" in cause or "Authorization" in cause or cause.startswith("Ssl"):
        return UsageError(
            f"the Kafka brokers at {brokers} refuse access ({cause})", fix=f"pass credentials: {_SECURITY}"
        )
    return UsageError(
        f"Kafka's client failed with {cause} at {brokers}",
        fix="check the address and each --option; --debug shows the output of the client",
    )
