"""Producers for async code: the same messages, checks and errors, without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Generic, TypeVar

from babelqueue import BabelQueue

from babelreg.runtime.message import message_type
from babelreg.runtime.producer.produce import AnyMiddleware, Producer
from babelreg.runtime.recording.recorder import Recorder

__all__ = ["AsyncProducer"]

T = TypeVar("T")


class AsyncProducer(Generic[T]):
    """Sends the message whose data is ``model``; ``queue`` and ``record`` are as for the message's own producer.

        producer = AsyncProducer(app, OrdersCreated)
        await producer.send(OrdersCreated(id=1))

    Messages are validated, encoded and published in threads of the running event loop, with the context of the caller,
    so that what an async handler sends continues its trace. Where awaiting it is cancelled, a message may still be
    sent. Raises as the message's own producer does; TypeError for a class that is not the data of a message.
    """

    def __init__(
        self,
        app: BabelQueue,
        model: type[T],
        *,
        queue: str | None = None,
        record: Recorder | str | os.PathLike[str] | None = None,
    ) -> None:
        of_model = type(f"{model.__name__}Producer", (Producer,), {"message": message_type(model)})
        self._producer: Producer[T] = of_model(app, queue=queue, record=record)

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        """See :meth:`Producer.middleware`: a plain generator function, which is called in the thread that publishes."""
        return self._producer.middleware(middleware)

    async def send(self, data: T, trace_id: str | None = None) -> str:
        """Send one message; return its ``meta.id`` once the broker has accepted it. Raises as :meth:`Producer.send`."""
        return await asyncio.to_thread(self._producer.send, data, trace_id)

    async def send_many(self, items: Iterable[T], trace_id: str | None = None) -> list[str]:
        """Send messages in order; return their ``meta.id``. Raises as :meth:`Producer.send_many`."""
        return await asyncio.to_thread(self._producer.send_many, items, trace_id)
