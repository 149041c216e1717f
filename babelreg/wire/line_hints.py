"""Likely mistakes behind lines that are not messages of a JSON format, and the way to fix each."""

from __future__ import annotations

import re

from babelreg.wire.format import WireError

_BROKEN_LINE = (b"{", b"[", b"}", b"]", b"},", b"],")


def text_hint(raw: bytes, *, whole: bool = False) -> str | None:
    """Return the fix for bytes that are no JSON object in UTF-8; None where none is known."""
    line = raw.strip()
    if raw.startswith(b"\xef\xbb\xbf"):
        return "remove the byte order mark: JSON is UTF-8 without one"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in raw[:4]:
        return "write it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE"
    if line.startswith(b"[{") or (whole and line.startswith(b"[")):
        return "a list is not a message; print its items, one per line: jq -c '.[]' FILE"
    return None


def line_hint(raw: bytes, error: WireError, *, whole: bool = False) -> str | None:
    """Return the same for a format in which a message is one line, also where it was printed over several."""
    hint = text_hint(raw, whole=whole)
    line = raw.strip()
    if hint is None and not whole and (line in _BROKEN_LINE or re.match(rb'"[^"]*"\s*:', line)):
        return "a message is one line; --whole reads a file as one message, `jq -c . FILE` prints one per line"
    return hint
