"""JSON Schemas of the Strata envelopes, one for each kind of message.

The members and their types are in ``MEMBERS``, which ``check`` also reads.
Source: Strata, "Envelope Types"; facts S1 to S11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.schema.dialects import identify
from babelreg.wire.bridge import CERTAIN_INSTANT
from babelreg.wire.format import Profile

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MESSAGE_TYPES = ("request", "post", "response")
COMMANDS = ("info", "concurrency", "shutdown", "toobusy")
KINDS = (*MESSAGE_TYPES, *COMMANDS, "command-response")
STATUSES = ("succeeded", "failed", "pending")
SEVERITIES = ("error", "warning", "info", "debug")

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Member(NamedTuple):
    """One member of an envelope. ``type``: text (not empty), string, number, object, strings, messages, status,
    or constant. ``required``: always, writer (a lenient reader has a default), or never."""

    name: str
    type: str
    required: str = "always"


_ID = Member("id", "text")
_BASE = (
    _ID,
    Member("messageType", "constant"),
    Member("context", "text"),
    Member("operation", "text"),
    Member("timestamp", "string"),
    Member("payload", "object", "writer"),
)
_TRACING = (
    Member("metadata", "object", "writer"),
    Member("auth", "string", "never"),
    Member("priorRequest", "string", "never"),
    Member("client", "string", "never"),
    Member("requestChain", "strings", "never"),
)
_COMMAND = (_ID, Member("command", "constant"))

MEMBERS: dict[str, tuple[Member, ...]] = {
    "request": (*_BASE, Member("responseQueue", "string", "never"), Member("timeout", "number", "never"), *_TRACING),
    "post": (*_BASE, *_TRACING),
    "response": (
        *_BASE,
        Member("status", "status"),
        Member("messages", "messages", "writer"),
        Member("service", "string", "writer"),
    ),
    "info": (*_COMMAND, Member("responseChannel", "text", "writer")),
    "concurrency": (*_COMMAND, Member("payload", "concurrency")),
    "shutdown": (*_COMMAND, Member("payload", "shutdown", "never")),
    "toobusy": (*_COMMAND, Member("payload", "object", "writer")),
    "command-response": (_ID, Member("payload", "object", "never")),
}

_MESSAGE = {
    "type": "object",
    "required": ["severity", "message"],
    "properties": {
        "severity": {"enum": list(SEVERITIES)},
        "message": {"type": "string"},
        "code": {"type": "string"},
        "type": {"type": "string"},
        "details": {"type": "object"},
        "stack": {"type": "string"},
    },
}
_TYPES: dict[str, Any] = {
    "text": {"type": "string", "minLength": 1},
    "string": {"type": "string"},
    "number": {"type": "number", "minimum": 0},
    "object": {"type": "object"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "messages": {"type": "array", "items": _MESSAGE},
    "status": {"enum": list(STATUSES)},
    "concurrency": {
        "type": "object",
        "required": ["concurrency"],
        "properties": {"concurrency": {"type": "number"}},
    },
    "shutdown": {
        "type": "object",
        "properties": {"graceful": {"type": "boolean"}, "exitCode": {"type": "number"}},
    },
}


def kind_of(value: dict[str, Any]) -> str | None:
    """Return the kind of a message: its messageType, its command, or ``command-response``; None where it has none.

    A command response has neither: it is an id, perhaps with a payload, and nothing else.
    """
    name = value.get("messageType")
    if name is None and "messageType" not in value:
        name = value.get("command")
        if name is None and "command" not in value:
            return "command-response" if value.keys() <= {"id", "payload"} else None
        return name if isinstance(name, str) and name in COMMANDS else None
    return name if isinstance(name, str) and name in MESSAGE_TYPES else None


def _envelope(kind: str, profile: Profile | None) -> dict[str, Any]:
    required = ("always", "writer") if profile == "strict" else ("always",)
    properties = {member.name: _TYPES.get(member.type, {"const": kind}) for member in MEMBERS[kind]}
    if kind == "post" and profile == "strict":
        properties |= {"responseQueue": False, "timeout": False}
    if kind in COMMANDS:
        properties["messageType"] = False
    return {
        "type": "object",
        **({"additionalProperties": False} if kind == "command-response" else {}),
        "required": [member.name for member in MEMBERS[kind] if member.required in required],
        "properties": properties,
    }


def schema(profile: Profile | None = None) -> dict[str, Any]:
    """Return the schema of one message: as a lenient reader takes it, or (strict) as a writer keeps to it."""
    return {
        "$schema": _DRAFT,
        "title": "Strata message",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": {kind: _envelope(kind, profile) for kind in KINDS},
    }


def compiled(kind: str) -> Validator:
    """Return the validator of messages that are good beyond doubt: as ``compat``, and with a plain timestamp."""
    rule = {"$schema": _DRAFT, **_envelope(kind, "compat")}
    if "timestamp" in rule["properties"]:
        rule["properties"]["timestamp"] = {"type": "string", "pattern": CERTAIN_INSTANT}
    return identify(rule).validator_for(rule)
