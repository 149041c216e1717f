"""A Kafka broker of one's own: one node in KRaft mode on free loopback ports, gone at the end with all it stored.

It runs from Maven's jars on the Java that Spark uses. What it acknowledged outlives kill -9: the page cache has it.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import jars
from server import Server, free_port, java, listens, scratch

__all__ = ["address", "create", "delete_before", "produce", "recreate", "running", "topics"]

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
num.partitions=2
log.retention.check.interval.ms=1000
log.initial.task.delay.ms=1000
"""
_LOGGING = """\
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %c{1} %m%n
"""


@contextmanager
def running() -> Iterator[Server]:
    """A broker with nothing in it. Topics come into being with two partitions when they are first written to."""
    port, controller = free_port(), free_port()
    with scratch() as folder:
        properties, logging = Path(folder, "server.properties"), Path(folder, "log4j2.properties")
        properties.write_text(_PROPERTIES.format(port=port, controller=controller, folder=folder))
        logging.write_text(_LOGGING)
        program = [*java("512m"), f"-Dlog4j2.configurationFile={logging}", "-cp", jars.class_path("kafka-broker")]
        tool = [*program, "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAQACAAAAAAAAAAA", "-c", str(properties)]
        subprocess.run(tool, check=True, capture_output=True, timeout=120)
        command = [*program, "kafka.Kafka", str(properties)]
        server = Server(
            f"kafka://127.0.0.1:{port}", command, Path(folder, "kafka.log"), partial(_coordinates, port), 120
        )
        try:
            server.start()
            yield server
        finally:
            server.crash()


def _coordinates(port: int) -> bool:
    """Return whether consumer groups can be used: seconds after the port is open. All have one coordinator here."""
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    if not listens(port):
        return False
    consumer = Consumer({"bootstrap.servers": f"127.0.0.1:{port}", "group.id": "ready", "log_level": 0})
    try:
        (place,) = consumer.committed([TopicPartition("ready", 0)], timeout=10)
    except KafkaException:
        return False
    finally:
        consumer.close()
    return place.error is None


def address(server: Server) -> str:
    """Return ``host:port``, the bootstrap server."""
    return server.url.partition("://")[2]


def create(server: Server, topic: str, partitions: int = 2, **settings: str) -> None:
    """Create an empty topic; ``settings`` with underscores for dots, as ``retention_ms``."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": address(server)})
    config = {name.replace("_", "."): value for name, value in settings.items()}
    wanted = NewTopic(topic, partitions, 1, config=config)
    admin.create_topics([wanted], operation_timeout=60)[topic].result(60)


def topics(server: Server) -> set[str]:
    """Return the names of all topics."""
    from confluent_kafka.admin import AdminClient

    return set(AdminClient({"bootstrap.servers": address(server)}).list_topics(timeout=60).topics)


def delete_before(server: Server, topic: str, partition: int, offset: int) -> None:
    """Delete the messages of a partition below ``offset``, as retention does."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": address(server)})
    for deleted in admin.delete_records([TopicPartition(topic, partition, offset)], operation_timeout=60).values():
        deleted.result(60)


def recreate(server: Server, topic: str, partitions: int = 2) -> None:
    """Delete a topic, and create another of its name."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": address(server)})
    admin.delete_topics([topic], operation_timeout=60)[topic].result(60)
    while topic in admin.list_topics(timeout=60).topics:
        time.sleep(0.1)
    for _ in range(600):  # the deletion goes on for a while
        with suppress(KafkaException):
            return create(server, topic, partitions)
        time.sleep(0.1)
    raise AssertionError(topic)


def produce(
    server: Server,
    topic: str,
    values: Iterable[bytes | None],
    *,
    headers: Sequence[tuple[str, bytes | None]] | None = None,
    partition: int | None = None,
    **settings: Any,
) -> None:
    """Send messages, and return when the broker has acknowledged all; None is a tombstone. Retries while it is down."""
    from confluent_kafka import KafkaError, Message, Producer

    failed: list[KafkaError] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed.append(error)

    config = {
        "bootstrap.servers": address(server),
        "enable.idempotence": True,
        "delivery.timeout.ms": 600_000,
        **settings,
    }
    producer = Producer(config)
    where = {} if partition is None else {"partition": partition}
    for number, value in enumerate(values):
        while True:
            try:
                producer.produce(
                    topic, value, key=str(number).encode(), headers=headers, on_delivery=delivered, **where
                )
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    assert producer.flush(600) == 0
    assert not failed, failed[0]
