"""From one queue to inboxes, and from one queue to another, while messages wait: nothing is lost or doubled.

On Kafka nothing moves: a service is a group on the topic of the message (see ``test_kafka_groups``).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import broker_queues
import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue

from babelreg.runtime import Consumer, SqliteLedger
from babelreg.runtime.consumer.fan_out import FanOut
from babelreg.runtime.subscriptions.topology import RuntimeTopology, ServiceTopology
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE
from babelreg.runtime.transports.redis_layout import KEY
from babelreg.runtime.transports.replacements import confirm

QUEUES = ("orders", "billing", "warehouse", "old", "new")


class Broker:
    """An app, and its broker from behind."""

    def __init__(self, kind: str, server: Any) -> None:
        self.kind, self.url = kind, server.url
        self.queues: Any = broker_queues.KINDS[kind](server)
        if kind == "redis":
            self.queues.client.flushall()
        else:
            for queue in QUEUES:
                self.queues.channel.queue_delete(queue)
            self.queues.channel.exchange_delete("babelqueue.fanned-out.orders")
            self.queues.channel.queue_declare("orders", durable=True)  # as SDKs of other languages do
        self.app = self.opened()

    def opened(self) -> BabelQueue:
        app = BabelQueue(self.url, queue="orders")
        confirm(app)
        return app

    def unsubscribe(self, queue: str) -> None:
        """End the subscription of ``queue``; what lies in it stays."""
        if self.kind == "redis":
            self.queues.client.srem(KEY + shop.PLACED, queue)
        else:
            self.queues.channel.queue_unbind(queue, EXCHANGE, shop.PLACED)

    def close(self) -> None:
        self.app.transport.close()
        with suppress(Exception):
            (self.queues.client if self.kind == "redis" else self.queues.connection).close()


@pytest.fixture(
    params=[
        pytest.param("redis", marks=pytest.mark.redis, id="Redis"),
        pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="RabbitMQ"),
    ]
)
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    made = Broker(request.param, request.getfixturevalue(request.param))
    yield made
    made.close()


def handling(consumer: Consumer) -> list[int]:
    handled: list[int] = []
    consumer.on(shop.Placed)(lambda order, context: handled.append(order.order_id))
    return handled


def run(consumer: Consumer, queue: str | None = None, most: int = 50) -> None:
    consumer.run(queue, max_messages=most, timeout_seconds=0.01)


def fan_out(broker: Broker) -> None:
    FanOut(broker.app, shop.TOPOLOGY).run(threading.Event(), until_empty=True)


def test_consumers_change_first_then_senders(broker: Broker, tmp_path: Path) -> None:
    app, database = broker.app, tmp_path / "shared.db"

    def sends_the_old_way(*numbers: int) -> None:
        for number in numbers:
            shop.PlacedProducer(app, queue="orders").send(shop.Placed(order_id=number))

    old = Consumer(app, ledger=SqliteLedger(database))
    of_old = handling(old)
    sends_the_old_way(1, 2, 3, 4)
    run(old, "orders", most=2)
    first, *_ = broker.queues.bodies("orders")
    billing = shop.ShopConsumer(app, service="billing", ledger=shop.BillingLedger(database))
    warehouse = shop.ShopConsumer(app, service="warehouse", ledger=shop.WarehouseLedger(database))
    handled = {"billing": handling(billing), "warehouse": handling(warehouse)}
    for consumer in (billing, warehouse):
        run(consumer)
    sends_the_old_way(5)
    fan_out(broker)
    shop.PlacedProducer(app).send(shop.Placed(order_id=6))  # a sender that changed
    broker.queues.publish("orders", [first])  # a fan-out that was killed copies it again
    fan_out(broker)
    for consumer in (billing, warehouse):
        run(consumer)
    assert of_old == [1, 2]
    assert handled == {"billing": [3, 4, 5, 6], "warehouse": [3, 4, 5, 6]}


def test_a_service_is_added_and_removed_while_messages_wait(broker: Broker) -> None:
    billing, warehouse = (shop.ShopConsumer(broker.app, service=name) for name in ("billing", "warehouse"))
    of_billing, of_warehouse = handling(billing), handling(warehouse)
    run(billing)
    shop.PlacedProducer(broker.app).send(shop.Placed(order_id=1))
    run(warehouse)
    shop.PlacedProducer(broker.app).send(shop.Placed(order_id=2))
    broker.unsubscribe("warehouse")
    shop.PlacedProducer(broker.app).send(shop.Placed(order_id=3))
    run(billing)
    run(warehouse, "warehouse")
    assert (of_billing, of_warehouse) == ([1, 2, 3], [2])


def moved_consumer(app: BabelQueue, queue: str, database: Path) -> tuple[Consumer, list[int]]:
    """A consumer of billing that the registry gives ``queue``, and what it handles."""
    service = ServiceTopology({queue: (shop.PLACED,)}, named=(queue,))
    kind: Any = type("MovedConsumer", (Consumer,), {"topology": RuntimeTopology({"billing": service})})
    consumer = kind(app, service="billing", ledger=shop.BillingLedger(database))
    return consumer, handling(consumer)


def test_a_queue_is_moved_while_messages_wait(broker: Broker, tmp_path: Path) -> None:
    app, database = broker.app, tmp_path / "service.db"
    before, of_before = moved_consumer(app, "old", database)
    run(before)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    after, of_after = moved_consumer(app, "new", database)
    run(after)
    shop.PlacedProducer(app).send(shop.Placed(order_id=2))  # to both queues
    broker.unsubscribe("old")
    shop.PlacedProducer(app).send(shop.Placed(order_id=3))
    run(after)
    run(after, "old")
    assert sorted(of_before + of_after) == [1, 2, 3]
    assert broker.queues.count("old") == 0


def test_a_queue_is_moved_under_load(broker: Broker, tmp_path: Path) -> None:
    """A sender goes on all the time; the old queue is read until it is empty, by a worker of the new code."""
    database, ended, sent = tmp_path / "service.db", threading.Event(), []
    before, of_before = moved_consumer(broker.app, "old", database)
    run(before)
    of_sender = broker.opened()

    def load() -> None:
        while not ended.is_set():
            shop.PlacedProducer(of_sender).send(shop.Placed(order_id=len(sent) + 1))
            sent.append(len(sent) + 1)
            ended.wait(0.005)

    sender = threading.Thread(target=load)
    sender.start()
    try:
        for _ in range(3):
            run(before)
        after, of_after = moved_consumer(broker.app, "new", database)
        for _ in range(3):
            run(after)
            run(before)
        broker.unsubscribe("old")
        for _ in range(3):
            run(after)
    finally:
        ended.set()
        sender.join()
        of_sender.transport.close()
    run(after, most=100_000)
    run(after, "old", most=100_000)
    assert Counter(of_before + of_after) == Counter(sent)
    assert broker.queues.count("old") == broker.queues.count("new") == 0
