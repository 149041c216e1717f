"""Reservations of several messages at a time, on a real Redis."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from queue import SimpleQueue

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.runtime import Consumer, Context
from babelreg.runtime.transports.redis_laravel import LaravelRedis
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import redis_transport

pytestmark = pytest.mark.redis

Layout = PlainRedis | LaravelRedis
SHARED = Path(__file__).parents[1] / "shared"


@pytest.fixture(params=[False, True], ids=["plain", "laravel"])
def transport(request: pytest.FixtureRequest, redis: Server) -> Layout:
    made = redis_transport(redis.url, laravel_compat=request.param, retry_after=10)
    assert isinstance(made, PlainRedis | LaravelRedis)
    made._redis.flushall()
    return made


def fill(transport: Layout, count: int) -> list[str]:
    bodies = [json.dumps(on.envelope(data={"order_id": number})) for number in range(1, count + 1)]
    for body in bodies:
        transport.publish("orders", body)
    return bodies


def taken(transport: Layout, most: int) -> list[ReceivedMessage]:
    return transport.reserve(["orders"], most, sweep=True)


def bodies(messages: list[ReceivedMessage]) -> list[str]:
    return [message.body for message in messages]


def at(transport: Layout, seconds: float) -> None:
    transport._clock = lambda: 1000.0 + seconds


def test_as_many_are_taken_as_there_are(transport: Layout) -> None:
    sent = fill(transport, 5)
    assert bodies(taken(transport, 3)) == sent[:3]
    assert bodies(taken(transport, 9)) == sent[3:]
    assert taken(transport, 9) == []


def test_what_is_taken_and_not_settled_is_delivered_again_and_counted(transport: Layout) -> None:
    at(transport, 0)
    sent = fill(transport, 3)
    first = taken(transport, 3)
    transport.ack(first[1])
    at(transport, 11)
    again = taken(transport, 3)
    assert sorted(json.loads(body)["data"]["order_id"] for body in bodies(again)) == [1, 3]
    assert [transport.recoveries(message) for message in again] == [1, 1]
    assert len(sent) == 3


def test_a_reservation_that_is_renewed_lasts_anew(transport: Layout) -> None:
    at(transport, 0)
    fill(transport, 2)
    renewed, other = taken(transport, 2)
    at(transport, 8)
    assert transport.renew(renewed)
    at(transport, 14)
    assert bodies(taken(transport, 2)) != []
    assert transport.renew(renewed)
    assert not transport.renew(other)


def test_each_queue_that_has_messages_gives_one_in_turn(transport: Layout) -> None:
    for number in range(6):
        transport.publish("full", json.dumps(on.envelope(data={"order_id": number})))
    for queue in ("one", "two", "two"):
        transport.publish(queue, json.dumps(on.envelope()))
    messages = transport.reserve(["full", "none", "one", "two"], 7, sweep=False)
    assert [message.queue for message in messages] == ["full", "one", "two", "full", "two", "full", "full"]
    assert [message.queue for message in transport.reserve(["none", "full"], 7, sweep=False)] == ["full", "full"]


def test_an_idle_receiver_is_woken_by_a_message_of_any_queue_and_moves_none(transport: Layout) -> None:
    receiver = transport.receiver(["a", "b", "c"], 2, until_empty=False)
    assert receiver.take(1, 0.0) == []
    found: SimpleQueue[list[ReceivedMessage]] = SimpleQueue()
    reader = threading.Thread(target=lambda: found.put(list(receiver.take(1, 60.0))))
    reader.start()
    while not transport._redis.info("clients")["blocked_clients"]:
        time.sleep(0.001)
    transport.publish("c", json.dumps(on.envelope()))
    (message,) = found.get(timeout=60)
    assert message.queue == "c"
    transport.ack(message)
    receiver.close()
    assert [key for key in transport._redis.keys("*") if "notify" not in key] == []


def test_a_receiver_that_waits_can_be_woken(transport: Layout) -> None:
    receiver = transport.receiver(["a", "b"], 2, until_empty=False)
    threading.Timer(0.05, receiver.wake).start()
    assert receiver.take(1, 3600.0) == []
    receiver.close()


def test_leases_are_renewed_while_a_handler_blocks_the_loop(redis: Server) -> None:
    """A handler at work for longer than ``retry_after`` keeps its message, and that which waits behind it."""
    app = BabelQueue(transport=redis_transport(redis.url, retry_after=2), queue="orders")
    transport = app.transport
    assert isinstance(transport, PlainRedis)
    transport._redis.flushall()
    fill(transport, 2)
    consumer = Consumer(app)
    handled: list[int] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)
        renewed: set[float] = set()
        while order.order_id == 1 and len(renewed) < 4:
            renewed |= {
                score for _, score in transport._redis.zrange("orders:processing:deadlines", 0, -1, False, True)
            }
            assert transport.reserve(["orders"], 1, sweep=True) == []
            time.sleep(0.01)

    assert consumer.run(max_messages=2, prefetch=1, timeout_seconds=0.05) == 2
    assert handled == [1, 2]
    assert transport._redis.keys("*") == []


@pytest.fixture
def plain(redis: Server) -> PlainRedis:
    made = redis_transport(redis.url, retry_after=10)
    assert isinstance(made, PlainRedis)
    made._redis.flushall()
    return made


def test_several_are_acknowledged_in_one_request(plain: PlainRedis, caplog: pytest.LogCaptureFixture) -> None:
    at(plain, 0)
    same = json.dumps(on.envelope())
    plain.publish("orders", same)
    plain.publish("orders", same)
    fill(plain, 3)
    messages = taken(plain, 5)
    plain.ack_many([*messages[1:4], messages[0]])
    assert plain._redis.lrange("orders:processing", 0, -1) == [messages[4].body]
    at(plain, 11)
    (again,) = taken(plain, 5)
    with caplog.at_level(logging.WARNING):
        plain.ack_many([messages[4]])
    assert ["expired" in record.getMessage() for record in caplog.records] == [True]
    assert plain._redis.hlen("orders:processing:deliveries") == 1
    plain.ack_many([again])
    assert plain._redis.keys("orders*") == []


def test_what_is_put_back_is_the_next_in_its_order_and_keeps_its_count(plain: PlainRedis) -> None:
    at(plain, 0)
    sent = fill(plain, 4)
    for message in reversed(taken(plain, 3)):
        plain.put_back(message)
    assert plain._redis.lrange("orders", 0, -1) == sent
    assert plain._redis.exists("orders:processing", "orders:processing:deadlines") == 0
    taken(plain, 1)
    at(plain, 11)
    again = taken(plain, 4)
    plain.put_back(again[3])
    assert [plain.recoveries(message) for message in again] == [0, 0, 0, 1]
    assert [plain.recoveries(message) for message in taken(plain, 4)] == [1]


KILLED = """
import asyncio, os, signal, sys
sys.path.insert(0, {shared!r})
import runtime_messages as on
from babelqueue import BabelQueue
from babelreg.runtime import Consumer, redis_transport

