"""Groups of services on a real Kafka: where they begin, and what they write back reaches nobody else."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import Any

import broker_queues
import kafka_server
import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, kafka_transport
from babelreg.runtime.subscriptions.topology import RuntimeTopology, ServiceTopology
from babelreg.runtime.transports.kafka_groups import KafkaGroups, create_topics

pytestmark = pytest.mark.servers

SETTINGS: dict[str, Any] = {"session.timeout.ms": 6000}


class Shop:
    """A topic of its own, and consumers of two services on it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.topic = broker_queues.own_name("orders")
        self.names = {name: broker_queues.own_name(name) for name in ("billing", "warehouse")}
        self.queues = broker_queues.KafkaTopics(server)
        kafka_server.create(server, self.topic, 1)
        services = {
            own: ServiceTopology(
                {own: (shop.PLACED, shop.PAID if name == "billing" else shop.PACKED)},
                topics={self.topic: (shop.PACKED if name == "billing" else shop.PAID, shop.NOTED)},
            )
            for name, own in self.names.items()
        }
        self.topology = RuntimeTopology(services, {shop.PLACED: self.topic, shop.PACKED: self.topic})

    def app(self) -> BabelQueue:
        return BabelQueue(transport=kafka_transport(self.server.url, **SETTINGS), queue=self.topic)

    def send(self, *numbers: int, producer: Any = shop.PlacedProducer) -> None:
        app = self.app()
        for number in numbers:
            producer(app, queue=self.topic).send(producer.message.model(order_id=number))
        app.transport.close()

    def run(
        self, name: str, act: Callable[[int], None] = lambda number: None, start: str | None = None, count: int = 20
    ) -> list[int]:
        """What the handlers of a service got until nothing came any more."""
        app, handled = self.app(), []
        kind = type("OwnConsumer", (Consumer,), {"topology": self.topology})
        consumer = kind(app, service=self.names[name])

        def handle(order: Any, context: Any) -> None:
            act(order.order_id)
            handled.append(order.order_id)

        consumer.on(shop.Placed)(handle)
        # The message names another topic than this test's own.
        route = consumer._dispatcher.routes._plain[shop.PLACED]
        own = dataclasses.replace(route, sent=dataclasses.replace(route.sent, queue=self.topic))
        consumer._dispatcher.routes._plain[shop.PLACED] = own
        consumer._dispatcher.routes._enclose_all()
        try:
            consumer.run(max_messages=count, timeout_seconds=8.0, start=start)
        finally:
            app.transport.close()
        return handled


@pytest.fixture
def place(kafka: Server) -> Shop:
    return Shop(kafka)


def test_a_new_group_asks_where_to_begin_on_a_topic_with_messages(place):
    place.send(1, 2)
    with pytest.raises(UsageError, match="which has 2 messages\n  fix: pass --start earliest"):
        place.run("billing")
    assert place.run("billing", start="earliest") == [1, 2]
    with pytest.raises(UsageError, match="'sometime'"):
        place.run("billing", start="sometime")
    assert place.run("warehouse", start="latest") == []
    place.send(3)
    assert (place.run("billing"), place.run("warehouse")) == ([3], [3])


def test_a_new_group_takes_over_the_positions_of_the_former_one(place):
    from confluent_kafka import Consumer as Client
    from confluent_kafka import TopicPartition

    place.send(1, 2, 3)
    client = Client({"bootstrap.servers": kafka_server.address(place.server), "group.id": "babelqueue"})
    client.commit(offsets=[TopicPartition(place.topic, 0, 2)], asynchronous=False)
    client.close()
    assert (place.run("billing"), place.run("warehouse")) == ([3], [3])


def test_retries_and_dead_letters_of_one_group_reach_no_other(place):
    create_topics({"bootstrap.servers": kafka_server.address(place.server)}, place.names.values())

    def fail(number: int) -> None:
        raise RuntimeError("no")

    place.send(1)
    assert place.run("billing", fail, start="earliest") == []
    billing = place.names["billing"]
    assert [place.queues.count(name) for name in (place.topic, billing, f"{billing}.dlq")] == [1, 1, 1]
    assert b'"original_queue":"%s"' % billing.encode() in place.queues.bodies(f"{billing}.dlq")[0]
    assert place.run("warehouse", start="earliest") == [1]


def test_what_is_for_others_is_skipped_and_not_reported(place, caplog):
    place.send(5, producer=shop.PackedProducer)
    place.send(1)
    with caplog.at_level(logging.WARNING, "babelreg.runtime"):
        assert place.run("billing", start="earliest") == [1]
    assert [record for record in caplog.records if "unknown_urn" in record.getMessage()] == []
    assert place.queues.count(f"{place.names['billing']}.dlq") == 0


def test_a_group_of_the_users_own_is_kept():
    class Transport(KafkaGroups):
        _consumer_factory = staticmethod(lambda queue: None)
        _group_id = "mine"

    transport = Transport()
    transport.join("billing", ["orders"], None)
    assert (transport._group_id, transport._inbox) == ("mine", None)
