"""One request is one trace, with its tenant: through an outbox, its relay, two services, retries and a redrive."""

from __future__ import annotations

import importlib
import sqlite3
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import broker_worker
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from opentelemetry.trace import SpanKind
from server import Server
from telemetry_double import Recorded, recording

from babelreg.contract import Contract
from babelreg.recording.redrive.kafka_dead_letters import KafkaDeadLetters
from babelreg.recording.redrive.rabbitmq_dead_letters import RabbitMQDeadLetters
from babelreg.recording.redrive.redis_dead_letters import RedisDeadLetters
from babelreg.recording.redrive.redrive import Redrive
from babelreg.runtime import (
    Consumer,
    Context,
    OutboxRelay,
    Outcome,
    Outgoing,
    Producer,
    Reject,
    SqlOutbox,
    kafka_transport,
)
from babelreg.runtime.models.pydantic_base import Model, message
from babelreg.runtime.subscriptions.topology import RuntimeTopology

FAILS_EVERY, REJECTED_EVERY = 10, 25
TENANTS = ("acme", "globex", "initech")


@pytest.fixture
def telemetry() -> Iterator[Recorded]:
    with recording() as recorded:
        yield recorded


class Shop:
    """Messages, queues and services of their own at a running broker: billing handles an order, shipping ships it."""

    def __init__(self, kind: str, server: Server) -> None:
        self.kind, self.server = kind, server
        mark = uuid.uuid4().hex[:8]
        placed, billed = f"urn:babel:trace{mark}:placed", f"urn:babel:trace{mark}:billed"
        queue, self.billing, self.shipping = f"orders-{mark}", f"billing-{mark}", f"shipping-{mark}"
        self.urns = placed, billed
        topology = RuntimeTopology.of(
            {
                "services": {
                    self.billing: {"queues": {self.billing: [placed]}, "topics": {queue: [billed]}},
                    self.shipping: {"queues": {self.shipping: [billed]}, "topics": {queue: [placed]}},
                },
                "sources": {placed: queue, billed: queue},
                "consumers": {placed: [self.billing], billed: [self.shipping]},
            }
        )

        class Placed(Model):
            order_id: int

        class Billed(Model):
            order_id: int

        settings = {"schema": on.SCHEMA, "queue": queue, "max_attempts": 3, "headers": True}
        backoff = {"first_seconds": 0.01, "factor": 1.0, "longest_seconds": 0.01}
        self.placed, self.billed = Placed, Billed
        first = message(Placed, urn=placed, consumers=(self.billing,), backoff=backoff, **settings)
        second = message(Billed, urn=billed, consumers=(self.shipping,), **settings)
        self.placed_producer = type("PlacedProducer", (Producer,), {"message": first})
        self.billed_producer = type("BilledProducer", (Producer,), {"message": second})
        self.consumer = type("ShopConsumer", (Consumer,), {"topology": topology})
        self.relay = type("ShopRelay", (OutboxRelay,), {"topology": topology})

    def app(self) -> BabelQueue:
        transport = kafka_transport(self.server.url, **broker_worker.KAFKA) if self.kind == "kafka" else None
        return BabelQueue(self.server.url, transport=transport, queue="none")

    def handling(self, service: str, model: Any, handle: Callable[[Any, Context], None]) -> Callable[[int], None]:
        """Return a function that handles deliveries until so many more of them were handled or dead-lettered."""
        app = self.app()
        consumer = self.consumer(app, service=service)
        consumer.on(model)(handle)
        ended: Counter[str] = Counter()
        wanted = 0

        @consumer.on_outcome
        def count(outcome: Outcome, incoming: Any) -> None:
            ended[outcome.kind] += 1
            if ended["handled"] + ended["dead_lettered"] >= wanted:
                consumer.stop()

        def run(more: int) -> None:
            nonlocal wanted
            wanted += more
            consumer.run(timeout_seconds=0.2, start="earliest")

        consumer.run(max_messages=1, timeout_seconds=0.05, start="earliest")  # declares the subscriptions
        return run

    def dead_letters(self, queue: str) -> Any:
        if self.kind == "kafka":
            return KafkaDeadLetters({"bootstrap.servers": self.server.url.rpartition("//")[2]}, queue)
        if self.kind == "rabbitmq":
            return RabbitMQDeadLetters(importlib.import_module("pika").URLParameters(self.server.url), queue)
        app = self.app()
        self.placed_producer(app)
        return RedisDeadLetters(app.transport, queue)


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Shop:
    return Shop(request.param, request.getfixturevalue(request.param))


