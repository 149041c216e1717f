"""The time that one call of a handler may take, on a broker in memory and on Redis."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server

from babelreg.runtime import Consumer, Context, SqliteLedger
from babelreg.runtime.consumer.time_limit import HandlerClock, TimeLimitExceeded
from babelreg.runtime.models.pydantic_base import Model, message

URN = "urn:babel:orders:limited"


class OrdersLimited(Model):
    order_id: int


LIMITED = message(
    OrdersLimited,
    urn=URN,
    schema={"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer"}}},
    queue="orders",
    max_attempts=2,
    time_limit_seconds=0.05,
)

Run = Callable[..., int]


def in_loop(consumer: Consumer, concurrency: int, **settings: Any) -> int:
    return asyncio.run(consumer.run_async(concurrency=concurrency, timeout_seconds=0.01, **settings))


def in_threads(consumer: Consumer, concurrency: int, **settings: Any) -> int:
    return consumer.run(workers=concurrency, timeout_seconds=0.01, **settings)


RUNS = [pytest.param(in_loop, id="run_async"), pytest.param(in_threads, id="workers")]


@pytest.fixture(params=["memory", "redis"])
def app(request: pytest.FixtureRequest) -> Iterator[BabelQueue]:
    if request.param == "memory":
        yield on.app()
        return
    server: Server = request.getfixturevalue("redis")
    app = BabelQueue(server.url, queue="orders")
    app.transport._redis.flushdb()  # type: ignore[attr-defined]
    yield app
    app.transport.close()  # type: ignore[attr-defined]


def send(app: BabelQueue, *numbers: int) -> None:
    for number in numbers:
        made = on.envelope(data={"order_id": number})
        on.put(app, {**made, "job": URN, "meta": {**made["meta"], "id": f"m-{number}"}})


def taken(app: BabelQueue, queue: str) -> list[dict[str, Any]]:
    """Take all that lies in ``queue``."""
    received = iter(lambda: app.transport.pop(queue, timeout=0.01), None)
    return [json.loads(each.body) for each in received]


class Stuck:
    """A plain handler: order 0 waits for :meth:`release`, and no exception ends it."""

    def __init__(self, consumer: Consumer) -> None:
        self.released = threading.Event()
        self.threads: list[threading.Thread] = []
        self.calls: Counter[int] = Counter()
        consumer.on(OrdersLimited)(self.handle)

    def handle(self, order: OrdersLimited, context: Context) -> None:
        self.calls[order.order_id] += 1
        if order.order_id == 0:
            self.threads.append(threading.current_thread())
            self.released.wait(60)
        if context.connection is not None:
            context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))

    def release(self) -> None:
        self.released.set()
        for thread in self.threads:
            thread.join(60)


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("run", RUNS)
def test_an_async_handler_is_cancelled_and_its_message_ends_as_a_dead_letter(
    app: BabelQueue, run: Run, concurrency: int
) -> None:
    consumer = Consumer(app)
    ended: list[str] = []

    @consumer.on(OrdersLimited)
    async def handle(order: OrdersLimited, context: Context) -> None:
        try:
            await asyncio.sleep(60 if order.order_id == 0 else 0)
            ended.append("returned")
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    send(app, 0, 1)
    assert run(consumer, concurrency, max_messages=3) == 3
    assert Counter(ended) == {"cancelled": 2, "returned": 1}
    (dead,) = taken(app, "orders.dlq")
    block = dead["dead_letter"]
    assert (dead["data"], block["reason"], block["attempts"]) == ({"order_id": 0}, "failed", 2)
    assert block["error"] == "time_limit: the handler did not end within 0.05 s"
    assert taken(app, "orders") == []


@pytest.mark.parametrize("run", RUNS)
def test_a_stuck_thread_is_replaced_and_its_message_ends_as_a_dead_letter(app: BabelQueue, run: Run) -> None:
    consumer = Consumer(app)
    stuck = Stuck(consumer)
    send(app, 0, *range(1, 20))
    outcomes: Counter[tuple[str, str | None]] = Counter()
    consumer.on_outcome(lambda outcome, delivery: outcomes.update([(outcome.kind, outcome.code)]))
    try:
        assert run(consumer, 5, max_messages=21) == 21
    finally:
        stuck.release()
    assert outcomes == {("handled", None): 19, ("retried", "time_limit"): 1, ("dead_lettered", "time_limit"): 1}
    assert stuck.calls == {0: 2} | dict.fromkeys(range(1, 20), 1)
    assert [dead["dead_letter"]["error"].partition(":")[0] for dead in taken(app, "orders.dlq")] == ["time_limit"]
    assert taken(app, "orders") == []


@pytest.mark.parametrize("run", RUNS)
def test_a_late_result_has_no_effect(app: BabelQueue, run: Run, tmp_path: Path) -> None:
    """The handlers of order 0 go on while the run does, write their effect, and return: nothing is committed."""
    path = tmp_path / "ledger.db"
    consumer = Consumer(app, ledger=SqliteLedger(path, lock="write"))
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE effects (order_id INTEGER)")
    stuck = Stuck(consumer)
    outcomes: list[str] = []

    @consumer.on_outcome
    def note(outcome: Any, delivery: Any) -> None:
        outcomes.append(outcome.kind)
        if outcome.kind == "dead_lettered":
            stuck.release()
            send(app, 1)

    send(app, 0)
    assert run(consumer, 5, max_messages=3) == 3
    assert outcomes == ["retried", "dead_lettered", "handled"]
    assert database.execute("SELECT order_id FROM effects").fetchall() == [(1,)]
    assert database.execute("SELECT message_id FROM babelreg_handled").fetchall() == [("m-1",)]
    assert len(taken(app, "orders.dlq")) == 1
    assert taken(app, "orders") == []


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "concurrency, messages, lock",
    [
        pytest.param(1, 1, None, id="the only one"),
        pytest.param(4, 2, None, id="two of four"),
        pytest.param(5, 1, "handler", id="one that holds the database of all"),
    ],
)
def test_the_process_ends_itself_when_half_of_its_handlers_are_stuck(
    run: Run, concurrency: int, messages: int, lock: Any, tmp_path: Path
) -> None:
    app = on.app()
    ledger = None if lock is None else SqliteLedger(tmp_path / "ledger.db", lock=lock)
    consumer = Consumer(app, ledger=ledger)
    stuck = Stuck(consumer)
    send(app, *[0] * messages)
    try:
        with pytest.raises(SystemExit) as ended:
            run(consumer, concurrency, prefetch=0)
    finally:
        stuck.release()
    assert ended.value.code == 70
    waiting, dead = taken(app, "orders"), taken(app, "orders.dlq")
    assert len(waiting) + len(dead) == messages
    assert sum(each["attempts"] for each in waiting) + 2 * len(dead) == stuck.calls[0]


@pytest.mark.parametrize(
    "steps, given_up",
    [
        pytest.param([9.0, "ask"], [False], id="before its time is up"),
        pytest.param([10.0, "ask"], [True], id="when its time is up"),
        pytest.param([10.0, "ask", "ask"], [True, False], id="once only"),
        pytest.param([10.0, "end", "ask"], [False], id="not after it has ended, however late"),
        pytest.param([10.0, "ask", "end"], [True, "late"], id="its end after that is late"),
    ],
)
def test_a_handler_either_ends_or_is_given_up(steps: list[Any], given_up: list[Any]) -> None:
    now = 100.0
    clock = HandlerClock(10.0, lambda: now)
    assert not clock.give_up()  # not called yet
    clock.begin()
    results: list[Any] = []
    for step in steps:
        if step == "ask":
            results.append(clock.give_up())
        elif step == "end":
            try:
                clock.end()
            except TimeLimitExceeded:
                results.append("late")
        else:
            now += step
    assert results == given_up


def test_a_cancelled_handler_has_time_to_clean_up_before_it_is_given_up() -> None:
    now = 100.0
    clock = HandlerClock(0.0, lambda: now)

    async def handle(data: Any, context: Any) -> None:
        nonlocal now
        try:
            await asyncio.sleep(60)
        finally:
            now += 4.0
            assert not clock.give_up()
            now += 2.0
            assert clock.give_up()

    clock.begin()
    with pytest.raises(TimeLimitExceeded, match="did not end within 0 s"):
        asyncio.run(clock.bounded(handle)(None, None))
    with pytest.raises(TimeLimitExceeded):
        clock.end()
