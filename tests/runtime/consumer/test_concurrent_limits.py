"""Guarantees of concurrent runs beyond the good case: suspect deliveries, outages, lost reservations, signals."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.runtime import Consumer, Context, SqliteLedger
from babelreg.runtime.consumer import loop

SHARED = Path(__file__).parents[1] / "shared"


class Counting(InMemoryTransport):
    """A broker that counts recoveries: those of each order are in ``counts``; notes what is reserved."""

    def __init__(self, counts: dict[int, int | None]) -> None:
        super().__init__()
        self.counts = counts
        self.reserved: set[int] = set()

    def recoveries(self, message: ReceivedMessage) -> int | None:
        self.reserved.add(number_of(message.body))
        return self.counts.get(number_of(message.body), 0)

    def uncounted(self, queue: str) -> str | None:
        return None

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self.reserved.discard(number_of(message.body))
        self.publish(message.queue, body)

    def put_back(self, message: ReceivedMessage) -> None:
        self.reserved.discard(number_of(message.body))
        self._queues[message.queue].appendleft(message.body)
        self._headers[message.queue].appendleft({})

    def ack(self, message: ReceivedMessage) -> None:
        self.reserved.discard(number_of(message.body))


def number_of(body: str) -> int:
    number: int = json.loads(body)["data"]["order_id"]
    return number


def app_of(transport: InMemoryTransport, count: int) -> BabelQueue:
    app = BabelQueue(transport=transport, queue="orders")
    for number in range(1, count + 1):
        on.put(app, on.envelope(data={"order_id": number}))
    return app


@pytest.mark.parametrize("mode", ["loop", "threads"])
def test_a_delivery_that_may_kill_its_worker_is_alone_with_it(mode: str) -> None:
    transport = Counting({7: 3, 8: 2, 12: 4})
    app = app_of(transport, 20)
    consumer = Consumer(app)
    beside: dict[int, set[int]] = {}

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        beside[order.order_id] = set(transport.reserved)
        await asyncio.sleep(0)

    assert run(consumer, mode, 4, max_messages=20) == 20
    assert sorted(beside) == list(range(1, 21))
    assert {number: beside[number] for number in (7, 8, 12)} == {7: {7}, 8: {8}, 12: {12}}
    assert max(len(others) for others in beside.values()) > 1


def test_where_the_ledger_counts_suspects_run_alone_and_others_wait(tmp_path: Path) -> None:
    transport = Counting({3: None})
    app = app_of(transport, 6)
    consumer = Consumer(app, ledger=SqliteLedger(tmp_path / "x.db"))
    active: set[int] = set()
    beside: dict[int, set[int]] = {}

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        active.add(order.order_id)
        beside[order.order_id] = set(active)
        active.discard(order.order_id)

    assert run(consumer, "threads", 3, max_messages=6) == 6
    assert sorted(beside) == list(range(1, 7))
    assert beside[3] == {3}


def run(consumer: Consumer, mode: str, concurrency: int, **settings: Any) -> int:
    if mode == "threads":
        return consumer.run(workers=concurrency, timeout_seconds=0.01, **settings)
    return asyncio.run(consumer.run_async(concurrency=concurrency, timeout_seconds=0.01, **settings))


class Away:
    """A ledger whose database is away until ``begin`` was called ``failures`` times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.connection = self.earlier = None
        self._lock = threading.Lock()

    def begin(self, message_id: str) -> Away:
        with self._lock:
            self.failures -= 1
            if self.failures >= 0:
                raise ConnectionError("away")
        return self

    def commit(self, content: str) -> bool:
        return True

    def rollback(self) -> None: ...


@pytest.mark.parametrize("mode", ["loop", "threads"])
@pytest.mark.parametrize("is_async", [True, False])
def test_an_outage_of_the_ledger_returns_messages_unchanged_and_pauses(
    monkeypatch: pytest.MonkeyPatch, mode: str, is_async: bool
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(loop.Pauses, "next_seconds", lambda self: pauses.append(1.0) or 0.001)
    app = app_of(InMemoryTransport(), 30)
    consumer = Consumer(app, ledger=Away(10))
    handled: Counter[int] = Counter()

    async def handle_async(order: on.OrdersCreated, context: Context) -> None:
        assert context.attempts == 0
        handled[order.order_id] += 1

    def handle(order: on.OrdersCreated, context: Context) -> None:
        assert context.attempts == 0
        handled[order.order_id] += 1

    consumer.on(on.OrdersCreated)(handle_async if is_async else handle)
    assert run(consumer, mode, 4, max_messages=40) == 40
    assert handled == dict.fromkeys(range(1, 31), 1)
    assert pauses
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


class Failing(InMemoryTransport):
    """A broker that fails every third time that it is asked for a message, after the first."""

    calls = 0

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        self.calls += 1
        if self.calls % 3 == 0:
            raise ConnectionError("away")
        return super().pop(queue, timeout)


@pytest.mark.parametrize("mode", ["loop", "threads"])
def test_a_broker_that_is_away_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setattr(loop.Pauses, "next_seconds", lambda self: 0.001)
    app = app_of(Failing(), 12)
    consumer = Consumer(app)
    handled: list[int] = []

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)
        if len(handled) == 12:
            consumer.stop()

    assert run(consumer, mode, 4) == 12
    assert len(set(handled)) == 12


@pytest.mark.parametrize("mode", ["loop", "threads"])
def test_a_broker_that_was_never_there_is_an_error(mode: str) -> None:
    transport = Failing()
    transport.calls = 2
    consumer = Consumer(app_of(transport, 1))
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    with pytest.raises(ConnectionError):
        run(consumer, mode, 2)


