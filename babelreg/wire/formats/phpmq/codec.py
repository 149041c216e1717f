"""Codec of PHPMQ: messages of packets, one after the other, without separators.

Lengths count octets. A stream has no marker for the start of a message, so the first error ends it. The reader takes
packets in any order (M4), the writer writes them in the order of the table (M3). Source: facts 3.1 to 3.3.
"""

from __future__ import annotations

from typing import Any

from babelreg.wire.format import Frame, Profile, WireError
from babelreg.wire.formats.phpmq.check import diagnostics
from babelreg.wire.formats.phpmq.headers import (
    FIELDS,
    INT_FIELDS,
    LAYOUTS,
    MESSAGE_HEADER_BYTES,
    PACKET_HEADER_BYTES,
    limits,
    message_header,
    packet_header,
    php_integer,
)
from babelreg.wire.formats.phpmq.models import PacketMessage

_MAX_INT_DIGITS = 20
_INT64 = 2**63 - 1
_LIMIT = limits.message_bytes
_HEADS = {b"H01%03d%02d" % (kind, len(layout)): (kind, len(layout)) for kind, layout in LAYOUTS.items()}
_new = tuple.__new__


def _ordered(layout: tuple[int, ...]) -> tuple[list[bytes], list[int], int]:
    """Return the flags of a layout's packets, the index of the packet of each field (-1: none), and of its integer."""
    indexes = [layout.index(packet) if packet in layout else -1 for packet in FIELDS]
    return [b"P%02d" % packet for packet in layout], indexes, max(indexes[3], indexes[4])


_ORDERED = {b"H01%03d%02d" % (kind, len(layout)): (kind, *_ordered(layout)) for kind, layout in LAYOUTS.items()}
_SLOTS = {kind: {b"P%02d" % packet: packet for packet in layout} for kind, layout in LAYOUTS.items()}


def encode(value: PacketMessage) -> bytes:
    """Return the octets of the message, packets in the order of the table.

    Raises WireError for a field that its type lacks or must not have.
    """
    for defect in diagnostics(value):
        raise WireError(defect.code, defect.detail, pointer=defect.pointer)
    layout = LAYOUTS[value.type]
    pieces = [b"H01%03d%02d" % (value.type, len(layout))]
    for packet in layout:
        field = getattr(value, FIELDS[packet])
        content = b"%d" % field if packet in INT_FIELDS else field
        pieces += [b"P%02d%029d" % (packet, len(content)), content]
    return b"".join(pieces)


def decode(raw: bytes, *, strict: bool) -> PacketMessage:
    """Return the value of exactly one message.

    Raises WireError, also for octets after its end.
    """
    result = read_message(raw, 0, strict=strict)
    if isinstance(result, int):
        raise truncated(len(raw))
    value, end = result
    if end != len(raw):
        raise WireError("trailing_bytes", "octets follow the end of the message", offset=end)
    return value


def read_message(data: bytes, start: int, *, strict: bool) -> tuple[PacketMessage, int] | int:
    """Return the message at ``start`` and the offset of its end; or the octets it needs until there is more to check.

    Raises WireError with an offset into ``data``.
    """
    end = len(data)
    if end - start < MESSAGE_HEADER_BYTES:
        return MESSAGE_HEADER_BYTES
    head = _HEADS.get(data[start : start + 8])
    if head is None or not strict:
        head = message_header(data[start : start + 8], start, strict=strict)
    kind, packets = head
    slots = _SLOTS[kind]
    fields: list[bytes | None] = [None] * 6
    at, read = start + 8, 0
    while read < packets:
        read += 1
        body = at + 32
        if body > end:
            return body - start
        packet = slots.get(data[at : at + 3])
        digits = data[at + 3 : body]
        if packet is None or not digits.isdigit() or fields[packet] is not None or not strict:
            packet, length = other_packet(data[at:body], at, start, fields, kind, strict)
        else:
            length = int(digits)
        if body + length - start > _LIMIT:
            raise WireError("too_large", "the content length exceeds the size limit of a message", offset=at + 3)
        if body + length > end:
            return body + length - start + (32 if read < packets else 0)
        at = body + length
        fields[packet] = data[body:at]
    try:
        return _value(kind, fields, strict), at
    except ValueError:
        offset = _integer_offset(data, start, packets)
        raise WireError("invalid_integer", "a count or TTL is not an integer of 64 bits", offset=offset) from None


def other_packet(
    octets: bytes, at: int, start: int, fields: list[bytes | None], kind: int, strict: bool
) -> tuple[int, int]:
    """Return type and length of a packet off the fast path: those that the compat reader takes, or an error."""
    room = _LIMIT - (at + PACKET_HEADER_BYTES - start)
    packet, length = packet_header(octets, at, room, strict=strict)
    if strict and packet not in LAYOUTS[kind]:
        raise WireError("unexpected_packet", f"message type {kind} does not allow packet type {packet}", offset=at + 1)
    slot = packet if packet in FIELDS else 0
    if fields[slot] is not None:
        # The reference keys packets by type: equal ones collapse, and then the count is wrong (M6).
        text = "Packet count does not match expectation of message type."
        raise WireError("packet_count_mismatch", text, offset=at + 1)
    return slot, length


