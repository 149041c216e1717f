"""A ledger in the service's SQLite database."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from babelreg.errors import UsageError
from babelreg.runtime.idempotency.ledger import consumer_names, mark_key
from babelreg.runtime.idempotency.sql_statements import now_ms
from babelreg.runtime.idempotency.sqlite_connection import GuardedConnection, WriteLockConnection

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}\Z")
_BUSY_PAUSE_SECONDS = 0.02


class SqliteLedger:
    """Marks handled messages in ``table`` of the SQLite database at ``path``, which is created if it does not exist.

    ``consumer`` separates services that share a database and handle the same messages; the default is the service that
    the code was generated for, where earlier marks without a consumer count, too. ``prepare`` is called with each
    new connection: for PRAGMAs and row factories. Raises UsageError for a database that cannot be opened or written.

    One connection per thread, and one writer at a time in SQLite: others wait ``timeout_seconds``, then their message
    goes back to its queue. Handlers must not commit or roll back.

    ``lock`` says from when on a worker is the writer. ``handler``: before the handler is called, so that what it reads
    is still true when it writes; workers that share the database then run one handler at a time. ``write``: before the
    handler's first statement that is not a SELECT, so that workers do at the same time what handlers do before; what a
    handler reads before it writes may have changed by then.

    Each message is one commit, which waits for the disk. ``PRAGMA journal_mode = WAL`` halves that time; with
    ``PRAGMA synchronous = NORMAL`` it is a hundredth, but a power failure (not a crash of the program) loses the marks
    of the last messages.
    """

    service: ClassVar[str] = ""
    """The default of ``consumer``. Set by generated code."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        consumer: str | None = None,
        table: str = "babelreg_handled",
        timeout_seconds: float = 30.0,
        lock: Literal["handler", "write"] = "handler",
        prepare: Callable[[sqlite3.Connection], object] | None = None,
    ) -> None:
        if not _NAME.match(table):
            raise UsageError(f"{table[:80]!r} cannot be the name of a table", fix='use letters, digits and "_"')
        if lock not in ("handler", "write"):
            raise UsageError(f"lock is {lock!r}", fix="choose one of handler, write")
        self._path = path
        self._lock = lock
        self._consumer, self._former = consumer_names(consumer, self.service)
        self._table = table
        self._timeout_seconds = timeout_seconds
        self._prepare = prepare
        self._mine = threading.local()
        deadline = time.monotonic() + timeout_seconds
        while True:
            try:
                self._create_tables()
                return
            except sqlite3.Error as err:
                # A switch to WAL does not wait for other workers that have just opened the same new file.
                busy = getattr(err, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > deadline:
                    fix = "end the program that has locked it" if busy else "use a file that you can write to"
                    raise UsageError(f"{os.fspath(path)} cannot store the ledger: {err}", fix=fix) from err
            time.sleep(_BUSY_PAUSE_SECONDS)

    def _create_tables(self) -> None:
        connection, key = self._connection(), "PRIMARY KEY (consumer, message_id)"
        for table, columns in (
            (self._table, "content TEXT NOT NULL, handled_at INTEGER NOT NULL"),
            (f"{self._table}_deliveries", "deliveries INTEGER NOT NULL, counted_at INTEGER NOT NULL"),
        ):
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {table} (consumer TEXT, message_id TEXT, {columns}, {key}) WITHOUT ROWID"
            )

    def begin(self, message_id: str) -> _Unit:
        """Begin the unit of the message with this ``meta.id``. Waits for other writers, unless ``lock`` is write."""
        connection = self._connection()
        _roll_back(connection)  # the transaction of a message whose own rollback failed
        key = _key(message_id)
        if isinstance(connection, WriteLockConnection):
            earlier = self._earlier(connection, key)
            connection.arm()
            return _WriteLockUnit(self, connection, key, earlier)
        connection.execute("BEGIN IMMEDIATE")
        try:
            return _Unit(self, connection, key, self._earlier(connection, key))
        except BaseException:
            _roll_back(connection)
            raise

    def count_delivery(self, message_id: str) -> int:
        connection, names = self._connection(), (self._consumer, _key(message_id))
        _roll_back(connection)
        table = f"{self._table}_deliveries"
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?, 0, 0)", names)
            where = "WHERE consumer = ? AND message_id = ?"
            values = (now_ms(), *names)
            connection.execute(f"UPDATE {table} SET deliveries = deliveries + 1, counted_at = ? {where}", values)
            (count,) = connection.execute(f"SELECT deliveries FROM {table} {where}", names).fetchone()
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        return int(count)

    def prune(self, keep_seconds: float) -> int:
        """Delete the marks that are older than ``keep_seconds``; return their number.

        Keep them for longer than your broker and your dead-letter queues keep messages: a message without a mark is
        handled again.
        """
        oldest = (self._consumer, now_ms() - int(keep_seconds * 1000))
        connection = self._connection()
        connection.execute(f"DELETE FROM {self._table}_deliveries WHERE consumer = ? AND counted_at < ?", oldest)
        return int(
            connection.execute(f"DELETE FROM {self._table} WHERE consumer = ? AND handled_at < ?", oldest).rowcount
        )

    def close(self) -> None:
        """Close this thread's connection. The next delivery opens a new one."""
        connection = getattr(self._mine, "connection", None)
        if connection is not None:
            connection.close()
            self._mine.connection = None

    def close_in_thread(self) -> None:
        self.close()

    def mark(self, connection: sqlite3.Connection, key: str, content: str) -> bool:
        """Write the mark in the transaction of ``connection``; return False if there is one."""
        values = (self._consumer, key, content, now_ms())
        return connection.execute(f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?, ?, ?)", values).rowcount == 1

    def _earlier(self, connection: sqlite3.Connection, key: str) -> str | None:
        if not key:
            return None
        sql = f"SELECT content FROM {self._table} WHERE consumer IN (?, ?) AND message_id = ? ORDER BY consumer DESC"
        row = connection.execute(sql, (self._consumer, self._former, key)).fetchone()
        return str(row[0]) if row else None

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if connection is None or self._mine.process != os.getpid():
            self._mine.of_parent = connection  # after a fork a SQLite connection must not even be closed
            factory = WriteLockConnection if self._lock == "write" else GuardedConnection
            # No isolation level: begin() starts each transaction. An async handler in an application's event loop uses
            # a connection of the ledger's thread, which waits meanwhile.
            connection = sqlite3.connect(
                self._path,
                timeout=self._timeout_seconds,
                isolation_level=None,
                factory=factory,
                check_same_thread=False,
            )
            if self._prepare is not None:
                self._prepare(connection)
            self._mine.connection, self._mine.process = connection, os.getpid()
        return connection


