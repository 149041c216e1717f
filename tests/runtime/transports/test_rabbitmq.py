"""The runtime on a real broker: Debian's rabbitmq-server on loopback, started here."""

from __future__ import annotations

import itertools
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import drain_run
import orders_run
import pytest
import recorded_files
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.pika_transport import PikaTransport
from babelqueue.transport import ReceivedMessage
from pika.exceptions import AMQPError
from server import Server

from babelreg.runtime import Consumer, Context, drain
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.receiver import DeliveryLostError
from babelreg.runtime.transports.replacements import confirm

pytestmark = pytest.mark.rabbitmq

QUEUES = ("orders", "orders.dlq")


@pytest.fixture
def app(rabbitmq: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(rabbitmq.url, queue="orders")
    confirm(made)
    channel = broker(made).connection().channel()
    for queue in QUEUES:
        channel.ask("queue_delete", queue)
    channel.close()
    yield made
    made.transport.close()


def broker(app: BabelQueue) -> RabbitMQ:
    assert isinstance(app.transport, RabbitMQ)
    return app.transport


def taken(app: BabelQueue, queue: str) -> list[str]:
    """What lies in ``queue``, taken off it."""
    found = []
    while received := app.transport.pop(queue, timeout=0):
        found.append(received.body)
        app.transport.ack(received)
    return found


def hang_up(app: BabelQueue) -> None:
    """Let the connection end as a broken network ends it."""
    connection = broker(app)._connection
    assert connection is not None
    stream = connection._services._stream
    assert stream is not None
    stream.socket.shutdown(socket.SHUT_RDWR)


def test_messages_are_published_and_drained_to_files(app: BabelQueue, tmp_path: Path) -> None:
    producer = on.OrdersCreatedProducer(app)
    identities = [producer.send(on.OrdersCreated(order_id=number + 1, note="é")) for number in range(300)]
    drained = drain(app, tmp_path, per_file=200)
    assert [json.loads(body)["meta"]["id"] for body in recorded_files.bodies(drained.files)] == identities
    assert taken(app, "orders") == []


def test_the_properties_are_those_of_the_binding(app: BabelQueue) -> None:
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    channel = broker(app)._open_channel()
    delivery = channel.get("orders")
    assert delivery is not None
    _, properties, body = delivery
    theirs = PikaTransport("amqp://localhost")._properties(body.decode())
    assert vars(properties) == vars(theirs)


def test_messages_are_handled_tried_again_and_buried(app: BabelQueue) -> None:
    producer = on.OrdersCreatedProducer(app)
    for number in range(1, 21):
        producer.send(on.OrdersCreated(order_id=number))
    bodies = ["not json", "[1]", '"x"', '{"job":"urn:babel:orders:created","meta":"x"}', "\udcff{"]
    for body in bodies:
        app.transport.publish("orders", body)
    handled: list[int] = []
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        if order.order_id == 13:
            raise RuntimeError("no")
        handled.append(order.order_id)

    consumer.run(max_messages=100, timeout_seconds=0.05)
    assert handled == [number for number in range(1, 21) if number != 13]
    dead = [json.loads(body)["dead_letter"] for body in taken(app, "orders.dlq")]
    assert sorted(block["reason"] for block in dead) == ["failed", *["poison"] * len(bodies)]
    assert taken(app, "orders") == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("[1]", id="no object"),
        pytest.param('{"job":"urn:a:b","meta":"x"}', id="meta is no object"),
        pytest.param('{"job":"urn:a:b","trace_id":5}', id="a number for an id"),
        pytest.param('{"job":"urn:a:b","attempts":99999999999999999999}', id="attempts beyond 64 bits"),
        pytest.param('{"job":"urn:a:b","meta":{"id":"%s"}}' % ("é" * 200), id="an id longer than a property"),
        pytest.param('{"job":"\\ud800"}', id="an unpaired surrogate"),
        pytest.param("[" * 5000, id="nested deeper than can be parsed"),
    ],
)
def test_any_body_can_be_published(app: BabelQueue, body: str) -> None:
    app.transport.publish("orders.dlq", body)
    assert taken(app, "orders.dlq") == [body]


def test_bytes_that_are_no_utf_8_are_published_as_they_came(app: BabelQueue) -> None:
    app.transport.publish("orders", "\udcff\udcfe")
    assert taken(app, "orders") == ["\udcff\udcfe"]


