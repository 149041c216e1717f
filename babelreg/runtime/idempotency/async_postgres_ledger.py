"""A ledger in the service's PostgreSQL database for async handlers, by psycopg 3."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar

from babelreg.runtime.idempotency.guarded_class import guarded
from babelreg.runtime.idempotency.ledger import consumer_names, mark_key
from babelreg.runtime.idempotency.postgres_ledger import timeouts_of
from babelreg.runtime.idempotency.server_ledger import transaction_ended
from babelreg.runtime.idempotency.sql_statements import now_ms, postgres

__all__ = ["AsyncPostgresLedger"]


class AsyncPostgresLedger:
    """Marks handled messages as ``PostgresLedger`` does, in the same tables; handlers must be ``async``.

    They get a ``psycopg.AsyncConnection`` in a transaction. ``prepare`` may be a coroutine function.
    """

    service: ClassVar[str] = ""
    """The default of ``consumer``. Set by generated code."""

    def __init__(
        self,
        conninfo: str,
        *,
        consumer: str | None = None,
        table: str = "babelreg_handled",
        prepare: Callable[[Any], Awaitable[object] | object] | None = None,
    ) -> None:
        self._psycopg: Any = importlib.import_module("psycopg")
        self._statements = postgres(table)
        self._conninfo = conninfo
        self._consumer, self._former = map(mark_key, consumer_names(consumer, self.service))
        self._prepare = prepare
        self._kind = self._psycopg.AsyncConnection
        self._guarded: Any = guarded(self._kind, "wait")
        self._idle_of: dict[tuple[Any, int], list[Any]] = {}
        self._ready = False

    async def begin(self, message_id: str) -> AsyncServerUnit:
        """Begin the transaction of the message with this ``meta.id``."""
        key = mark_key(message_id)
        connection, rows = await self._run(self._statements.look_up, (self._consumer, self._former, key))
        return AsyncServerUnit(self, connection, key, str(rows[0][0]) if rows and key else None)

    async def count_delivery(self, message_id: str) -> int:
        """See ``DeliveryCounter``."""
        names, now = (self._consumer, mark_key(message_id)), now_ms()
        connection, _ = await self._run(self._statements.count_up, (*names, now, now))
        try:
            rows = (await self._execute(connection, self._statements.counted, names))[0]
            await self._kind.commit(connection)
        except BaseException:
            await self.discard(connection)
            raise
        self._idle.append(connection)
        return int(rows[0][0])

    async def aclose(self) -> None:
        """Close the connections that are not in use; the consumer does so before it closes its event loop."""
        for connection in self._idle_of.pop(_owner(), []):
            await self.discard(connection)

    @property
    def _idle(self) -> list[Any]:
        """The connections that are not in use. They belong to the loop and the process that opened them."""
        return self._idle_of.setdefault(_owner(), [])

    async def mark(self, connection: Any, key: str, content: str) -> bool:
        """Write the mark in the transaction of ``connection``; return False if there is one."""
        if connection.info.transaction_status == self._psycopg.pq.TransactionStatus.IDLE:
            raise transaction_ended()
        values = (self._consumer, key, content, now_ms())
        return not key or (await self._execute(connection, self._statements.mark, values))[1] == 1

    async def commit(self, connection: Any) -> None:
        await self._kind.commit(connection)
        self._idle.append(connection)

    async def roll_back(self, connection: Any) -> None:
        """Roll back; a connection that cannot is closed."""
        try:
            await self._kind.rollback(connection)
        except BaseException:
            await self.discard(connection)
            raise
        self._idle.append(connection)

    async def discard(self, connection: Any) -> None:
        with suppress(Exception):
            await self._kind.close(connection)

    async def _run(self, sql: str, values: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        """Begin a transaction with one statement; return its connection and the rows."""
        while True:
            fresh = not self._idle
            connection = await self._opened() if fresh else self._idle.pop()
            try:
                return connection, (await self._execute(connection, sql, values))[0]
            except BaseException as error:
                await self.discard(connection)
                if fresh or not isinstance(error, Exception):
                    raise
                await self.aclose()  # the server was restarted: it has closed the others, too

    async def _opened(self) -> Any:
        connection = await self._guarded.connect(self._conninfo, **timeouts_of(self._psycopg, self._conninfo))
        try:
            if self._prepare is not None:
                result = self._prepare(connection)
                if isinstance(result, Awaitable):
                    await result
                await self._kind.commit(connection)
            if not self._ready:
                await self._create(connection)
                self._ready = True
        except BaseException:
            await self.discard(connection)
            raise
        return connection

    async def _create(self, connection: Any) -> None:
        """Create the tables unless they exist; see ServerLedger."""
        try:
            for statement in self._statements.exists:
                await self._execute(connection, statement, ())
        except self._psycopg.ProgrammingError:
            await self._kind.rollback(connection)
            for statement in self._statements.create:
                try:
                    await self._execute(connection, statement, ())
                    await self._kind.commit(connection)
                except Exception:  # another worker creates it at the same time
                    await self._kind.rollback(connection)
            for statement in self._statements.exists:
                await self._execute(connection, statement, ())
        await self._kind.rollback(connection)

    async def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        async with self._kind.cursor(connection, row_factory=self._psycopg.rows.tuple_row) as cursor:
            await cursor.execute(sql, values)
            return await cursor.fetchall() if cursor.description else [], int(cursor.rowcount)


def _owner() -> tuple[Any, int]:
    return asyncio.get_running_loop(), os.getpid()


class AsyncServerUnit:
    """One transaction; see :class:`babelreg.runtime.idempotency.ledger.AsyncUnit`."""

    def __init__(self, ledger: AsyncPostgresLedger, connection: Any, key: str, earlier: str | None) -> None:
        self.connection = connection
        self.earlier = earlier
        self._ledger = ledger
        self._key = key

    async def commit(self, content: str) -> bool:
        """See ``Unit``. Waits for another worker that handles the same message."""
        if not await self._ledger.mark(self.connection, self._key, content):
            return False
        await self._ledger.commit(self.connection)
        return True

    async def rollback(self) -> None:
        await self._ledger.roll_back(self.connection)
