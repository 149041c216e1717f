"""What a service tests its handlers with. Each test reads as one that a service would have."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

import pytest
import runtime_messages as on
import runtime_versions as shop
from babelqueue import BabelQueue
from babelqueue.transport import HeaderPublisher

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Reject
from babelreg.runtime.testing import LIMITS, Broker, BrokerLimitError
from babelreg.runtime.transports.kafka import Kafka

HOW = ["plain", "async"]


def service(app: BabelQueue, how: str = "plain") -> Consumer:
    """A service that cancels orders: 13 fails, 14 is rejected."""
    consumer = Consumer(app)

    def cancel(order: on.OrdersCreated, context: Context) -> None:
        if order.order_id == 13:
            raise RuntimeError("no")
        if order.order_id == 14:
            raise Reject("no such order")
        on.OrdersCancelledProducer(app, queue="elsewhere").send(on.OrdersCancelled(order_id=order.order_id))

    async def later(order: on.OrdersCreated, context: Context) -> None:
        await asyncio.sleep(0)
        cancel(order, context)

    consumer.on(on.OrdersCreated)(cancel if how == "plain" else later)
    return consumer


@pytest.mark.parametrize("how", HOW)
def test_a_message_is_handled_and_what_was_sent_is_there_with_its_type(how: str) -> None:
    with Broker() as broker:
        trace = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"
        assert broker.deliver(service(broker.app, how), on.OrdersCreated(order_id=1), trace_id=trace).kind == "handled"
        assert broker.sent(on.OrdersCancelled) == [on.OrdersCancelled(order_id=1)]
        assert broker.sent(on.OrdersCreated) == broker.dead_letters == []
        assert [envelope["trace_id"] for envelope in broker.envelopes] == [trace]


@pytest.mark.parametrize("how", HOW)
def test_a_failing_handler_is_seen_to_be_tried_again_until_it_is_given_up(how: str) -> None:
    with Broker() as broker:
        consumer = service(broker.app, how)
        first = broker.deliver(consumer, on.OrdersCreated(order_id=13))
        assert (first.kind, str(first.error)) == ("retried", "no")
        assert [outcome.kind for outcome in broker.deliver_waiting(consumer)] == ["retried", "dead_lettered"]
        (dead,) = broker.dead_letters
        assert (dead.queue, dead.reason, dead.error) == ("orders.dlq", "failed", "handler_failed: no")
        assert broker.envelopes == []


def test_a_rejected_message_is_a_dead_letter_at_once() -> None:
    with Broker() as broker:
        outcome = broker.deliver(service(broker.app), on.OrdersCreated(order_id=14))
        assert (outcome.kind, outcome.detail) == ("dead_lettered", "rejected: no such order")


@pytest.mark.parametrize(
    "body, reason",
    [
        pytest.param(b"\xff", "poison", id="bytes"),
        pytest.param("[]", "poison", id="text"),
        pytest.param(on.envelope(data={}), "failed", id="an envelope"),
    ],
)
def test_anything_can_be_delivered(body: Any, reason: str) -> None:
    with Broker() as broker:
        assert broker.deliver_raw(service(broker.app), body).reason == reason
        assert [dead.reason for dead in broker.dead_letters] == [reason]


def test_data_that_its_producer_would_refuse_can_be_delivered() -> None:
    with Broker() as broker:
        outcome = broker.deliver(service(broker.app), on.OrdersCreated(order_id=0))
        assert (outcome.kind, outcome.detail) == (
            "dead_lettered",
            "below_minimum: /order_id is below its minimum (minimum: 1)",
        )


def test_an_earlier_version_can_be_delivered() -> None:
    seen: list[shop.PlacedV2] = []
    with Broker() as broker:
        consumer = Consumer(broker.app)
        consumer.on(shop.PlacedV2, upcast_from=[shop.Placed])(lambda order, context: seen.append(order))
        broker.deliver(consumer, shop.Placed(order_id=1, amount_minor=5))
    assert seen == [shop.PlacedV2(order_id=1, total=shop.Money(minor=5, currency="EUR"))]


def test_the_app_of_a_service_gets_its_own_broker_back() -> None:
    app = on.app()
    before = app.transport
    with Broker(app) as broker:
        on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
        assert broker.sent(on.OrdersCreated) == [on.OrdersCreated(order_id=1)]
    assert app.transport is before
    assert on.bodies(app, "orders") == []


def test_it_works_in_async_tests_and_leaves_no_event_loop_open() -> None:
    async def test() -> None:
        with Broker() as broker:
            consumer = service(broker.app, "async")
            outcome = await asyncio.to_thread(broker.deliver, consumer, on.OrdersCreated(order_id=1))
            assert outcome.kind == "handled"

    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        asyncio.run(test())


def test_what_waits_is_delivered_at_most_so_often() -> None:
    with Broker() as broker:
        consumer = Consumer(broker.app, on_unknown_urn="release")
        consumer.on(on.OrdersCancelled)(lambda order, context: None)
        body = json.dumps(on.envelope())
        broker.deliver_raw(consumer, body, "orders")
        assert len(broker.deliver_waiting(consumer, most=7)) == 7


TINY = LIMITS["rabbitmq"]._replace(message_bytes=100, header_bytes=20, delay_seconds=5.0)


@pytest.mark.parametrize(
    "like, queue, body, headers, detail",
    [
        pytest.param("kafka", "orders", "é" * 500_001, {}, "1000002 bytes is above 1000000", id="a body, counted in bytes"),
        pytest.param("kafka", "orders", "x" * 999_990, {"tenant": "acme-1"}, "1000002 bytes", id="a body with its headers"),
        pytest.param("kafka", "orders/eu", "x", {}, "other characters", id="characters of a topic"),
        pytest.param("kafka", "o" * 250, "x", {}, "longer than 249 bytes", id="the length of a topic"),
        pytest.param("rabbitmq", "o" * 256, "x", {}, "longer than 255 bytes", id="the length of a queue"),
        pytest.param("rabbitmq", "orders", "x", {"tenant": "a" * 131_000}, "headers of 131006 bytes", id="headers of one frame"),
        pytest.param("laravel", "orders", "x", {"tenant": "acme"}, "does not support headers", id="headers where there are none"),
        pytest.param(TINY, "orders", "x" * 101, {}, "101 bytes is above 100", id="limits of one's own"),
    ],
)  # fmt: skip
def test_a_fake_broker_refuses_what_the_real_one_refuses(
    like: Any, queue: str, body: str, headers: dict[str, str], detail: str
) -> None:
    with Broker(like=like) as broker:
        publish = broker.app.transport
        assert isinstance(publish, HeaderPublisher)
        with pytest.raises(BrokerLimitError, match=f"would refuse the message: .*{detail}") as caught:
            publish.publish_with_headers(queue, body, headers)
        assert caught.value.fix
        assert broker.envelopes == []


@pytest.mark.parametrize("like", [*LIMITS, None])
def test_a_fake_broker_takes_what_the_real_one_takes(like: str | None) -> None:
    with Broker(like=like) as broker:
        on.OrdersCreatedProducer(broker.app).send(on.OrdersCreated(order_id=1))
        assert broker.deliver_waiting(service(broker.app))[0].kind == "handled"
    with Broker(like="kafka") as broker:
        broker.app.transport.publish("orders", "x" * 1_000_000)


def test_a_producer_raises_what_a_fake_broker_refuses() -> None:
    with Broker(like=TINY) as broker:
        with pytest.raises(BrokerLimitError, match="RabbitMQ would refuse the message"):
            on.OrdersCreatedProducer(broker.app).send(on.OrdersCreated(order_id=1))
        assert broker.sent(on.OrdersCreated) == []


def test_a_retry_that_is_delayed_for_too_long_is_refused() -> None:
    with pytest.raises(BrokerLimitError, match="a delay of 6 seconds is above 5"):
        TINY.check("orders", "x", {}, 6.0)
    TINY.check("orders", "x", {}, 5.0)


def test_the_limits_are_those_of_the_broker_of_the_app() -> None:
    app = BabelQueue("memory://")
    app.transport = Kafka("localhost:1", producer=object())
    with Broker(app) as broker, pytest.raises(BrokerLimitError, match="Kafka would refuse"):
        broker.app.transport.publish("orders/eu", "x")


def test_an_unknown_broker_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="there is no broker 'rabbit'"):
        Broker(like="rabbit")
