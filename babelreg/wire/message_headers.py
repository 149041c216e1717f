"""A message with its headers as one sequence of bytes, as recordings hold it.

::

    length of the headers (4 bytes, big-endian) | headers, a JSON array | body

The headers are ``[[NAME, VALUE], ...]`` in their order: VALUE is a text, null, or ``{"base64": TEXT}`` for bytes that
are not UTF-8. They are shorter than 16 MiB, so the first byte is 0, with which no JSON text in UTF-8 begins.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from babelreg.contract.parse import ParseError, bare
from babelreg.errors import BabelregError

Header = tuple[str, bytes | None]


class HeadersError(BabelregError):
    """Bytes that do not begin with headers. The text quotes none of them."""


class PackedMessage(bytes):
    """Headers and body as :func:`pack` joined them, so that a frame of it says so."""

    __slots__ = ()


_LENGTH_BYTES = 4
_MOST_BYTES = 1 << 24


def has_headers(raw: bytes) -> bool:
    """Return True for bytes that :func:`pack` made; False for those of a body in JSON."""
    return raw[:1] == b"\0" and len(raw) >= _LENGTH_BYTES


def pack(headers: Sequence[Header], body: bytes) -> PackedMessage:
    """Return headers and body. Raises OverflowError for headers of 16 MiB or more."""
    block = json.dumps([[name, _written(value)] for name, value in headers], separators=(",", ":")).encode("utf-8")
    if len(block) >= _MOST_BYTES:
        raise OverflowError("the headers of a message must be shorter than 16 MiB")
    return PackedMessage(len(block).to_bytes(_LENGTH_BYTES, "big") + block + body)


def unpack(raw: bytes) -> tuple[list[Header], bytes]:
    """Return headers and body.

    Raises HeadersError for other bytes.
    """
    block, body = _divided(raw)
    try:
        entries = bare(block, _MOST_BYTES)
    except ParseError:
        entries = None
    if not isinstance(entries, list):
        raise HeadersError("the headers are not a JSON array")
    return [_header(entry) for entry in entries], body


def body_of(raw: bytes) -> bytes:
    """Return the body alone, whatever its headers are.

    Raises HeadersError for bytes that are too short.
    """
    return _divided(raw)[1]


def _divided(raw: bytes) -> tuple[bytes, bytes]:
    end = _LENGTH_BYTES + int.from_bytes(raw[:_LENGTH_BYTES], "big")
    if len(raw) < _LENGTH_BYTES or end > len(raw):
        raise HeadersError("the headers are longer than the message")
    return raw[_LENGTH_BYTES:end], raw[end:]


def _written(value: bytes | None) -> Any:
    if value is None:
        return None
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}


def _header(entry: Any) -> Header:
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str):
        name, value = entry
        try:
            if value is None:
                return name, None
            if isinstance(value, str):
                return name, value.encode("utf-8")
            if isinstance(value, dict) and isinstance(value.get("base64"), str):
                return name, base64.b64decode(value["base64"], validate=True)
        except (UnicodeEncodeError, binascii.Error, ValueError):
            pass
    raise HeadersError("a header is not a pair of strings")
