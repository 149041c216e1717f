"""The transactional outbox of async code: written through async connections, sent by a plain relay."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import database_ledgers
import pytest
import runtime_messages as on
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import (
    AsyncPostgresLedger,
    AsyncProducer,
    AsyncSqlOutbox,
    Consumer,
    Context,
    InvalidDataError,
    OutboxRelay,
    SqlOutbox,
)


class AsyncCursor:
    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self.cursor = cursor

    async def execute(self, sql: str, values: Sequence[Any]) -> None:
        await asyncio.sleep(0)
        self.cursor.execute(sql, values)
        self.description = self.cursor.description

    async def fetchall(self) -> Sequence[Any]:
        return self.cursor.fetchall()

    async def close(self) -> None:
        self.cursor.close()


class AsyncConnection:
    """As aiosqlite and aiomysql: the method that opens a cursor is a coroutine, too."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    async def cursor(self) -> AsyncCursor:
        return AsyncCursor(self.connection.cursor())


@pytest.fixture
def database(tmp_path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(tmp_path / "service.db")
    SqlOutbox(connection).create()
    return connection


def relayed(app: Any, connection: Any) -> list[dict[str, Any]]:
    OutboxRelay(app.transport, SqlOutbox(connection), sleeper=lambda seconds: None).drain()
    return [json.loads(body) for body in on.bodies(app, "orders")]


def test_what_is_committed_is_sent_and_what_is_rolled_back_is_not(database: sqlite3.Connection) -> None:
    app = on.app()
    producer, outbox = AsyncProducer(app, on.OrdersCreated), AsyncSqlOutbox(AsyncConnection(database))
    asyncio.run(producer.write(outbox, on.OrdersCreated(order_id=1)))
    database.rollback()
    identity = asyncio.run(producer.write(outbox, on.OrdersCreated(order_id=2)))
    assert on.bodies(app, "orders") == []
    database.commit()
    (envelope,) = relayed(app, database)
    assert (envelope["data"], envelope["meta"]["id"]) == ({"order_id": 2}, identity)


def test_it_takes_a_plain_outbox_too(database: sqlite3.Connection) -> None:
    app = on.app()
    asyncio.run(AsyncProducer(app, on.OrdersCreated).write(SqlOutbox(database), on.OrdersCreated(order_id=1)))
    database.commit()
    assert len(relayed(app, database)) == 1


def test_what_violates_its_contract_is_not_written(database: sqlite3.Connection) -> None:
    producer, outbox = AsyncProducer(on.app(), on.OrdersCreated), AsyncSqlOutbox(AsyncConnection(database))
    with pytest.raises(InvalidDataError):
        asyncio.run(producer.write(outbox, on.OrdersCreated.model_construct(order_id=0)))
    assert not database.in_transaction


def test_a_name_that_is_no_name_is_refused(database: sqlite3.Connection) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a table"):
        AsyncSqlOutbox(AsyncConnection(database), table="x;")


@pytest.mark.servers
def test_the_message_of_an_async_handler_is_committed_with_its_effects(postgres: Server) -> None:
    cleared = ("DROP TABLE IF EXISTS babelreg_outbox", *database_ledgers.CLEARED)
    database_ledgers.rows(postgres, *cleared, "CREATE TABLE effects (order_id INTEGER)")
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCancelled, queue="orders")
    consumer = Consumer(app, ledger=AsyncPostgresLedger(postgres.url))
    calls: list[int] = []

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        calls.append(order.order_id)
        await context.connection.execute("INSERT INTO effects VALUES (%s)", (order.order_id,))
        await producer.write(AsyncSqlOutbox(context.connection), on.OrdersCancelled(order_id=order.order_id))
        if calls.count(order.order_id) == 1:
            raise RuntimeError("no")

    for number in range(1, 9):
        on.put(app, on.envelope(data={"order_id": number}))
    with database_ledgers.connected(postgres.url, autocommit=False) as connection:
        SqlOutbox(connection).create()
        asyncio.run(consumer.run_async("orders", concurrency=4, max_messages=16, timeout_seconds=0.01))
        assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []
        sent = sorted(envelope["data"]["order_id"] for envelope in relayed(app, connection))
    effects = sorted(number for (number,) in database_ledgers.rows(postgres, "SELECT order_id FROM effects"))
    assert sent == effects == list(range(1, 9))
    assert len(calls) == 16