def test_headers_of_the_message_outlive_a_retry(app: BabelQueue) -> None:
    headers = {"traceparent": "00-1-2-03", "x-attempts": "hidden"}
    broker(app).publish_with_headers("orders", json.dumps(on.envelope()), headers)
    seen: list[tuple[int, str, str]] = []
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        seen.append((context.attempts, context.headers["traceparent"], context.headers["x-attempts"]))
        if len(seen) == 1:
            raise RuntimeError("once")

    consumer.run(max_messages=2, timeout_seconds=0.05)
    assert seen == [(0, "00-1-2-03", "0"), (1, "00-1-2-03", "1")]


def test_an_acknowledgement_never_reaches_another_connection(app: BabelQueue) -> None:
    for number in range(3):
        app.transport.publish("orders", str(number))
    first = app.transport.pop("orders", 0)
    assert first is not None
    hang_up(app)
    app.transport.publish("orders.dlq", "on a new connection")
    again = app.transport.pop("orders", 1)
    assert again is not None
    assert again.body == "0"
    for settle in (app.transport.ack, lambda one: broker(app).redeliver(one, "copy", 0.0)):
        with pytest.raises(DeliveryLostError):
            settle(first)
    broker(app).rewind(first)
    app.transport.ack(again)
    assert taken(app, "orders") == ["1", "2"]


def test_a_message_goes_out_on_a_new_connection_when_the_old_one_died(app: BabelQueue) -> None:
    producer = on.OrdersCreatedProducer(app)
    producer.send(on.OrdersCreated(order_id=1))
    hang_up(app)
    producer.send(on.OrdersCreated(order_id=2))
    assert len(taken(app, "orders")) == 2


def test_a_child_process_has_a_connection_of_its_own(app: BabelQueue) -> None:
    app.transport.publish("orders", "parent")
    child = os.fork()
    if not child:
        try:
            app.transport.publish("orders", "child")
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    app.transport.publish("orders", "parent again")
    assert taken(app, "orders") == ["parent", "child", "parent again"]


def test_a_queue_that_was_deleted_is_declared_again_and_swallows_nothing(app: BabelQueue) -> None:
    app.transport.publish("orders", "one")
    broker(app)._open_channel().ask("queue_delete", "orders")
    app.transport.publish("orders", "two")
    assert taken(app, "orders") == ["two"]


def test_a_queue_of_another_kind_is_used_as_it_is(app: BabelQueue) -> None:
    channel = broker(app).connection().channel()
    channel.ask("queue_declare", "quorum", durable=True, arguments={"x-queue-type": "quorum"})
    app.transport.publish("quorum", "x")
    assert taken(app, "quorum") == ["x"]
    channel.ask("queue_delete", "quorum")


def test_a_message_that_was_not_settled_is_given_back(app: BabelQueue) -> None:
    app.transport.publish("orders", "x")
    received = app.transport.pop("orders", 0)
    assert received is not None
    broker(app).rewind(received)
    assert taken(app, "orders") == ["x"]


def test_a_handler_longer_than_the_heartbeat_keeps_its_message(
    rabbitmq: Server, app: BabelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = BabelQueue(f"{rabbitmq.url}?heartbeat=2", queue="orders")
    consumer = Consumer(slow)
    handled: list[int] = []
    beaten, beats, answer = threading.Event(), itertools.count(1), RabbitMQ._answer

    def answer_and_count(transport: RabbitMQ) -> None:
        answer(transport)
        if handled and next(beats) == 8:
            beaten.set()

    monkeypatch.setattr(RabbitMQ, "_answer", answer_and_count)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)
        # The broker hangs up after two intervals without a beat, that is six times the pause between two of ours.
        assert beaten.wait(120), "the connection is not attended to while the handler works"

    on.OrdersCreatedProducer(slow).send(on.OrdersCreated(order_id=7))
    consumer.run(max_messages=1)
    slow.transport.close()
    assert handled == [7]
    assert taken(app, "orders") == []


def test_babelqueues_own_transport_drops_a_message_for_a_queue_that_was_deleted(
    rabbitmq: Server, app: BabelQueue
) -> None:
    """What RabbitMQ stands in for. When this fails, babelqueue has mended it."""
    theirs: Any = PikaTransport(rabbitmq.url)
    theirs.publish("orders", "one")
    broker(app)._open_channel().ask("queue_delete", "orders")
    theirs.publish("orders", "two")
    theirs.close()
    assert taken(app, "orders") == []


