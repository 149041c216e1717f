"""Secrets of Strata messages: ``auth``, and ``stack`` in the messages of a response ("never expose to end users").

A secret is a member of the envelope, or of an envelope that the queue monitor wraps as ``payload.envelope`` (S15).
Members of those names elsewhere in ``payload`` or ``metadata`` are the application's. A text that is not a valid
message has no such places: there every member of these names is masked. Source: facts S5, S8, S9.
"""

from __future__ import annotations

import json
import re
from typing import Any

from babelreg.contract.parse import MAX_DEPTH
from babelreg.finding import Severity
from babelreg.wire.format import WireError
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.codec import decode

__all__ = ["MASK", "mask", "without_secrets"]

MASK = b'"***"'

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_LOOSE = re.compile(rb"""["']?\b(?:auth|stack)\b\\?["']?\s*[:=]\s*""", re.IGNORECASE)
_SCALAR = re.compile(rb"[^\s,}\]]*")
_NAMES = ("auth", "stack")


def without_secrets(value: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a copy without its secrets, and the RFC 6901 pointers of what was removed."""
    removed: list[str] = []
    return _stripped(value, "", removed), removed


def _stripped(value: dict[str, Any], where: str, removed: list[str]) -> dict[str, Any]:
    copy = dict(value)
    if "auth" in copy:
        del copy["auth"]
        removed.append(f"{where}/auth")
    messages = copy.get("messages")
    if isinstance(messages, list):
        copy["messages"] = list(messages)
        for at, message in enumerate(messages):
            if isinstance(message, dict) and "stack" in message:
                copy["messages"][at] = {key: member for key, member in message.items() if key != "stack"}
                removed.append(f"{where}/messages/{at}/stack")
    payload = copy.get("payload")
    if isinstance(payload, dict) and isinstance(payload.get("envelope"), dict) and where.count("/") < 200:
        envelope = _stripped(payload["envelope"], f"{where}/payload/envelope", removed)
        copy["payload"] = {**payload, "envelope": envelope}
    return copy


def mask(raw: bytes) -> bytes:
    """Return the message with the value of every secret replaced by ``"***"``; every other byte is unchanged."""
    try:
        value = decode(raw)
    except WireError:
        return _masked_text(raw)
    if b"\\u" not in raw and _LOOSE.search(raw) is None:
        return raw  # no key of it is a secret's, not even one that an equal key hides
    defective = any(defect.severity is Severity.ERROR for defect in validate(value))
    return _spliced(raw, everywhere=defective)


def _spliced(raw: bytes, *, everywhere: bool) -> bytes:
    """Return well-formed JSON with the values of secret members replaced."""
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
            if _is_secret(path, everywhere):
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


def _is_secret(path: list[str], everywhere: bool) -> bool:
    if path[-1] not in _NAMES:
        return False
    if everywhere:
        return True
    start = 0
    while path[start : start + 2] == ["payload", "envelope"]:
        start += 2
    rest = path[start:]
    return rest == ["auth"] or rest == ["messages", "[", "stack"]


def _masked_text(raw: bytes) -> bytes:
    """Return bytes that are not JSON with everything masked that may be a secret's value."""
    if b"\0" in raw:
        return MASK  # UTF-16 or UTF-32: no byte of it can be told from a secret
    plain = re.sub(rb"\\u00([0-7][0-9a-fA-F])", lambda escape: bytes([int(escape[1], 16)]), raw)
    text = plain if _LOOSE.search(plain) and not _LOOSE.search(raw) else raw
    pieces, done = [], 0
    while member := _LOOSE.search(text, done):
        end = _value_end(text, member.end())
        pieces += [text[done : member.end()], MASK]
        done = end
    return b"".join([*pieces, text[done:]])


def _value_end(text: bytes, start: int) -> int:
    first = text[start : start + 1]
    if first in (b'"', b"'"):
        closed = re.compile(rb"(?:[^\\%b]++|\\.)*+%b" % (first, first), re.DOTALL).match(text, start + 1)
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
