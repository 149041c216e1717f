"""Secrets of FlowLayer messages: the bearer token of the handshake, where a message or a recording quotes the header.

No message has a member for it (F26). A log entry may quote it, and what records a connection may have the handshake
itself between its frames. Source: facts F26; RFC 6750, 2.1.
"""

from __future__ import annotations

import re

__all__ = ["mask"]

_TOKEN = re.compile(
    rb"""(authorization[\\"']*\s*[:=]\s*[\\"']*bearer\s+)(?:[A-Za-z0-9._~+/=-]|\\/|\\u[0-9a-fA-F]{4})+""",
    re.IGNORECASE,
)


def mask(raw: bytes) -> bytes:
    """Return the message with ``***`` for every bearer token; every other byte is unchanged. Takes broken ones, too."""
    return _TOKEN.sub(rb"\1***", raw)
