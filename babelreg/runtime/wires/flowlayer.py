"""Commands and events of FlowLayer with typed payloads.

A codec makes the wire's message of typed data, ``encode`` its bytes, and a reader goes back: bytes of a connection in,
messages out. Acks, results and errors are the wire's own messages. A message is a frame of a WebSocket, or a line.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.producer.encode import two_uuids
from babelreg.runtime.wires.line_reader import LineReader
from babelreg.runtime.wires.payload import Payload, Received, Refused
from babelreg.wire.format import WireError, raise_first_error
from babelreg.wire.formats.flowlayer.check import validate
from babelreg.wire.formats.flowlayer.codec import decode, limits
from babelreg.wire.formats.flowlayer.codec import encode as encode_document
from babelreg.wire.formats.flowlayer.commands import ERROR_CODES
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
    "answer",
    "encode",
]

T = TypeVar("T")
Typed = Received[Any, Command | Event] | Message
Incoming = Typed | Refused


class CommandCodec(Payload[T, Command]):
    """Makes commands of one kind; ``name`` is that of the wire."""

    name: ClassVar[str]

    def command(self, data: T, *, id: str | None = None) -> Command:
        """Return a command; ``id`` links it with its ack and result, by default a new UUID.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        return Command(id or two_uuids()[0], self.name, self.values(data) or None)


class EventCodec(Payload[T, Event]):
    """Makes events of one kind; ``name`` is that of the wire."""

    name: ClassVar[str]

    def event(self, data: T) -> Event:
        """Return an event.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        return Event(self.name, self.values(data))


def encode(message: Message) -> bytes:
    """Return one frame, without a line end.

    Raises WireError for a message that breaks a rule of the protocol.
    """
    document = message.document()
    raise_first_error(validate(document))
    return encode_document(document)


def answer(refused: Refused) -> Ack | ErrorMessage:
    """Return what a server answers: an ack with ``accepted`` false for a command whose data is refused, else an error.

    A code that the protocol does not publish becomes ``invalid_payload`` in an ack, ``invalid_json`` in an error.
    """
    if isinstance(refused.message, Command):
        code = refused.code if refused.code in ERROR_CODES else "invalid_payload"
        return Ack(refused.message.id, accepted=False, error=ErrorObject(code, refused.detail))
    if isinstance(refused.message, Event):
        code = "unsupported_message_type"  # clients send commands alone
        return ErrorMessage(code, ERROR_CODES[code])
    code = refused.code if refused.code in ERROR_CODES else "invalid_json"
    return ErrorMessage(code, refused.detail, refused.id if isinstance(refused.id, str) else None)


class Reader(LineReader[Typed]):
    """Reads one connection: bytes in, messages out.

    A command or event of the registry is a Received with its typed data, any other message is the wire's own, and what
    cannot be read is a Refused. Generated code derives a class and sets ``codecs``.
    """

    kind_member = "type"
    codecs: ClassVar[tuple[type[CommandCodec[Any]] | type[EventCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        super().__init__(decode, validate, limits.message_bytes)
        kinds = [("command" if issubclass(codec, CommandCodec) else "event") for codec in self.codecs]
        self._urns = {(kind, codec.name): codec.message.urn for kind, codec in zip(kinds, self.codecs, strict=True)}

    def frame(self, data: bytes) -> Incoming:
        """Return the message of one frame of a WebSocket."""
        return self._one(data)

    def _typed(self, value: dict[str, Any]) -> Incoming:
        message = parse(value)
        if isinstance(message, (Command, Event)):
            kind = "command" if isinstance(message, Command) else "event"
            urn = self._urns.get((kind, message.name))
            if urn is not None:
                return self._payloads.read(urn, message.payload or {}, message)
        return message
