"""Frames as JSON records, one a line, for ``babelreg wire decode`` and ``encode``.

A record is the message as a JSON object, with ``raw_base64`` beside it where encoding the message strictly would give
other bytes. So ``frame_bytes(format, record(format, frame))`` is the frame's bytes, for every frame. Secrets are in the
record.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from babelreg.contract.exact_numbers import dumps, integer, number
from babelreg.contract.parse import ParseError, bare, deep
from babelreg.wire.compact_json import json_bytes, wire_error
from babelreg.wire.format import Format, Frame, WireError

_HALVED = re.compile("[\\ud800-\\udfff]")


def record(wire: Format, frame: Frame, *, line_end: bool = True) -> dict[str, Any]:
    """Return ``{"offset", "line"?, "line_end"?, "message", "raw_base64"?}``.

    ``line_end`` False: no line feed follows the message, which is the last of its file. The record says so.
    """
    message = wire.to_json(frame.value)
    entry: dict[str, Any] = {"offset": frame.offset}
    if frame.line is not None:
        entry["line"] = frame.line
        if not line_end:
            entry["line_end"] = False
    entry["message"] = message
    if _encoded(wire, frame.value) != frame.raw:
        entry["raw_base64"] = base64.b64encode(frame.raw).decode("ascii")
    return entry


def record_line(entry: dict[str, Any]) -> bytes:
    """Return a record as one line of JSON. An unpaired surrogate, which UTF-8 cannot encode, becomes an escape."""
    try:
        return json_bytes(entry) + b"\n"
    except WireError:
        with deep():
            return _HALVED.sub(lambda half: f"\\u{ord(half[0]):04x}", _text(entry)).encode("utf-8") + b"\n"


def _text(entry: dict[str, Any]) -> str:
    """Return the JSON of a record, in which 1e999 stands for a number beyond doubles."""
    place, known = "beyond doubles", repr(entry)
    while place in known:
        place += "_"
    text = dumps(_marked(entry, place))
    return text.replace(f'"{place}+"', "1e999").replace(f'"{place}-"', "-1e999")


def _marked(value: Any, place: str) -> Any:
    """Return ``value`` with a text for each number that no double is as large as."""
    if isinstance(value, (float, Decimal)) and math.isinf(float(value)):
        return f"{place}{'+' if value > 0 else '-'}"
    if isinstance(value, dict):
        return {key: _marked(item, place) for key, item in value.items()}
    if isinstance(value, list):
        items = []
        for item in value:  # a comprehension would take another frame for each level
            items.append(_marked(item, place))
        return items
    return value


def parse_record(raw: bytes, max_bytes: int) -> Mapping[str, Any]:
    """Return the record on one line. Its message may nest as deep as a message alone.

    Raises WireError for anything but a JSON object.
    """
    try:
        value = bare(raw, max_bytes)
    except ParseError as err:
        if err.reason not in ("too_deep", "number_out_of_range"):  # which a message may have outside its data
            raise wire_error(err) from None
        value = _deep_value(raw)
    if not isinstance(value, dict):
        raise WireError("invalid_json", "the line is not a JSON object", offset=0)
    return value


def frame_bytes(wire: Format, entry: Mapping[str, Any], *, canonical: bool = False) -> bytes:
    """Return the bytes of a record's message. ``canonical``: encode it strictly, whatever its bytes were.

    Raises WireError for a record without a message, and for a message that a strict writer must not send.
    """
    raw, message = entry.get("raw_base64"), entry.get("message")
    if raw is not None and not canonical:
        try:
            return base64.b64decode(raw, validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise WireError("not_json", "raw_base64 is not base64", pointer="/raw_base64") from None
    if not isinstance(message, Mapping):
        raise WireError("not_json", 'the record has no message: {"message": {...}}', pointer="/message")
    return wire.encode(wire.from_json(message))


def frame_end(wire: Format, entry: Mapping[str, Any], *, canonical: bool = False) -> bytes:
    """Return what follows the record's message in a stream: a line feed in text formats, or nothing."""
    if not wire.line_based or (entry.get("line_end") is False and not canonical):
        return b""
    return b"\n"


def _encoded(wire: Format, value: Any) -> bytes | None:
    try:
        # Through JSON and back, since that is what the reader of the record does.
        return wire.encode(wire.from_json(wire.to_json(value)))
    except WireError:
        return None


def _deep_value(raw: bytes) -> Any:
    try:
        with deep():
            return json.loads(raw, parse_constant=_refuse, parse_int=integer, parse_float=number)
    except (ValueError, RecursionError):
        raise WireError("too_deep", "the record exceeds the nesting limit of a message", offset=0) from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
