"""Ledgers under handlers that run at the same time: each message takes effect once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any, Literal

import database_ledgers
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server

from babelreg.runtime import Consumer, Context, SqliteLedger

COUNT = 24


def twice(app: BabelQueue) -> None:
    """Put ``COUNT`` orders into the queue, each twice in a row: two handlers get the same message."""
    for number in range(1, COUNT + 1):
        body = json.dumps(on.envelope(data={"order_id": number}))
        on.put(app, body)
        on.put(app, body)


def run(consumer: Consumer, mode: str) -> int:
    if mode == "threads":
        return consumer.run(workers=6, max_messages=2 * COUNT, timeout_seconds=0.01)
    return asyncio.run(consumer.run_async(concurrency=6, max_messages=2 * COUNT, timeout_seconds=0.01))


def sqlite_ledger(path: Path, lock: Literal["handler", "write"]) -> SqliteLedger:
    def prepare(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS effects (order_id INTEGER)")

    return SqliteLedger(path, lock=lock, prepare=prepare)


def effects(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        return [number for (number,) in connection.execute("SELECT order_id FROM effects ORDER BY order_id")]
    finally:
        connection.close()


@pytest.mark.parametrize("mode", ["threads", "loop"])
@pytest.mark.parametrize("is_async", [True, False], ids=["async", "plain"])
@pytest.mark.parametrize("lock", ["handler", "write"])
def test_a_message_delivered_twice_at_the_same_time_takes_effect_once(
    tmp_path: Path, mode: str, is_async: bool, lock: Literal["handler", "write"]
) -> None:
    app = on.app()
    twice(app)
    path = tmp_path / "service.db"
    consumer = Consumer(app, ledger=sqlite_ledger(path, lock))

    def handle(order: on.OrdersCreated, context: Context) -> None:
        context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))

    async def handle_async(order: on.OrdersCreated, context: Context) -> None:
        await asyncio.sleep(0)
        context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))
        await asyncio.sleep(0)  # with the database locked

    consumer.on(on.OrdersCreated)(handle_async if is_async else handle)
    assert run(consumer, mode) == 2 * COUNT
    assert effects(path) == list(range(1, COUNT + 1))
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


def test_threads_do_slow_work_at_the_same_time_with_lock_write(tmp_path: Path) -> None:
    app = on.app()
    for number in range(1, 7):
        on.put(app, on.envelope(data={"order_id": number}))
    consumer = Consumer(app, ledger=sqlite_ledger(tmp_path / "service.db", "write"))
    together = threading.Barrier(6)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        together.wait(30)  # six handlers are here, or this raises
        context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))

    assert run(consumer, "threads") == 6
    assert effects(tmp_path / "service.db") == [1, 2, 3, 4, 5, 6]


def test_handlers_that_are_cancelled_leave_no_lock(tmp_path: Path) -> None:
    app = on.app()
    twice(app)
    path = tmp_path / "service.db"
    consumer = Consumer(app, ledger=sqlite_ledger(path, "handler"))

    async def main() -> None:
        begun = asyncio.Event()

        @consumer.on(on.OrdersCreated)
        async def handle(order: on.OrdersCreated, context: Context) -> None:
            context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(consumer.run_async(concurrency=6))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(on.bodies(app, "orders")) == 2 * COUNT
    assert effects(path) == []
    other = sqlite3.connect(path, timeout=0)
    other.execute("BEGIN IMMEDIATE")  # raises if the database is locked
    other.close()


@pytest.mark.servers
@pytest.mark.parametrize("mode", ["threads", "loop"])
@pytest.mark.parametrize("kind", database_ledgers.KINDS)
def test_a_message_delivered_twice_takes_effect_once_in_database_servers(
    request: pytest.FixtureRequest, mode: str, kind: str
) -> None:
    server: Server = request.getfixturevalue(database_ledgers.KINDS[kind])
    database_ledgers.rows(server, *database_ledgers.CLEARED, "CREATE TABLE effects (order_id INTEGER)")
    app = on.app()
    twice(app)
    consumer = Consumer(app, ledger=database_ledgers.ledger_of(kind, server.url))
    statement = "INSERT INTO effects VALUES (%s)"

    def handle(order: on.OrdersCreated, context: Context) -> None:
        context.connection.cursor().execute(statement, (order.order_id,))

    async def handle_async(order: on.OrdersCreated, context: Context) -> None:
        await context.connection.execute(statement, (order.order_id,))

    async def handle_in_loop(order: on.OrdersCreated, context: Context) -> None:
        await asyncio.sleep(0)
        handle(order, context)

    awaits = handle_async if "async" in kind else handle_in_loop
    consumer.on(on.OrdersCreated)(handle if mode == "threads" and "async" not in kind else awaits)
    assert run(consumer, mode) == 2 * COUNT
    found: list[tuple[Any, ...]] = database_ledgers.rows(server, "SELECT order_id FROM effects ORDER BY order_id")
    assert [number for (number,) in found] == list(range(1, COUNT + 1))
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


async def act_async(order: on.OrdersCreated, context: Context) -> None: ...


def act(order: on.OrdersCreated, context: Context) -> None: ...


@pytest.mark.parametrize(
    "handler, with_ledger, concurrency, warned",
    [
        pytest.param(act_async, True, 2, True, id="async handlers and a plain ledger"),
        pytest.param(act_async, True, 1, False, id="one at a time, as asked"),
        pytest.param(act, True, 2, False, id="plain handlers run in threads"),
        pytest.param(act_async, False, 2, False, id="no ledger"),
    ],
)
def test_async_handlers_that_run_one_at_a_time_are_logged_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, handler: Any, with_ledger: bool, concurrency: int, warned: bool
) -> None:
    app = on.app()
    twice(app)
    consumer = Consumer(app, ledger=sqlite_ledger(tmp_path / "service.db", "write") if with_ledger else None)
    consumer.on(on.OrdersCreated)(handler)
    asyncio.run(consumer.run_async(concurrency=concurrency, max_messages=COUNT, timeout_seconds=0.01))
    messages = [record.getMessage() for record in caplog.records if "one at a time" in record.getMessage()]
    assert len(messages) == warned
    assert all("SqliteLedger" in message for message in messages)
