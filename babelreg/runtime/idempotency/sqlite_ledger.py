"""A ledger in the service's own SQLite database."""

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
    """A connection whose transaction is the consumer's: a handler that ended it would part effect and mark."""

    def commit(self) -> None:
        raise UsageError("the consumer commits when the handler returns", fix="leave commit() out of the handler")

    def rollback(self) -> None:
        raise UsageError("the consumer rolls back when the handler raises", fix="raise an exception instead")

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        raise UsageError("executescript() commits first, which the consumer must do", fix="use execute()")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> Literal[False]:
        return False  # `with context.connection:` is a habit and does no harm


class SqliteLedger:
    """Marks handled messages in ``table`` of the SQLite database at ``path``, which is made where it is missing.

    ``consumer`` keeps apart those who share a database and handle the same messages. ``prepare`` is called with each
    new connection: for PRAGMAs and row factories. Raises UsageError for a database that cannot be opened or written.

    One connection per thread, one writer at a time, as SQLite has it: others wait ``timeout_seconds``, then their
    message is tried again. Handlers must leave commit and rollback to the consumer.

    Each message is a commit, which waits for the disk. ``PRAGMA journal_mode = WAL`` halves that; ``PRAGMA synchronous
    = NORMAL`` with it makes it a hundredth, but when the power fails (not the program) the last messages are lost.
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
        """A transaction for the message with this ``meta.id``. Waits for other writers of the database."""
        connection = self._connection()
        if connection.in_transaction:
            connection.execute("ROLLBACK")  # of a message whose own rollback failed
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = connection.execute(
                f"SELECT content FROM {self._table} WHERE consumer = ? AND message_id = ?", (self._consumer, message_id)
            ).fetchone()
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        return _Unit(self, connection, message_id, found[0] if found and message_id else None)

    def prune(self, keep_seconds: float) -> int:
        """Forget what was handled longer ago than ``keep_seconds``; returns how many that were.

        Keep more than your broker and your dead letters do: what was forgotten would be handled again.
        """
        before = int((time.time() - keep_seconds) * 1000)
        sql = f"DELETE FROM {self._table} WHERE consumer = ? AND handled_at < ?"
        return self._connection().execute(sql, (self._consumer, before)).rowcount

    def close(self) -> None:
        """Close this thread's connection. The next delivery opens one again."""
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
            self._mine.of_parent = connection  # SQLite's connections outlive no fork, not even to be closed
            # No isolation level: transactions begin where begin() says so.
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
        """Always True: the database has one writer, and that is this transaction."""
        if not self.connection.in_transaction:
            raise UsageError("the handler ended the consumer's transaction", fix="leave COMMIT and ROLLBACK out of it")
        if self._message_id:
            self._ledger.mark(self.connection, self._message_id, content)
        self.connection.execute("COMMIT")
        return True

    def rollback(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
