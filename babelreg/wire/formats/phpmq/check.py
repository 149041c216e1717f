"""Validation of PHPMQ messages: the fields that each type has, and its bounds.

Octets are checked where they are read, so a message that was decoded strictly has no defects here. The codes are
babelreg's own; ``UPSTREAM`` has the exceptions of the reference for two of them. Source: facts 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from babelreg.wire.format import Code, Diagnostic, Profile
from babelreg.wire.formats.phpmq.headers import (
    FIELDS,
    INT_FIELDS,
    LAYOUTS,
    MESSAGE_HEADER_BYTES,
    PACKET_HEADER_BYTES,
    limits,
)
from babelreg.wire.formats.phpmq.models import PacketMessage

CODES: Mapping[str, Code] = {
    "invalid_message_flag": Code("a message does not begin with the flag H"),
    "invalid_packet_flag": Code("a packet does not begin with the flag P"),
    "invalid_digits": Code("a field of a header is not digits"),
    "unsupported_version": Code("the version is not 01"),
    "message_type_not_implemented": Code("the message type is not 001 to 006", published=True),
    "packet_count_mismatch": Code("the number of packets does not match the message type", published=True),
    "unexpected_packet": Code("the message type does not allow this packet type"),
    "invalid_length": Code("a content length is negative"),
    "too_large": Code("a content length exceeds the size limit of a message"),
    "invalid_integer": Code("a count or TTL is not an integer of 64 bits"),
    "truncated": Code("the stream ends within a message"),
    "trailing_bytes": Code("octets follow the end of the single message"),
    "missing_field": Code("the message lacks a field that its type requires"),
    "unexpected_field": Code("the message has a field that its type does not allow"),
    "not_json": Code("a value cannot be written as JSON"),
    "unmapped_name": Code("the queue name cannot be used in a URN unchanged, and wires.phpmq does not map it"),
    "invalid_extension": Code("meta.ext.phpmq and data do not form a message"),
}

UPSTREAM = {
    "message_type_not_implemented": "MessageTypeNotImplementedException",
    "packet_count_mismatch": "PacketCountMismatchException",
}
"""The exceptions of php-mq/protocol (M6, M7); the listener's InvalidMessageTypeReceivedException (M8)."""

_INT64 = 2**63 - 1
_SURELY_WITHIN = limits.message_bytes - 256
_SHAPES = {kind: tuple(packet not in layout for packet in (2, 3, 4, 5)) for kind, layout in LAYOUTS.items()}


def validate(value: PacketMessage, *, profile: Profile | None = None) -> list[Diagnostic]:
    """Return the defects of one message in the order of its packets; see Format. Both profiles check alike."""
    kind, queue, content, identity, count, ttl = value
    if _SHAPES.get(kind) == (content is None, identity is None, count is None, ttl is None):
        octets = len(queue) + len(content or b"") + len(identity or b"")
        if octets < _SURELY_WITHIN and type(count or 0) is type(ttl or 0) is int and -1 < (ttl or count or 0) <= _INT64:
            return []
    return list(diagnostics(value))


def diagnostics(value: PacketMessage) -> Iterator[Diagnostic]:
    """Yield the defects of one message."""
    layout = LAYOUTS.get(value.type)
    if layout is None:
        yield Diagnostic("message_type_not_implemented", "/type", "Message type not implemented")
        return
    total = MESSAGE_HEADER_BYTES
    for packet, name in FIELDS.items():
        field = getattr(value, name)
        if field is None:
            if packet in layout:
                yield Diagnostic("missing_field", f"/{name}", f"message type {value.type} needs {name}")
        elif packet not in layout:
            yield Diagnostic("unexpected_field", f"/{name}", f"message type {value.type} does not allow {name}")
        elif packet in INT_FIELDS:
            total += PACKET_HEADER_BYTES + len(str(field))
            if type(field) is not int or not -_INT64 - 1 <= field <= _INT64:
                yield Diagnostic("invalid_integer", f"/{name}", f"{name} is not an integer of 64 bits")
        else:
            total += PACKET_HEADER_BYTES + len(field)
    if total > limits.message_bytes:
        yield Diagnostic("too_large", "", f"the message has more than {limits.message_bytes} bytes")
