"""A ledger in the service's SQLite database."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal

from babelreg.errors import UsageError

__all__ = ["SqliteLedger"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}\Z")


class _Connection(sqlite3.Connection):
    """A connection whose transaction belongs to the consumer, so that a handler cannot end it before the mark."""

    def commit(self) -> None:
        raise UsageError("the consumer commits when the handler returns", fix="remove commit() from the handler")

    def rollback(self) -> None:
        raise UsageError("the consumer rolls back when the handler raises", fix="raise an exception instead")

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        raise UsageError("executescript() commits first, which the consumer must do", fix="use execute()")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> Literal[False]:
        return False  # `with context.connection:` is a habit and does no harm


class SqliteLedger:
    """Marks handled messages in ``table`` of the SQLite database at ``path``, which is created if it does not exist.

    ``consumer`` separates consumers that share a database and handle the same messages. ``prepare`` is called with each
    new connection: for PRAGMAs and row factories. Raises UsageError for a database that cannot be opened or written.

    One connection per thread, and one writer at a time in SQLite: others wait ``timeout_seconds``, then their message
    is retried. Handlers must not commit or roll back.

    Each message is one commit, which waits for the disk. ``PRAGMA journal_mode = WAL`` halves that time; with
    ``PRAGMA synchronous = NORMAL`` it is a hundredth, but a power failure (not a crash of the program) loses the marks
    of the last messages.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        consumer: str = "",
        table: str = "babelreg_handled",
        timeout_seconds: float = 30.0,
        prepare: Callable[[sqlite3.Connection], object] | None = None,
    ) -> None:
        if not _NAME.match(table):
            raise UsageError(f"{table[:80]!r} cannot be the name of a table", fix='take letters, digits and "_"')
        self._path = path
        self._consumer = consumer
        self._table = table
        self._timeout_seconds = timeout_seconds
        self._prepare = prepare
        self._mine = threading.local()
        try:
            self._connection().execute(
                f"CREATE TABLE IF NOT EXISTS {table} (consumer TEXT, message_id TEXT, content TEXT NOT NULL, "
                "handled_at INTEGER NOT NULL, PRIMARY KEY (consumer, message_id)) WITHOUT ROWID"
            )
        except sqlite3.Error as err:
            raise UsageError(
                f"{os.fspath(path)} cannot hold the ledger: {err}", fix="name a file you may write"
            ) from err

    def begin(self, message_id: str) -> _Unit:
        """Begin the transaction of the message with this ``meta.id``. Waits for other writers of the database."""
        connection = self._connection()
        if connection.in_transaction:
            connection.execute("ROLLBACK")  # of a message whose own rollback failed
        connection.execute("BEGIN IMMEDIATE")
        try:
            row = connection.execute(
                f"SELECT content FROM {self._table} WHERE consumer = ? AND message_id = ?", (self._consumer, message_id)
            ).fetchone()
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        return _Unit(self, connection, message_id, row[0] if row and message_id else None)

    def prune(self, keep_seconds: float) -> int:
        """Delete the marks that are older than ``keep_seconds``; return their number.

        Keep them for longer than your broker and your dead-letter queues keep messages: a message without a mark is
        handled again.
        """
        oldest_ms = int((time.time() - keep_seconds) * 1000)
        sql = f"DELETE FROM {self._table} WHERE consumer = ? AND handled_at < ?"
        return self._connection().execute(sql, (self._consumer, oldest_ms)).rowcount

    def close(self) -> None:
        """Close this thread's connection. The next delivery opens a new one."""
        connection = getattr(self._mine, "connection", None)
        if connection is not None:
            connection.close()
            self._mine.connection = None

    def mark(self, connection: sqlite3.Connection, message_id: str, content: str) -> None:
        """Write the mark in the transaction of ``connection``."""
        values = (self._consumer, message_id, content, int(time.time() * 1000))
        connection.execute(f"INSERT INTO {self._table} VALUES (?, ?, ?, ?)", values)

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if connection is None or self._mine.process != os.getpid():
            self._mine.of_parent = connection  # after a fork a SQLite connection must not even be closed
            # No isolation level: begin() starts each transaction.
            connection = sqlite3.connect(
                self._path, timeout=self._timeout_seconds, isolation_level=None, factory=_Connection
            )
            if self._prepare is not None:
                self._prepare(connection)
            self._mine.connection, self._mine.process = connection, os.getpid()
        return connection


class _Unit:
    """One transaction of a :class:`SqliteLedger`; see :class:`babelreg.runtime.idempotency.ledger.Unit`."""

    def __init__(
        self, ledger: SqliteLedger, connection: sqlite3.Connection, message_id: str, earlier: str | None
    ) -> None:
        self.connection: Any = connection
        self.earlier = earlier
        self._ledger = ledger
        self._message_id = message_id

    def commit(self, content: str) -> bool:
        """Commit and return True: SQLite has one writer, so no other worker can have marked the message."""
        if not self.connection.in_transaction:
            raise UsageError("the handler ended the consumer's transaction", fix="remove COMMIT and ROLLBACK from it")
        if self._message_id:
            self._ledger.mark(self.connection, self._message_id, content)
        self.connection.execute("COMMIT")
        return True

    def rollback(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
