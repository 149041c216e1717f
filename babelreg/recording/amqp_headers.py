"""Headers of AMQP messages in recordings: those that a wire format reads, such as CloudEvents in binary mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.wire.formats.table import FORMATS
from babelreg.wire.message_headers import Header, pack


def recorded_message(body: bytes, headers: Mapping[str, Any] | None, content_type: str | None) -> bytes:
    """Return the message as a recording holds it: its body, with its headers where a wire format recognizes them."""
    listed: list[Header] = [(str(name), _octets(value)) for name, value in (headers or {}).items()]
    if content_type:
        listed.append(("content-type", content_type.encode("utf-8", "replace")))
    if not listed:
        return body
    try:
        packed = pack(listed, body)
    except (OverflowError, UnicodeEncodeError):
        return body
    readers = (wire for wire in FORMATS.values() if wire.reads_headers)
    return packed if any(wire.recognizes(packed, None) for wire in readers) else body


def _octets(value: Any) -> bytes | None:
    """Return the value of a header; None for one that is not a text, a number or a boolean."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode("utf-8", "replace") if isinstance(value, (str, int)) else None
