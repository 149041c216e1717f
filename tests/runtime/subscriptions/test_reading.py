"""Consumers on a real Redis: inboxes, queues that services share, and subscriptions that are declared again."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import subscribed_messages as shop
from babelqueue import BabelQueue, EnvelopeCodec
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import Reject, SqliteLedger, SqlOutbox, SubscriptionMissingError
from babelreg.runtime.subscriptions import reading
from babelreg.runtime.transports.redis_layout import KEY
from babelreg.runtime.transports.replacements import confirm
from babelreg.runtime.transports.subscription_broker import unclaimed

pytestmark = pytest.mark.redis


@pytest.fixture(params=["", "&laravel=1"], ids=["plain layout", "Laravel's layout"])
def app(request: pytest.FixtureRequest, redis: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(f"{redis.url}?retry_after=30{request.param}", queue="orders")
    confirm(made)
    made.transport._redis.flushall()
    yield made
    made.transport.close()


def lying(app: BabelQueue, queue: str) -> list[dict[str, Any]]:
    transport = app.transport
    key = transport.list_of(queue)
    return [json.loads(body) for body in transport._redis.lrange(key, 0, -1)]


def service(app: BabelQueue, name: str | None, *models: type[Any], **options: Any) -> tuple[Any, list[int]]:
    """A consumer of these models, and what its handlers got."""
    consumer, handled = shop.ShopConsumer(app, service=name, **options), []
    for model in models:
        consumer.on(model)(lambda data, context: handled.append(data.order_id))
    return consumer, handled


def test_an_event_reaches_the_inbox_of_every_service(app):
    billing, of_billing = service(app, "billing", shop.Placed)
    warehouse, of_warehouse = service(app, "warehouse", shop.Placed)
    for consumer in (billing, warehouse):
        consumer.run(max_messages=1, timeout_seconds=0.01)
    for number in (1, 2, 3):
        shop.PlacedProducer(app).send(shop.Placed(order_id=number))
    assert [len(lying(app, queue)) for queue in ("billing", "warehouse", "orders")] == [3, 3, 0]
    assert {body["meta"]["queue"] for body in lying(app, "billing")} == {"orders"}
    billing.run(max_messages=5, timeout_seconds=0.01)
    assert (of_billing, of_warehouse) == ([1, 2, 3], [])
    warehouse.run(max_messages=5, timeout_seconds=0.01)
    assert of_warehouse == [1, 2, 3]


def test_a_message_that_a_service_consumes_is_refused_while_the_broker_has_no_subscription(app):
    with pytest.raises(SubscriptionMissingError, match="billing, warehouse consume it") as raised:
        shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    assert raised.value.services == ("billing", "warehouse")
    assert app.transport._redis.keys("*") == []


def test_an_event_that_no_service_declares_is_accepted_and_counted(app, caplog):
    unclaimed.counts.clear()
    for number in (1, 2):
        shop.NotedProducer(app).send(shop.Noted(order_id=number))
    assert unclaimed.counts == {shop.NOTED: 2}


def test_a_named_queue_gets_the_message_alone(app):
    shop.PlacedProducer(app, queue="audit").send(shop.Placed(order_id=1))
    assert len(lying(app, "audit")) == 1


def test_a_consumer_without_a_service_is_subscribed_with_the_producers_queue(app):
    consumer, handled = service(app, None, shop.Placed)
    assert consumer.queues == ["orders"]
    consumer.run(max_messages=1, timeout_seconds=0.01)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    consumer.run(max_messages=5, timeout_seconds=0.01)
    assert handled == [1]


def test_an_unknown_service_is_refused(app):
    with pytest.raises(UsageError, match="use one of billing, warehouse, mailer"):
        shop.ShopConsumer(app, service="biling")


def test_a_failed_message_goes_back_to_its_inbox_and_its_dead_letter_queue(app):
    billing, _ = service(app, "billing")

    @billing.on(shop.Placed)
    def handle(order, context):
        raise Reject("no")

    warehouse, _ = service(app, "warehouse", shop.Placed)
    for consumer in (billing, warehouse):
        consumer.run(max_messages=1, timeout_seconds=0.01)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    billing.run(max_messages=1, timeout_seconds=0.01)
    (record,) = lying(app, "billing.dlq")
    assert record["dead_letter"]["original_queue"] == "billing"
    assert len(lying(app, "warehouse")) == 1


def test_a_message_of_another_service_goes_back_without_a_count_and_is_reported_once(app, caplog):
    billing, handled = service(app, "billing", shop.Paid)
    warehouse, of_warehouse = service(app, "warehouse", shop.Packed)
    for consumer in (billing, warehouse):
        consumer.run(max_messages=1, timeout_seconds=0.01)
    now = [time.time()]
    app.transport._clock = lambda: now[0]
    for number in (1, 2):
        shop.PackedProducer(app).send(shop.Packed(order_id=number))
    before = lying(app, "shared")
    with caplog.at_level(logging.WARNING, "babelreg.runtime"):
        assert billing.run(max_messages=5, timeout_seconds=0.01) == 2
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["queue 'shared' is shared"]
    assert (handled, lying(app, "shared"), lying(app, "shared.dlq")) == ([], [], [])
    now[0] += 29
    warehouse.run(max_messages=5, timeout_seconds=0.01)
    assert of_warehouse == []  # it waits for retry_after
    now[0] += 2
    bodies: list[str] = []
    warehouse.on_outcome(lambda outcome, message: bodies.append(message.attempt))
    warehouse.run(max_messages=5, timeout_seconds=0.01)
    assert (sorted(of_warehouse), bodies) == ([1, 2], [1, 1])
    assert [body["attempts"] for body in before] == [0, 0]


def test_a_message_that_another_process_of_the_service_handles_is_left_to_it(app):
    billing, _ = service(app, "billing", shop.Placed)
    outcomes: list[str] = []
    billing.on_outcome(lambda outcome, message: outcomes.append(outcome.kind))
    billing.run("shared", max_messages=1, timeout_seconds=0.01)
    app.transport._redis.sadd(KEY + shop.PAID, "shared")
    shop.PaidProducer(app).send(shop.Paid(order_id=1))
    billing.run("shared", max_messages=1, timeout_seconds=0.01)
    assert outcomes == ["deferred"]


def test_a_lone_consumer_reads_the_producers_queue_too_until_a_fan_out_empties_it(app):
    mailer, handled = service(app, "mailer", shop.Mailed)
    assert mailer.queues == ["mailer", "mails"]
    app.transport._redis.flushall()
    shop.MailedProducer(app, queue="mails").send(shop.Mailed(order_id=1))
    mailer.run(max_messages=1, timeout_seconds=0.01)
    assert handled == [1]
    app.transport.mark_fanned_out("mails")
    shop.MailedProducer(app, queue="mails").send(shop.Mailed(order_id=2))
    mailer.run(max_messages=1, timeout_seconds=0.01)
    assert (handled, len(lying(app, "mails"))) == ([1], 1)


def test_subscriptions_are_declared_again_after_the_broker_was_flushed(app, monkeypatch):
    monkeypatch.setattr(reading, "_RENEW_SECONDS", 0.01)
    billing, handled = service(app, "billing", shop.Placed)
    thread = threading.Thread(target=billing.run, kwargs={"timeout_seconds": 0.01, "handle_signals": False})
    thread.start()
    client, key = app.transport._redis, KEY + shop.PLACED
    try:
        while not client.smembers(key):
            time.sleep(0.001)
        client.flushall()
        while not client.smembers(key):
            time.sleep(0.001)
        shop.PlacedProducer(app).send(shop.Placed(order_id=7))
        while not handled:
            time.sleep(0.001)
    finally:
        billing.stop()
        thread.join()
    assert handled == [7]


@pytest.mark.parametrize(
    "queue, where",
    [
        pytest.param("orders", ["billing", "warehouse"], id="a row that names the old queue goes to the subscriptions"),
        pytest.param("audit", ["audit"], id="a row that names another queue goes there"),
    ],
)
def test_a_relay_sends_rows_to_the_subscriptions(queue, where, app, tmp_path):
    connection = sqlite3.connect(tmp_path / "outbox.db")
    outbox = SqlOutbox(connection)
    outbox.create()
    shop.PlacedProducer(app, queue=None if queue == "orders" else queue).write(outbox, shop.Placed(order_id=1))
    connection.commit()
    relay = shop.ShopRelay(app.transport, outbox)
    if queue == "orders":
        assert relay.flush().failed == 1  # no subscription yet: the row stays
    for name in ("billing", "warehouse"):
        service(app, name, shop.Placed)[0].run(max_messages=1, timeout_seconds=0.01)
    assert relay.flush().published == 1
    assert [name for name in ("orders", "audit", "billing", "warehouse") if lying(app, name)] == sorted(where)


def test_services_that_share_a_database_both_handle_an_event_and_old_marks_count(app, tmp_path):
    database = tmp_path / "shared.db"
    old, of_old = service(app, "billing", shop.Placed, ledger=SqliteLedger(database))
    billing, of_billing = service(app, "billing", shop.Placed, ledger=shop.BillingLedger(database))
    warehouse, of_warehouse = service(app, "warehouse", shop.Placed, ledger=shop.WarehouseLedger(database))
    for consumer in (billing, warehouse):
        consumer.run(max_messages=1, timeout_seconds=0.01)
    shop.PlacedProducer(app).send(shop.Placed(order_id=1))
    for queue in ("billing", "warehouse"):
        (body,) = lying(app, queue)
        app.transport.publish(queue, json.dumps(body))  # delivered twice
    billing.run(max_messages=5, timeout_seconds=0.01)
    warehouse.run(max_messages=5, timeout_seconds=0.01)
    assert (of_billing, of_warehouse) == ([1], [1])
    shop.PlacedProducer(app).send(shop.Placed(order_id=2))
    app.transport.publish("billing", json.dumps(lying(app, "billing")[0]))
    old.run(max_messages=1, timeout_seconds=0.01)
    billing.run(max_messages=5, timeout_seconds=0.01)
    assert (of_old, of_billing) == ([2], [1])


def test_a_service_is_subscribed_to_the_aliases_too(app):
    billing, of_billing = service(app, "billing", shop.Placed)
    billing.run(max_messages=1, timeout_seconds=0.01)
    redis = app.transport._redis
    for name in (shop.PLACED, shop.PLACED_AS):
        assert redis.sismember(f"babelreg:subscriptions:{name}", "billing")
    body = {"order_id": 7}
    app.publish(shop.PLACED_AS, body, queue="billing")
    billing.run(max_messages=1, timeout_seconds=0.01)
    assert of_billing == [7]


def test_an_alias_of_another_service_on_a_shared_queue_goes_back(app):
    billing, of_billing = service(app, "billing", shop.Paid)
    app.publish(shop.PACKED_AS, {"order_id": 8}, queue="shared")
    billing.run(max_messages=1, timeout_seconds=0.01)
    assert of_billing == []
    assert [body["job"] for body in lying(app, "shared.dlq")] == [], "not a message of an unknown URN"


def test_a_relay_sends_a_row_under_an_alias_as_it_is_to_the_subscriptions(app, tmp_path):
    connection = sqlite3.connect(tmp_path / "outbox.db")
    outbox = SqlOutbox(connection)
    outbox.create()
    service(app, "billing", shop.Placed)[0].run(max_messages=1, timeout_seconds=0.01)
    made = EnvelopeCodec.make(shop.PLACED_AS, {"order_id": 3}, queue="orders")
    body = EnvelopeCodec.encode(made).replace('"order_id":3', '"order_id": 3.0')
    outbox.save(body, "orders")
    connection.commit()
    assert shop.ShopRelay(app.transport, outbox).flush().published == 1
    key = app.transport.list_of("billing")
    (stored,) = app.transport._redis.lrange(key, 0, -1)
    assert (stored.decode() if isinstance(stored, bytes) else stored) == body