class Expiring(InMemoryTransport):
    """A broker whose reservations of ``expired`` orders end before they are begun."""

    def __init__(self, expired: Sequence[int]) -> None:
        super().__init__()
        self.expired = set(expired)

    def renew(self, message: ReceivedMessage) -> bool:
        return number_of(message.body) not in self.expired


def test_a_delivery_whose_reservation_has_ended_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("babelreg.runtime.consumer.backlog._RENEW_AFTER_SECONDS", 0.0)
    consumer = Consumer(app_of(Expiring([2, 5]), 6))
    handled: list[int] = []

    @consumer.on(on.OrdersCreated, ordered_by=lambda order: 1)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)

    assert run(consumer, "loop", 3, max_messages=6) == 4
    assert handled == [1, 3, 4, 6]


def test_a_key_that_cannot_be_computed_is_a_failed_attempt(caplog: pytest.LogCaptureFixture) -> None:
    app = app_of(InMemoryTransport(), 2)
    consumer = Consumer(app)
    handled: list[int] = []

    @consumer.on(on.OrdersCreated, ordered_by=lambda order: [] if order.order_id == 1 else None)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)

    with caplog.at_level(logging.CRITICAL):
        assert run(consumer, "loop", 2, max_messages=10) == 4
    assert handled == [2]
    (record,) = on.bodies(app, "orders.dlq")
    assert json.loads(record)["dead_letter"]["error"] == "handler_failed: unhashable type: 'list'"


SERVICE = """
import asyncio, sys, threading, time
sys.path.insert(0, {shared!r})
import runtime_messages as on
from babelreg.runtime import Consumer

app = on.app()
for number in range(1, 31):
    on.put(app, on.envelope(data={{"order_id": number}}))
consumer, begun, ended, go = Consumer(app), [], [], threading.Event()

@consumer.on(on.OrdersCreated)
{handler}

consumer_run = {run}
print(consumer_run, sorted(begun) == sorted(ended), len(on.bodies(app, "orders")), flush=True)
"""
ASYNC = """async def handle(order, context):
    begun.append(order.order_id)
    if len(begun) == 4:
        print("ready", flush=True)
    while not consumer._stop.is_set():
        await asyncio.sleep(0.001)
    ended.append(order.order_id)"""
PLAIN = """def handle(order, context):
    begun.append(order.order_id)
    if len(begun) == 4:
        print("ready", flush=True)
    while not consumer._stop.is_set():
        time.sleep(0.001)
    ended.append(order.order_id)"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    "handler, run_code",
    [
        pytest.param(ASYNC, "asyncio.run(consumer.run_async(concurrency=4, prefetch=8))", id="async in a loop"),
        pytest.param(PLAIN, "asyncio.run(consumer.run_async(concurrency=4, prefetch=8))", id="plain beside a loop"),
        pytest.param(PLAIN, "consumer.run(workers=4, prefetch=8)", id="threads"),
    ],
)
def test_a_signal_lets_handlers_finish_and_gives_back_the_rest(handler: str, run_code: str, number: int) -> None:
    code = SERVICE.format(shared=str(SHARED), handler=handler, run=run_code)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, number)
    printed, _ = process.communicate(timeout=300)
    assert printed == "4 True 26\n"
    assert process.returncode == 0


WATCHED = """None
def watch():
    while not consumer._stop.is_set():
        time.sleep(0.001)
    print("stopping", flush=True)

threading.Thread(target=watch, daemon=True).start()
consumer_run = """
STUCK = """def handle(order, context):
    begun.append(order.order_id)
    if len(begun) == 4:
        print("ready", flush=True)
    go.wait()"""
STUCK_ASYNC = """async def handle(order, context):
    begun.append(order.order_id)
    if len(begun) == 4:
        print("ready", flush=True)
    await asyncio.Event().wait()"""


@pytest.mark.parametrize(
    "run_code, left",
    [
        pytest.param("consumer.run(workers=4, prefetch=8, grace_seconds=0.05)", "0 False 30", id="threads"),
        pytest.param("consumer.run(prefetch=0, grace_seconds=0.05)", "1 False 30", id="a single stream"),
    ],
)
def test_a_stuck_handler_is_waited_for_as_long_as_the_grace(run_code: str, left: str) -> None:
    ready = STUCK.replace("len(begun) == 4", "len(begun) == 1")
    code = SERVICE.format(shared=str(SHARED), handler=ready, run=run_code)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGTERM)
    printed, _ = process.communicate(timeout=300)
    assert printed.split()[1:] == left.split()[1:]
    assert process.returncode == 0


@pytest.mark.parametrize(
    "handler, run_code",
    [
        pytest.param(STUCK_ASYNC, "asyncio.run(consumer.run_async(concurrency=4, prefetch=8))", id="async in a loop"),
        pytest.param(STUCK, "asyncio.run(consumer.run_async(concurrency=4, prefetch=8))", id="plain beside a loop"),
        pytest.param(STUCK, "consumer.run(workers=4, prefetch=8)", id="threads"),
    ],
)
def test_a_second_signal_does_not_wait_for_handlers(handler: str, run_code: str) -> None:
    code = SERVICE.format(shared=str(SHARED), handler=handler, run=WATCHED + run_code)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGTERM)
    assert process.stdout.readline() == "stopping\n"
    os.kill(process.pid, signal.SIGTERM)
    printed, _ = process.communicate(timeout=300)
    assert printed == "0 False 30\n"
    assert process.returncode == 0
