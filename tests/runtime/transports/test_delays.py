"""A delayed message waits in the broker, with its headers and its key, for one queue or for all that are subscribed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import kafka_double
import pytest
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime.transports.kafka import Kafka
from babelreg.runtime.transports.replacements import confirmed
from babelreg.runtime.transports.subscription_broker import Publication

URN = "urn:babel:delays:due"
BODY = '{"job":"urn:babel:delays:due","trace_id":"t","data":{},"meta":{"id":"1"},"attempts":0}'
HEADERS = {"tenant": "acme"}


@pytest.fixture(params=["", "&laravel=1"], ids=["plain layout", "Laravel's layout"])
def redis_transport(request: pytest.FixtureRequest, redis: Server) -> Iterator[Any]:
    transport: Any = confirmed(BabelQueue(f"{redis.url}?retry_after=30{request.param}").transport)
    transport.client.flushall()
    yield transport
    transport.close()


@pytest.fixture
def rabbitmq_transport(rabbitmq: Server) -> Iterator[Any]:
    transport: Any = confirmed(BabelQueue(rabbitmq.url).transport)
    yield transport
    transport.close()


def popped(transport: Any, queues: list[str], seconds: float = 0.01) -> list[ReceivedMessage]:
    found = [transport.pop(queue, seconds) for queue in queues]
    for received in filter(None, found):
        transport.ack(received)
    return [received for received in found if received is not None]


@pytest.mark.redis
@pytest.mark.parametrize("urn", [None, URN], ids=["one queue", "subscriptions"])
def test_redis_delivers_when_it_is_due(redis_transport: Any, urn: str | None) -> None:
    queues = ["delays"] if urn is None else ["a", "b"]
    if urn is not None:
        for queue in queues:
            redis_transport.subscribe(queue, [urn], inbox=True)
    headers = {} if redis_transport.laravel else HEADERS
    delayed = Publication("delays", urn, BODY, headers, None, 60.0)
    assert redis_transport.publish_many([delayed]) == [len(queues)]
    assert popped(redis_transport, queues) == []
    now = redis_transport._clock()
    redis_transport._clock = lambda: now + 61
    found = popped(redis_transport, queues)
    assert [(received.body, received.headers) for received in found] == [(BODY, headers)] * len(queues)
    assert popped(redis_transport, queues) == []


@pytest.mark.redis
def test_redis_tells_that_nobody_is_subscribed(redis_transport: Any) -> None:
    assert redis_transport.publish_many([Publication("q", URN, BODY, {}, None, 60.0)]) == [0]


@pytest.mark.redis
def test_one_message_that_redis_refuses_is_that_ones_error(redis_transport: Any) -> None:
    redis_transport.client.set(redis_transport.list_of("bad"), "text")
    wrong, right = (Publication(queue, None, BODY, {}) for queue in ("bad", "good"))
    error, result = redis_transport.publish_many([wrong, right])
    assert isinstance(error, Exception)
    assert result == 1
    assert len(popped(redis_transport, ["good"])) == 1


@pytest.mark.rabbitmq
@pytest.mark.parametrize("subscribed", [False, True], ids=["one queue", "subscriptions"])
def test_rabbitmq_delivers_when_it_is_due(rabbitmq_transport: Any, subscribed: bool) -> None:
    mark = uuid.uuid4().hex[:8]
    urn = f"urn:babel:delays{mark}:due" if subscribed else None
    queues = [f"a-{mark}", f"b-{mark}"] if subscribed else [f"delays-{mark}"]
    for queue in queues if urn is not None else ():
        rabbitmq_transport.subscribe(queue, [urn], inbox=True)
    later = Publication(queues[0], urn, BODY, HEADERS, None, 1.0)
    now = later._replace(body=BODY.replace('"1"', '"2"'), delay=0.0)
    assert rabbitmq_transport.publish_many([later, now]) == [1, 1]
    found = popped(rabbitmq_transport, queues, 20.0) + popped(rabbitmq_transport, queues, 20.0)
    assert [received.body for received in found] == [now.body] * len(queues) + [BODY] * len(queues)
    assert all(received.headers["tenant"] == "acme" for received in found)


def test_kafka_sends_to_the_retry_topic_that_is_long_enough() -> None:
    producer = kafka_double.Log(b"", [])
    transport = Kafka(producer=producer, retry_tiers_ms=[1000, 60_000])
    later = Publication("orders", URN, BODY, HEADERS, "1042", 30.0)
    assert transport.publish_many([later, later._replace(delay=0.0)]) == [1, 1]
    record, now = producer.written
    assert (record["topic"], now["topic"]) == ("orders.retry.2", "orders")
    for each in (record, now):
        assert each["key"] == b"1042"
        assert ("tenant", b"acme") in each["headers"]
    assert record["timestamp"] == 0
    (error,) = transport.publish_many([later._replace(delay=61.0)])
    assert isinstance(error, UsageError)
    assert transport.capabilities.delays
    assert not Kafka(producer=producer).capabilities.delays
