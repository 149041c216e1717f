"""SQLite connections whose transaction belongs to the consumer, so that a handler cannot end it before the mark."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Literal

from babelreg.errors import UsageError

_SELECT = re.compile(r"(?:\s+|--[^\n]*\n|/\*.*?\*/)*select\b", re.IGNORECASE | re.DOTALL)


class GuardedConnection(sqlite3.Connection):
    """A connection that refuses to end its transaction."""

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


class WriteLockConnection(GuardedConnection):
    """A connection that locks the database before the first statement that is not a SELECT.

    Only while it is ``armed``: from the ledger's ``begin`` to the end of the unit. ``failure`` is the exception of a
    lock that was not granted in time.
    """

    armed = False
    begun = False
    failure: sqlite3.Error | None = None

    def arm(self) -> None:
        """Wait for the first statement that writes."""
        self.armed, self.begun, self.failure = True, False, None

    def disarm(self) -> None:
        self.armed = False

    def lock(self) -> None:
        """Begin the transaction and lock the database, once."""
        if not self.armed or self.begun:
            return
        try:
            sqlite3.Cursor(self).execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            self.failure = error
            raise
        self.begun = True

    def cursor(self, factory: Any = None) -> Any:
        """Return a cursor. With a ``factory`` of the handler's own the database is locked at once."""
        if factory is None:
            return super().cursor(_LockingCursor)
        self.lock()
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if not _SELECT.match(sql):
            self.lock()
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        self.lock()
        return super().executemany(sql, parameters)

    def blobopen(self, *arguments: Any, **options: Any) -> sqlite3.Blob:
        self.lock()
        return super().blobopen(*arguments, **options)


class _LockingCursor(sqlite3.Cursor):
    connection: WriteLockConnection

    def execute(self, sql: str, parameters: Any = (), /) -> _LockingCursor:
        if not _SELECT.match(sql):
            self.connection.lock()
        super().execute(sql, parameters)
        return self

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> _LockingCursor:
        self.connection.lock()
        super().executemany(sql, parameters)
        return self

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        return self.connection.executescript(sql_script)