REDIS = pytest.param("redis", 50, id="50 on Redis", marks=pytest.mark.redis)
RABBITMQ = pytest.param("rabbitmq", 50, id="50 on RabbitMQ", marks=pytest.mark.rabbitmq)
THOUSAND = [
    pytest.param(kind, 1000, id=f"1,000 on {name}", marks=[pytest.mark.servers, *marks])
    for kind, name, marks in (
        ("redis", "Redis", [pytest.mark.redis]),
        ("rabbitmq", "RabbitMQ", [pytest.mark.rabbitmq]),
        ("kafka", "Kafka", []),
    )
]


@pytest.mark.parametrize("shop, count", [REDIS, RABBITMQ, *THOUSAND], indirect=["shop"])
def test_each_request_is_one_trace_with_its_tenant(shop: Shop, count: int, telemetry: Recorded) -> None:
    app = shop.app()
    database = sqlite3.connect(":memory:")
    outbox = SqlOutbox(database)
    outbox.prepare()
    placing, billing_app = shop.placed_producer(app), shop.app()
    billed = shop.billed_producer(billing_app)
    rejects = True
    tenants: dict[str, dict[int, str | None]] = {"billing": {}, "shipping": {}}
    current: list[str] = []

    @placing.middleware
    def of_the_request(order: Any, outgoing: Outgoing) -> Iterator[None]:
        outgoing.headers["x-tenant"] = current[-1]
        yield

    def bill(order: Any, context: Context) -> None:
        if order.order_id % REJECTED_EVERY == 7 and rejects:
            raise Reject("closed")
        if order.order_id % FAILS_EVERY == 3 and context.attempts == 0:
            raise RuntimeError("busy")
        tenants["billing"][order.order_id] = context.headers.get("x-tenant")
        billed.send(shop.billed(order_id=order.order_id), headers={"x-tenant": context.headers["x-tenant"]})

    def ship(order: Any, context: Context) -> None:
        tenants["shipping"][order.order_id] = context.headers.get("x-tenant")

    billing = shop.handling(shop.billing, shop.placed, bill)
    shipping = shop.handling(shop.shipping, shop.billed, ship)
    requests: dict[int, int] = {}
    for number in range(1, count + 1):
        current.append(TENANTS[number % len(TENANTS)])
        with telemetry.tracer.start_as_current_span("POST /orders", kind=SpanKind.SERVER) as request:
            placing.write(outbox, shop.placed(order_id=number))
            requests[request.get_span_context().trace_id] = number
        database.commit()
    assert shop.relay(app.transport, SqlOutbox(database)).drain().published == count
    rejected = sum(number % REJECTED_EVERY == 7 for number in range(1, count + 1))
    billing(count)
    rejects = False
    queue = shop.dead_letters(f"{shop.billing}.dlq")
    schemas = dict.fromkeys(shop.urns, on.SCHEMA)
    assert Redrive(f"{shop.billing}.dlq", Contract(schemas).verdict).run(queue).sent.total() == rejected
    queue.close()
    billing(rejected)
    shipping(count)

    operations: dict[int, Counter[str]] = {}
    for span in telemetry.spans_in_memory.get_finished_spans():
        if dict(span.attributes or {}).get("babelreg.outcome") == "skipped":
            continue  # on Kafka a group reads what is for others
        operations.setdefault(span.context.trace_id, Counter())[span.name.partition("-")[0]] += 1
    orphaned = [trace for trace in operations if trace not in requests]
    print(f"\n{shop.kind}: {count} requests, {len(operations)} traces, {len(orphaned)} orphaned")
    assert orphaned == []
    for trace, number in requests.items():
        attempts = 1 + (number % FAILS_EVERY == 3) + (number % REJECTED_EVERY == 7)
        expected = {"POST /orders": 1, "create orders": 1, "send orders": 2}
        if shop.kind == "kafka":
            assert operations[trace].total() == sum(expected.values()) + attempts + 1, number
        else:
            assert operations[trace] == expected | {"process billing": attempts, "process shipping": 1}, number
    wanted = {number: TENANTS[number % len(TENANTS)] for number in requests.values()}
    assert tenants == {"billing": wanted, "shipping": wanted}
