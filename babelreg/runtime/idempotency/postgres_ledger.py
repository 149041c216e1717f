"""A ledger in the service's PostgreSQL database, by psycopg 3."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from babelreg.runtime.idempotency.guarded_class import guarded
from babelreg.runtime.idempotency.server_ledger import ServerLedger
from babelreg.runtime.idempotency.sql_statements import postgres

__all__ = ["PostgresLedger", "timeouts_of"]

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


class PostgresLedger(ServerLedger):
    """Marks handled messages in ``table``, which is created if it does not exist.

    ``conninfo`` is psycopg's: ``postgresql://user@host/database`` or keywords. ``consumer`` separates services that
    share a database, as for ``SqliteLedger``. ``prepare`` is called with each new connection: for adapters, row
    factories and settings of the session. Raises UsageError for a ``table`` that is not a plain name.

    Handlers get a ``psycopg.Connection`` in a transaction; they must not commit or roll back. A database that is away
    is waited for. Several workers handle messages at the same time.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        consumer: str | None = None,
        table: str = "babelreg_handled",
        prepare: Callable[[Any], object] | None = None,
    ) -> None:
        self._psycopg: Any = importlib.import_module("psycopg")
        kind = self._psycopg.Connection
        super().__init__(postgres(table), consumer, self._psycopg.ProgrammingError, kind, prepare)
        self._conninfo = conninfo
        self._guarded: Any = guarded(kind, "wait")

    def _connect(self) -> Any:
        return self._guarded.connect(self._conninfo, **timeouts_of(self._psycopg, self._conninfo))

    def _begin(self, connection: Any) -> None:
        """psycopg begins with the first statement."""

    def is_open(self, connection: Any) -> bool:
        """See ServerLedger."""
        return bool(connection.info.transaction_status != self._psycopg.pq.TransactionStatus.IDLE)

    def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        with self._kind.cursor(connection, row_factory=self._psycopg.rows.tuple_row) as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else [], int(cursor.rowcount)


def timeouts_of(psycopg: Any, conninfo: str) -> dict[str, Any]:
    """Return the timeouts of a connection that ``conninfo`` does not set."""
    chosen = psycopg.conninfo.conninfo_to_dict(conninfo)
    return {name: value for name, value in _TIMEOUTS.items() if name not in chosen}
