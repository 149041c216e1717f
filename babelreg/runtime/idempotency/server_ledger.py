"""The part of a ledger that is the same for all database servers with a DB-API driver."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from babelreg.errors import UsageError
from babelreg.runtime.idempotency.ledger import consumer_names, mark_key
from babelreg.runtime.idempotency.sql_statements import Statements, now_ms

__all__ = ["ServerLedger", "transaction_ended"]


def transaction_ended() -> UsageError:
    """Return the error for a handler that committed or rolled back in SQL."""
    return UsageError("the handler ended the consumer's transaction", fix="remove COMMIT and ROLLBACK from it")


class ServerLedger(ABC):
    """A ledger on connections of its own, opened when they are needed and used again.

    ``kind`` is the driver's class of connections, whose methods commit where those of a handler's connection refuse to.

    Safe for threads and forks. A connection that fails is closed, and the next message opens another one; a connection
    that has been idle may have been closed by the server, so its first failure is no failure of the ledger.
    """

    service: ClassVar[str] = ""
    """The default of ``consumer``. Set by generated code."""

    def __init__(
        self,
        statements: Statements,
        consumer: str | None,
        programming_error: type[Exception],
        kind: Any,
        prepare: Callable[[Any], object] | None,
    ) -> None:
        self._statements = statements
        self._kind = kind
        self._prepare = prepare
        self._consumer, self._former = map(mark_key, consumer_names(consumer, self.service))
        self._programming_error = programming_error
        self._lock = threading.Lock()
        self._idle: list[Any] = []
        self._of_parent: list[Any] = []
        self._process = os.getpid()
        self._ready = False

    def begin(self, message_id: str) -> ServerUnit:
        """Begin the transaction of the message with this ``meta.id``."""
        key = mark_key(message_id)
        connection, rows = self._run(self._statements.look_up, (self._consumer, self._former, key))
        return ServerUnit(self, connection, key, str(rows[0][0]) if rows and key else None)

    def count_delivery(self, message_id: str) -> int:
        """See ``DeliveryCounter``."""
        names, now = (self._consumer, mark_key(message_id)), now_ms()
        connection, _ = self._run(self._statements.count_up, (*names, now, now))
        return int(self._finish(connection, self._statements.counted, names)[0][0][0])

    def prune(self, keep_seconds: float) -> int:
        """Delete the marks that are older than ``keep_seconds``; return their number.

        Keep them for longer than your broker and your dead-letter queues keep messages: a message without a mark is
        handled again.
        """
        oldest = (self._consumer, now_ms() - int(keep_seconds * 1000))
        connection, _ = self._run(self._statements.prune_counts, oldest)
        return self._finish(connection, self._statements.prune, oldest)[1]

    def close(self) -> None:
        """Close the connections that are not in use. The next delivery opens a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            self.discard(connection)

    def mark(self, connection: Any, key: str, content: str) -> bool:
        """Write the mark in the transaction of ``connection``; return False if there is one."""
        values = (self._consumer, key, content, now_ms())
        return self._execute(connection, self._statements.mark, values)[1] == 1

    def commit(self, connection: Any) -> None:
        """Commit. Raises UsageError if the handler has ended the transaction."""
        self._kind.commit(connection)
        self.give_back(connection)

    def roll_back(self, connection: Any) -> None:
        """Roll back; a connection that cannot is closed."""
        try:
            self._kind.rollback(connection)
        except BaseException:
            self.discard(connection)
            raise
        self.give_back(connection)

    def give_back(self, connection: Any) -> None:
        with self._lock:
            if self._process == os.getpid():
                self._idle.append(connection)

    def discard(self, connection: Any) -> None:
        with suppress(Exception):
            self._kind.close(connection)

    def _run(self, sql: str, values: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        """Begin a transaction with one statement; return its connection and the rows."""
        while True:
            connection = self._take()
            fresh = connection is None
            if connection is None:
                connection = self._opened()
            try:
                self._begin(connection)
                return connection, self._execute(connection, sql, values)[0]
            except BaseException as error:
                self.discard(connection)
                if fresh or not isinstance(error, Exception):
                    raise
                self.close()  # the server was restarted: it has closed the others, too

    def _finish(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        """Commit a transaction after one more statement; return the result of that."""
        try:
            result = self._execute(connection, sql, values)
            self._kind.commit(connection)
        except BaseException:
            self.discard(connection)
            raise
        self.give_back(connection)
        return result

    def _take(self) -> Any:
        with self._lock:
            if self._process != os.getpid():
                # Connections of the parent: closing one would end the parent's session.
                self._of_parent, self._idle, self._process = self._of_parent + self._idle, [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _opened(self) -> Any:
        connection = self._connect()
        try:
            if self._prepare is not None:
                self._prepare(connection)
                self._kind.commit(connection)
            if not self._ready:
                self._create(connection)
                self._ready = True
        except BaseException:
            self.discard(connection)
            raise
        return connection

    def _create(self, connection: Any) -> None:
        """Create the tables unless they exist: a service whose migrations did may not be allowed to create any."""
        try:
            for statement in self._statements.exists:
                self._execute(connection, statement, ())
        except self._programming_error:
            self._kind.rollback(connection)
            for statement in self._statements.create:
                try:
                    self._execute(connection, statement, ())
                    self._kind.commit(connection)
                except Exception:  # another worker creates it at the same time
                    self._kind.rollback(connection)
            for statement in self._statements.exists:
                self._execute(connection, statement, ())
        self._kind.rollback(connection)

    @abstractmethod
    def _connect(self) -> Any:
        """Return a new connection of a class that handlers cannot commit."""

    @abstractmethod
    def _begin(self, connection: Any) -> None:
        """Begin a transaction, unless the driver does so with the first statement."""

    @abstractmethod
    def is_open(self, connection: Any) -> bool:
        """Return True unless the transaction of ``connection`` has ended."""

    @abstractmethod
    def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        """Run one statement; return its rows, none for other statements than SELECT, and the number affected."""


class ServerUnit:
    """One transaction of a :class:`ServerLedger`; see :class:`babelreg.runtime.idempotency.ledger.Unit`."""

    def __init__(self, ledger: ServerLedger, connection: Any, key: str, earlier: str | None) -> None:
        self.connection = connection
        self.earlier = earlier
        self._ledger = ledger
        self._key = key

    def commit(self, content: str) -> bool:
        """See ``Unit``. Waits for another worker that handles the same message."""
        if not self._ledger.is_open(self.connection):
            raise transaction_ended()
        if self._key and not self._ledger.mark(self.connection, self._key, content):
            return False
        self._ledger.commit(self.connection)
        return True

    def rollback(self) -> None:
        self._ledger.roll_back(self.connection)