def life():
    app = BabelQueue(transport=redis_transport({url!r}, retry_after=1), queue="orders")
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    async def handle(order, context):
        await asyncio.sleep(0.01)
        if order.order_id == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        app.transport._redis.rpush("effects", order.order_id)

    async def main():
        async def end():
            while not app.transport._redis.llen("orders.dlq"):
                await asyncio.sleep(0.01)
            while app.transport._redis.exists("orders", "orders:processing"):
                await asyncio.sleep(0.01)
            consumer.stop()
        ending = asyncio.create_task(end())
        await consumer.run_async(concurrency=8, prefetch=8, timeout_seconds=0.05)
        await ending

    asyncio.run(main())

kills = 0
while True:
    child = os.fork()
    if not child:
        life()
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
    kills += 1
print(kills)
"""


def test_a_message_that_kills_a_concurrent_worker_takes_no_other_with_it(plain: PlainRedis, redis: Server) -> None:
    fill(plain, 40)
    code = KILLED.format(shared=str(SHARED), url=redis.url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout == "5\n", done.stderr
    (dead,) = plain._redis.lrange("orders.dlq", 0, -1)
    record = json.loads(dead)
    assert record["data"] == {"order_id": 13}
    assert record["dead_letter"]["error"] == "delivery_limit: 5 deliveries ended without a result"
    effects = Counter(map(int, plain._redis.lrange("effects", 0, -1)))
    assert set(effects) == set(range(1, 41)) - {13}
    app = BabelQueue(redis.url, queue="orders")
    assert app.transport._redis.keys("orders*") == ["orders.dlq"]  # type: ignore[attr-defined]
