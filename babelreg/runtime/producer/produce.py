"""Sending messages: nothing leaves that its contract, the envelope's rules or JSON itself would refuse."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from babelqueue import BabelQueue
from babelqueue.outbox import OutboxStore

from babelreg.errors import UsageError
from babelreg.runtime.errors import InvalidDataError, PartlySentError
from babelreg.runtime.message import MessageType
from babelreg.runtime.producer.encode import Outgoing, Outlet, checked_trace
from babelreg.runtime.transports.reliable import confirm

__all__ = ["Producer"]

T = TypeVar("T")

_warned: set[str] = set()


class Producer(Generic[T]):
    """Sends one kind of message; generated code derives a class per message and sets ``message``.

    ``queue`` is where to, by default the queue the registry names, else the app's. Raises UsageError without any, and
    for a retired message; SchemaError, by name, where no validator can be built from the message's schema. Warns of a
    deprecated one, once in the life of the program.
    """

    message: ClassVar[MessageType[Any]]

    def __init__(self, app: BabelQueue, *, queue: str | None = None) -> None:
        confirm(app)
        self._app = app
        target = queue or self.message.queue or app.queue
        if not target:
            raise UsageError(f"{self.message.urn} has no queue to go to", fix='pass queue="orders", say')
        _hold_to_status(self.message)
        self._outlet: Outlet[T] = Outlet(self.message, target)

    def send(self, data: T, trace_id: str | None = None) -> str:
        """Send one message; returns its ``meta.id`` once the broker has it.

        Inside a handler the trace of the message being handled goes on; ``trace_id`` (a UUID) continues another one,
        else a new one begins.

        Raises InvalidDataError, and sends nothing, when the data does not satisfy its contract; ValueError for a
        ``trace_id`` that is no UUID; TypeError for the data of another message.
        """
        one = self._outlet.ready(data, checked_trace(trace_id))
        self._app.transport.publish(one.queue, one.body)
        return one.message_id

    def send_many(self, items: Iterable[T], trace_id: str | None = None) -> list[str]:
        """Send messages in order; returns their ``meta.id``. All are checked and encoded before the first leaves.

        Raises as :meth:`send` does, and has sent nothing then; the ``index`` of InvalidDataError says which one it
        was. Raises PartlySentError when the broker fails on the way.
        """
        batch = self._batch(items, checked_trace(trace_id))
        sent: list[str] = []
        for one in batch:
            try:
                self._app.transport.publish(one.queue, one.body)
            except Exception as err:
                raise PartlySentError(self.message.urn, sent, len(batch)) from err
            sent.append(one.message_id)
        return sent

    def write(self, outbox: OutboxStore, data: T, trace_id: str | None = None) -> str:
        """Lay one message into an outbox, to be sent by its relay; returns its ``meta.id``, which stays the same.

        With :class:`SqlOutbox` it is written in the transaction that is open on the outbox's connection: the message
        leaves if and only if what else the transaction holds was committed. Raises as :meth:`send` does.
        """
        one = self._outlet.ready(data, checked_trace(trace_id))
        outbox.save(one.body, one.queue)
        return one.message_id

    def _batch(self, items: Iterable[T], trace_id: str | None) -> list[Outgoing]:
        batch: list[Outgoing] = []
        for data in items:
            try:
                batch.append(self._outlet.ready(data, trace_id))
            except InvalidDataError as err:
                raise InvalidDataError(
                    err.urn, err.pointer, err.reason, err.detail, err.value, index=len(batch)
                ) from None
            except TypeError as err:
                raise TypeError(f"item {len(batch)}: {err}") from None
        return batch


def _hold_to_status(message: MessageType[Any]) -> None:
    instead = f": send {message.successor} instead" if message.successor else ""
    if message.status == "retired":
        raise UsageError(f"{message.urn} is retired and must not be sent", fix=instead[2:] or None)
    if message.status == "deprecated" and message.urn not in _warned:
        _warned.add(message.urn)
        until = f" and goes away on {message.sunset}" if message.sunset else ""
        warnings.warn(f"{message.urn} is deprecated{until}{instead}", DeprecationWarning, stacklevel=3)
