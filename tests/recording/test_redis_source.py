"""Redis queues as sources: no message is anywhere but in the queue, in the list of a run or in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import drain_run
import pytest
from server import Server

from babelreg.recording.redis_source import HeldMessages, RedisSource
from babelreg.runtime.transports.redis_layout import RedisLayout
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import redis_transport

pytestmark = pytest.mark.redis


@pytest.fixture(params=[False, True], ids=["lists", "Laravel's layout"])
def transport(redis: Server, request: pytest.FixtureRequest) -> Iterator[RedisLayout]:
    made = redis_transport(redis.url, laravel_compat=request.param, retry_after=1)
    assert isinstance(made, RedisLayout)
    made._redis.flushall()
    yield made
    made.close()


def fill(transport: RedisLayout, count: int) -> list[bytes]:
    for number in range(count):
        transport.publish("orders", f"{number}")
    return [b"%d" % number for number in range(count)]


def keys(transport: RedisLayout) -> list[str]:
    return sorted(transport._redis.keys("*"))


def test_batches_come_in_order_and_leave_nothing(transport: RedisLayout) -> None:
    sent, received = fill(transport, 7), []
    source = RedisSource(transport, "orders")
    while batch := source.receive(3, 0):
        received.append(batch)
        source.acknowledge()
    source.close()
    assert received == [sent[:3], sent[3:6], sent[6:]]
    assert keys(transport) == []


def test_a_batch_is_bounded_in_bytes(transport: RedisLayout) -> None:
    for _ in range(3):
        transport.publish("orders", "x" * 9_000_000)
    source = RedisSource(transport, "orders")
    assert len(source.receive(1000, 0)) == 2
    source.close()


def test_what_was_not_acknowledged_goes_back_to_its_place(transport: RedisLayout) -> None:
    sent = fill(transport, 5)
    source = RedisSource(transport, "orders")
    source.receive(2, 0)
    source.acknowledge()
    source.receive(2, 0)
    source.close()
    again = RedisSource(transport, "orders")
    assert again.receive(10, 0) == sent[2:]
    again.acknowledge()
    assert keys(transport) == []


def test_what_a_killed_run_had_taken_is_taken_over_at_once(transport: RedisLayout) -> None:
    sent = fill(transport, 5)
    RedisSource(transport, "orders").receive(3, 0)  # its process is killed
    source = RedisSource(transport, "orders")
    assert (source.left_behind(), source.waiting()) == (3, 2)
    found = source.receive(2, 0)
    assert source.taken_over == 3
    source.acknowledge()
    found += source.receive(2, 0)
    source.acknowledge()
    found += source.receive(5, 0)
    source.acknowledge()
    assert found == sent
    assert keys(transport) == []


def test_a_living_run_loses_nothing_when_its_batch_is_taken_over(transport: RedisLayout) -> None:
    sent = fill(transport, 6)
    first = RedisSource(transport, "orders")
    found = first.receive(2, 0)
    second = RedisSource(transport, "orders")
    found += second.receive(2, 0)
    first.acknowledge()
    found += first.receive(2, 0)
    second.acknowledge()
    first.acknowledge()
    found += second.receive(2, 0)
    second.acknowledge()
    assert sorted(found) == sorted([*sent, *sent[:2]])  # the batch of the first one was recorded twice
    assert keys(transport) == []


def test_messages_that_consumers_hold_stay_until_their_time_is_over(transport: RedisLayout) -> None:
    fill(transport, 2)
    assert transport.pop("orders", 0) is not None
    source = RedisSource(transport, "orders")
    assert source.held() == HeldMessages(1, 0)
    assert source.receive(10, 0) == [b"1"]
    source.acknowledge()
    transport._clock = lambda: 4e9  # much later: that consumer is dead
    (body,) = source.receive(10, 0)
    assert body == b"0"
    source.acknowledge()
    assert source.held() == HeldMessages(0, 0)
    assert keys(transport) == []


def test_headers_around_a_message_are_taken_off(redis: Server) -> None:
    transport = redis_transport(redis.url)
    assert isinstance(transport, PlainRedis)
    transport._redis.flushall()
    body = json.dumps({"job": "é"}, ensure_ascii=False)
    transport.publish_with_headers("orders", body, {"traceparent": "00-1"})
    source = RedisSource(transport, "orders")
    assert source.receive(10, 0) == [body.encode()]
    source.close()


@pytest.mark.usefixtures("transport")
def test_every_message_is_drained_though_processes_are_killed(redis: Server, tmp_path: Path) -> None:
    drain_run.run(redis, tmp_path, 400, kills=12, by_command=True)


@pytest.mark.long
@pytest.mark.usefixtures("transport")
def test_ten_thousand_messages_are_drained_though_processes_are_killed(redis: Server, tmp_path: Path) -> None:
    drain_run.run(redis, tmp_path, 10_000, kills=100, by_command=True)
