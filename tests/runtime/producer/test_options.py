"""Headers, ordering key and delay: they travel with a message, or sending it is an error."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport
from telemetry_double import recording

from babelreg.runtime import AsyncProducer, Consumer, Context, Outgoing, Producer
from babelreg.runtime.errors import UnsupportedOptionError
from babelreg.runtime.testing import Broker
from babelreg.runtime.transports.capabilities import Capabilities

ORDER = on.OrdersCreated(order_id=1)


class Undeclared(Producer[on.OrdersCreated]):
    """Of a message without ``headers: true``."""

    message = dataclasses.replace(on.ORDERS_CREATED, headers=False)


class PlainTransport(InMemoryTransport):
    """A transport whose broker has none of the options."""

    capabilities = Capabilities("never")


@pytest.mark.parametrize(
    "like, producer, options, refused",
    [
        pytest.param(
            "redis", on.OrdersCreatedProducer, {"headers": {"tenant": "a"}}, None, id="declared headers on Redis"
        ),
        pytest.param("redis", Undeclared, {"headers": {"tenant": "a"}}, "headers", id="other headers on Redis"),
        pytest.param("laravel", on.OrdersCreatedProducer, {"headers": {"a": "b"}}, "headers", id="Laravel's layout"),
        pytest.param("rabbitmq", Undeclared, {"headers": {"tenant": "a"}}, None, id="RabbitMQ has headers"),
        pytest.param("kafka", Undeclared, {"headers": {"tenant": "a"}}, None, id="Kafka has headers"),
        pytest.param(None, Undeclared, {"headers": {"tenant": "a"}}, "headers", id="an unknown broker"),
        pytest.param(
            None, on.OrdersCreatedProducer, {"headers": {"tenant": "a"}}, None, id="an unknown broker, declared"
        ),
        pytest.param("redis", on.OrdersCreatedProducer, {"key": "a"}, None, id="a key in a header"),
        pytest.param("redis", Undeclared, {"key": "a"}, "key", id="a key without headers"),
        pytest.param("laravel", Undeclared, {"key": "a"}, "key", id="a key in Laravel's layout"),
        pytest.param("kafka", Undeclared, {"key": "a"}, None, id="Kafka has keys"),
        pytest.param(None, Undeclared, {"key": "a"}, None, id="a key for an unknown broker"),
        pytest.param("redis", Undeclared, {"delay": 5}, None, id="Redis has delays"),
        pytest.param("laravel", Undeclared, {"delay": 5}, None, id="Laravel's layout has delays"),
        pytest.param("rabbitmq", Undeclared, {"delay": 5}, None, id="RabbitMQ has delays"),
        pytest.param("kafka", Undeclared, {"delay": 5}, "delay", id="Kafka has no delays"),
    ],
)
@pytest.mark.parametrize("how", ["send", "send_many", "async"])
def test_an_option_that_the_broker_does_not_have_is_an_error(like, producer, options, refused, how):
    with Broker(like=like) as broker:
        of_message = producer(broker.app, queue="orders")

        def act() -> None:
            if how == "send":
                of_message.send(ORDER, **options)
            elif how == "send_many":
                key = options.get("key")
                of_message.send_many([ORDER], **{**options, **({"key": lambda order: key} if key else {})})
            else:
                made = AsyncProducer(broker.app, on.OrdersCreated, queue="orders")
                made._producer._declared = producer.message.headers
                asyncio.run(made.send(ORDER, **options))

        if refused is None:
            act()
            (sent,) = broker.publications
            assert dict(sent.headers).get("tenant") == options.get("headers", {}).get("tenant")
            assert sent.delay == options.get("delay", 0)
            assert (sent.key or sent.headers.get("babelreg-key")) == options.get("key")
        else:
            with pytest.raises(UnsupportedOptionError) as caught:
                act()
            assert (caught.value.option, caught.value.urn) == (refused, on.CREATED)
            assert caught.value.fix
            assert broker.publications == []


@pytest.mark.parametrize(
    "like, producer, sent",
    [
        pytest.param("redis", on.OrdersCreatedProducer, 1, id="declared headers on Redis"),
        pytest.param("redis", Undeclared, 0, id="other headers on Redis"),
        pytest.param("rabbitmq", Undeclared, 1, id="RabbitMQ"),
    ],
)
def test_what_middleware_adds_travels_or_is_an_error(like, producer, sent):
    with Broker(like=like) as broker:
        of_message = producer(broker.app, queue="orders")

        @of_message.middleware
        def add(order: Any, outgoing: Outgoing) -> Iterator[None]:
            outgoing.headers["tenant"] = "acme"
            yield

        if sent:
            of_message.send(ORDER)
        else:
            with pytest.raises(UnsupportedOptionError, match="tenant"):
                of_message.send(ORDER)
        assert [dict(each.headers) for each in broker.publications] == [{"tenant": "acme"}] * sent


def test_the_error_says_how_the_registry_allows_headers():
    with pytest.raises(UnsupportedOptionError, match="tenant") as caught:
        Undeclared(on.app()).send(ORDER, headers={"tenant": "a"})
    assert "headers: true" in str(caught.value)
    assert "acme" not in str(caught.value)


def test_memory_has_no_delays():
    with pytest.raises(UnsupportedOptionError, match="does not support delays"):
        on.OrdersCreatedProducer(on.app()).send(ORDER, delay=1)


@pytest.mark.parametrize(
    "options, error",
    [
        pytest.param({"headers": {"tenant": None}}, TypeError, id="a header that is None"),
        pytest.param({"headers": {"tenant": 7}}, TypeError, id="a header that is a number"),
        pytest.param({"headers": {"": "a"}}, ValueError, id="a header without a name"),
        pytest.param({"headers": {"tenant": ""}}, ValueError, id="an empty header, which Redis loses"),
        pytest.param({"headers": {"tenant": "\ud800"}}, ValueError, id="an unpaired surrogate"),
        pytest.param({"headers": {"bq-job": "urn"}}, ValueError, id="a header of the envelope"),
        pytest.param({"headers": {"x-death": "1"}}, ValueError, id="a header of the broker"),
        pytest.param({"key": ""}, ValueError, id="an empty key"),
        pytest.param({"key": 7}, TypeError, id="a key that is a number"),
        pytest.param({"delay": -1}, ValueError, id="a delay in the past"),
        pytest.param({"delay": float("nan")}, ValueError, id="a delay that is no number"),
        pytest.param({"delay": float("inf")}, ValueError, id="an endless delay"),
    ],
)
def test_what_no_broker_could_carry_is_refused(options, error):
    with Broker() as broker:
        with pytest.raises(error):
            on.OrdersCreatedProducer(broker.app).send(ORDER, **options)
        assert broker.publications == []


def test_a_name_that_begins_with_x_is_that_of_the_service():
    app = on.app()
    on.OrdersCreatedProducer(app).send(ORDER, headers={"x-tenant": "acme"})
    assert seen(app) == [({"x-tenant": "acme"}, None)]


def test_the_key_of_the_producer_orders_what_a_consumer_handles():
    app = on.app()
    producer = on.OrdersCreatedProducer(app)
    producer.send_many(
        [on.OrdersCreated(order_id=number) for number in range(1, 41)], key=lambda order: str(order.order_id % 3)
    )
    consumer, running, handled = Consumer(app), set(), []

    @consumer.on(on.OrdersCreated, ordered_by="key")
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        assert context.key not in running
        running.add(context.key)
        await asyncio.sleep(0)
        handled.append(order.order_id)
        running.discard(context.key)

    asyncio.run(consumer.run_async(concurrency=8, max_messages=40, timeout_seconds=0.01))
    assert sorted(handled) == list(range(1, 41))
    for rest in range(3):
        assert [number for number in handled if number % 3 == rest] == sorted(n for n in handled if n % 3 == rest)


def seen(app: BabelQueue) -> list[tuple[dict[str, str], str | None]]:
    """The headers and the keys that a handler gets."""
    found: list[tuple[dict[str, str], str | None]] = []
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(lambda order, context: found.append((dict(context.headers), context.key)))
    consumer.run(max_messages=10, timeout_seconds=0.01)
    return found


def test_headers_and_keys_reach_the_handler():
    app = on.app()
    on.OrdersCreatedProducer(app).send(ORDER, headers={"tenant": "acme"}, key="1042")
    assert seen(app) == [({"tenant": "acme", "babelreg-key": "1042"}, "1042")]


def test_headers_stay_with_a_message_that_is_tried_again_or_dead_lettered_in_memory():
    app = on.app(dead_letter=True)
    on.OrdersCreatedProducer(app).send(ORDER, headers={"tenant": "acme"})
    consumer, tenants = Consumer(app), []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        tenants.append(context.headers["tenant"])
        raise RuntimeError

    consumer.run(max_messages=3, timeout_seconds=0.01)
    assert tenants == ["acme"] * 3
    dead = app.transport.pop("orders.dlq")
    assert dead is not None
    assert dead.headers == {"tenant": "acme"}


@pytest.mark.parametrize("how", ["send", "write"])
def test_a_traceparent_that_cannot_travel_is_left_out_and_counted(how, tmp_path):
    from babelqueue.outbox import InMemoryOutboxStore

    with recording() as telemetry:
        app = BabelQueue(transport=PlainTransport(), queue="orders")
        producer, store = Undeclared(app), InMemoryOutboxStore()
        for _ in range(3):
            if how == "send":
                producer.send(ORDER)
            else:
                producer.write(store, ORDER)
        ((labels, count),) = telemetry.points("babelreg.producer.untraced.messages")
        assert (count, labels["babelreg.urn"], labels["messaging.destination.name"]) == (3, on.CREATED, "orders")
        assert {len(span.links) for span in telemetry.spans()} == {0}
    if how == "send":
        assert [headers for headers, _ in seen(app)] == [{}] * 3


def test_a_header_of_the_service_is_an_error_though_telemetry_is_on():
    with recording() as telemetry:
        app = BabelQueue(transport=PlainTransport(), queue="orders")
        with pytest.raises(UnsupportedOptionError):
            Undeclared(app).send(ORDER, headers={"tenant": "a"})
        assert telemetry.points("babelreg.producer.untraced.messages") == []
    assert json.loads(json.dumps(on.bodies(app, "orders"))) == []


def test_instrumentation_of_an_earlier_version_is_not_told_what_is_left_out(monkeypatch, caplog):
    class Earlier:
        def __getattr__(self, name: str) -> Any:
            if name == "left_out":
                raise AttributeError(name)
            return lambda *arguments: _added(*arguments)

    from contextlib import contextmanager

    from babelreg.runtime.telemetry import instrumentation

    @contextmanager
    def _added(message: Any, transport: Any) -> Iterator[None]:
        message.headers["traceparent"] = "00-1"
        yield

    monkeypatch.setattr(instrumentation, "_installed", [Earlier()])
    app = BabelQueue(transport=PlainTransport(), queue="orders")
    with caplog.at_level(logging.INFO):
        Undeclared(app).send(ORDER)
    monkeypatch.undo()
    assert [headers for headers, _ in seen(app)] == [{}]
