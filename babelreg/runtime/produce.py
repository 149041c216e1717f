"""Sending messages: nothing leaves that its contract, the envelope's rules or JSON itself would refuse."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from babelqueue import BabelQueue, EnvelopeCodec

from babelreg.contract import Contract
from babelreg.errors import UsageError
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.message import MessageType
from babelreg.runtime.sendable import unsendable
from babelreg.runtime.trace import current, is_uuid
from babelreg.schema import pointer

__all__ = ["Producer"]

T = TypeVar("T")


class Producer(Generic[T]):
    """Sends one kind of message; generated code derives a class per message and sets ``message``.

    ``queue`` is where to, by default the queue the registry names, else the app's. Raises UsageError without any.
    """

    message: ClassVar[MessageType[Any]]

    def __init__(self, app: BabelQueue, *, queue: str | None = None) -> None:
        self._app = app
        self._queue = queue or self.message.queue or app.queue
        if not self._queue:
            raise UsageError(f"{self.message.urn} has no queue to go to", fix='pass queue="orders", say')

    def send(self, data: T, trace_id: str | None = None) -> str:
        """Send one message; returns its ``meta.id``.

        Inside a handler the trace of the message being handled goes on; ``trace_id`` (a UUID) continues another one,
        else a new one begins.

        Raises InvalidDataError, and sends nothing, when the data does not satisfy its contract; ValueError for a
        ``trace_id`` that is no UUID; TypeError for the data of another message.
        """
        message = self.message
        if not isinstance(data, message.model):
            raise TypeError(f"{message.urn} takes {message.model.__name__}, not {type(data).__name__}")
        if trace_id is not None and not is_uuid(trace_id):
            raise ValueError(f"trace_id {trace_id[:64]!r} is not a UUID")
        values = message.dump(data)
        verdict = _contract(message).judge(message.urn, values)
        if not verdict.ok:
            _refuse(message.urn, values, verdict.pointer or "", verdict.reason or "", verdict.detail or "")
        envelope = EnvelopeCodec.make(message.urn, values, queue=self._queue, trace_id=trace_id)
        handled = current()
        if trace_id is None and handled is not None:
            envelope["trace_id"] = handled.trace_id  # as it came, blanks and all (N4)
        self._app.transport.publish(self._queue, _encoded(message.urn, values, envelope))
        return str(envelope["meta"]["id"])


@cache
def _contract(message: MessageType[Any]) -> Contract:
    strict = (message.urn,) if message.reader == "strict" else ()
    return Contract({message.urn: message.schema}, strict=strict, side="producer")


def _encoded(urn: str, values: dict[str, Any], envelope: dict[str, Any]) -> str:
    try:
        body = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        body.encode("utf-8")
    except (ValueError, TypeError):
        _refuse(urn, values, "", "not_json", "data has a value that JSON has no form for")
    return body


def _refuse(urn: str, values: dict[str, Any], where: str, reason: str, detail: str) -> NoReturn:
    found = unsendable(values)
    if found is not None:
        where, detail = found
        reason = "not_json"
    try:
        value = pointer.find(values, pointer.parse(where))
    except KeyError:
        value = None
    raise InvalidDataError(urn, where, reason, detail, value)
