"""Reservations of several messages at a time, on a real Redis."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.runtime.transports.redis_laravel import LaravelRedis
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import confirmed

pytestmark = pytest.mark.redis

Layout = PlainRedis | LaravelRedis
SHARED = Path(__file__).parents[1] / "shared"


@pytest.fixture(params=[False, True], ids=["plain", "laravel"])
def transport(request: pytest.FixtureRequest, redis: Server) -> Layout:
    made = confirmed(RedisTransport(redis.url, laravel_compat=request.param, retry_after=10))
    assert isinstance(made, PlainRedis | LaravelRedis)
    made._redis.flushall()
    return made


def fill(transport: Layout, count: int) -> list[str]:
    bodies = [json.dumps(on.envelope(data={"order_id": number})) for number in range(1, count + 1)]
    for body in bodies:
        transport.publish("orders", body)
    return bodies


def bodies(messages: list[ReceivedMessage]) -> list[str]:
    return [message.body for message in messages]


def at(transport: Layout, seconds: float) -> None:
    transport._clock = lambda: 1000.0 + seconds


def test_as_many_are_taken_as_there_are(transport: Layout) -> None:
    sent = fill(transport, 5)
    assert bodies(transport.take("orders", 3, 0.0)) == sent[:3]
    assert bodies(transport.take("orders", 9, 0.0)) == sent[3:]
    assert transport.take("orders", 9, 0.0) == []


def test_what_is_taken_and_not_settled_is_delivered_again_and_counted(transport: Layout) -> None:
    at(transport, 0)
    sent = fill(transport, 3)
    first = transport.take("orders", 3, 0.0)
    transport.ack(first[1])
    at(transport, 11)
    again = transport.take("orders", 3, 0.0)
    assert sorted(json.loads(body)["data"]["order_id"] for body in bodies(again)) == [1, 3]
    assert [transport.recoveries(message) for message in again] == [1, 1]
    assert len(sent) == 3


def test_a_reservation_that_is_renewed_lasts_anew(transport: Layout) -> None:
    at(transport, 0)
    fill(transport, 2)
    renewed, other = transport.take("orders", 2, 0.0)
    at(transport, 8)
    assert transport.renew(renewed)
    at(transport, 14)
    assert bodies(transport.take("orders", 2, 0.0)) != []
    assert transport.renew(renewed)
    assert not transport.renew(other)


@pytest.fixture
def plain(redis: Server) -> PlainRedis:
    made = confirmed(RedisTransport(redis.url, retry_after=10))
    assert isinstance(made, PlainRedis)
    made._redis.flushall()
    return made


def test_several_are_acknowledged_in_one_request(plain: PlainRedis, caplog: pytest.LogCaptureFixture) -> None:
    at(plain, 0)
    same = json.dumps(on.envelope())
    plain.publish("orders", same)
    plain.publish("orders", same)
    fill(plain, 3)
    messages = plain.take("orders", 5, 0.0)
    plain.ack_many([*messages[1:4], messages[0]])
    assert plain._redis.lrange("orders:processing", 0, -1) == [messages[4].body]
    at(plain, 11)
    (again,) = plain.take("orders", 5, 0.0)
    with caplog.at_level(logging.WARNING):
        plain.ack_many([messages[4]])
    assert ["expired" in record.getMessage() for record in caplog.records] == [True]
    assert plain._redis.hlen("orders:processing:deliveries") == 1
    plain.ack_many([again])
    assert plain._redis.keys("orders*") == []


def test_what_is_put_back_is_the_next_in_its_order_and_keeps_its_count(plain: PlainRedis) -> None:
    at(plain, 0)
    sent = fill(plain, 4)
    for message in reversed(plain.take("orders", 3, 0.0)):
        plain.put_back(message)
    assert plain._redis.lrange("orders", 0, -1) == sent
    assert plain._redis.exists("orders:processing", "orders:processing:deadlines") == 0
    plain.take("orders", 1, 0.0)
    at(plain, 11)
    again = plain.take("orders", 4, 0.0)
    plain.put_back(again[3])
    assert [plain.recoveries(message) for message in again] == [0, 0, 0, 1]
    assert [plain.recoveries(message) for message in plain.take("orders", 4, 0.0)] == [1]


KILLED = """
import asyncio, os, signal, sys
sys.path.insert(0, {shared!r})
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.redis_transport import RedisTransport
from babelreg.runtime import Consumer

def life():
    app = BabelQueue(transport=RedisTransport({url!r}, retry_after=1), queue="orders")
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
