"""The runtime on a real broker: Debian's redis-server on loopback, started here."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import drain_run
import orders_run
import pytest
import recorded_files
import redis as redis_client
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.redis_transport import RedisTransport
from server import Server

from babelreg.runtime import Consumer, Context, drain
from babelreg.runtime.transports.redis_laravel import LaravelRedis
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import confirmed, redis_transport

pytestmark = pytest.mark.redis


@pytest.fixture
def app(redis: Server) -> Iterator[BabelQueue]:
    made = BabelQueue(redis.url, queue="orders")
    made.transport._redis.flushall()  # type: ignore[attr-defined]
    yield made
    made.transport.close()


def laravel(redis: Server) -> LaravelRedis:
    made = redis_transport(redis.url, laravel_compat=True, retry_after=1)
    assert isinstance(made, LaravelRedis)
    made._redis.flushall()
    return made


def of_a_dead_worker(transport: RedisTransport, body: str) -> str:
    """``body`` as it comes back when the worker that had taken it died."""
    now = [1000.0]
    transport._clock = lambda: now[0]
    transport.publish("orders", body)
    first = transport.pop("orders", 0)
    assert first is not None
    assert first.body == body
    now[0] += 5
    again = transport.pop("orders", 0)
    assert again is not None
    transport.ack(again)
    assert transport.pop("orders", 0) is None
    return again.body


def lying(app: BabelQueue, queue: str) -> list[str]:
    found: list[str] = app.transport._redis.lrange(queue, 0, -1)  # type: ignore[attr-defined]
    return found


def test_a_thousand_messages_are_published_and_drained_to_files(app: BabelQueue, tmp_path: Path) -> None:
    producer = on.OrdersCreatedProducer(app)
    identities = [producer.send(on.OrdersCreated(order_id=number + 1, note="é")) for number in range(1000)]
    published = lying(app, "orders")
    drained = drain(app, tmp_path, per_file=400)
    found = recorded_files.bodies(drained.files)
    assert [body.decode() for body in found] == published
    assert [json.loads(body)["meta"]["id"] for body in found] == identities
    assert [len(recorded_files.bodies([file])) for file in drained.files] == [400, 400, 200]
    assert app.transport._redis.keys("*") == []  # type: ignore[attr-defined]


def test_bytes_that_are_no_utf_8_are_drained_as_they_are(app: BabelQueue, tmp_path: Path) -> None:
    app.transport._redis.rpush("orders", b"\xff\xfe{", b"{}")  # type: ignore[attr-defined]
    assert recorded_files.bodies(drain(app, tmp_path).files) == [b"\xff\xfe{", b"{}"]


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


PRECIOUS = '{"job":"urn:a:b","data":{"id":9007199254740993,"lines":[],"sum":0.30000000000000004},"attempts":0}'


@pytest.mark.parametrize(
    "body, attempts",
    [
        pytest.param(PRECIOUS, 1, id="numbers and empty lists"),
        pytest.param(PRECIOUS.replace('"attempts":0', '"attempts" : 41'), 42, id="blanks around the count"),
        pytest.param(PRECIOUS.replace("lines", "attempts"), 0, id="another member called attempts"),
        pytest.param(PRECIOUS.replace('"attempts"', '"attempt\\u0073"'), 0, id="the count's name escaped"),
        pytest.param(
            '{"job":"urn:a:b","data":{"attempts":7},"attempt\\u0073":0}', 0, id="one escaped, one within data"
        ),
        pytest.param('{"job":"urn:a:b","data":{}}', None, id="no count"),
    ],
)
def test_a_message_in_laravels_layout_stays_what_it_is_when_its_worker_dies(
    redis: Server, body: str, attempts: int | None
) -> None:
    again = of_a_dead_worker(laravel(redis), body)
    assert json.loads(again).get("attempts") == attempts
    assert json.loads(again)["data"] == json.loads(body)["data"]
    assert again == (body if attempts in (0, None) else body.replace(": 41", ": 42").replace(":0}", ":1}"))


def test_babelqueue_changes_such_a_message(redis: Server) -> None:
    """What LaravelRedis stands in for. When this fails, babelqueue has mended it."""
    laravel(redis)
    again = of_a_dead_worker(RedisTransport(redis.url, laravel_compat=True, retry_after=1), PRECIOUS)
    assert json.loads(again)["data"] == {"id": 9.007199254741e15, "lines": {}, "sum": 0.3}


def test_messages_in_laravels_layout_are_handled_tried_again_and_buried(redis: Server) -> None:
    app = BabelQueue(transport=laravel(redis), queue="orders")
    for body in ("not json", "\udcff", json.dumps(on.envelope()), json.dumps(on.envelope(attempts="x"))):
        app.transport._redis.rpush("queues:orders", body)  # type: ignore[attr-defined]
    tries: list[int] = []
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        tries.append(context.attempts)
        raise RuntimeError("no")

    while consumer.run(max_messages=10, timeout_seconds=0.05):
        app.transport._clock = lambda: time.time() + 60  # type: ignore[attr-defined]
    assert tries == [0, 1, 2]
    dead = [json.loads(body)["dead_letter"] for body in lying(app, "queues:orders.dlq")]
    assert sorted(block["reason"] for block in dead) == ["failed", "poison", "poison", "poison"]
    assert list(app.transport._redis.keys("*reserved")) == []  # type: ignore[attr-defined]


def test_settings_in_the_url_are_settings(redis: Server) -> None:
    """babelqueue documents them, but its client refuses to connect with them."""
    theirs = RedisTransport(f"{redis.url}?laravel=1&prefix=mine:&retry_after=7")
    with pytest.raises(TypeError):
        theirs.publish("orders", "x")
    ours = confirmed(theirs)
    ours.publish("orders", "x")
    assert ours._redis.lrange("mine:orders", 0, -1) == ["x"]  # type: ignore[attr-defined]
    received = ours.pop("orders", 0)
    assert received is not None
    ours.ack(received)


@pytest.mark.parametrize(
    "body", ["", "1", "[]", "null", '{"attempts":1e999}', '{"attempts":"1"}', '{"attempts":null}', "[" * 3000, "\udcff"]
)
def test_no_body_is_lost_while_it_is_reserved_in_laravels_layout(redis: Server, body: str) -> None:
    transport = laravel(redis)
    transport._redis.rpush("queues:orders", body)
    received = transport.pop("orders", 0)
    assert received is not None
    assert received.body == body
    assert received.route_urn
    assert transport._redis.zrange("queues:orders:reserved", 0, -1) == [body]


@pytest.mark.usefixtures("app")
def test_every_message_is_drained_though_processes_are_killed(redis: Server, tmp_path: Path) -> None:
    drain_run.run(redis, tmp_path, 200, kills=5)


@pytest.mark.long
@pytest.mark.usefixtures("app")
def test_ten_thousand_messages_are_drained_though_processes_are_killed(redis: Server, tmp_path: Path) -> None:
    drain_run.run(redis, tmp_path, 10_000, kills=100)


@pytest.mark.usefixtures("app")
def test_five_hundred_messages_while_workers_are_killed(redis: Server, tmp_path: Path) -> None:
    orders_run.run(redis, tmp_path, 500, kill_every=100, crashes=0, seconds=400)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["SQLite", "SQLite write"])  # the two times at which its ledger locks the database
def test_ten_thousand_messages_while_workers_are_killed_and_redis_crashes(
    kind: str, durable_redis: Server, tmp_path: Path
) -> None:
    redis_client.Redis.from_url(durable_redis.url).flushall()
    orders_run.run(durable_redis, tmp_path, 10_000, kill_every=320, crashes=2, seconds=2000, kind=kind)


@pytest.mark.parametrize("layout", ["plain", "laravel"])
def test_messages_recovered_from_dead_workers_are_counted(redis: Server, layout: str) -> None:
    now = [1000.0]
    settings = {"laravel_compat": layout == "laravel", "retry_after": 1, "clock": lambda: now[0]}
    transport = redis_transport(redis.url, **settings)  # type: ignore[arg-type]
    assert isinstance(transport, PlainRedis | LaravelRedis)
    transport._redis.flushall()
    transport.publish("orders", json.dumps(on.envelope()))
    counts = []
    for _ in range(3):
        received = transport.pop("orders", 0)
        assert received is not None
        counts.append(transport.recoveries(received))
        now[0] += 5
    assert counts == [0, 1, 2]
    received = transport.pop("orders", 0)
    assert received is not None
    transport.redeliver(received, received.body, 0)
    again = transport.pop("orders", 0)
    assert again is not None
    assert transport.recoveries(again) == 3  # a retry of a handler that fails resets nothing
    transport.ack(again)
    assert transport._redis.keys("*") == []


def test_a_message_that_kills_its_worker_is_capped(redis: Server) -> None:
    app = BabelQueue(transport=redis_transport(redis.url, retry_after=1), queue="orders")
    transport = app.transport
    assert isinstance(transport, PlainRedis)
    transport._redis.flushall()
    now = [1000.0]
    transport._clock = lambda: now[0]
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    consumer = Consumer(app, delivery_limit=2)
    consumer.on(on.OrdersCreated)(lambda order, context: now.__setitem__(0, now[0] + 5))
    kinds = []
    transport.ack = lambda message: 1 / 0  # type: ignore[method-assign,assignment]
    while len(kinds) < 5 and (received := transport.pop("orders", 0)) is not None:
        kinds.append(consumer.dispatch(received).kind)
    assert kinds == ["unsettled", "unsettled", "dead_lettered"]
    (body,) = lying(app, "orders.dlq")
    assert json.loads(body)["dead_letter"]["error"].startswith("delivery_limit: 2 ")
    assert transport._redis.keys("*") == ["orders.dlq"]


@pytest.mark.parametrize("layout", ["plain", "laravel"])
def test_a_retry_comes_after_its_delay(redis: Server, layout: str) -> None:
    now = [1000.0]
    transport = redis_transport(redis.url, laravel_compat=layout == "laravel", clock=lambda: now[0])
    assert isinstance(transport, PlainRedis | LaravelRedis)
    transport._redis.flushall()
    body = json.dumps(on.envelope(meta={}))
    for _ in range(2):  # equal messages, without an id: none must get lost
        transport.publish("orders", body)
    if layout == "laravel":  # whose sorted sets hold each message once
        transport._redis.flushall()
        transport.publish("orders", body)
    while (received := transport.pop("orders", 0)) is not None:
        transport.redeliver(received, received.body, 7.5)
    now[0] += 7
    assert transport.pop("orders", 0) is None
    now[0] += 1
    count = 0
    while (received := transport.pop("orders", 0)) is not None:
        assert received.body == body
        transport.ack(received)
        count += 1
    assert count == (2 if layout == "plain" else 1)
    assert transport._redis.keys("*") == []
