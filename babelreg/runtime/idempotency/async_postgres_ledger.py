"""A ledger in the service's PostgreSQL database for async handlers, by psycopg 3."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Any

from babelreg.runtime.idempotency.postgres_ledger import PsycopgLedger


class AsyncPostgresLedger(PsycopgLedger):
    """Marks handled messages as ``PostgresLedger`` does, in the same tables; handlers must be ``async``.

    They get a ``psycopg.AsyncConnection`` in a transaction. ``prepare`` may be a coroutine function.
    """

    _connections = "AsyncConnection"

    async def begin(self, message_id: str) -> _AsyncUnit:
        """Begin the transaction of the message with this ``meta.id``."""
        return _AsyncUnit(self, *await self._begun(message_id))

    async def count_delivery(self, message_id: str) -> int:
        return await self._counted(message_id)

    async def prune(self, keep_seconds: float) -> int:
        return await self._pruned(keep_seconds)

    async def aclose(self) -> None:
        """Close the connections that are not in use; the consumer does so before it closes its event loop."""
        await self._closed()

    def _owner(self) -> Hashable:
        return asyncio.get_running_loop(), super()._owner()


class _AsyncUnit:
    """One transaction; see :class:`babelreg.runtime.idempotency.ledger.AsyncUnit`."""

    def __init__(self, ledger: AsyncPostgresLedger, connection: Any, key: str, earlier: str | None) -> None:
        self.connection = connection
        self.earlier = earlier
        self._ledger = ledger
        self._key = key

    async def commit(self, content: str) -> bool:
        """See ``Unit``. Waits for another worker that handles the same message."""
        return await self._ledger._committed(self.connection, self._key, content)

    async def rollback(self) -> None:
        await self._ledger._rolled_back(self.connection)
