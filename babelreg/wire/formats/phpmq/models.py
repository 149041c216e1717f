"""Typed models of PHPMQ: the decoded packets, and the six messages that they form.

Source: php-mq/protocol, README, "Message types" and "Packet types"; facts 3.1. Lengths, queue names and ids are octets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class PacketMessage(NamedTuple):
    """A message as its packets: the type, and the field of each packet; None where the type has no such packet."""

    type: int
    queue: bytes
    content: bytes | None = None
    message_id: bytes | None = None
    message_count: int | None = None
    ttl: int | None = None

    def __repr__(self) -> str:
        return f"PacketMessage(type={self.type})"


@dataclass(frozen=True, slots=True)
class MessageClientToServer:
    """001: a producer sends a message. It lives for ``ttl_seconds``; 0 is the default of the reference."""

    queue: bytes
    content: bytes
    ttl_seconds: int = 0

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(1, self.queue, content=self.content, ttl=self.ttl_seconds)


@dataclass(frozen=True, slots=True)
class ConsumeRequest:
    """002: a consumer asks for up to ``count`` messages of a queue."""

    queue: bytes
    count: int

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(2, self.queue, message_count=self.count)


@dataclass(frozen=True, slots=True)
class MessageServerToClient:
    """003: the server delivers a message. ``ttl_seconds`` is the time it has left to live."""

    queue: bytes
    content: bytes
    message_id: bytes
    ttl_seconds: int = 0

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(3, self.queue, self.content, self.message_id, ttl=self.ttl_seconds)


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """004: a consumer has processed the message, and the server removes it."""

    queue: bytes
    message_id: bytes

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(4, self.queue, message_id=self.message_id)


@dataclass(frozen=True, slots=True)
class ReQueue:
    """005: the server appends the message to the end of its queue, with a new time to live."""

    queue: bytes
    message_id: bytes
    ttl_seconds: int = 0

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(5, self.queue, message_id=self.message_id, ttl=self.ttl_seconds)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """006: the server deletes the message, whatever its time to live. It is not moved to a dead-letter queue."""

    queue: bytes
    message_id: bytes

    def packets(self) -> PacketMessage:
        """Return the message as packets."""
        return PacketMessage(6, self.queue, message_id=self.message_id)


Message = MessageClientToServer | ConsumeRequest | MessageServerToClient | Acknowledgement | ReQueue | DeadLetter


def parse(value: PacketMessage) -> Message:
    """Return the typed message of a value without defects."""
    queue, content, identity, ttl = value.queue, value.content or b"", value.message_id or b"", value.ttl or 0
    if value.type == 1:
        return MessageClientToServer(queue, content, ttl)
    if value.type == 2:
        return ConsumeRequest(queue, value.message_count or 0)
    if value.type == 3:
        return MessageServerToClient(queue, content, identity, ttl)
    if value.type == 4:
        return Acknowledgement(queue, identity)
    return ReQueue(queue, identity, ttl) if value.type == 5 else DeadLetter(queue, identity)
