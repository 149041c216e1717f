"""An outbox for async connections: messages are written in the transaction of an async handler.

    async with connection.transaction():                                # the service's own transaction
        await connection.execute("INSERT INTO orders ...")
        await producer.write(AsyncSqlOutbox(connection), order)         # an AsyncProducer

The table is that of ``SqlOutbox``; an ``OutboxRelay`` with a plain connection sends what is in it.
"""

from __future__ import annotations

import inspect
from typing import Any, Protocol

from babelreg.runtime.producer.outbox import Insertion

__all__ = ["AsyncOutbox", "AsyncSqlOutbox", "awaited"]


class AsyncOutbox(Protocol):
    """A store of unsent messages."""

    async def save(self, encoded: str, queue: str) -> str:
        """Insert one encoded envelope in the open transaction; return the row's id. Does not commit."""
        ...


class AsyncSqlOutbox:
    """The table of a ``SqlOutbox``, written through an async connection: psycopg's, or another like DB-API (PEP 249).

    ``table`` and ``paramstyle`` are as there; raises UsageError as it does. Nothing here commits.
    """

    def __init__(self, connection: Any, *, table: str = "babelreg_outbox", paramstyle: str | None = None) -> None:
        self._connection = connection
        self._insertion = Insertion(connection, table, paramstyle)

    async def save(self, encoded: str, queue: str) -> str:
        """See ``AsyncOutbox``."""
        row, values = self._insertion.row(encoded, queue)
        cursor = await awaited(self._connection.cursor())
        try:
            await cursor.execute(self._insertion.sql, values)
        finally:
            await awaited(cursor.close())
        return row


async def awaited(result: Any) -> Any:
    """Return ``result``, or what it gives when it is awaited: drivers differ in which methods are coroutines."""
    return await result if inspect.isawaitable(result) else result
