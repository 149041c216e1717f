"""The queues of the three brokers that tests start, with one set of methods: publish and look, also from behind."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable
from typing import Any, ClassVar

import kafka_server
from server import Server

__all__ = [
    "KINDS",
    "URN",
    "BrokerQueues",
    "KafkaTopics",
    "RabbitQueues",
    "RedisLists",
    "dead_letter",
    "envelope",
    "opened",
    "own_name",
]

URN = "urn:babel:orders:created"


def envelope(number: int, data: dict[str, Any] | None = None) -> bytes:
    """A message in text that no encoder would write: spaces, and 1.10."""
    values = json.dumps(data if data is not None else {"id": number})
    meta = {"id": f"m{number}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    head = f'{{"job": "{URN}", "trace_id": "t{number}", "data": {values}, "meta": {json.dumps(meta)}'
    return f'{head}, "x": 1.10, "attempts": 0}}'.encode()


def dead_letter(number: int, data: dict[str, Any] | None = None, **block: Any) -> bytes:
    """The same as a dead letter, by default of queue orders, after three attempts."""
    whole = {"reason": "failed", "error": "handler_failed: no", "original_queue": "orders", "attempts": 3, **block}
    alive = envelope(number, data).decode()
    return alive.replace('"attempts": 0}', f'"attempts": 3,"dead_letter":{json.dumps(whole)}}}').encode()


class BrokerQueues:
    """Queues of one server. ``removes``: a dead letter that was sent is gone from its queue."""

    kind: ClassVar[str]
    removes = True

    def __init__(self, server: Server) -> None:
        self.url = server.url

    def create(self, *queues: str) -> None:
        """Make empty queues of these names."""

    def publish(self, queue: str, bodies: Iterable[bytes]) -> None:
        """Return once the broker has all."""
        raise NotImplementedError

    def bodies(self, queue: str) -> list[bytes]:
        """What is in the queue, in order; it stays."""
        raise NotImplementedError

    def count(self, queue: str) -> int:
        """The number of messages in the queue."""
        raise NotImplementedError


class RedisLists(BrokerQueues):
    kind = "redis"

    def __init__(self, server: Server) -> None:
        import redis

        super().__init__(server)
        self.client = redis.Redis.from_url(server.url)

    def create(self, *queues: str) -> None:
        self.client.flushall()

    def publish(self, queue: str, bodies: Iterable[bytes]) -> None:
        pipeline = self.client.pipeline()
        for body in bodies:
            pipeline.rpush(queue, body)
        pipeline.execute()

    def bodies(self, queue: str) -> list[bytes]:
        return list(self.client.lrange(queue, 0, -1))

    def count(self, queue: str) -> int:
        return int(self.client.llen(queue))


class RabbitQueues(BrokerQueues):
    kind = "rabbitmq"

    def __init__(self, server: Server) -> None:
        import pika

        super().__init__(server)
        self.properties = pika.BasicProperties
        parameters = pika.URLParameters(server.url)
        parameters.heartbeat = 0  # a test waits for a program for longer than the broker for an answer
        self.connection: Any = pika.BlockingConnection(parameters)
        self.channel: Any = self.connection.channel()
        self.channel.confirm_delivery()

    def create(self, *queues: str, **arguments: Any) -> None:
        for queue in queues:
            self.channel.queue_delete(queue)
            self.channel.queue_declare(queue, durable=True, arguments=arguments or None)

    def publish(self, queue: str, bodies: Iterable[bytes], headers: dict[str, Any] | None = None) -> None:
        for body in bodies:
            self.channel.basic_publish("", queue, body, self.properties(delivery_mode=2, headers=headers))

    def bodies(self, queue: str) -> list[bytes]:
        return [body for _, body in self.messages(queue)]

    def count(self, queue: str) -> int:
        return int(self.channel.queue_declare(queue, passive=True).method.message_count)

    def messages(self, queue: str) -> list[tuple[Any, bytes]]:
        """The properties and bodies, in order; they stay."""
        channel, found = self.connection.channel(), []
        while True:
            method, properties, body = channel.basic_get(queue)
            if method is None:
                break
            found.append((properties, body))
        channel.close()  # which gives all back, a moment later
        for _ in range(500):
            if self.count(queue) >= len(found):
                break
            time.sleep(0.01)
        return found


class KafkaTopics(BrokerQueues):
    kind = "kafka"
    removes = False

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.server = server

    def create(self, *queues: str) -> None:
        """Make topics; those of an earlier test are made anew, and with them what groups committed."""
        known = kafka_server.topics(self.server)
        for queue in queues:
            (kafka_server.recreate if queue in known else kafka_server.create)(self.server, queue)

    def publish(self, queue: str, bodies: Iterable[bytes], headers: Any = None) -> None:
        kafka_server.produce(self.server, queue, bodies, headers=headers)

    def bodies(self, queue: str) -> list[bytes]:
        return [message.value() for message in self.messages(queue)]

    def count(self, queue: str) -> int:
        # Not by offsets: the end of a transaction has one, too.
        return len(self.messages(queue))

    def _settings(self) -> dict[str, Any]:
        address = kafka_server.address(self.server)
        return {
            "bootstrap.servers": address,
            "group.id": "look",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,  # for which the broker keeps the end of a partition to itself
        }

    def messages(self, queue: str) -> list[Any]:
        """All messages of the topic, partition after partition."""
        from confluent_kafka import Consumer, KafkaError, TopicPartition

        consumer = Consumer(self._settings())
        found = []
        for number in sorted(consumer.list_topics(queue, timeout=60).topics[queue].partitions):
            place = TopicPartition(queue, number)
            low, _ = consumer.get_watermark_offsets(place, timeout=60)
            consumer.assign([TopicPartition(queue, number, low)])
            ended, end = False, time.monotonic() + 120
            while not ended and time.monotonic() < end:
                # A first message is waited for, and not as many as may come.
                first = consumer.poll(1.0)
                for message in [] if first is None else [first, *consumer.consume(1_000, 0)]:
                    error = message.error()
                    ended = error is not None and error.code() == KafkaError._PARTITION_EOF
                    if error is not None and not ended:
                        raise RuntimeError(str(error))
                    found += [] if ended else [message]
        consumer.close()
        return found


def own_name(stem: str = "orders") -> str:
    """Return the name of a queue that no other test of the session uses."""
    return f"{stem}-{uuid.uuid4().hex[:8]}"


KINDS: dict[str, type[BrokerQueues]] = {each.kind: each for each in (RedisLists, RabbitQueues, KafkaTopics)}


def opened(kind: str, server: Server, *queues: str) -> BrokerQueues:
    """The queues of a server, with empty ones of these names."""
    broker = KINDS[kind](server)
    broker.create(*queues)
    return broker
