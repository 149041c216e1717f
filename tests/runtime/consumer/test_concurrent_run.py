"""Several handlers at the same time, as tasks of an event loop and as threads."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Reject, current

Run = Callable[..., int]


def in_loop(consumer: Consumer, concurrency: int, **settings: Any) -> int:
    return asyncio.run(consumer.run_async(concurrency=concurrency, timeout_seconds=0.01, **settings))


def in_threads(consumer: Consumer, concurrency: int, **settings: Any) -> int:
    return consumer.run(workers=concurrency, timeout_seconds=0.01, **settings)


RUNS = [pytest.param(in_loop, id="run_async"), pytest.param(in_threads, id="workers")]


def fill(app: BabelQueue, count: int) -> None:
    """Orders 1 to ``count``; their notes are the remainders by three."""
    for number in range(1, count + 1):
        on.put(app, on.envelope(data={"order_id": number, "note": str(number % 3)}))


class Gate:
    """Handlers that wait until ``together`` of them are there: proof that they run at the same time."""

    def __init__(self, consumer: Consumer, together: int, *, is_async: bool) -> None:
        self.barrier = threading.Barrier(together)
        self.together, self.arrived, self.open = together, 0, asyncio.Event()
        self.orders: list[int] = []
        consumer.on(on.OrdersCreated)(self.wait_async if is_async else self.wait)

    def wait(self, order: on.OrdersCreated, context: Context) -> None:
        self.barrier.wait(timeout=30)
        self.orders.append(order.order_id)

    async def wait_async(self, order: on.OrdersCreated, context: Context) -> None:
        self.arrived += 1
        if self.arrived % self.together == 0:
            self.open.set()
            self.open = asyncio.Event()
        else:
            await asyncio.wait_for(self.open.wait(), 30)
        self.orders.append(order.order_id)


@pytest.mark.parametrize(
    "run, is_async",
    [
        pytest.param(in_loop, True, id="async handlers in a loop"),
        pytest.param(in_loop, False, id="plain handlers beside a loop"),
        pytest.param(in_threads, False, id="plain handlers in threads"),
    ],
)
def test_handlers_run_at_the_same_time(run: Run, is_async: bool) -> None:
    app = on.app()
    fill(app, 12)
    consumer = Consumer(app)
    gate = Gate(consumer, 4, is_async=is_async)
    assert run(consumer, 4, max_messages=12) == 12
    assert sorted(gate.orders) == list(range(1, 13))
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


@pytest.mark.parametrize("run", RUNS)
def test_messages_end_as_in_a_single_stream(run: Run) -> None:
    app = on.app()
    fill(app, 30)
    on.put(app, on.envelope(data={"order_id": 0}))
    on.put(app, "{")
    consumer = Consumer(app)
    calls: Counter[int] = Counter()

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        calls[order.order_id] += 1
        assert current() is context
        assert calls[order.order_id] == context.attempts + 1
        await asyncio.sleep(0)
        if order.order_id == 7:
            raise Reject("no")
        if order.order_id in (8, 9):
            raise RuntimeError("again")

    assert run(consumer, 5, max_messages=100) == 36
    assert calls == {number: 3 if number in (8, 9) else 1 for number in range(1, 31)}
    records = [json.loads(body)["dead_letter"] for body in on.bodies(app, "orders.dlq")]
    assert Counter(record["reason"] for record in records) == {"failed": 4, "poison": 1}
    errors = sorted(record["error"].partition(":")[0] for record in records)
    assert errors == ["below_minimum", "handler_failed", "handler_failed", "invalid_json", "rejected"]


@pytest.mark.parametrize("run", RUNS)
def test_messages_of_one_key_are_handled_one_after_another(run: Run) -> None:
    app = on.app()
    fill(app, 30)
    consumer = Consumer(app)
    active: Counter[str] = Counter()
    orders: dict[str, list[int]] = {}

    @consumer.on(on.OrdersCreated, ordered_by=lambda order: order.note)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        note = str(order.note)
        active[note] += 1
        orders.setdefault(note, []).append(order.order_id)
        await asyncio.sleep(0.001)
        assert active[note] == 1
        active[note] -= 1

    assert run(consumer, 6, max_messages=30) == 30
    assert on.bodies(app, "orders.dlq") == []
    assert orders == {str(rest): [n for n in range(1, 31) if n % 3 == rest] for rest in range(3)}


@pytest.mark.parametrize("run", RUNS)
def test_a_stop_lets_handlers_end_and_gives_back_what_was_not_begun(run: Run) -> None:
    app = on.app()
    fill(app, 40)
    consumer = Consumer(app)
    begun: list[int] = []
    ended: list[int] = []

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        begun.append(order.order_id)
        if len(begun) == 4:
            consumer.stop()
        while len(begun) < 4:
            await asyncio.sleep(0.001)
        ended.append(order.order_id)

    assert run(consumer, 4, prefetch=8) == 4
    assert sorted(begun) == sorted(ended) == [1, 2, 3, 4]
    waiting = sorted(json.loads(body)["data"]["order_id"] for body in on.bodies(app, "orders"))
    assert waiting == list(range(5, 41))
    assert {json.loads(body)["attempts"] for body in on.bodies(app, "orders")} == {0}


def test_what_is_cancelled_returns_its_messages() -> None:
    app = on.app()
    fill(app, 10)
    consumer = Consumer(app)
    cleaned: list[int] = []

    async def main() -> None:
        begun = asyncio.Event()

        @consumer.on(on.OrdersCreated)
        async def handle(order: on.OrdersCreated, context: Context) -> None:
            try:
                begun.set()
                await asyncio.Event().wait()
            finally:
                cleaned.append(order.order_id)

        task = asyncio.create_task(consumer.run_async(concurrency=3))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(cleaned) == [1, 2, 3]
    assert sorted(json.loads(body)["data"]["order_id"] for body in on.bodies(app, "orders")) == list(range(1, 11))


@pytest.mark.parametrize("run", RUNS)
def test_a_handler_that_exits_ends_the_run_and_keeps_its_message(run: Run) -> None:
    app = on.app()
    fill(app, 1)
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run(consumer, 2)
    assert len(on.bodies(app, "orders")) == 1


@pytest.mark.parametrize(
    "settings, text",
    [
        pytest.param({"workers": 0}, "workers is 0", id="no worker"),
        pytest.param({"workers": True}, "workers is True", id="no number"),
        pytest.param({"workers": 2, "prefetch": -1}, "prefetch is -1", id="less than nothing"),
    ],
)
def test_limits_that_are_no_numbers_are_refused(settings: dict[str, Any], text: str) -> None:
    consumer = Consumer(on.app())
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    with pytest.raises(UsageError, match=text):
        consumer.run(**settings)
