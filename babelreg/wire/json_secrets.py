"""Secrets in messages that are JSON, or nearly so: their values replaced in the bytes, every other byte unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from babelreg.contract.parse import MAX_DEPTH

MASK = b'"***"'

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_SCALAR = re.compile(rb"(?:bearer\s+)?[^\s,}\]]*", re.IGNORECASE)
_NESTED_QUOTE = re.compile(rb"""\\+["']""")
_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")


def mask_members(raw: bytes, is_secret: Callable[[list[str]], bool]) -> bytes:
    """Return well-formed JSON with the values of secret members replaced.

    ``is_secret`` takes the path of a member: names of members, and ``[`` for an array.
    """
    pieces: list[bytes] = []
    done = depth = 0
    path: list[str] = []  # the name of the member or item at each level
    start = secret_depth = -1  # of the value that is being replaced
    last = b""
    for token in _TOKEN.finditer(raw):
        text = token[0]
        if text in b"}]":
            depth -= 1
            path.pop()
        if secret_depth < 0 and text == b":":
            path[-1] = _name(last)
            if is_secret(path):
                secret_depth, start = depth, -1
        elif secret_depth >= 0 and start < 0:
            start = token.start()
        if text in b"{[":
            depth += 1
            path.append("[" if text == b"[" else "")
        elif secret_depth == depth and start >= 0 and text not in b",:":
            pieces += [raw[done:start], MASK]
            done, secret_depth = token.end(), -1
        last = text
    return b"".join([*pieces, raw[done:]])


def _name(token: bytes) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token.decode("utf-8", "replace")


def mask_text(raw: bytes, names: re.Pattern[bytes]) -> bytes:
    """Return bytes that are not JSON with everything masked that may be a secret's value.

    ``names`` matches the name of a secret and what leads to its value.
    """
    if b"\0" in raw:
        return MASK  # UTF-16 or UTF-32: no byte of it can be told from a secret
    text = _masked(raw, names)
    plain = _ESCAPE.sub(_unescaped, text)
    if len(names.findall(plain)) > len(names.findall(text)):
        return _masked(plain, names)  # a name is spelled with escapes
    return text


def has_escapes(raw: bytes) -> bool:
    """Return whether :func:`mask_text` may find a name that is not written plainly in the bytes."""
    return b"\0" in raw or (b"\\" in raw and b"\\u" in raw)  # a single byte is found sooner


def _unescaped(escape: re.Match[bytes]) -> bytes:
    character = bytes([int(escape[1], 16)])
    return b"\\" + character if character in b'"\\' else character


def _masked(text: bytes, names: re.Pattern[bytes]) -> bytes:
    pieces, done = [], 0
    while member := names.search(text, done):
        end = _value_end(text, member.end())
        pieces += [text[done : member.end()], MASK]
        done = end
    return b"".join([*pieces, text[done:]])


def _value_end(text: bytes, start: int) -> int:
    first = text[start : start + 1]
    if first in (b'"', b"'"):
        closed = re.compile(rb"(?:[^\\%b]++|\\.)*+%b" % (first, first), re.DOTALL).match(text, start + 1)
        return closed.end() if closed else len(text)
    if quote := _NESTED_QUOTE.match(text, start):  # JSON in a string
        closed = re.compile(rb"(?<!\\)" + re.escape(quote[0])).search(text, quote.end())
        return closed.end() if closed else len(text)
    if first not in (b"{", b"["):
        scalar = _SCALAR.match(text, start)
        return scalar.end() if scalar else len(text)
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in b"{[") - (token[0] in b"}]")
        if depth == 0:
            return token.end()
        if depth > MAX_DEPTH:
            break  # no message nests so deep, so none of the text is worth reading
    return len(text)
