"""JSON Schema of the FlowLayer V1 envelopes. Source: FlowLayer, "Message Envelopes"; facts F1 to F5, F13."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelreg.schema.dialects import identify
from babelreg.wire.format import Profile

if TYPE_CHECKING:
    from jsonschema_rs import Validator

TYPES = ("command", "ack", "result", "event", "error")
ENVELOPE_MEMBERS = frozenset({"type", "id", "name", "payload"})

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string", "minLength": 1}
_OPTIONAL_TEXT = {"type": ["string", "null"]}
_PAYLOADS: dict[str, dict[str, Any]] = {
    "command": {"type": ["object", "null"]},
    "event": {"type": ["object", "null"]},
    "ack": {"type": "object", "required": ["accepted"], "properties": {"accepted": {"type": "boolean"}}},
    "result": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}},
    "error": {"type": "object", "required": ["code", "message"], "properties": {"code": _TEXT, "message": _TEXT}},
}


def _envelope(kind: str) -> dict[str, Any]:
    required = ["type"]
    required += ["id"] if kind in ("command", "ack", "result") else []
    required += ["name"] if kind in ("command", "event") else []
    required += ["payload"] if kind in ("ack", "result", "error") else []
    return {
        "type": "object",
        "required": required,
        "properties": {
            "type": {"const": kind},
            "id": _TEXT if "id" in required else _OPTIONAL_TEXT,
            "name": _TEXT if "name" in required else _OPTIONAL_TEXT,
            "payload": _PAYLOADS[kind],
        },
    }


def schema(profile: Profile | None = None) -> dict[str, Any]:
    """Return the schema of one message. The profile strict closes the envelope."""
    definitions = {kind: _envelope(kind) for kind in TYPES}
    if profile == "strict":
        definitions = {kind: {**rule, "additionalProperties": False} for kind, rule in definitions.items()}
    return {
        "$schema": _DRAFT,
        "title": "FlowLayer V1 message",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in TYPES],
        "$defs": definitions,
    }


def compiled(kind: str) -> Validator:
    """Return the validator of one type of message, for the profile compat."""
    rule = {"$schema": _DRAFT, **_envelope(kind)}
    return identify(rule).validator_for(rule)
