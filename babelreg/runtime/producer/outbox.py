"""A transactional outbox in any SQL database: messages are written in the service's transaction and sent by a relay.

    with connection:                                     # the service's own transaction
        connection.execute("INSERT INTO orders ...")
        producer.write(SqlOutbox(connection), order)     # same connection: both are committed, or neither

    relay = OutboxRelay(app.transport, SqlOutbox(another_connection))
    relay.drain()                                        # about every second

The relay is babelqueue's: it publishes the stored bytes unchanged and deletes them afterwards, so a message may be sent
twice, with the same ``meta.id``, but is never lost. Source: babelqueue.outbox, ADR-0029.

Several relays share a table where the database can skip locked rows: PostgreSQL, MySQL 8, MariaDB 10.6. Each holds the
rows of a batch in its open transaction until the batch is sent; those of a relay that dies are free again. SQLite has
one writer: use one relay.
"""

from __future__ import annotations

import os
import re
import sys
import time
import uuid
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, Protocol

from babelqueue import outbox
from babelqueue.outbox import OutboxRecord, OutboxRelayResult, OutboxStore
from babelqueue.transport import ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.bytes.recorder import Recorder, recorder_of
from babelreg.runtime.producer.publish import is_observed, publish_body, publish_observed
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Outgoing
from babelreg.runtime.transports.replacements import confirmed
from babelreg.runtime.transports.subscription_broker import PublishesMany, Subscribers, publish_many

__all__ = ["Connection", "Insertion", "OutboxRelay", "SqlOutbox"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?\Z")
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}
_POSTGRES = ("psycopg", "psycopg2", "pg8000")
_MYSQL = ("pymysql", "MySQLdb", "mysql", "mariadb")
_MAX_ERROR = 500
_BATCHES = 10  # for as many relays at the same time
_COLUMNS = "id, body, queue, attempts"
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