@pytest.mark.long
def test_what_was_sent_outlives_a_crash_of_the_broker(rabbitmq: Server, app: BabelQueue) -> None:
    """And with babelqueue's own transport it does not, which is what RabbitMQ stands in for."""
    for number in range(1000):
        app.transport.publish("orders", str(number))
    theirs = PikaTransport(rabbitmq.url)
    for number in range(1000):
        theirs.publish("orders.dlq", f'{{"number":{number}}}')
    rabbitmq.crash()
    rabbitmq.start()
    app = BabelQueue(transport=RabbitMQ(rabbitmq.url))
    assert taken(app, "orders") == [str(number) for number in range(1000)]
    lost = 1000 - len(taken(app, "orders.dlq"))
    app.transport.close()
    print(f"lost by babelqueue's own transport: {lost} of 1000")
    assert lost > 0


@pytest.mark.usefixtures("app")
def test_every_message_is_drained_though_processes_are_killed(rabbitmq: Server, tmp_path: Path) -> None:
    drain_run.run(rabbitmq, tmp_path, 200, kills=5)


@pytest.mark.long
@pytest.mark.usefixtures("app")
def test_ten_thousand_messages_are_drained_though_processes_are_killed(rabbitmq: Server, tmp_path: Path) -> None:
    drain_run.run(rabbitmq, tmp_path, 10_000, kills=100)


@pytest.mark.usefixtures("app")
def test_five_hundred_messages_while_workers_are_killed(rabbitmq: Server, tmp_path: Path) -> None:
    orders_run.run(rabbitmq, tmp_path, 500, kill_every=100, crashes=0, seconds=400)


@pytest.mark.long
@pytest.mark.usefixtures("app")
def test_ten_thousand_messages_while_workers_are_killed_and_rabbitmq_crashes(rabbitmq: Server, tmp_path: Path) -> None:
    orders_run.run(rabbitmq, tmp_path, 10_000, kill_every=320, crashes=2, seconds=2000)


def quorum(app: BabelQueue, queue: str = "orders") -> None:
    channel = broker(app).connection().channel()
    channel.ask("queue_declare", queue, durable=True, arguments={"x-queue-type": "quorum"})
    channel.close()


def popped(app: BabelQueue) -> ReceivedMessage:
    """The next delivery, on a new connection if the last one has ended."""
    for _ in range(2):
        with suppress(AMQPError):
            received = app.transport.pop("orders", timeout=5)
            assert received is not None
            return received
    raise AssertionError("no connection")


def test_a_quorum_queue_counts_deliveries_that_ended_without_a_result(app: BabelQueue) -> None:
    quorum(app)
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    counts = []
    for _ in range(3):
        received = popped(app)
        counts.append(broker(app).recoveries(received))
        hang_up(app)
    popped(app)
    assert counts == [0, 1, 2]
    assert broker(app).uncounted("orders") is None


def test_a_classic_queue_says_only_that_it_delivers_again(app: BabelQueue) -> None:
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    counts = []
    for _ in range(3):
        received = popped(app)
        counts.append(broker(app).recoveries(received))
        hang_up(app)
    popped(app)
    assert counts == [0, None, None]
    assert broker(app).uncounted("orders") == "queue 'orders' is a classic queue, which does not count deliveries"


def test_a_message_that_kills_its_worker_is_capped(app: BabelQueue) -> None:
    quorum(app)
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    consumer = Consumer(app, delivery_limit=2)
    calls: list[int] = []

    @consumer.on(on.OrdersCreated)
    def die(order: on.OrdersCreated, context: Context) -> None:
        calls.append(1)
        hang_up(app)  # what the broker sees of a worker that dies

    kinds = []
    while len(kinds) < 3:
        kinds.append(consumer.dispatch(popped(app)).kind)
    assert kinds == ["unsettled", "unsettled", "dead_lettered"]
    (record,) = taken(app, "orders.dlq")
    assert json.loads(record)["dead_letter"]["error"].startswith("delivery_limit: 2 deliveries")


def test_a_retry_comes_after_its_delay(app: BabelQueue) -> None:
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=2))
    for delay in (1.2, 0.3):
        received = app.transport.pop("orders", timeout=2)
        assert received is not None
        broker(app).redeliver(received, received.body, delay)
    assert app.transport.pop("orders", timeout=0) is None
    orders = []
    for _ in range(2):
        received = app.transport.pop("orders", timeout=10)
        assert received is not None
        assert broker(app).recoveries(received) == 0
        app.transport.ack(received)
        orders.append(json.loads(received.body)["data"]["order_id"])
    assert orders == [2, 1]
    channel = broker(app).connection().channel()
    for queue in ("orders.delay.1", "orders.delay.2"):
        assert channel.ask("queue_declare", queue, passive=True).method.message_count == 0
    channel.close()
