"""Frames as JSON records, one a line, for ``babelreg wire decode`` and ``encode``.

A record is the message as a JSON object, with ``raw_base64`` beside it where encoding the message strictly would give
other bytes. So ``frame_bytes(format, record(format, frame))`` is the frame's bytes, for every frame. Secrets are in the
record.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from babelreg.wire.format import Format, Frame, WireError

__all__ = ["frame_bytes", "record"]


def record(wire: Format, frame: Frame) -> dict[str, Any]:
    """Return ``{"offset", "line"?, "message", "raw_base64"?}``."""
    message = wire.to_json(frame.value)
    entry: dict[str, Any] = {"offset": frame.offset}
    if frame.line is not None:
        entry["line"] = frame.line
    entry["message"] = message
    if _encoded(wire, frame.value) != frame.raw:
        entry["raw_base64"] = base64.b64encode(frame.raw).decode("ascii")
    return entry


def frame_bytes(wire: Format, entry: Mapping[str, Any], *, canonical: bool = False) -> bytes:
    """Return the bytes of a record's message. ``canonical``: encode it strictly, whatever its bytes were.

    Raises WireError for a record without a message, and for a message that a strict writer must not send.
    """
    raw, message = entry.get("raw_base64"), entry.get("message")
    if isinstance(raw, str) and not canonical:
        try:
            return base64.b64decode(raw, validate=True)
        except (binascii.Error, ValueError):
            raise WireError("not_json", "raw_base64 is not base64", pointer="/raw_base64") from None
    if not isinstance(message, Mapping):
        raise WireError("not_json", "the record has no message", pointer="/message")
    return wire.encode(wire.from_json(message))


def _encoded(wire: Format, value: Any) -> bytes | None:
    try:
        # Through JSON and back, since that is what the reader of the record does.
        return wire.encode(wire.from_json(wire.to_json(value)))
    except WireError:
        return None