class OutboxRelay(outbox.OutboxRelay):
    """babelqueue's relay on a confirmed transport: a message is deleted once the broker has confirmed it.

    A row for the queue that the registry names for its message goes to the subscriptions of that message, as what
    producers send; one for another queue goes there, and so does, with a warning, a message that the relay's package
    does not have. ``record``: a folder, or a Recorder, for files of everything that
    is sent. ``settings`` are those of babelqueue's relay.
    """

    topology: ClassVar[RuntimeTopology | None] = None
    """The topology of the registry. Set by generated code."""

    def __init__(
        self,
        transport: Transport,
        store: OutboxStore,
        *,
        record: Recorder | str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> None:
        self._sender = _RelayTransport(confirmed(transport), store, recorder_of(record), self.topology)
        super().__init__(self._sender, self._sender, **settings)

    def flush(self) -> OutboxRelayResult:
        """Send one batch; see babelqueue. Rows that were not sent are free for other relays afterwards."""
        try:
            return super().flush()
        finally:
            self._sender.release()


class _RelayTransport(Transport):
    """The transport and the store of babelqueue's relay, which publishes row by row.

    Where the transport can, a batch is sent when it is fetched, and ``publish`` tells the results. It records and
    reports: babelqueue's relay raises no error to its caller.
    """

    def __init__(
        self, transport: Transport, store: OutboxStore, recorder: Recorder | None, topology: RuntimeTopology | None
    ) -> None:
        self._transport = transport
        self._store = store
        self._recorder = recorder
        self._topology = topology
        self._foreign: set[str] = set()
        self._sent: dict[tuple[str, str], Exception | None] = {}
        self.save, self.mark_published, self.mark_failed = store.save, store.mark_published, store.mark_failed

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        rows = self._store.fetch_unpublished(limit)
        if isinstance(self._transport, PublishesMany) and self._recorder is None and not is_observed():
            messages = [(row.queue, row.body, self._subscribers(row.queue, row.body)) for row in rows]
            for row, error in zip(rows, publish_many(self._transport, messages), strict=True):
                self._sent[row.queue, row.body] = self._sent.get((row.queue, row.body)) or error
        return rows

    def release(self) -> None:
        """End a batch."""
        self._sent.clear()
        if isinstance(self._store, SqlOutbox):
            self._store.release()

    def publish(self, queue: str, body: str) -> None:
        try:
            self._publish(queue, body)
        except Exception as error:
            message = Outgoing.of(queue, body)
            kind = type(error).__name__
            words = "%s: a message stays in the outbox, because the broker did not accept it (%s)"
            logger.warning(words, message.urn, kind, extra=fields(message, outcome="failed", reason=kind))
            raise

    def _publish(self, queue: str, body: str) -> None:
        if (queue, body) in self._sent:
            if (error := self._sent[queue, body]) is not None:
                raise error
            return
        recording = None if self._recorder is None else self._recorder.sending
        subscribers = self._subscribers(queue, body)
        if is_observed():
            message = Outgoing.of(queue, body)
            publish_observed(self._transport, message, body, recording=recording, subscribers=subscribers)
        elif recording is not None:
            with recording(body):
                publish_body(self._transport, queue, body, subscribers)
        else:
            publish_body(self._transport, queue, body, subscribers)

    def _subscribers(self, queue: str, body: str) -> Subscribers | None:
        """Return the receivers of a row, or None for one that names a queue of its own."""
        if self._topology is None:
            return None
        urn = Outgoing.of(queue, body).urn
        if urn not in self._topology.sources:
            self._report_foreign(urn, queue)
            return None
        if self._topology.sources[urn] not in (None, queue):
            return None
        return Subscribers(urn, tuple(self._topology.consumers.get(urn, ())))

    def _report_foreign(self, urn: str, queue: str) -> None:
        """Warn once of a message of another package: one that shares the outbox wrote it."""
        if urn not in self._foreign:
            self._foreign.add(urn)
            words = "%s: not in the package of this relay, so it is sent to the queue %s and not to subscriptions"
            logger.warning(words, urn, queue, extra={"urn": urn, "queue": queue})

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        return self._transport.pop(queue, timeout)

    def ack(self, message: ReceivedMessage) -> None:
        self._transport.ack(message)

    def close(self) -> None:
        self._transport.close()


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
        self._insertion = Insertion(connection, table, paramstyle)
        self._connection = connection
        self._table = table
        name = getattr(_module(connection), "__name__", "")
        self._skips = name in (*_MYSQL, *_POSTGRES) if skip_locked is None else skip_locked
        self._text = "LONGTEXT" if name in _MYSQL else "TEXT"
        # MySQL would lock all rows of a small table, which it reads without an index.
        self._by_id = " FORCE INDEX (PRIMARY)" if name in _MYSQL else ""

    def create(self) -> None:
        """Create the table if it does not exist. Commits. ``written_at`` is in Unix nanoseconds.

        Your migrations may create it instead, with these columns; in MySQL use LONGTEXT, since TEXT ends at 64 KiB.
        """
        self._run(
            f"CREATE TABLE IF NOT EXISTS {self._table} (id VARCHAR(36) PRIMARY KEY, queue VARCHAR(255) NOT NULL, "
            f"body {self._text} NOT NULL, attempts INTEGER NOT NULL, error VARCHAR(500), written_at BIGINT NOT NULL)"
        )
        self._connection.commit()

    def save(self, encoded: str, queue: str) -> str:
        """Insert one encoded envelope in the open transaction; return the row's id. Does not commit."""
        row, values = self._insertion.row(encoded, queue)
        self._run(self._insertion.sql, values)
        return row

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        """Return up to ``limit`` unsent messages. Where locked rows are skipped, they are locked until a commit."""
        if self._skips:
            return self._locked(limit)
        rows = self._run(f"SELECT {_COLUMNS} FROM {self._table} {_ORDER} LIMIT {int(limit)}")
        self._connection.commit()  # an open transaction would keep reading this snapshot
        return [OutboxRecord(*row) for row in rows]

    def mark_published(self, ids: list[str]) -> None:
        """Delete these rows: the broker has the messages. Commits."""
        for row in ids:
            self._run(f"DELETE FROM {self._table} WHERE id = ?", (row,))
        self._connection.commit()

    def mark_failed(self, id: str, error: str) -> None:
        """Record that the broker did not accept this message; it stays in the table.

        Commits, unless that would free the other rows of the batch: :meth:`release` does then.
        """
        self._run(f"UPDATE {self._table} SET attempts = attempts + 1, error = ? WHERE id = ?", (error[:_MAX_ERROR], id))
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
        rows = self._run(f"SELECT id FROM {self._table} {_ORDER} LIMIT {int(limit) * _BATCHES}")
        candidates = [str(row[0]) for row in rows]
        for start in range(0, len(candidates), limit):
            batch = candidates[start : start + limit]
            marks = ", ".join("?" * len(batch))
            where = f"{self._by_id} WHERE id IN ({marks})"
            found = self._run(f"SELECT {_COLUMNS} FROM {self._table}{where} {_ORDER} FOR UPDATE SKIP LOCKED", batch)
            if found:
                return [OutboxRecord(*row) for row in found]
        self._connection.commit()
        return []

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> Sequence[Sequence[Any]]:
        """Run one statement. Values are always parameters, never part of the text; no text has a literal ``?``."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql.replace("?", self._insertion.mark), parameters)
            return cursor.fetchall() if sql.startswith("SELECT") else ()
        finally:
            cursor.close()


class Insertion:
    """The statement that adds a message to ``table`` of a database; ``mark`` stands for a parameter in it.

    Raises UsageError as :class:`SqlOutbox` does.
    """

    def __init__(self, connection: object, table: str, paramstyle: str | None) -> None:
        if not _NAME.match(table):
            raise UsageError(f"{table[:80]!r} cannot be the name of a table", fix='take letters, digits and "_"')
        style = paramstyle or str(getattr(_module(connection), "paramstyle", "qmark"))
        if style not in _MARKS:
            raise UsageError(f"paramstyle {style!r} is not known", fix=f"take one of {', '.join(_MARKS)}")
        self.mark = _MARKS[style]
        values = f"({self.mark}, {self.mark}, {self.mark}, 0, {self.mark})"
        self.sql = f"INSERT INTO {table} (id, queue, body, attempts, written_at) VALUES {values}"

    def row(self, encoded: str, queue: str) -> tuple[str, tuple[Any, ...]]:
        """Return the id of a new row, and the values of the statement."""
        row = str(uuid.uuid4())
        return row, (row, queue, encoded, time.time_ns())


def _module(connection: object) -> ModuleType | None:
    """Return the DB-API module that defines the class of ``connection``, or a class that it derives from."""
    for kind in type(connection).__mro__:
        module = sys.modules.get(kind.__module__.partition(".")[0])
        if hasattr(module, "paramstyle"):
            return module
    return None
