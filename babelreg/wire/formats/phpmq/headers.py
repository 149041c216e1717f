"""The headers of PHPMQ: 8 octets before a message, 32 before each packet.

Source: php-mq/protocol 37bf1fb, README, MessageHeader and PacketHeader; facts 3.1 to 3.3.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from babelreg.wire.format import Limits, WireError

MESSAGE_HEADER_BYTES = 8
PACKET_HEADER_BYTES = 32  # 1 + 2 + 29; the page's example of 36 octets is an error (facts 3.3, 1 and 2)

limits = Limits(16 * 1024 * 1024 + 128 * 1024, packets=4)
"""A content of 16 MiB, as an envelope may have, with its queue name, id and headers."""

FIELDS = {1: "queue", 2: "content", 3: "message_id", 4: "message_count", 5: "ttl"}
"""The field of each packet type."""

INT_FIELDS = frozenset({4, 5})

LAYOUTS: dict[int, tuple[int, ...]] = {1: (1, 2, 5), 2: (1, 4), 3: (1, 2, 3, 5), 4: (1, 3), 5: (1, 3, 5), 6: (1, 3)}
"""The packets of each message type, in the order of a writer (M3)."""

_BEFORE_TTL = {1: 2, 3: 3}
"""The packet counts of the revision before packet 05; only the header's count tells them apart (facts 3.3, 4)."""

_INT64 = 2**63 - 1
_HEADER_DIGITS = 29
_NUMBER = re.compile(rb"[ \t\n\r\v\f]*([+-]?\d+)")


class MessageHeader(NamedTuple):
    """The type of a message, and the number of packets that a reader takes."""

    type: int
    packets: int


class PacketHeader(NamedTuple):
    """The type of a packet, and the number of octets of its content."""

    type: int
    length: int


def php_integer(text: bytes) -> int:
    """Return PHP's ``(int)`` of a string: its leading digits, 0 without any; it saturates at 64 bits."""
    if len(text) <= _HEADER_DIGITS and text.isdigit():
        return min(_INT64, int(text))  # nearly every field of a header
    number = _NUMBER.match(text)
    if number is None:
        return 0
    digits = number[1]
    if len(digits.lstrip(b"+-0")) > 19:
        return -_INT64 - 1 if digits.startswith(b"-") else _INT64
    return max(-_INT64 - 1, min(_INT64, int(digits)))


def message_header(octets: bytes, offset: int, *, strict: bool) -> MessageHeader:
    """Return the header in 8 octets that begin at ``offset`` of the stream.

    Raises WireError at the field that is wrong. The compat reader ignores flag, version and count, as the reference
    does (M5), but for the counts of the revision before TTL.
    """
    if strict:
        _require(octets[:1] == b"H", "invalid_message_flag", offset, "a message begins with 'H'")
        _require(octets[1:8].isdigit(), "invalid_digits", offset + 1, "version, type and count are not digits")
        _require(octets[1:3] == b"01", "unsupported_version", offset + 1, "the version is not 01")
    kind = php_integer(octets[3:6])
    if kind not in LAYOUTS:
        raise WireError("message_type_not_implemented", f"Message type not implemented: {kind}", offset=offset + 3)
    expected, count = len(LAYOUTS[kind]), php_integer(octets[6:8])
    if strict and count != expected:
        text = "Packet count does not match expectation of message type."
        raise WireError("packet_count_mismatch", text, offset=offset + 6)
    return MessageHeader(kind, count if _BEFORE_TTL.get(kind) == count else expected)


def packet_header(octets: bytes, offset: int, room: int, *, strict: bool) -> PacketHeader:
    """Return the header in 32 octets that begin at ``offset``. ``room`` is the most that its content may have.

    Raises WireError at the field that is wrong, before anything is allocated for the content.
    """
    if strict:
        _require(octets[:1] == b"P", "invalid_packet_flag", offset, "a packet begins with 'P'")
        _require(octets[1:3].isdigit(), "invalid_digits", offset + 1, "the packet type is not digits")
        _require(octets[3:].isdigit(), "invalid_digits", offset + 3, "the content length is not 29 digits")
    length = php_integer(octets[3:])
    _require(length >= 0, "invalid_length", offset + 3, "the content length is negative")
    _require(length <= room, "too_large", offset + 3, "the content length exceeds the size limit of a message")
    return PacketHeader(php_integer(octets[1:3]), length)


def _require(condition: bool, code: str, offset: int, detail: str) -> None:
    if not condition:
        raise WireError(code, detail, offset=offset)
