"""The fan-out copies what other SDKs publish to every subscribed queue, and loses nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue, EnvelopeCodec
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import Consumer
from babelreg.runtime.consumer.fan_out import FanOut, run_in_thread
from babelreg.runtime.transports.replacements import confirm
from babelreg.runtime.transports.subscription_broker import unclaimed

pytestmark = pytest.mark.redis


@pytest.fixture
def app(redis: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(f"{redis.url}?retry_after=30", queue="orders")
    confirm(made)
    made.transport._redis.flushall()
    yield made
    made.transport.close()


def bodies(app: BabelQueue, queue: str) -> list[str]:
    return [str(body) for body in app.transport._redis.lrange(queue, 0, -1)]


def published(app: BabelQueue, urn: str, number: int = 1) -> str:
    body = EnvelopeCodec.encode(EnvelopeCodec.make(urn, {"order_id": number}, queue="orders"))
    app.transport._redis.rpush("orders", body)
    return body


def run(app: BabelQueue, queues: list[str] | None = None) -> FanOut:
    fan_out = FanOut(app, shop.TOPOLOGY, queues)
    fan_out.run(threading.Event(), until_empty=True)
    return fan_out


def subscribe(app: BabelQueue, **queues: str) -> None:
    for queue, urn in queues.items():
        app.transport._redis.sadd(f"babelreg:subscriptions:{urn}", queue)


def test_every_subscribed_queue_gets_the_same_bytes(app):
    subscribe(app, billing=shop.PLACED, warehouse=shop.PLACED)
    sent = [published(app, shop.PLACED, number) for number in range(250)]
    fan_out = run(app)
    assert fan_out.copied == {shop.PLACED: 250}
    assert bodies(app, "billing") == bodies(app, "warehouse") == sent
    left = app.transport._redis.keys("orders*")
    assert left == []


@pytest.mark.parametrize(
    "body, reason",
    [
        pytest.param("no JSON", "poison", id="poison"),
        pytest.param(
            EnvelopeCodec.encode(EnvelopeCodec.make("urn:babel:shop:strange", {}, queue="orders")),
            "unknown_urn",
            id="a message that the registry does not have",
        ),
    ],
)
def test_what_nobody_can_get_becomes_a_dead_letter(body, reason, app):
    app.transport._redis.rpush("orders", body)
    assert run(app).refused == {reason: 1}
    (record,) = map(json.loads, bodies(app, "orders.dlq"))
    assert record["dead_letter"]["reason"] == reason


def test_a_service_of_a_newer_registry_gets_its_messages(app):
    subscribe(app, newcomer="urn:babel:shop:strange")
    published(app, "urn:babel:shop:strange")
    assert run(app).copied == {"urn:babel:shop:strange": 1}


def test_a_message_that_nobody_consumes_is_counted(app):
    unclaimed.counts.clear()
    published(app, shop.NOTED)
    run(app)
    assert (unclaimed.counts, bodies(app, "orders.dlq")) == ({shop.NOTED: 1}, [])


def test_a_message_waits_until_its_consumer_is_subscribed(app):
    body = published(app, shop.PAID)
    assert run(app).copied == {}
    now = app.transport._clock()
    app.transport._clock = lambda: now + 61
    subscribe(app, shared=shop.PAID)
    assert run(app).copied == {shop.PAID: 1}
    assert bodies(app, "shared") == [body]


def test_a_queue_that_is_subscribed_to_itself_gets_no_copy(app):
    subscribe(app, orders=shop.PLACED, billing=shop.PLACED)
    published(app, shop.PLACED)
    assert run(app).copied == {shop.PLACED: 1}
    assert (len(bodies(app, "billing")), bodies(app, "orders")) == (1, [])


def test_a_failing_publish_leaves_the_message(app, monkeypatch):
    body = published(app, shop.PLACED)
    fan_out = FanOut(app, shop.TOPOLOGY)

    monkeypatch.setattr(app.transport, "publish_many", lambda publications: [ConnectionError("away")])
    with pytest.raises(ConnectionError):
        fan_out.run(threading.Event(), until_empty=True)
    assert bodies(app, "orders") == [body]


def test_it_runs_beside_a_worker(app):
    subscribe(app, billing=shop.PLACED)
    end = run_in_thread(FanOut(app, shop.TOPOLOGY))
    published(app, shop.PLACED)
    assert app.transport._redis.blmove("billing", "seen", 20)
    end()
    assert app.transport.is_fanned_out("orders")


@pytest.mark.parametrize("url", ["memory://", "kafka://127.0.0.1:1"])
def test_a_broker_without_subscriptions_is_refused(url):
    pytest.importorskip("confluent_kafka")
    with pytest.raises(UsageError, match="does not need a fan-out"):
        FanOut(BabelQueue(url), shop.TOPOLOGY)


def test_a_consumer_starts_it_with_what_its_package_knows(app):
    subscribe(app, billing=shop.PLACED)
    end = shop.ShopConsumer(app, service="billing").start_fan_out()
    published(app, shop.PLACED)
    assert app.transport._redis.blmove("billing", "seen", 20)
    end()


def test_a_package_without_such_queues_refuses_it(app):
    with pytest.raises(UsageError, match="no queue needs a fan-out"):
        Consumer(app).start_fan_out()


def test_a_message_under_an_alias_is_copied_as_it_is_and_counted_by_its_urn(app):
    subscribe(app, billing=shop.PLACED_AS)
    sent = [published(app, shop.PLACED_AS)]
    fan_out = run(app)
    assert fan_out.copied == {shop.PLACED: 1}
    assert bodies(app, "billing") == sent


def test_a_message_under_an_alias_waits_for_consumers_that_are_not_subscribed_to_it_yet(app):
    subscribe(app, billing=shop.PLACED)
    published(app, shop.PLACED_AS)
    fan_out = run(app)
    assert (fan_out.copied, fan_out.refused) == ({}, {})
    assert bodies(app, "billing") == bodies(app, "orders.dlq") == []
