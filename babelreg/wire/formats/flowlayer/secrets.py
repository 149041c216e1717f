"""Secrets of FlowLayer messages: ``auth`` and ``authorization`` beside the envelope's members, and bearer tokens.

No message has a member for secrets (F26). But a client may add one, a log entry may quote the header of the handshake,
and what records a connection may have the handshake itself between its frames. Members of those names within
``payload`` are the application's. In a text that is not a valid message every such member is masked.
Source: facts F26; RFC 6750, 2.1.
"""

from __future__ import annotations

import re
from functools import partial

from babelreg.finding import Severity
from babelreg.wire.format import WireError
from babelreg.wire.formats.flowlayer.check import validate
from babelreg.wire.formats.flowlayer.codec import decode
from babelreg.wire.json_secrets import mask_members, mask_text

_NAMES = ("auth", "authorization")


def _spelled(word: bytes) -> bytes:
    """Return a pattern for the lower-case word, each letter of it as it is or as a JSON escape, in either case."""
    return b"".join(rb"(?:%c|\\u00[%b]%x)" % (code, b"46" if code < ord("p") else b"57", code & 15) for code in word)


def _token_pattern(authorization: bytes, bearer: bytes) -> re.Pattern[bytes]:
    space = rb"(?:\s|\+|%20|\\u0020|\\t)"
    quotes = rb"""(?:[\\"']|%22|\\u0022)*"""
    separator = rb"(?:[:=]|%3A|%3D|\\u003a|\\u003d)"
    lead = rb"%b%b%b*%b%b*%b%b%b+%b" % (authorization, quotes, space, separator, space, quotes, bearer, space, quotes)
    return re.compile(rb"(%b)(?:[A-Za-z0-9._~+/=%%-]|\\/|\\u[0-9a-fA-F]{4})+" % lead, re.IGNORECASE)


_TOKEN = _token_pattern(b"authorization", b"bearer")
_ESCAPED_TOKEN = _token_pattern(_spelled(b"authorization"), _spelled(b"bearer"))
# Alone, the word may be prose: "the bearer of bad news". A token has a digit among its first six or more characters, or
# is at least sixteen characters long.
_BARE_TOKEN = re.compile(
    rb"\b(bearer(?:\s|%20|\\u0020)+)"
    rb"(?:(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{6,}|[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
_LOOSE = re.compile(rb"""["']?\b(?:auth|authorization)\b\\*["']?\s*[:=](?!\s*[\\"']*bearer\s)\s*""", re.IGNORECASE)


def mask(raw: bytes) -> bytes:
    """Return the message with its secrets replaced; every other byte is unchanged. Takes broken messages, too."""
    if b"\\u" not in raw:
        letters = raw.lower()
        if b"auth" not in letters and b"bearer" not in letters:
            return raw
    text = (_ESCAPED_TOKEN if b"\\u" in raw else _TOKEN).sub(rb"\1***", raw)
    text = _BARE_TOKEN.sub(rb"\1***", text)
    if b"\\u" not in text and _LOOSE.search(text) is None:
        return text
    try:
        value = decode(text)
    except WireError:
        return mask_text(text, _LOOSE)
    defective = any(defect.severity is Severity.ERROR for defect in validate(value))
    return mask_members(text, partial(_is_secret, defective))


def _is_secret(everywhere: bool, path: list[str]) -> bool:
    return path[-1].lower() in _NAMES and (everywhere or len(path) == 1)
