"""Spans through real brokers: the context travels in headers, through retries and into dead letters."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import broker_worker
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server
from telemetry_double import Recorded, recording

from babelreg.runtime import Consumer, Context, kafka_transport
from babelreg.runtime.transports.replacements import confirm


@pytest.fixture
def telemetry() -> Iterator[Recorded]:
    with recording() as recorded:
        yield recorded


REDIS = pytest.param("redis", id="Redis", marks=pytest.mark.redis)
RABBITMQ = pytest.param("rabbitmq", id="RabbitMQ", marks=pytest.mark.rabbitmq)
KAFKA = pytest.param("kafka", id="Kafka", marks=pytest.mark.servers)


class Place:
    """A queue of its own at a running broker."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.server: Server = request.getfixturevalue(request.param)
        self.system = str(request.param)
        self.queue = f"telemetry-{uuid.uuid4().hex[:8]}"

    def app(self) -> BabelQueue:
        """A new app whose transport confirms."""
        transport = kafka_transport(self.server.url, **broker_worker.KAFKA) if self.system == "kafka" else None
        app = BabelQueue(self.server.url, transport=transport, queue=self.queue)
        confirm(app)
        return app

    def send(self, app: BabelQueue) -> str:
        return on.OrdersCreatedProducer(app, queue=self.queue).send(on.OrdersCreated(order_id=1))


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Place:
    return Place(request)


@pytest.mark.parametrize("place", [REDIS, RABBITMQ, KAFKA], indirect=True)
def test_each_attempt_links_to_the_span_of_the_sender(place: Place, telemetry: Recorded) -> None:
    app = place.app()
    sent = place.send(app)
    consumer = Consumer(app)
    contexts: list[Context] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        contexts.append(context)
        if context.attempts < 2:
            raise RuntimeError
        consumer.stop()

    consumer.run(place.queue, timeout_seconds=0.5)
    app.transport.close()
    (send,), processes = telemetry.spans("send"), telemetry.spans("process")
    attributes: list[dict[str, Any]] = [dict(span.attributes or {}) for span in (send, *processes)]
    assert [context.attempts for context in contexts] == [0, 1, 2]
    assert {found["messaging.system"] for found in attributes} == {place.system}
    assert {found["messaging.message.id"] for found in attributes} == {sent}
    assert {found["messaging.message.conversation_id"] for found in attributes} == {contexts[0].trace_id}
    assert {found["messaging.destination.name"] for found in attributes} == {place.queue}
    assert {(found["server.address"], found["server.port"]) for found in attributes} == {
        ("127.0.0.1", urlsplit(place.server.url).port)
    }
    assert [found["babelreg.attempt"] for found in attributes[1:]] == [1, 2, 3]
    linked = [[link.context.span_id for link in span.links] for span in processes]
    assert linked == [[send.context.span_id]] * 3
    assert all("traceparent" in context.headers for context in contexts)


@pytest.mark.parametrize("place", [REDIS, RABBITMQ, KAFKA], indirect=True)
def test_a_dead_letter_keeps_the_headers_of_its_message(place: Place, telemetry: Recorded) -> None:
    app = place.app()
    place.send(app)
    consumer = Consumer(app)
    sent: list[str] = []

    @consumer.on(on.OrdersCancelled)
    def handle(order: on.OrdersCancelled, context: Context) -> None: ...

    @consumer.on_outcome
    def stop(outcome: Any, message: Any) -> None:
        sent.append(message.headers["traceparent"])
        if outcome.kind == "dead_lettered":
            consumer.stop()

    consumer.run(place.queue, timeout_seconds=0.5)
    app.transport.close()
    reader = place.app()
    dead = next(filter(None, (reader.transport.pop(f"{place.queue}.dlq", timeout=5.0) for _ in range(6))))
    reader.transport.ack(dead)
    reader.transport.close()
    assert dead.headers["traceparent"] == sent[0]
