"""Messages of PHPMQ queues with typed contents.

Data that is ``{"content": text}`` or ``{"content_base64": ...}`` is the content itself; any other data travels in an
envelope of BabelQueue, which PHPMQ carries as it is. ``encode`` makes bytes, a reader goes back: bytes of a TCP
connection in, messages out. After an error a stream is over.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from babelreg.contract.reason import kind
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.wires.payload import Payload, Payloads, Received, Refused, items
from babelreg.wire.format import WireError
from babelreg.wire.formats.phpmq.bridge import carried_envelope
from babelreg.wire.formats.phpmq.codec import PacketDecoder
from babelreg.wire.formats.phpmq.codec import encode as encode_packets
from babelreg.wire.formats.phpmq.models import (
    Acknowledgement,
    ConsumeRequest,
    DeadLetter,
    Message,
    MessageClientToServer,
    MessageServerToClient,
    ReQueue,
    parse,
)

__all__ = [
    "Acknowledgement",
    "ConsumeRequest",
    "DeadLetter",
    "InvalidDataError",
    "MessageClientToServer",
    "MessageServerToClient",
    "QueueCodec",
    "ReQueue",
    "Reader",
    "Received",
    "Refused",
    "WireError",
    "answer",
    "encode",
]

T = TypeVar("T")
Delivered = MessageClientToServer | MessageServerToClient
Incoming = Received[Any, Delivered] | Message | Refused


class QueueCodec(Payload[T]):
    """Makes messages of one queue. ``queue`` is its name on the wire."""

    queue: ClassVar[bytes]

    def _queue(self) -> str:
        return self.queue.decode("utf-8", "replace")

    def content(self, data: T) -> bytes:
        """Return the content of a message.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        values = self.values(data)
        text, encoded = values.get("content"), values.get("content_base64")
        if len(values) == 1 and isinstance(text, str):
            return text.encode("utf-8")
        if len(values) == 1 and isinstance(encoded, str):
            try:
                return base64.b64decode(encoded, validate=True)
            except binascii.Error:
                pass  # carried as it is
        return self._encoder.encode(data).body.encode("utf-8")

    def produce(self, data: T, *, ttl_seconds: int = 0) -> MessageClientToServer:
        """Return the message that a producer sends; raises as :meth:`content` does."""
        return MessageClientToServer(self.queue, self.content(data), ttl_seconds)

    def deliver(self, data: T, *, message_id: bytes, ttl_seconds: int = 0) -> MessageServerToClient:
        """Return the message that a server delivers; raises as :meth:`content` does."""
        return MessageServerToClient(self.queue, self.content(data), message_id, ttl_seconds)

    def received(self, item: object) -> Received[T, Delivered] | None:
        """Return ``item``, which a reader returned, where it is a message of this kind; else None."""
        return super().received(item)


def encode(message: Message) -> bytes:
    """Return the octets of one message.

    Raises WireError for a message that breaks a rule of the protocol.
    """
    return encode_packets(message.packets())


def answer(refused: Refused) -> DeadLetter | None:
    """Return what a consumer answers: the dead letter that deletes a delivered message, by its id; None for any other.

    After an error of the stream itself there is nothing to answer: close the connection.
    """
    message = refused.message
    return DeadLetter(message.queue, message.message_id) if isinstance(message, MessageServerToClient) else None


class Reader:
    """Reads one connection: octets in, messages out.

    A message of the registry is a Received with its typed data, any other message is the wire's own, and what cannot
    be read is a Refused. Generated code derives a class and sets ``codecs``.
    """

    codecs: ClassVar[tuple[type[QueueCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        self._decoder = PacketDecoder(profile="strict")
        self._payloads = Payloads([codec.message for codec in self.codecs])
        self._urns = {codec.queue: codec.message.urn for codec in self.codecs}

    @property
    def stopped(self) -> bool:
        """True after an error: nothing more is read."""
        return self._decoder.stopped

    def feed(self, data: bytes) -> list[Incoming]:
        """Return the messages that ``data`` completes."""
        return [self._message(item) for item in items(self._decoder, data)]

    def close(self) -> list[Incoming]:
        """Return the error of a message that was cut short."""
        return [self._message(item) for item in items(self._decoder, None)]

    def _message(self, item: Any) -> Incoming:
        if isinstance(item, Refused):
            return item
        message = parse(item.value)
        if not isinstance(message, (MessageClientToServer, MessageServerToClient)):
            return message
        result = self._delivered(message)
        if not isinstance(result, Refused):
            return result
        identity = message.message_id if isinstance(message, MessageServerToClient) else None
        return replace(result, message=message, id=identity, kind=type(message).__name__)

    def _delivered(self, message: Delivered) -> Incoming:
        if carried_envelope(message.content):
            return self._carried(message)
        urn = self._urns.get(message.queue)
        return message if urn is None else self._payloads.read(urn, _opaque(message.content), message)

    def _carried(self, message: Delivered) -> Incoming:
        verdict = self._payloads.contract.verdict(message.content)
        if verdict.reason is not None:
            if kind(verdict.reason) == "unknown_urn":
                return message
            return Refused(verdict.reason, verdict.detail or "", verdict.pointer or "")
        assert verdict.envelope is not None
        return self._payloads.typed(verdict.envelope.urn, verdict.envelope.data, message)


def _opaque(content: bytes) -> dict[str, Any]:
    try:
        return {"content": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"content_base64": base64.b64encode(content).decode("ascii")}
