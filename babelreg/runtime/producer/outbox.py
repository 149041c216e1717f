"""A transactional outbox in any SQL database: messages are written in the service's transaction and sent by a relay.

    with connection:                                     # the service's own transaction
        connection.execute("INSERT INTO orders ...")
        producer.write(SqlOutbox(connection), order)     # same connection: both are committed, or neither

    relay = OutboxRelay(app.transport, SqlOutbox(another_connection))
    relay.drain()                                        # about every second, in one process

The relay is babelqueue's: it publishes the stored bytes unchanged and deletes them afterwards, so a message may be sent
twice, with the same ``meta.id``, but is never lost. Source: babelqueue.outbox, ADR-0029.
"""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Sequence
from typing import Any, Protocol

from babelqueue import outbox
from babelqueue.outbox import OutboxRecord, OutboxStore
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.recording.recorder import Recorder, recorder_of
from babelreg.runtime.transports.replacements import confirmed

__all__ = ["Connection", "OutboxRelay", "SqlOutbox"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?\Z")
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}
_MAX_ERROR = 500


class Cursor(Protocol):
    """The methods that the outbox calls on a DB-API (PEP 249) cursor."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any: ...

    def fetchall(self) -> Sequence[Sequence[Any]]: ...

    def close(self) -> None: ...


class Connection(Protocol):
    """The methods that the outbox calls on a DB-API (PEP 249) connection: sqlite3, psycopg, PyMySQL and others."""

    def cursor(self) -> Cursor: ...

    def commit(self) -> None: ...


class OutboxRelay(outbox.OutboxRelay):
    """babelqueue's relay on a confirmed transport: a message is deleted once the broker has confirmed it.

    ``record``: a folder, or a Recorder, for files of everything that is sent. ``settings`` are those of babelqueue's
    relay.
    """

    def __init__(
        self,
        transport: Transport,
        store: OutboxStore,
        *,
        record: Recorder | str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> None:
        recorder, target = recorder_of(record), confirmed(transport)
        super().__init__(target if recorder is None else _RecordedTransport(target, recorder), store, **settings)


class _RecordedTransport(Transport):
    """A transport whose ``publish`` records."""

    def __init__(self, transport: Transport, recorder: Recorder) -> None:
        self._transport = transport
        self._recorder = recorder

    def publish(self, queue: str, body: str) -> None:
        with self._recorder.sending(body):
            self._transport.publish(queue, body)

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        return self._transport.pop(queue, timeout)

    def ack(self, message: ReceivedMessage) -> None:
        self._transport.ack(message)

    def close(self) -> None:
        self._transport.close()


class SqlOutbox:
    """A table of unsent messages, as an ``OutboxStore`` of babelqueue.

    ``paramstyle`` is that of the connection's module (``sqlite3.paramstyle``): qmark, format or pyformat. Raises
    UsageError for another one, and for a ``table`` that is not a plain name.

    ``save`` does not commit; the methods that the relay calls do, so give the relay a separate connection. Messages are
    sent oldest first; those that failed follow those that did not.
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
        """Create the table if it does not exist. Commits. ``written_at`` is in Unix nanoseconds.

        Your migrations may create it instead, with these columns; in MySQL use LONGTEXT, since TEXT ends at 64 KiB.
        """
        self._run(
            f"CREATE TABLE IF NOT EXISTS {self._table} (id VARCHAR(36) PRIMARY KEY, queue VARCHAR(255) NOT NULL, "
            "body TEXT NOT NULL, attempts INTEGER NOT NULL, error VARCHAR(500), written_at BIGINT NOT NULL)"
        )
        self._connection.commit()

    def save(self, encoded: str, queue: str) -> str:
        """Insert one encoded envelope in the open transaction; return the row's id. Does not commit."""
        row = str(uuid.uuid4())
        self._run(
            f"INSERT INTO {self._table} (id, queue, body, attempts, written_at) VALUES (?, ?, ?, 0, ?)",
            (row, queue, encoded, time.time_ns()),
        )
        return row

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        """Return up to ``limit`` unsent messages."""
        rows = self._run(
            f"SELECT id, body, queue, attempts FROM {self._table} ORDER BY attempts, written_at, id LIMIT {int(limit)}"
        )
        self._connection.commit()  # an open transaction would keep reading this snapshot
        return [OutboxRecord(*row) for row in rows]

    def mark_published(self, ids: list[str]) -> None:
        """Delete these rows: the broker has the messages. Commits."""
        for row in ids:
            self._run(f"DELETE FROM {self._table} WHERE id = ?", (row,))
        self._connection.commit()

    def mark_failed(self, id: str, error: str) -> None:
        """Record that the broker did not accept this message; it stays in the table. Commits."""
        self._run(f"UPDATE {self._table} SET attempts = attempts + 1, error = ? WHERE id = ?", (error[:_MAX_ERROR], id))
        self._connection.commit()

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> Sequence[Sequence[Any]]:
        """Run one statement. Values are always parameters, never part of the text; no text has a literal ``?``."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql.replace("?", self._mark), parameters)
            return cursor.fetchall() if sql.startswith("SELECT") else ()
        finally:
            cursor.close()
