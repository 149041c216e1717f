"""Messages of PHPMQ queues with typed contents.

Data that is ``{"content": text}`` or ``{"content_base64": ...}`` is the content itself; any other data travels in an
envelope of BabelQueue, which PHPMQ carries as it is. ``encode`` makes bytes, a reader goes back: bytes of a TCP
connection in, messages out. Where headers do not say where a message ends, the stream is over.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from babelreg.contract.reason import kind
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.wires.payload import Payload, Payloads, Received, Refused, items
from babelreg.runtime.wires.refused_packets import RefusedPackets
from babelreg.wire.format import Frame, WireError
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
    PacketMessage,
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
_DELIVERY = 3  # the type of MessageServerToClient


class QueueCodec(Payload[T, Delivered]):
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


def encode(message: Message) -> bytes:
    """Return the octets of one message.

    Raises WireError for a message that breaks a rule of the protocol.
    """
    return encode_packets(message.packets())


def answer(refused: Refused) -> DeadLetter | None:
    """Return what a consumer answers: the dead letter that deletes a delivered message, by its id; None for any other.

    After an error that ends the stream there is nothing to answer: close the connection.
    """
    message = refused.message
    if isinstance(message, MessageServerToClient):
        return DeadLetter(message.queue, message.message_id)
    if isinstance(message, PacketMessage) and message.type == _DELIVERY and message.queue and message.message_id:
        return DeadLetter(message.queue, message.message_id)
    return None


class Reader:
    """Reads one connection: octets in, messages out.

    A message of the registry is a Received with its typed data, any other message is the wire's own, and what cannot
    be read is a Refused: with its queue and id where the message has an end, behind which the reader goes on. Generated
    code derives a class and sets ``codecs``.
    """

    codecs: ClassVar[tuple[type[QueueCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        self._decoder = PacketDecoder(profile="strict")
        self._start = 0  # of the decoder's first octet, in the stream
        self._octets = 0  # that the decoder was fed
        self._refused: RefusedPackets | None = None  # whose end has not come
        self._stopped = False
        self._payloads = Payloads([codec.message for codec in self.codecs])
        self._urns = {codec.queue: codec.message.urn for codec in self.codecs}

    @property
    def stopped(self) -> bool:
        """True when the stream is over: nothing more is read."""
        return self._stopped

    def feed(self, data: bytes) -> list[Incoming]:
        """Return the messages that ``data`` completes."""
        incoming: list[Incoming] = []
        rest: bytes | None = data
        while rest is not None and not self._stopped:
            if self._refused is None:
                rest = self._decode(rest, incoming)
            else:
                rest = self._pass_over(self._refused, rest, incoming)
        return incoming

    def close(self) -> list[Incoming]:
        """Return the error of a message that was cut short."""
        if self._stopped:
            return []
        if self._refused is not None:
            errors = [self._refused.refused]
        else:
            cut = items(self._decoder, None)
            errors = [replace(error, offset=self._start + (error.offset or 0)) for error in cut]
        self._stopped = bool(errors)
        return list(errors)

    def _decode(self, data: bytes, incoming: list[Incoming]) -> bytes | None:
        """Add the messages up to a refused one; return the octets from its first one on, None where there is none."""
        self._octets += len(data)
        for event in self._decoder.feed(data):
            if isinstance(event, WireError):
                offset = self._start + (event.offset or 0)
                self._refused = RefusedPackets(Refused(event.code, event.detail, event.pointer, offset))
                self._start += event.start
                behind = self._octets - event.start - len(event.raw)
                return event.raw + data[len(data) - behind :]
            incoming.append(self._message(event))
        return None

    def _pass_over(self, refused: RefusedPackets, data: bytes, incoming: list[Incoming]) -> bytes | None:
        """Add a refused message that ``data`` ends, and return the octets behind it; None where it does not end."""
        try:
            result = refused.feed(data)
        except WireError:
            self._stopped = True
            incoming.append(refused.refused)
            return None
        if result is None:
            return None
        item, rest, octets = result
        incoming.append(item)
        self._decoder, self._refused = PacketDecoder(profile="strict"), None
        self._start, self._octets = self._start + octets, 0
        return rest

    def _message(self, frame: Frame) -> Incoming:
        message = parse(frame.value)
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
