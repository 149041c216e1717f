"""JSON Schema of the BabelQueue envelope: for readers (compat), and for producers (strict).

Source: BabelQueue, "Field reference", "The meta block", "Optional dead_letter block"; facts E1 to E17.
"""

from __future__ import annotations

from typing import Any

from babelreg.contract.emit import LANGUAGES
from babelreg.wire.format import Profile

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NOT_BLANK = {"type": "string", "pattern": "[^ \\t\\n\\u000b\\f\\r]"}
_UUID = {"type": "string", "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}
_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
_DEAD_LETTER = {
    "type": "object",
    "required": ["reason", "failed_at", "original_queue", "attempts"],
    "properties": {
        "reason": {"enum": ["failed", "unknown_urn", "poison"]},
        "error": {"type": ["string", "null"]},
        "exception": {"type": ["string", "null"]},
        "failed_at": {"type": "integer", "minimum": 0},
        "original_queue": {"type": "string"},
        "attempts": {"type": "integer", "minimum": 0},
        "lang": {"enum": list(LANGUAGES)},
    },
}


def schema(profile: Profile | None = None) -> dict[str, Any]:
    """Return the schema of one envelope. Beyond it, integers are integer literals: 1.0 is refused (N9).

    A producer also keeps integers within 64 bits, and ``meta.id`` distinct from ``trace_id`` (E10, E26).
    """
    return _producer() if profile == "strict" else _reader()


def _reader() -> dict[str, Any]:
    text = {"type": ["string", "null"]}
    return {
        "$schema": _DRAFT,
        "title": "BabelQueue envelope, as read",
        "type": "object",
        "anyOf": [
            {"required": ["job"], "properties": {"job": _NOT_BLANK}},
            {"required": ["urn"], "properties": {"urn": _NOT_BLANK}},
        ],
        "required": ["trace_id", "data", "meta", "attempts"],
        "properties": {
            "trace_id": _NOT_BLANK,
            "data": {"type": "object"},
            "meta": {
                "type": "object",
                "required": ["schema_version"],
                "properties": {
                    "id": text,
                    "queue": text,
                    "lang": text,
                    "schema_version": {"type": "integer", "const": 1},
                    "created_at": {"type": ["integer", "null"], **_INT64},
                },
            },
            "attempts": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
            "dead_letter": {"type": ["object", "null"], "properties": _optional(_DEAD_LETTER["properties"])},
        },
    }


def _optional(properties: Any) -> dict[str, Any]:
    integers = {"type": ["integer", "null"], **_INT64}
    return {name: integers if "minimum" in rule else {"type": ["string", "null"]} for name, rule in properties.items()}


def _producer() -> dict[str, Any]:
    forbidden_meta = ("max_retries", "attempts", "source", "ts")
    return {
        "$schema": _DRAFT,
        "title": "BabelQueue envelope, as produced",
        "type": "object",
        "required": ["job", "trace_id", "data", "meta", "attempts"],
        "properties": {
            "job": _NOT_BLANK,
            "trace_id": _UUID,
            "data": {"type": "object"},
            "meta": {
                "type": "object",
                "required": ["id", "queue", "lang", "schema_version", "created_at"],
                "properties": {
                    "id": _UUID,
                    "queue": {"type": "string", "minLength": 1},
                    "lang": {"enum": list(LANGUAGES)},
                    "schema_version": {"type": "integer", "const": 1},
                    "created_at": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
                    **dict.fromkeys(forbidden_meta, False),
                },
            },
            "attempts": {"type": "integer", "const": 0},
            "timestamp": False,
            "urn": False,
        },
    }
