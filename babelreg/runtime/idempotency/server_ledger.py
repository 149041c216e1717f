"""The part of a ledger that is the same for all database servers with a DB-API driver, plain or async."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, ClassVar

from babelreg.errors import UsageError
from babelreg.runtime.awaitables import completed, resolved
from babelreg.runtime.idempotency.ledger import consumer_names, mark_key
from babelreg.runtime.idempotency.sql_statements import Statements, now_ms


class ServerLedger(ABC):
    """A ledger on connections of its own, opened when they are needed and used again.

    ``kind`` is the driver's class of connections, whose methods commit where those of a handler's connection refuse to.
    All that asks the server is a coroutine, which a plain driver never suspends.

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
        self._idle_of: dict[Hashable, list[Any]] = {}
        self._ready = False

    async def _begun(self, message_id: str) -> tuple[Any, str, str | None]:
        """Begin the transaction of a message; return its connection, the key of its mark, and its earlier digest."""
        key = mark_key(message_id)
        connection, rows = await self._run(self._statements.look_up, (self._consumer, self._former, key))
        return connection, key, str(rows[0][0]) if rows and key else None

    async def _committed(self, connection: Any, key: str, content: str) -> bool:
        """Commit with the mark; return False if there is one. Raises UsageError if the transaction has ended."""
        if not self._is_open(connection):
            raise UsageError("the handler ended the consumer's transaction", fix="remove COMMIT and ROLLBACK from it")
        values = (self._consumer, key, content, now_ms())
        if key and (await self._execute(connection, self._statements.mark, values))[1] != 1:
            return False
        await self._call("commit", connection)
        self._idle.append(connection)
        return True

    async def _rolled_back(self, connection: Any) -> None:
        """Roll back; a connection that cannot is closed."""
        try:
            await self._call("rollback", connection)
        except BaseException:
            await self._discard(connection)
            raise
        self._idle.append(connection)

    async def _counted(self, message_id: str) -> int:
        names, now = (self._consumer, mark_key(message_id)), now_ms()
        return int((await self._run_both(self._statements.count_up, (*names, now, now), "counted", names))[0][0][0])

    async def _pruned(self, keep_seconds: float) -> int:
        """Delete the marks that are older than ``keep_seconds``; return their number."""
        oldest = (self._consumer, now_ms() - int(keep_seconds * 1000))
        return (await self._run_both(self._statements.prune_counts, oldest, "prune", oldest))[1]

    async def _closed(self) -> None:
        """Close the connections that are not in use."""
        for connection in self._idle_of.pop(self._owner(), []):
            await self._discard(connection)

    @property
    def _idle(self) -> list[Any]:
        """The connections that are not in use. To close one of a parent process would end the parent's session."""
        return self._idle_of.setdefault(self._owner(), [])

    def _owner(self) -> Hashable:
        """Return what connections belong to."""
        return os.getpid()

    async def _call(self, method: str, connection: Any) -> None:
        await resolved(getattr(self._kind, method)(connection))

    async def _discard(self, connection: Any) -> None:
        with suppress(Exception):
            await self._call("close", connection)

    async def _run(self, sql: str, values: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        """Begin a transaction with one statement; return its connection and the rows."""
        while True:
            try:
                connection, fresh = self._idle.pop(), False
            except IndexError:
                connection, fresh = await self._opened(), True
            try:
                self._begin(connection)
                return connection, (await self._execute(connection, sql, values))[0]
            except BaseException as error:
                await self._discard(connection)
                if fresh or not isinstance(error, Exception):
                    raise
                await self._closed()  # the server was restarted: it has closed the others, too

    async def _run_both(
        self, sql: str, values: tuple[Any, ...], then: str, others: tuple[Any, ...]
    ) -> tuple[list[Any], int]:
        """Run two statements in a transaction; return the result of the second, by its name."""
        connection, _ = await self._run(sql, values)
        try:
            result = await self._execute(connection, getattr(self._statements, then), others)
            await self._call("commit", connection)
        except BaseException:
            await self._discard(connection)
            raise
        self._idle.append(connection)
        return result

    async def _opened(self) -> Any:
        connection = await resolved(self._connect())
        try:
            if self._prepare is not None:
                await resolved(self._prepare(connection))
                await self._call("commit", connection)
            if not self._ready:
                await self._create(connection)
                self._ready = True
        except BaseException:
            await self._discard(connection)
            raise
        return connection

    async def _create(self, connection: Any) -> None:
        """Create the tables unless they exist: a service whose migrations did may not be allowed to create any."""
        try:
            for statement in self._statements.exists:
                await self._execute(connection, statement, ())
        except self._programming_error:
            await self._call("rollback", connection)
            for statement in self._statements.create:
                try:
                    await self._execute(connection, statement, ())
                    await self._call("commit", connection)
                except Exception:  # another worker creates it at the same time
                    await self._call("rollback", connection)
            for statement in self._statements.exists:
                await self._execute(connection, statement, ())
        await self._call("rollback", connection)

    @abstractmethod
    def _connect(self) -> Any:
        """Return a new connection of a class that handlers cannot commit, or an awaitable of it."""

    def _begin(self, connection: Any) -> None:  # noqa: B027
        """Begin a transaction, unless the driver does so with the first statement."""

    @abstractmethod
    def _is_open(self, connection: Any) -> bool:
        """Return True unless the transaction of ``connection`` has ended."""

    @abstractmethod
    async def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        """Run one statement; return its rows, none for other statements than SELECT, and the number affected."""


class BlockingLedger(ServerLedger):
    """A ledger of a plain driver."""

    def begin(self, message_id: str) -> _BlockingUnit:
        """Begin the transaction of the message with this ``meta.id``."""
        return _BlockingUnit(self, *completed(self._begun(message_id)))

    def count_delivery(self, message_id: str) -> int:
        return completed(self._counted(message_id))

    def prune(self, keep_seconds: float) -> int:
        """Delete the marks that are older than ``keep_seconds``; return their number.

        Keep them for longer than your broker and your dead-letter queues keep messages: a message without a mark is
        handled again.
        """
        return completed(self._pruned(keep_seconds))

    def close(self) -> None:
        """Close the connections that are not in use. The next delivery opens a new one."""
        completed(self._closed())


class _BlockingUnit:
    """One transaction; see :class:`babelreg.runtime.idempotency.ledger.Unit`."""

    def __init__(self, ledger: ServerLedger, connection: Any, key: str, earlier: str | None) -> None:
        self.connection = connection
        self.earlier = earlier
        self._ledger = ledger
        self._key = key

    def commit(self, content: str) -> bool:
        """See ``Unit``. Waits for another worker that handles the same message."""
        return completed(self._ledger._committed(self.connection, self._key, content))

    def rollback(self) -> None:
        completed(self._ledger._rolled_back(self.connection))
