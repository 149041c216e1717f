"""Commands and events of FlowLayer with typed payloads.

A codec makes the wire's message of typed data, ``encode`` its bytes, and a reader goes back: bytes of a connection in,
messages out. Acks, results and errors are the wire's own messages. A message is a frame of a WebSocket, or a line.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from babelreg.finding import Severity
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.producer.encode import two_uuids
from babelreg.runtime.wires.payload import Payload, Payloads, Received, Refused, items
from babelreg.wire.format import WireError
from babelreg.wire.formats.flowlayer.check import validate
from babelreg.wire.formats.flowlayer.codec import decode, limits
from babelreg.wire.formats.flowlayer.codec import encode as encode_document
from babelreg.wire.formats.flowlayer.models import (
    Ack,
    Command,
    ErrorMessage,
    ErrorObject,
    Event,
    Message,
    Result,
    parse,
)
from babelreg.wire.lines import LineDecoder

__all__ = [
    "Ack",
    "Command",
    "CommandCodec",
    "ErrorMessage",
    "ErrorObject",
    "Event",
    "EventCodec",
    "InvalidDataError",
    "Reader",
    "Received",
    "Refused",
    "Result",
    "WireError",
    "encode",
]

T = TypeVar("T")
Incoming = Received[Any, Command | Event] | Message | Refused


class CommandCodec(Payload[T]):
    """Makes commands of one kind; ``name`` is that of the wire."""

    name: ClassVar[str]

    def command(self, data: T, *, id: str | None = None) -> Command:
        """Return a command; ``id`` links it with its ack and result, by default a new UUID.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        return Command(id or two_uuids()[0], self.name, self.values(data) or None)

    def received(self, item: object) -> Received[T, Command] | None:
        """Return ``item``, which a reader returned, where it is such a command; else None."""
        return super().received(item)


class EventCodec(Payload[T]):
    """Makes events of one kind; ``name`` is that of the wire."""

    name: ClassVar[str]

    def event(self, data: T) -> Event:
        """Return an event.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        return Event(self.name, self.values(data))

    def received(self, item: object) -> Received[T, Event] | None:
        """Return ``item``, which a reader returned, where it is such an event; else None."""
        return super().received(item)


def encode(message: Message) -> bytes:
    """Return one frame, without a line end.

    Raises WireError for a message that breaks a rule of the protocol.
    """
    document = message.document()
    for defect in validate(document):
        if defect.severity is Severity.ERROR:
            raise WireError(defect.code, defect.detail, pointer=defect.pointer)
    return encode_document(document)


class Reader:
    """Reads one connection: bytes in, messages out.

    A command or event of the registry is a Received with its typed data, any other message is the wire's own, and what
    cannot be read is a Refused. Generated code derives a class and sets ``codecs``.
    """

    codecs: ClassVar[tuple[type[CommandCodec[Any]] | type[EventCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        self._decoder = LineDecoder(decode, limits.message_bytes)
        self._payloads = Payloads([codec.message for codec in self.codecs])
        kinds = [("command" if issubclass(codec, CommandCodec) else "event") for codec in self.codecs]
        self._urns = {(kind, codec.name): codec.message.urn for kind, codec in zip(kinds, self.codecs, strict=True)}

    def feed(self, data: bytes) -> list[Incoming]:
        """Return the messages whose lines ``data`` ends."""
        return [self._message(item) for item in items(self._decoder, data)]

    def close(self) -> list[Incoming]:
        """Return the last message, where it has no line feed."""
        return [self._message(item) for item in items(self._decoder, None)]

    def frame(self, data: bytes) -> Incoming:
        """Return the message of one frame of a WebSocket."""
        try:
            return self._read(decode(data))
        except WireError as err:
            return Refused(err.code, err.detail, err.pointer, err.offset)

    def _message(self, item: Any) -> Incoming:
        return item if isinstance(item, Refused) else self._read(item.value)

    def _read(self, value: dict[str, Any]) -> Incoming:
        for defect in validate(value):
            if defect.severity is Severity.ERROR:
                return Refused(defect.code, defect.detail, defect.pointer)
        message = parse(value)
        if isinstance(message, (Command, Event)):
            kind = "command" if isinstance(message, Command) else "event"
            urn = self._urns.get((kind, message.name))
            if urn is not None:
                return self._payloads.read(urn, message.payload or {}, message)
        return message