class _Unit:
    """One transaction of a :class:`SqliteLedger`; see :class:`babelreg.runtime.idempotency.ledger.Unit`."""

    blocks_others = True

    def __init__(self, ledger: SqliteLedger, connection: sqlite3.Connection, key: str, earlier: str | None) -> None:
        self.connection: Any = connection
        self.earlier = earlier
        self._ledger = ledger
        self._key = key

    def commit(self, content: str) -> bool:
        """Commit and return True: this worker was the only writer since before the lookup."""
        if not self.connection.in_transaction:
            raise UsageError("the handler ended the consumer's transaction", fix="remove COMMIT and ROLLBACK from it")
        if self._key and not self._ledger.mark(self.connection, self._key, content):
            return False
        self.connection.execute("COMMIT")
        return True

    def rollback(self) -> None:
        _roll_back(self.connection)


class _WriteLockUnit(_Unit):
    """A unit that locks the database with the handler's first statement that writes, else to write the mark."""

    @property
    def blocks_others(self) -> bool:  # type: ignore[override]
        return bool(self.connection.begun)

    def commit(self, content: str) -> bool:
        """See ``Unit``: False if another worker marked the message after it was looked up."""
        if self._key:
            self.connection.lock()
        if not self.connection.begun:
            self.connection.disarm()
            return True
        if super().commit(content):
            self.connection.disarm()
            return True
        return False

    def rollback(self) -> None:
        """Roll back. Raises the error of a lock that the handler did not get: that is no fault of the handler."""
        failure = self.connection.failure
        self.connection.disarm()
        super().rollback()
        if failure is not None:
            self.connection.failure = None
            raise failure


def _roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the open transaction, if there is one: SQLite itself does so when the disk is full."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _key(message_id: str) -> str:
    """Return the key of a mark: the id, unless SQLite cannot store it (an unpaired surrogate)."""
    try:
        message_id.encode("utf-8")
    except UnicodeEncodeError:
        return mark_key(message_id)
    return message_id
