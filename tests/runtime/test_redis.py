"""The runtime on a real broker: Debian's redis-server on loopback, started here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server

from babelreg.runtime import Consumer, Context, drain

pytestmark = pytest.mark.redis


@pytest.fixture
def app(redis: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(redis.url, queue="orders")
    made.transport._redis.flushall()  # type: ignore[attr-defined]
    yield made
    made.transport.close()


def lying(app: BabelQueue, queue: str) -> list[str]:
    found: list[str] = app.transport._redis.lrange(queue, 0, -1)  # type: ignore[attr-defined]
    return found


def test_a_thousand_messages_are_published_and_drained_to_files(app: BabelQueue, tmp_path: Path) -> None:
    producer = on.OrdersCreatedProducer(app)
    identities = [producer.send(on.OrdersCreated(order_id=number + 1, note="é")) for number in range(1000)]
    published = lying(app, "orders")
    drained = drain(app, tmp_path, per_file=400)
    lines = [line for file in drained.files for line in file.read_text("utf-8").splitlines()]
    assert lines == published
    assert [json.loads(line)["meta"]["id"] for line in lines] == identities
    assert [len(file.read_bytes().splitlines()) for file in drained.files] == [400, 400, 200]
    assert app.transport._redis.keys("*") == []  # type: ignore[attr-defined]


def test_bytes_that_are_no_utf_8_are_drained_as_they_are(app: BabelQueue, tmp_path: Path) -> None:
    app.transport._redis.rpush("orders", b"\xff\xfe{", b"{}")  # type: ignore[attr-defined]
    assert drain(app, tmp_path).files[0].read_bytes() == b"\xff\xfe{\n{}\n"


def test_messages_are_handled_tried_again_and_buried(app: BabelQueue) -> None:
    producer = on.OrdersCreatedProducer(app)
    for number in range(1, 21):
        producer.send(on.OrdersCreated(order_id=number))
    app.transport.publish("orders", "not json")
    app.transport.publish("orders", json.dumps(on.envelope(attempts=None)))
    handled: list[int] = []
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        if order.order_id == 13:
            raise RuntimeError("no")
        handled.append(order.order_id)

    consumer.run(max_messages=100, timeout_seconds=0.05)
    assert sorted(set(handled) - {1042}) == [number for number in range(1, 21) if number != 13]
    dead = [json.loads(body) for body in lying(app, "orders.dlq")]
    assert [record["dead_letter"]["reason"] for record in dead if record.get("data") == {"order_id": 13}] == ["failed"]
    assert [record["raw"] for record in dead if "raw" in record] == ["not json"]
    assert list(app.transport._redis.keys("*")) == ["orders.dlq"]  # type: ignore[attr-defined]
