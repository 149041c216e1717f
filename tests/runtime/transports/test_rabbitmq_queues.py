"""Queues on a real RabbitMQ: bindings, quorum inboxes, queues that SDKs declare, and those in which messages wait."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue, EnvelopeCodec
from hypothesis import given
from hypothesis import strategies as st
from pika.exceptions import ChannelClosedByBroker
from server import Server

from babelreg.runtime import SubscriptionMissingError
from babelreg.runtime.consumer.fan_out import FanOut
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE, delay_queue
from babelreg.runtime.transports.replacements import confirm

pytestmark = pytest.mark.rabbitmq

URN = "urn:babel:orders:created"
QUEUES = ("billing", "warehouse", "shared", "orders", "a", "b", "billing.dlq")


@pytest.fixture
def app(rabbitmq: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(rabbitmq.url, queue="orders")
    confirm(made)
    clear(made)
    yield made
    clear(made)
    made.transport.close()


def clear(app: BabelQueue) -> None:
    transport = app.transport
    assert isinstance(transport, RabbitMQ)
    channel = transport.connection().channel()
    for queue in QUEUES:
        channel.ask("queue_delete", queue)
        channel.ask("exchange_delete", f"babelqueue.fanned-out.{queue}")
    channel.ask("exchange_delete", EXCHANGE)
    channel.close()
    transport._declared.clear()


def declared_as(app: BabelQueue, queue: str, **arguments: str) -> bool:
    """Whether the queue exists in just this form."""
    channel = app.transport.connection().channel()
    try:
        channel.ask("queue_declare", queue, durable=True, arguments=arguments or None)
    except ChannelClosedByBroker as err:
        assert err.reply_code == 406
        return False
    channel.close()
    return True


def test_all_bound_queues_get_a_message(app):
    transport = app.transport
    assert shop.publish_to_all(transport, URN) == 0  # not even an exchange
    for queue in ("a", "b"):
        transport.subscribe(queue, [URN], inbox=True)
        transport.subscribe(queue, [URN], inbox=True)
    assert shop.publish_to_all(transport, URN, {"traceparent": "00-1"}) == 1
    for queue in ("a", "b"):
        received = transport.pop(queue, 1)
        assert (received.body, received.headers["traceparent"]) == ("{}", "00-1")
        transport.ack(received)
        assert transport.pop(queue, 0) is None
    assert shop.publish_to_all(transport, "urn:babel:orders:none") == 0


def test_an_inbox_is_a_quorum_queue_and_a_named_one_what_sdks_declare(app):
    app.transport.subscribe("a", [URN], inbox=True)
    app.transport.subscribe("b", [URN], inbox=False)
    assert declared_as(app, "a", **{"x-queue-type": "quorum"})
    assert declared_as(app, "b")


def test_a_queue_that_an_sdk_declared_stays_as_it_is(app):
    assert declared_as(app, "a")
    app.transport.subscribe("a", [URN], inbox=True)
    assert declared_as(app, "a")
    assert not declared_as(app, "a", **{"x-queue-type": "quorum"})


def test_a_message_without_a_subscription_is_refused_and_the_channel_survives(app):
    for _ in range(2):
        with pytest.raises(SubscriptionMissingError):
            shop.PlacedProducer(app).send(shop.Placed(order_id=1))
        shop.NotedProducer(app).send(shop.Noted(order_id=1))
        app.transport.subscribe("shared", ["urn:babel:shop:other"], inbox=False)


def test_a_consumer_gets_what_is_sent_after_a_new_connection(app):
    consumer, handled = shop.ShopConsumer(app, service="billing"), []
    consumer.on(shop.Placed)(lambda order, context: handled.append(order.order_id))
    consumer.run(max_messages=1, timeout_seconds=0.01)
    producer = shop.PlacedProducer(app)
    producer.send(shop.Placed(order_id=1))
    app.transport._connection.close()
    producer.send(shop.Placed(order_id=2))
    consumer.run(max_messages=2, timeout_seconds=0.2)
    assert handled == [1, 2]


def test_a_fan_out_copies_and_does_not_loop(app):
    app.transport.subscribe("billing", [shop.PLACED], inbox=True)
    app.transport.subscribe("orders", [shop.PLACED], inbox=False)
    body = json.dumps(EnvelopeCodec.make(shop.PLACED, {"order_id": 1}, queue="orders"))
    app.transport.publish("orders", body)
    assert not app.transport.is_fanned_out("orders")
    fan_out = FanOut(app, shop.TOPOLOGY)
    fan_out.run(threading.Event(), until_empty=True)
    assert fan_out.copied == {shop.PLACED: 1}
    assert app.transport.is_fanned_out("orders")
    received = app.transport.pop("billing", 1)
    assert received.body == body
    app.transport.ack(received)
    assert [app.transport.pop(queue, 0) for queue in ("billing", "orders")] == [None, None]


@pytest.mark.parametrize(
    "seconds, name, expiration",
    [
        pytest.param(0.0005, "orders.delay.1", "1", id="the shortest"),
        pytest.param(1, "orders.delay.1", "1000", id="a second"),
        pytest.param(1.5, "orders.delay.2", "1500", id="between two queues"),
        pytest.param(300, "orders.delay.512", "300000", id="five minutes"),
    ],
)
def test_a_delay_has_a_queue_and_an_expiration(seconds: float, name: str, expiration: str) -> None:
    queue = delay_queue("orders", seconds)
    assert (queue.name, queue.expiration) == (name, expiration)
    assert queue.arguments["x-dead-letter-routing-key"] == "orders"


@given(st.floats(1, 10**9))
def test_a_message_waits_at_most_twice_its_delay(seconds: float) -> None:
    queue = delay_queue("orders", seconds)
    longest = int(queue.name.rpartition(".")[2])
    assert longest < 2 * int(queue.expiration) / 1000 <= 2 * longest
    assert int(queue.expiration) < 2**31
