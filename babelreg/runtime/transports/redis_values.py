"""Values in a Redis list of babelqueue: messages, or in the plain layout frames of headers and a message.

Source: BabelQueue broker bindings, Redis: ``{"__bq_frame":1,"headers":{...},"body":"..."}``. Values are read as text in
which invalid UTF-8 is kept as surrogate escapes, and are written back as the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_KEY = "__bq_frame"


def as_text(value: str | bytes) -> str:
    """Return a value of a client that decodes, or of one that does not, as text."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def wire(text: str) -> str | bytes:
    """Return what to send to Redis for a value that was read as ``text``."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            pass  # an unpaired surrogate, which was not read: the client refuses it
    return text


def has_invalid_utf8(text: str) -> bool:
    """Return True if ``text`` was read from bytes that are not UTF-8."""
    return not text.isascii() and any("\udc80" <= character <= "\udcff" for character in text)


def frame(body: str, headers: Mapping[str, str]) -> str:
    """Return ``body`` within a frame that has the headers; without headers ``body`` itself."""
    kept = _headers(headers)
    if not kept:
        return body
    return json.dumps({_KEY: 1, "headers": kept, "body": body}, ensure_ascii=False, separators=(",", ":"))


def unframe(text: str) -> tuple[str, dict[str, str]]:
    """Return the message, and its headers; a value that is no frame is the message."""
    if not text.startswith("{") or f'"{_KEY}"' not in text:
        return text, {}
    try:
        framed = json.loads(text)
    except (ValueError, RecursionError):
        return text, {}
    if not framed.get(_KEY) or not isinstance(framed.get("body"), str):
        return text, {}
    return framed["body"], _headers(framed.get("headers"))


def _headers(found: Any) -> dict[str, str]:
    headers = found if isinstance(found, Mapping) else {}
    return {str(name): str(value) for name, value in headers.items() if name and value is not None and value != ""}
