"""A transactional outbox in any SQL database: messages are written in the service's transaction and sent by a relay.

    with connection:                                     # the service's own transaction
        connection.execute("INSERT INTO orders ...")
        producer.write(SqlOutbox(connection), order)     # same connection: both are committed, or neither

    relay = OutboxRelay(app.transport, SqlOutbox(another_connection))
    relay.drain()                                        # about every second

The relay is babelqueue's: it publishes the stored bytes unchanged and deletes them afterwards, so a message may be sent
twice, with the same ``meta.id``, but is never lost. Source: babelqueue.outbox, ADR-0029.

The table has a column for headers, ordering key and delay, which ``prepare()`` adds to one of an earlier version. A
relay that knows it goes first, then the column, then the producers: an earlier relay sends a message without them.

Several relays share a table where the database can skip locked rows: PostgreSQL, MySQL 8, MariaDB 10.6. Each holds the
rows of a batch in its open transaction until the batch is sent; those of a relay that dies are free again. SQLite has
one writer: use one relay.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from babelqueue.outbox import OutboxRecord

from babelreg.runtime.producer.outbox_table import COLUMNS, PROPERTIES, OutboxTable
from babelreg.runtime.producer.row_properties import Row, RowProperties

_MAX_ERROR = 500
_BATCHES = 10  # for as many relays at the same time
_ORDER = "ORDER BY attempts, written_at, id"


class Cursor(Protocol):
    """The methods that the outbox calls on a DB-API (PEP 249) cursor."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any: ...

    def fetchall(self) -> Sequence[Sequence[Any]]: ...

    def close(self) -> None: ...


class Connection(Protocol):
    """The methods that the outbox calls on a DB-API (PEP 249) connection: sqlite3, psycopg, PyMySQL and others."""

    def cursor(self) -> Cursor: ...

    def commit(self) -> None: ...


class SqlOutbox:
    """A table of unsent messages, as an ``OutboxStore`` of babelqueue.

    ``paramstyle`` is that of the connection's module (``sqlite3.paramstyle``): qmark, format or pyformat; it is needed
    only for a connection of a class that no DB-API module defines. ``skip_locked``: whether the database can skip
    locked rows. The default is True for PostgreSQL and MySQL; pass False for an older one, and use one relay. Raises
    UsageError for another style, and for a ``table`` that is not a plain name.

    ``save`` does not commit; the methods that the relay calls do, so give the relay a separate connection. Messages are
    sent oldest first; those that failed follow those that did not.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        table: str = "babelreg_outbox",
        paramstyle: str | None = None,
        skip_locked: bool | None = None,
    ) -> None:
        self.table = OutboxTable(connection, table, paramstyle)
        self._connection = connection
        self._skips = self.table.skips_locked if skip_locked is None else skip_locked
        # MySQL would lock all rows of a small table, which it reads without an index.
        self._by_id = " FORCE INDEX (PRIMARY)" if self.table.is_mysql else ""

    def create(self) -> None:
        """Create the table if it does not exist. Commits. ``written_at`` is in Unix nanoseconds.

        Your migrations may create it instead, with these columns; in MySQL use LONGTEXT, since TEXT ends at 64 KiB.
        """
        self._run(self.table.creation)
        self._connection.commit()

    def prepare(self) -> None:
        """Create the table, or add the column to it that an earlier version did not have. Commits.

        Your migrations may run ``outbox.table.addition`` instead. Relays and producers of the version before work on.
        """
        self.create()
        if not self.has_properties():
            try:
                self._run(self.table.addition)
            except Exception:
                with suppress(Exception):
                    self._run("ROLLBACK")
                if not self.has_properties():  # else another process was faster
                    raise
            self._connection.commit()

    def has_properties(self) -> bool:
        """Return True if the table has the column for headers, key and delay of a message."""
        if self.table.knows_properties():
            return True
        cursor = self._connection.cursor()
        try:
            cursor.execute(self.table.properties_query)
            return self.table.found_properties(cursor.fetchall(), getattr(cursor, "description", None))
        finally:
            cursor.close()

    def save(self, encoded: str, queue: str) -> str:
        """Insert one encoded envelope in the open transaction; return the row's id. Does not commit."""
        return self.save_row(encoded, queue, RowProperties())

    def save_row(self, encoded: str, queue: str, properties: RowProperties) -> str:
        """Insert one encoded envelope with its properties; see :meth:`save`."""
        row, statement, values = self.table.insertion(encoded, queue, properties)
        self._run(statement, values)
        return row

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        """Return up to ``limit`` unsent messages. Where locked rows are skipped, they are locked until a commit."""
        if self._skips:
            return self._locked(limit)
        rows = self._run(f"SELECT {self._columns()} FROM {self.table.name} {_ORDER} LIMIT {int(limit)}")
        self._connection.commit()  # an open transaction would keep reading this snapshot
        return [Row(row) for row in rows]

    def mark_published(self, ids: list[str]) -> None:
        """Delete these rows: the broker has the messages. Commits."""
        for row in ids:
            self._run(f"DELETE FROM {self.table.name} WHERE id = ?", (row,))
        self._connection.commit()

    def mark_failed(self, id: str, error: str) -> None:
        """Record that the broker did not accept this message; it stays in the table.

        Commits, unless that would free the other rows of the batch: :meth:`release` does then.
        """
        failed = f"UPDATE {self.table.name} SET attempts = attempts + 1, error = ? WHERE id = ?"
        self._run(failed, (error[:_MAX_ERROR], id))
        if not self._skips:
            self._connection.commit()

    def release(self) -> None:
        """End the transaction of a batch: commit what was marked and free the other rows for other relays."""
        if self._skips:
            self._connection.commit()

    def _locked(self, limit: int) -> list[OutboxRecord]:
        """Lock and return up to ``limit`` rows that no other relay has locked, oldest first.

        Candidates are read without a lock and locked by their ids: a locking read in an order would lock all the rows
        that it reads to find that order, and in MySQL the gaps between them, where producers insert.
        """
        self._connection.commit()  # an open transaction would keep reading its snapshot
        rows = self._run(f"SELECT id FROM {self.table.name} {_ORDER} LIMIT {int(limit) * _BATCHES}")
        columns = self._columns()
        candidates = [str(row[0]) for row in rows]
        for start in range(0, len(candidates), limit):
            batch = candidates[start : start + limit]
            marks = ", ".join("?" * len(batch))
            query = f"SELECT {columns} FROM {self.table.name}{self._by_id} WHERE id IN ({marks})"
            found = self._run(f"{query} {_ORDER} FOR UPDATE SKIP LOCKED", batch)
            if found:
                return [Row(row) for row in found]
        self._connection.commit()
        return []

    def _columns(self) -> str:
        return f"{COLUMNS}, {PROPERTIES}" if self.has_properties() else COLUMNS

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> Sequence[Sequence[Any]]:
        """Run one statement. Values are always parameters, never part of the text; no text has a literal ``?``."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql.replace("?", self.table.mark), parameters)
            return cursor.fetchall() if sql.startswith("SELECT") else ()
        finally:
            cursor.close()
