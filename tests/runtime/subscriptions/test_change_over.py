"""From one queue to inboxes, and from one queue to another, while messages wait: nothing is lost or doubled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue
from server import Server

from babelreg.runtime import Consumer, SqliteLedger
from babelreg.runtime.subscriptions.fan_out import FanOut
from babelreg.runtime.subscriptions.topology import RuntimeTopology, ServiceTopology
from babelreg.runtime.transports.redis_subscriptions import KEY
from babelreg.runtime.transports.replacements import confirm

pytestmark = pytest.mark.redis


@pytest.fixture
def app(redis: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(redis.url, queue="orders")
    confirm(made)
    made.transport._redis.flushall()
    yield made
    made.transport.close()


def handling(consumer: Consumer) -> list[int]:
    handled: list[int] = []
    consumer.on(shop.Placed)(lambda order, context: handled.append(order.order_id))
    return handled


def run(consumer: Consumer, queue: str | None = None, most: int = 50) -> None:
    consumer.run(queue, max_messages=most, timeout_seconds=0.01)


def test_consumers_change_first_then_senders(app, tmp_path):
    def sends_the_old_way(*numbers: int) -> None:
        for number in numbers:
            shop.PlacedProducer(app, queue="orders").send(shop.Placed(order_id=number))

    database = tmp_path / "shared.db"
    old = Consumer(app, ledger=SqliteLedger(database))
    of_old = handling(old)
    sends_the_old_way(1, 2, 3, 4)
    run(old, "orders", most=2)
    first, *_ = app.transport._redis.lrange("orders", 0, 0)
    billing = shop.ShopConsumer(app, service="billing", ledger=shop.BillingLedger(database))
    warehouse = shop.ShopConsumer(app, service="warehouse", ledger=shop.WarehouseLedger(database))
    handled = {"billing": handling(billing), "warehouse": handling(warehouse)}
    for consumer in (billing, warehouse):
        run(consumer)
    sends_the_old_way(5)
    FanOut(app, shop.TOPOLOGY).run(threading.Event(), until_empty=True)
    shop.PlacedProducer(app).send(shop.Placed(order_id=6))  # a sender that changed
    app.transport._redis.rpush("orders", first)  # a fan-out that was killed copies it again
    FanOut(app, shop.TOPOLOGY).run(threading.Event(), until_empty=True)
    for consumer in (billing, warehouse):
        run(consumer)
    assert of_old == [1, 2]
    assert handled == {"billing": [3, 4, 5, 6], "warehouse": [3, 4, 5, 6]}


def test_a_service_is_added_and_removed_while_messages_wait(app):
    billing, warehouse = (shop.ShopConsumer(app, service=name) for name in ("billing", "warehouse"))
    of_billing, of_warehouse = handling(billing), handling(warehouse)
    run(billing)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    run(warehouse)
    shop.PlacedProducer(app).send(shop.Placed(order_id=2))
    app.transport._redis.srem(KEY + shop.PLACED, "warehouse")
    shop.PlacedProducer(app).send(shop.Placed(order_id=3))
    run(billing)
    run(warehouse)
    assert (of_billing, of_warehouse) == ([1, 2, 3], [2])


def test_a_queue_is_moved_while_messages_wait(app, tmp_path):
    def consumer_of(queue: str) -> tuple[Consumer, list[int]]:
        service = ServiceTopology({queue: (shop.PLACED,)}, named=(queue,))
        kind: Any = type("MovedConsumer", (Consumer,), {"topology": RuntimeTopology({"billing": service})})
        consumer = kind(app, service="billing", ledger=shop.BillingLedger(Path(tmp_path, "service.db")))
        return consumer, handling(consumer)

    before, of_before = consumer_of("old")
    run(before)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    after, of_after = consumer_of("new")
    run(after)
    shop.PlacedProducer(app).send(shop.Placed(order_id=2))  # to both queues
    app.transport._redis.srem(KEY + shop.PLACED, "old")
    shop.PlacedProducer(app).send(shop.Placed(order_id=3))
    run(after)
    run(after, "old")
    assert sorted(of_before + of_after) == [1, 2, 3]
    assert app.transport._redis.llen("old") == 0
