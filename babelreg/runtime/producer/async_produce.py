"""Producers and an outbox for async code: the same messages, checks and errors, without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Generic, Protocol, TypeVar

from babelqueue import BabelQueue
from babelqueue.outbox import OutboxStore

from babelreg.runtime.awaitables import resolved
from babelreg.runtime.bytes.recorder import Recorder
from babelreg.runtime.errors import PartlySentError
from babelreg.runtime.message import message_type
from babelreg.runtime.producer.encode import checked_trace
from babelreg.runtime.producer.options import BatchOptions, SendOptions, send_options
from babelreg.runtime.producer.outbox_table import OutboxTable
from babelreg.runtime.producer.produce import AnyMiddleware, Producer
from babelreg.runtime.producer.row_properties import RowProperties
from babelreg.runtime.telemetry.middleware import check_middleware, is_async
from babelreg.runtime.validators import ENFORCE

T = TypeVar("T")


class AsyncOutbox(Protocol):
    """A store of unsent messages."""

    async def save(self, encoded: str, queue: str) -> str:
        """Insert one encoded envelope in the open transaction; return the row's id. Does not commit."""
        ...


class AsyncSqlOutbox:
    """The table of a ``SqlOutbox``, written through an async connection: psycopg's, or another like DB-API (PEP 249).

        async with connection.transaction():  # the service's own
            await connection.execute("INSERT INTO orders ...")
            await producer.write(AsyncSqlOutbox(connection), order)  # an AsyncProducer

    An ``OutboxRelay`` with a plain connection sends what is in the table.
    ``table`` and ``paramstyle`` are as there; raises UsageError as it does. Nothing here commits.
    """

    def __init__(self, connection: Any, *, table: str = "babelreg_outbox", paramstyle: str | None = None) -> None:
        self._connection = connection
        self.table = OutboxTable(connection, table, paramstyle)

    async def save(self, encoded: str, queue: str) -> str:
        return await self.save_row(encoded, queue, RowProperties())

    async def save_row(self, encoded: str, queue: str, properties: RowProperties) -> str:
        row, statement, values = self.table.insertion(encoded, queue, properties)
        async with self._cursor() as cursor:
            await cursor.execute(statement, values)
        return row

    async def has_properties(self) -> bool:
        if self.table.knows_properties():
            return True
        async with self._cursor() as cursor:
            await cursor.execute(self.table.properties_query, ())
            return self.table.found_properties(await cursor.fetchall(), getattr(cursor, "description", None))

    @asynccontextmanager
    async def _cursor(self) -> AsyncIterator[Any]:
        cursor = await resolved(self._connection.cursor())
        try:
            yield cursor
        finally:
            await resolved(cursor.close())


class AsyncProducer(Generic[T]):
    """Sends the message whose data is ``model``; the other arguments are those of the message's own producer.

        producer = AsyncProducer(app, OrdersCreated)
        await producer.send(OrdersCreated(id=1))

    Messages are sent in threads of the running event loop, with the context of the caller, so that what an async
    handler sends continues its trace. Where awaiting it is cancelled, a message may still be
    sent. Raises as the message's own producer does; TypeError for a class that is not the data of a message.
    """

    def __init__(
        self,
        app: BabelQueue,
        model: type[T],
        *,
        queue: str | None = None,
        record: Recorder | str | os.PathLike[str] | None = None,
        enforce: str = ENFORCE,
    ) -> None:
        of_model = type(f"{model.__name__}Producer", (_LoopProducer,), {"message": message_type(model)})
        self._producer: _LoopProducer[T] = of_model(app, queue=queue, record=record, enforce=enforce)

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        """See :meth:`Producer.middleware`; the generator function may be async.

        Plain middleware is called in the thread that publishes; beside an async one, in the event loop as that.
        """
        return self._producer.middleware(middleware)

    async def send(
        self,
        data: T,
        *,
        trace_id: str | None = None,
        key: str | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Send one message; return its ``meta.id`` once the broker has accepted it. Raises as :meth:`Producer.send`."""
        if self._producer.awaits:
            return await self._producer.send_in_loop(data, trace_id, send_options(key, delay, headers))
        send = self._producer.send
        return await asyncio.to_thread(send, data, trace_id=trace_id, key=key, delay=delay, headers=headers)

    async def send_many(
        self,
        items: Iterable[T],
        *,
        trace_id: str | None = None,
        key: Callable[[T], str | None] | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Send messages in order; return their ``meta.id``. Raises as :meth:`Producer.send_many`."""
        if self._producer.awaits:
            return await self._producer.send_many_in_loop(items, trace_id, BatchOptions(key, delay, headers))
        send = self._producer.send_many
        return await asyncio.to_thread(send, items, trace_id=trace_id, key=key, delay=delay, headers=headers)

    async def write(
        self,
        outbox: AsyncOutbox | OutboxStore,
        data: T,
        *,
        trace_id: str | None = None,
        key: str | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Write one message to an outbox, to be sent by a relay; return its ``meta.id``.

        With :class:`AsyncSqlOutbox` the message joins the open transaction of the outbox's connection. A plain outbox
        blocks the event loop, as its connection does. Raises as :meth:`Producer.write`.
        """
        return await self._producer._written(outbox, data, trace_id, send_options(key, delay, headers))


class _LoopProducer(Producer[T]):
    """A producer that publishes in threads, within middleware that runs in the event loop if one of it is async."""

    awaits = False

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        check_middleware(middleware)
        self._middleware.append(middleware)
        self.awaits = self.awaits or is_async(middleware)
        return middleware

    async def send_in_loop(self, data: T, trace_id: str | None, options: SendOptions) -> str:
        message = await asyncio.to_thread(self._encode, data, checked_trace(trace_id))
        await self._publish_within(asyncio.to_thread, message, data, options)
        return message.message_id

    async def send_many_in_loop(self, items: Iterable[T], trace_id: str | None, options: BatchOptions) -> list[str]:
        batch = await asyncio.to_thread(self._batch, items, checked_trace(trace_id), options)
        sent: list[str] = []
        for data, message, each in batch:
            try:
                await self._publish_within(asyncio.to_thread, message, data, each)
            except Exception as err:
                raise PartlySentError(self.message.urn, sent, len(batch)) from err
            sent.append(message.message_id)
        return sent
