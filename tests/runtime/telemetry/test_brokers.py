"""Spans through real brokers: the context travels where the transport has headers, retries and dead letters included."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import broker_worker
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.kafka_transport import KafkaTransport
from server import Server
from telemetry_double import Recorded, recording

from babelreg.runtime import Consumer, Context
from babelreg.runtime.transports.replacements import confirm


@pytest.fixture
def telemetry() -> Iterator[Recorded]:
    with recording() as recorded:
        yield recorded


def on_redis(server: Server, queue: str) -> BabelQueue:
    return BabelQueue(server.url, queue=queue)


def on_kafka(server: Server, queue: str) -> BabelQueue:
    return BabelQueue(transport=KafkaTransport(server.url, **broker_worker.KAFKA), queue=queue)


@pytest.mark.parametrize(
    "broker, make, system, has_headers",
    [
        pytest.param("redis", on_redis, "redis", False, id="Redis", marks=pytest.mark.redis),
        pytest.param("rabbitmq", on_redis, "rabbitmq", True, id="RabbitMQ", marks=pytest.mark.rabbitmq),
        pytest.param("kafka", on_kafka, "kafka", True, id="Kafka", marks=pytest.mark.servers),
    ],
)
def test_each_attempt_links_to_the_span_of_the_sender_where_there_are_headers(
    broker: str,
    make: Callable[[Server, str], BabelQueue],
    system: str,
    has_headers: bool,
    telemetry: Recorded,
    request: pytest.FixtureRequest,
) -> None:
    server: Server = request.getfixturevalue(broker)
    queue = f"telemetry-{uuid.uuid4().hex[:8]}"
    app = make(server, queue)
    confirm(app)
    sent = on.OrdersCreatedProducer(app, queue=queue).send(on.OrdersCreated(order_id=1))
    consumer = Consumer(app)
    contexts: list[Context] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        contexts.append(context)
        if context.attempts < 2:
            raise RuntimeError
        consumer.stop()

    consumer.run(queue, timeout_seconds=0.5)
    app.transport.close()
    (send,), processes = telemetry.spans("send"), telemetry.spans("process")
    attributes: list[dict[str, Any]] = [dict(span.attributes or {}) for span in (send, *processes)]
    assert [context.attempts for context in contexts] == [0, 1, 2]
    assert {found["messaging.system"] for found in attributes} == {system}
    assert {found["messaging.message.id"] for found in attributes} == {sent}
    assert {found["messaging.message.conversation_id"] for found in attributes} == {contexts[0].trace_id}
    assert {found["messaging.destination.name"] for found in attributes} == {queue}
    assert {(found["server.address"], found["server.port"]) for found in attributes} == {
        ("127.0.0.1", urlsplit(server.url).port)
    }
    assert [found["babelreg.attempt"] for found in attributes[1:]] == [1, 2, 3]
    linked = [[link.context.span_id for link in span.links] for span in processes]
    assert linked == [[send.context.span_id] if has_headers else []] * 3
    assert all(("traceparent" in context.headers) == has_headers for context in contexts)


@pytest.mark.parametrize(
    "broker, make",
    [
        pytest.param("rabbitmq", on_redis, id="RabbitMQ", marks=pytest.mark.rabbitmq),
        pytest.param("kafka", on_kafka, id="Kafka", marks=pytest.mark.servers),
    ],
)
def test_a_dead_letter_keeps_the_headers_of_its_message(
    broker: str,
    make: Callable[[Server, str], BabelQueue],
    telemetry: Recorded,
    request: pytest.FixtureRequest,
) -> None:
    server: Server = request.getfixturevalue(broker)
    queue = f"telemetry-{uuid.uuid4().hex[:8]}"
    app = make(server, queue)
    confirm(app)
    on.OrdersCreatedProducer(app, queue=queue).send(on.OrdersCreated(order_id=1))
    consumer = Consumer(app)
    sent: list[str] = []

    @consumer.on(on.OrdersCancelled)
    def handle(order: on.OrdersCancelled, context: Context) -> None: ...

    @consumer.on_outcome
    def stop(outcome: Any, message: Any) -> None:
        sent.append(message.headers["traceparent"])
        if outcome.kind == "dead_lettered":
            consumer.stop()

    consumer.run(queue, timeout_seconds=0.5)
    app.transport.close()
    reader = make(server, queue)
    confirm(reader)
    dead = next(filter(None, (reader.transport.pop(f"{queue}.dlq", timeout=5.0) for _ in range(6))))
    reader.transport.ack(dead)
    reader.transport.close()
    assert dead.headers["traceparent"] == sent[0]
