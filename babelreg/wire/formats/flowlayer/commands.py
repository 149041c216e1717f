"""The documented commands of FlowLayer V1, their results, and the catalogue of error codes.

Payload problems of one command are found by command processing and answered by an ack with accepted=false (F14);
``refusal`` is that answer. Source: facts F14 to F21.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.contract.violation import violations
from babelreg.finding import Severity
from babelreg.schema.dialects import identify
from babelreg.wire.format import Diagnostic

if TYPE_CHECKING:
    from jsonschema_rs import Validator

ERROR_CODES = {
    "invalid_json": "the frame is not valid JSON",
    "missing_type": "type is missing or empty",
    "unknown_type": "type is not known",
    "missing_id": "id is missing on command, ack or result",
    "missing_name": "name is missing on command or event",
    "invalid_payload": "the payload does not have the required shape",
    "unsupported_message_type": "a client sent a message that is not a command",
    "unknown_command": "the command is not known",
    "unknown_service": "the service is not known",
    "service_busy": "the service is busy with another action",
    "internal_error": "the command failed after it was accepted",
}
"""The closed catalogue of 11 codes (F18)."""

DEFAULT_LOG_LIMIT = 500


@dataclass(frozen=True, slots=True)
class GetSnapshot:
    """Ask for the services and their statuses."""


@dataclass(frozen=True, slots=True)
class GetLogs:
    """Ask for log entries. ``after_seq`` and ``before_seq`` (from 1.1.0) exclude each other."""

    service: str | None = None
    limit: int | None = None
    after_seq: int | None = None
    before_seq: int | None = None


@dataclass(frozen=True, slots=True)
class StartService:
    """Start one service."""

    service: str


@dataclass(frozen=True, slots=True)
class StopService:
    """Stop one service."""

    service: str


@dataclass(frozen=True, slots=True)
class RestartService:
    """Restart one service."""

    service: str


@dataclass(frozen=True, slots=True)
class StartAll:
    """Start every service."""


@dataclass(frozen=True, slots=True)
class StopAll:
    """Stop every service."""


CommandPayload = GetSnapshot | GetLogs | StartService | StopService | RestartService | StartAll | StopAll

COMMANDS: dict[str, type[CommandPayload]] = {
    "get_snapshot": GetSnapshot,
    "get_logs": GetLogs,
    "start_service": StartService,
    "stop_service": StopService,
    "restart_service": RestartService,
    "start_all": StartAll,
    "stop_all": StopAll,
}

_NONE: dict[str, Any] = {"type": "object"}
_SERVICE: dict[str, Any] = {
    "type": "object",
    "required": ["service"],
    "properties": {"service": {"type": "string", "minLength": 1}},
}
PAYLOADS: dict[str, dict[str, Any]] = {
    "get_snapshot": _NONE,
    "get_logs": {
        "type": "object",
        "properties": {
            "service": {"type": "string"},
            "limit": {"type": "integer", "exclusiveMinimum": 0},
            "after_seq": {"type": "integer"},
            "before_seq": {"type": "integer"},
        },
        "not": {"required": ["after_seq", "before_seq"]},
    },
    "start_service": _SERVICE,
    "stop_service": _SERVICE,
    "restart_service": _SERVICE,
    "start_all": _NONE,
    "stop_all": _NONE,
}
"""The JSON Schema of each command's payload."""


def parse(name: str, payload: Mapping[str, Any] | None) -> CommandPayload:
    """Return the typed payload of a documented command; members that it does not declare are left out.

    Raises KeyError for an unknown command, TypeError for one without a required member. ``diagnostics`` has the rest.
    """
    model = COMMANDS[name]
    known = model.__dataclass_fields__
    return model(**{key: value for key, value in (payload or {}).items() if key in known})


def diagnostics(name: str, payload: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Yield the defects of one command's payload as command processing finds them."""
    if name not in PAYLOADS:
        yield Diagnostic("unknown_command", "/name", "the command is not documented", Severity.WARNING)
        return
    for violation in violations(_validator(name), payload):
        yield Diagnostic("invalid_payload", "/payload" + violation.pointer, violation.detail)


def refusal(document: Mapping[str, Any], services: frozenset[str] | None = None) -> tuple[str, str] | None:
    """Return code and message of the refusal that a server gives a well-formed message; None for an acceptable command.

    ``services`` are those the server knows; None skips that check.
    """
    if document["type"] != "command":
        return "unsupported_message_type", ERROR_CODES["unsupported_message_type"]
    name, payload = document["name"], document.get("payload") or {}
    for defect in diagnostics(name, payload):
        return defect.code, defect.detail
    service = payload.get("service")
    if services is not None and service is not None and service not in services:
        return "unknown_service", ERROR_CODES["unknown_service"]
    return None


def log_limit(requested: int | None, view: int | None = None, all_view: int | None = None) -> int:
    """Return the effective limit of get_logs: as requested, of the service's view, of the common view, or 500 (F21)."""
    return next((limit for limit in (requested, view, all_view) if limit is not None), DEFAULT_LOG_LIMIT)


@cache
def _validator(name: str) -> Validator:
    return identify(PAYLOADS[name]).validator_for(PAYLOADS[name])
