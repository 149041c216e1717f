"""Secrets of Strata messages: ``auth``, and ``stack`` in the messages of a response ("never expose to end users").

A secret is a member of the envelope (``auth`` also at any depth of its ``metadata``), or of an envelope that the queue
monitor wraps as ``payload.envelope`` (S15). Members of those names in ``payload`` are the application's, as is
``stack`` in ``metadata``. A text that is not a valid message has no such places: there every member of these names is
masked. Source: facts S5, S8, S9.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from orjson import JSONDecodeError, loads

from babelreg.finding import Severity
from babelreg.wire.format import WireError
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.codec import decode
from babelreg.wire.json_secrets import MASK, has_escapes, mask_members, mask_text

__all__ = ["MASK", "mask", "without_secrets"]

_LOOSE = re.compile(rb"""["']?(?:\b|(?<=%22))(?:auth|stack)(?:\b\\*["']?|%22)\s*(?:[:=]|%3A|%3D)\s*""", re.IGNORECASE)
_NAMES = ("auth", "stack")
_AUTH = re.compile(rb'"auth"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]++|\\.)*+")', re.DOTALL)


def without_secrets(value: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a copy without its secrets, and the RFC 6901 pointers of what was removed."""
    removed: list[str] = []
    return _stripped(value, "", removed), removed


def _stripped(value: dict[str, Any], where: str, removed: list[str]) -> dict[str, Any]:
    copy = dict(value)
    if "auth" in copy:
        del copy["auth"]
        removed.append(f"{where}/auth")
    metadata = copy.get("metadata")
    if isinstance(metadata, dict):
        copy["metadata"] = _without_auth(metadata, f"{where}/metadata", removed)
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


def _without_auth(metadata: dict[str, Any], where: str, removed: list[str]) -> dict[str, Any]:
    """Return a copy without ``auth``, at whatever depth. No recursion: metadata nests as deep as the parser reads."""
    root: dict[str, Any] = dict(metadata)
    pending: list[tuple[Any, str]] = [(root, where)]
    while pending:
        node, place = pending.pop()
        if isinstance(node, dict) and "auth" in node:
            del node["auth"]
            removed.append(f"{place}/auth")
        for key, member in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(member, (dict, list)):
                node[key] = copy = member.copy()
                pending.append((copy, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}"))
    return root


def mask(raw: bytes) -> bytes:
    """Return the message with the value of every secret replaced by ``"***"``; every other byte is unchanged."""
    lower = raw.lower()
    if b"auth" not in lower and b"stack" not in lower and not has_escapes(raw):
        return raw  # whether it is a message or not: to read it costs as much as a row of a table
    if (masked := _with_one_auth(raw, lower)) is not None:
        return masked
    try:
        value = decode(raw)
    except WireError:
        return mask_text(raw, _LOOSE)
    if b"\\u" not in raw and _LOOSE.search(raw) is None:
        return raw  # no key of it is a secret's, not even one that an equal key hides
    defective = any(defect.severity is Severity.ERROR for defect in validate(value))
    return mask_members(raw, partial(_is_secret, defective))


def _with_one_auth(raw: bytes, lower: bytes) -> bytes | None:
    """Return the masked message if its only secret is a text ``auth`` of the envelope, as most requests have.

    A message that is refused is masked there alike: no other name of a secret is in it, and no escape.
    """
    if lower.count(b"auth") != 1 or b"stack" in lower or has_escapes(raw):
        return None
    start = raw.find(b'"auth"')
    member = _AUTH.match(raw, max(0, start))
    if member is None or raw[start - 1 : start] == b"\\":  # a quote behind a backslash is in a longer name
        return None
    end = member.end(1)
    # One brace behind it closes the envelope, so that it is not in the payload; else the message is parsed.
    if raw[:1] != b"{" or raw.count(b"}", end) != 1:
        try:
            if "auth" not in loads(raw):
                return None
        except (JSONDecodeError, TypeError):
            return None
    return b"".join([raw[: member.start(1)], MASK, raw[end:]])


def _is_secret(everywhere: bool, path: list[str]) -> bool:
    if path[-1] not in _NAMES:
        return False
    if everywhere:
        return True
    start = 0
    while path[start : start + 2] == ["payload", "envelope"]:
        start += 2
    rest = path[start:]
    if path[-1] == "auth":
        return rest == ["auth"] or rest[0] == "metadata"
    return rest == ["messages", "[", "stack"]