def _value(kind: int, fields: list[bytes | None], strict: bool) -> PacketMessage:
    layout = LAYOUTS[kind]
    _, queue, content, identity, count, ttl = fields
    if not strict:
        # The reference reads a packet that is not there as an empty string, and 0.
        queue, content, identity, count, ttl = (
            (field or b"") if packet in layout else None
            for packet, field in enumerate((queue, content, identity, count, ttl), 1)
        )
    number = php_integer if not strict else _integer
    return PacketMessage(
        kind,
        queue or b"",
        content,
        identity,
        None if count is None else number(count),
        None if ttl is None else number(ttl),
    )


def _integer_offset(data: bytes, start: int, packets: int) -> int:
    """Return the offset of the first content that should be an integer and is not, in a message that was read."""
    at = start + MESSAGE_HEADER_BYTES
    for _ in range(packets):
        packet, length = int(data[at + 1 : at + 3]), int(data[at + 3 : at + PACKET_HEADER_BYTES])
        at += PACKET_HEADER_BYTES
        if packet in INT_FIELDS:
            try:
                _integer(data[at : at + length])
            except ValueError:
                return at
        at += length
    return start


def _integer(text: bytes) -> int:
    digits = text[1:] if text[:1] == b"-" else text
    if not digits.isdigit() or len(digits) > _MAX_INT_DIGITS:
        raise ValueError
    value = int(text)
    if not -_INT64 - 1 <= value <= _INT64:
        raise ValueError
    return value


def truncated(offset: int) -> WireError:
    return WireError("truncated", "the stream ends within a message", offset=offset)


def _read_ordered(data: bytes, at: int, base: int, events: list[Frame | WireError]) -> int:
    """Append the strict messages from ``at`` on whose packets are in the order of a writer; return the end of the last.

    The loop of ``read_message`` for nearly all messages, unrolled for speed. It stops where it is in doubt.
    """
    end, append = len(data), events.append
    while True:
        start = at
        shape = _ORDERED.get(data[at : at + 8])
        if shape is None:
            return start
        kind, flags, fields, number = shape
        at += 8
        contents: list[Any] = []
        for flag in flags:
            body = at + 32
            digits = data[at + 3 : body]
            if not digits.isdigit() or not data.startswith(flag, at):
                return start
            at = body + int(digits)
            if at > end:
                return start
            contents.append(data[body:at])
        if number >= 0:
            last = contents[number]
            if not last.isdigit() or len(last) > 18:
                return start
            contents[number] = int(last)
        if at - start > _LIMIT:
            return start
        contents.append(None)
        queue, content, identity, count, ttl = fields
        value = _new(
            PacketMessage,
            (kind, contents[queue], contents[content], contents[identity], contents[count], contents[ttl]),
        )
        append(_new(Frame, (value, data[start:at], base + start, None)))


class PacketDecoder:
    """The messages of one stream. Its buffer holds at most one incomplete message."""

    def __init__(self, *, profile: Profile) -> None:
        self._strict = profile == "strict"
        self._buffer = bytearray()
        self._offset = 0  # of the buffer's first octet
        self._least = MESSAGE_HEADER_BYTES  # octets that the next message has at least
        self._stopped = False

    @property
    def needed(self) -> int:
        return 0 if self._stopped else max(1, self._least - len(self._buffer))

    @property
    def stopped(self) -> bool:
        return self._stopped

    def feed(self, data: bytes) -> list[Frame | WireError]:
        if self._stopped:
            return []
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._least:
                return []
            data = bytes(self._buffer)
            self._buffer.clear()
        events: list[Frame | WireError] = []
        at, base, strict = 0, self._offset, self._strict
        try:
            while True:
                if strict:
                    at = _read_ordered(data, at, base, events)
                result = read_message(data, at, strict=strict)
                if isinstance(result, int):
                    self._least = result
                    break
                value, end = result
                events.append(Frame(value, data[at:end], base + at))
                at = end
        except WireError as err:
            self._stopped = True
            offset, raw = base + (err.offset or 0), data[at : at + _LIMIT]
            error = WireError(err.code, err.detail, offset=offset, raw=raw, start=base + at)
            events.append(error)
            return events
        self._offset = base + at
        self._buffer += data[at:]
        return events

    def close(self) -> list[Frame | WireError]:
        if self._stopped or not self._buffer:
            return []
        self._stopped = True
        raw = bytes(self._buffer)
        error = truncated(len(raw)).rebased(self._offset, None, raw)
        self._buffer.clear()
        return [error]
