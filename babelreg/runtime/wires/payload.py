"""Data of one message in a foreign wire format: held to its contract on the way out and on the way in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from babelreg.contract import Contract
from babelreg.runtime.errors import Reject
from babelreg.runtime.message import MessageType, urns_by_alias
from babelreg.runtime.producer.encode import Encoder
from babelreg.wire.bridge import iso_instant
from babelreg.wire.format import Decoder, WireError

T = TypeVar("T")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Received(Generic[T, M]):
    """One message that arrived: its data, and the message of the wire that carried it."""

    data: T
    message: M = field(repr=False)
    urn: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """Bytes that are not a message, or a message whose data does not satisfy its contract.

    ``code`` is a code of the wire format or a reason of the contract; ``detail`` quotes nothing of the message.
    The rest is what could be read, for an answer: ``message`` is the wire's message where only its data is refused, the
    JSON object or the packets where its envelope is, else None; ``id`` and ``kind`` (its type on the wire) are None
    where unreadable.
    """

    code: str
    detail: str
    pointer: str = ""
    offset: int | None = None
    message: Any = field(default=None, repr=False)
    id: str | bytes | None = None
    kind: str | None = None


class Payload(Generic[T, M]):
    """The data of one kind of message, which a message ``M`` of the wire carries.

    Generated code derives a class per message and sets ``message``. Raises SchemaError where no validator can be built
    from the message's schema.
    """

    message: ClassVar[MessageType[Any]]

    def __init__(self) -> None:
        self._encoder: Encoder[T] = Encoder(self.message, self.message.queue or self._queue())

    def _queue(self) -> str:
        return "default"

    def values(self, data: T) -> dict[str, Any]:
        """Return ``data`` as JSON values.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        return self._encoder.values(data)

    def received(self, item: object) -> Received[T, M] | None:
        """Return ``item``, which a reader returned, where it is a message of this kind; else None."""
        if isinstance(item, Received) and item.urn == self.message.urn:
            return item
        return None


class Payloads:
    """The data of all messages that a reader knows."""

    def __init__(self, messages: Sequence[MessageType[Any]]) -> None:
        self._messages = {name: message for message in messages for name in message.names}
        strict = [message.urn for message in messages if message.reader == "strict"]
        schemas = {message.urn: message.schema for message in messages}
        self.contract = Contract(schemas, strict=strict, aliases=urns_by_alias(messages))

    def read(self, urn: str, values: Any, message: M) -> Received[Any, M] | Refused:
        """Return the data of a message, validated and typed."""
        verdict = self.contract.data_verdict(self.contract.resolve(urn), values)
        if verdict.reason is not None:
            return Refused(verdict.reason, verdict.detail or "", verdict.pointer or "", message=message)
        return self.typed(urn, values, message)

    def typed(self, urn: str, values: Any, message: M) -> Received[Any, M] | Refused:
        """Return valid data, typed."""
        try:
            kind = self._messages[urn]
            return Received(kind.parse(values), message, kind.urn)
        except Reject as err:
            return Refused("rejected", str(err), message=message)


def now() -> str:
    """Return the present time (RFC 3339, UTC, milliseconds)."""
    return iso_instant(int(time.time() * 1000)) or ""


def items(decoder: Decoder, data: bytes | None) -> list[Any]:
    """Return the values that ``data`` completes, or the end of the stream (None); errors as Refused."""
    events = decoder.close() if data is None else decoder.feed(data)
    return [
        Refused(event.code, event.detail, event.pointer, event.offset) if isinstance(event, WireError) else event
        for event in events
    ]
