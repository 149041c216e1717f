"""The transactional outbox in any SQL database: messages written beside what they tell of, sent by a relay.

    with connection:                                     # the service's own transaction
        connection.execute("INSERT INTO orders ...")
        producer.write(SqlOutbox(connection), order)     # same connection: both are committed, or neither

    relay = OutboxRelay(app.transport, SqlOutbox(another_connection))
    relay.drain()                                        # every second or so, in one process

The relay is babelqueue's: it publishes the stored bytes as they are and has them removed afterwards, so a message may
be sent twice, with the same ``meta.id``, but is never lost. Source: babelqueue.outbox, ADR-0029.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Sequence
from typing import Any, Protocol

from babelqueue import outbox
from babelqueue.outbox import OutboxRecord, OutboxStore
from babelqueue.transport import Transport

from babelreg.errors import UsageError
from babelreg.runtime.transports.reliable import confirmed

__all__ = ["Connection", "OutboxRelay", "SqlOutbox"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?\Z")
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}
_MAX_ERROR = 500


class Cursor(Protocol):
    """What is used of a DB-API (PEP 249) cursor."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any: ...

    def fetchall(self) -> Sequence[Sequence[Any]]: ...

    def close(self) -> None: ...


class Connection(Protocol):
    """What is used of a DB-API (PEP 249) connection: that of sqlite3, psycopg, PyMySQL and their like."""

    def cursor(self) -> Cursor: ...

    def commit(self) -> None: ...


class OutboxRelay(outbox.OutboxRelay):
    """babelqueue's, on a confirmed transport: a message is removed once the broker has it, not when it was handed over.

    ``settings`` are those of babelqueue's relay.
    """

    def __init__(self, transport: Transport, store: OutboxStore, **settings: Any) -> None:
        super().__init__(confirmed(transport), store, **settings)


class SqlOutbox:
    """A table of the messages that wait to be sent, as an ``OutboxStore`` of babelqueue.

    ``paramstyle`` is that of the connection's module (``sqlite3.paramstyle``): qmark, format or pyformat. Raises
    UsageError for another one, and for a ``table`` that is no plain name.

    ``save`` leaves the transaction to its caller; what the relay calls commits by itself, so give the relay a
    connection of its own. Messages go out oldest first; those that failed go after those that did not.
    """

    def __init__(self, connection: Connection, *, table: str = "babelreg_outbox", paramstyle: str = "qmark") -> None:
        if not _NAME.match(table):
            raise UsageError(f"{table[:80]!r} cannot be the name of a table", fix='take letters, digits and "_"')
        if paramstyle not in _MARKS:
            raise UsageError(f"paramstyle {paramstyle!r} is not known", fix=f"take one of {', '.join(_MARKS)}")
        self._connection = connection
        self._table = table
        self._mark = _MARKS[paramstyle]

    def create(self) -> None:
        """Create the table where it is missing. Commits. ``written_at`` is in Unix nanoseconds.

        Or let your migrations create one with these columns: in MySQL take LONGTEXT, since TEXT ends at 64 KiB.
        """
        self._run(
            f"CREATE TABLE IF NOT EXISTS {self._table} (id VARCHAR(36) PRIMARY KEY, queue VARCHAR(255) NOT NULL, "
            "body TEXT NOT NULL, attempts INTEGER NOT NULL, error VARCHAR(500), written_at BIGINT NOT NULL)"
        )
        self._connection.commit()

    def save(self, encoded: str, queue: str) -> str:
        """Write one encoded envelope in the transaction that is open; returns the row's id. Does not commit."""
        row = str(uuid.uuid4())
        self._run(
            f"INSERT INTO {self._table} (id, queue, body, attempts, written_at) VALUES (?, ?, ?, 0, ?)",
            (row, queue, encoded, time.time_ns()),
        )
        return row

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        """Up to ``limit`` messages that wait to be sent."""
        found = self._run(
            f"SELECT id, body, queue, attempts FROM {self._table} ORDER BY attempts, written_at, id LIMIT {int(limit)}"
        )
        self._connection.commit()  # a transaction left open would keep seeing this moment
        return [OutboxRecord(*row) for row in found]

    def mark_published(self, ids: list[str]) -> None:
        """Forget these: the broker has them. Commits."""
        for row in ids:
            self._run(f"DELETE FROM {self._table} WHERE id = ?", (row,))
        self._connection.commit()

    def mark_failed(self, id: str, error: str) -> None:
        """Note that the broker did not take this one; it stays. Commits."""
        self._run(f"UPDATE {self._table} SET attempts = attempts + 1, error = ? WHERE id = ?", (error[:_MAX_ERROR], id))
        self._connection.commit()

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> Sequence[Sequence[Any]]:
        """Every statement goes through here. No value is ever part of the text, and no text holds a literal mark."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql.replace("?", self._mark), parameters)
            return cursor.fetchall() if sql.startswith("SELECT") else ()
        finally:
            cursor.close()
