"""Validation of Strata messages. No codes are published: all of them are babelreg's own.

The order of the checks: missing_message_type, unknown_message_type, unknown_command; then for each member in the order
of the page missing_member, wrong_type, empty_string, negative_timeout, unknown_status, unknown_severity; then
invalid_timestamp, not_allowed, id_length. The profile compat is the lenient reader: ``payload``, ``metadata`` and the
other members with a default may be absent. The profile strict holds the rules for writers, and last not_json.
A request may lack ``responseQueue`` and ``client``, as on the page. Source: facts 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.wire.bridge import instant
from babelreg.wire.compact_json import unwritable
from babelreg.wire.format import Code, Diagnostic, Profile
from babelreg.wire.formats.strata.schema import (
    COMMANDS,
    KINDS,
    MEMBERS,
    MESSAGE_TYPES,
    SEVERITIES,
    STATUSES,
    compiled,
    kind_of,
)

CODES: Mapping[str, Code] = {
    "invalid_json": Code("the message is not exactly one JSON value"),
    "invalid_utf8": Code("the message is not UTF-8"),
    "root_not_an_object": Code("the message is JSON, but not an object"),
    "too_large": Code("the message exceeds the size limit"),
    "too_deep": Code("the message exceeds the nesting limit"),
    "number_out_of_range": Code("a number exceeds the range of a double"),
    "not_json": Code("a value cannot be written as JSON: NaN, Infinity, an unpaired surrogate"),
    "missing_message_type": Code("the message has neither messageType nor command, and is not a command response"),
    "unknown_message_type": Code("messageType is not request, response or post"),
    "unknown_command": Code("command is not info, concurrency, shutdown or toobusy"),
    "missing_member": Code("a required member is absent"),
    "wrong_type": Code("a member has the wrong JSON type"),
    "empty_string": Code("a string that must identify something is empty"),
    "negative_timeout": Code("timeout is negative"),
    "unknown_status": Code("status is not succeeded, failed or pending"),
    "unknown_severity": Code("severity is not error, warning, info or debug"),
    "invalid_timestamp": Code("timestamp is not an ISO 8601 instant with an offset"),
    "not_allowed": Code("a post has a responseQueue or a timeout"),
    "id_length": Code("the id does not have 20 letters and digits"),
    "unmapped_name": Code("a name cannot be used in a URN unchanged, and wires.strata does not map it"),
    "unmapped_urn": Code("the URN has no context and operation, and wires.strata does not map any to it"),
}

_ID = re.compile(r"[A-Za-z0-9]{20}\Z")
_JSON_TYPES: dict[str, Any] = {
    "text": (str,),
    "string": (str,),
    "number": (int, float),
    "object": (dict,),
    "strings": (list,),
    "messages": (list,),
    "status": (str,),
    "concurrency": (dict,),
    "shutdown": (dict,),
    "constant": (str,),
}
_MESSAGE_TYPES: dict[str, Any] = {
    "severity": str,
    "message": str,
    "code": str,
    "type": str,
    "details": dict,
    "stack": str,
}


class _MessageValidators(dict[str, Callable[[Any], bool]]):
    """The compiled schema of each kind of message, made when its first message comes."""

    def __missing__(self, kind: str) -> Callable[[Any], bool]:
        if kind not in KINDS:
            raise KeyError(kind)
        self[kind] = check = compiled(kind).is_valid
        return check


_VALID = _MessageValidators()


def validate(value: dict[str, Any], *, profile: Profile | None = None) -> list[Diagnostic]:
    """Return the defects of one message in the order of the checks; see Format."""
    if profile != "strict":
        try:
            if _VALID[value.get("messageType") or value.get("command") or "command-response"](value):
                return []
        except (KeyError, TypeError, ValueError):
            pass  # found below
    return list(_diagnostics(value, profile == "strict")) + (unwritable(value) if profile == "strict" else [])


def _diagnostics(value: dict[str, Any], strict: bool) -> Iterator[Diagnostic]:
    kind = kind_of(value)
    if kind is None:
        yield _without_kind(value)
        return
    for member in MEMBERS[kind]:
        if member.name not in value:
            if member.required == "always" or (strict and member.required == "writer"):
                yield Diagnostic("missing_member", f"/{member.name}", f"{member.name} is required")
        else:
            yield from _member(member.type, f"/{member.name}", value[member.name])
    timed = kind in MESSAGE_TYPES
    if timed and isinstance(value.get("timestamp"), str) and instant(value["timestamp"]) is None:
        severity = Severity.ERROR if strict else Severity.WARNING
        yield Diagnostic("invalid_timestamp", "/timestamp", "timestamp is not an ISO 8601 instant", severity)
    if kind == "post" and strict:
        for name in ("responseQueue", "timeout"):
            if name in value:
                yield Diagnostic("not_allowed", f"/{name}", f"a post has no {name}")
    if strict and timed and not _ID.match(str(value.get("id"))):
        yield Diagnostic("id_length", "/id", "the id does not have 20 letters and digits", Severity.WARNING)


def _without_kind(value: dict[str, Any]) -> Diagnostic:
    if "messageType" in value:
        return Diagnostic("unknown_message_type", "/messageType", "messageType is not request, response or post")
    if "command" in value:
        return Diagnostic("unknown_command", "/command", f"command is not one of {', '.join(COMMANDS)}")
    return Diagnostic("missing_message_type", "/messageType", "messageType is required")


def _member(kind: str, pointer: str, value: Any) -> Iterator[Diagnostic]:
    if not isinstance(value, _JSON_TYPES[kind]) or (kind == "number" and isinstance(value, bool)):
        yield _mistyped(pointer)
    elif kind == "text" and not value:
        yield Diagnostic("empty_string", pointer, f"{pointer[1:]} is empty")
    elif kind == "number" and value < 0:
        yield Diagnostic("negative_timeout", pointer, f"{pointer[1:]} is negative")
    elif kind == "status" and value not in STATUSES:
        yield Diagnostic("unknown_status", pointer, f"status is not one of {', '.join(STATUSES)}")
    elif kind == "strings":
        yield from (_mistyped(f"{pointer}/{at}") for at, item in enumerate(value) if not isinstance(item, str))
    elif kind == "messages":
        for at, message in enumerate(value):
            yield from _message(f"{pointer}/{at}", message)
    elif kind == "concurrency":
        if "concurrency" not in value:
            yield Diagnostic("missing_member", f"{pointer}/concurrency", "payload.concurrency is required")
        else:
            yield from _number(f"{pointer}/concurrency", value["concurrency"])
    elif kind == "shutdown":
        if "graceful" in value and not isinstance(value["graceful"], bool):
            yield _mistyped(f"{pointer}/graceful")
        if "exitCode" in value:
            yield from _number(f"{pointer}/exitCode", value["exitCode"])


def _message(pointer: str, message: Any) -> Iterator[Diagnostic]:
    if not isinstance(message, dict):
        yield _mistyped(pointer)
        return
    for name in ("severity", "message"):
        if name not in message:
            yield Diagnostic("missing_member", f"{pointer}/{name}", f"{name} is required")
    for name, kind in _MESSAGE_TYPES.items():
        if name in message and not isinstance(message[name], kind):
            yield _mistyped(f"{pointer}/{name}")
        elif name == "severity" and name in message and message[name] not in SEVERITIES:
            text = f"severity is not one of {', '.join(SEVERITIES)}"
            yield Diagnostic("unknown_severity", f"{pointer}/severity", text)


def _number(pointer: str, value: Any) -> Iterator[Diagnostic]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield _mistyped(pointer)


def _mistyped(pointer: str) -> Diagnostic:
    return Diagnostic("wrong_type", pointer, f"{pointer[1:].replace('/', '.')} has the wrong JSON type")
