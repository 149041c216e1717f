"""A ledger in the service's PostgreSQL database, by psycopg 3."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, ClassVar

from babelreg.runtime.awaitables import resolved
from babelreg.runtime.idempotency.guarded_class import guarded
from babelreg.runtime.idempotency.server_ledger import BlockingLedger, ServerLedger
from babelreg.runtime.idempotency.sql_statements import postgres

# A server that is gone without a word is noticed within 20 seconds: by its silence about what was sent to it, and by
# probes while an answer is awaited. psycopg's own defaults are minutes and hours. Linux; other systems ignore some.
_TIMEOUTS = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


class PsycopgLedger(ServerLedger):
    """A ledger on connections of psycopg, plain or async: ``_connections`` is the name of their class."""

    _connections: ClassVar[str]

    def __init__(
        self,
        conninfo: str,
        *,
        consumer: str | None = None,
        table: str = "babelreg_handled",
        prepare: Callable[[Any], object] | None = None,
    ) -> None:
        self._psycopg: Any = importlib.import_module("psycopg")
        kind = getattr(self._psycopg, self._connections)
        super().__init__(postgres(table), consumer, self._psycopg.ProgrammingError, kind, prepare)
        self._conninfo = conninfo
        self._guarded: Any = guarded(kind, "wait")

    def _connect(self) -> Any:
        chosen = self._psycopg.conninfo.conninfo_to_dict(self._conninfo)
        timeouts = {name: value for name, value in _TIMEOUTS.items() if name not in chosen}
        return self._guarded.connect(self._conninfo, **timeouts)

    def _is_open(self, connection: Any) -> bool:
        return bool(connection.info.transaction_status != self._psycopg.pq.TransactionStatus.IDLE)

    async def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        cursor = self._kind.cursor(connection, row_factory=self._psycopg.rows.tuple_row)
        try:
            await resolved(cursor.execute(sql, values))
            return await resolved(cursor.fetchall()) if cursor.description else [], int(cursor.rowcount)
        finally:
            await resolved(cursor.close())


class PostgresLedger(PsycopgLedger, BlockingLedger):
    """Marks handled messages in ``table``, which is created if it does not exist.

    ``conninfo`` is psycopg's: ``postgresql://user@host/database`` or keywords. ``consumer`` separates services that
    share a database, as for ``SqliteLedger``. ``prepare`` is called with each new connection: for adapters, row
    factories and settings of the session. Raises UsageError for a ``table`` that is not a plain name.

    Handlers get a ``psycopg.Connection`` in a transaction; they must not commit or roll back. A database that is away
    is waited for. Several workers handle messages at the same time.
    """

    _connections = "Connection"
