"""JSON Schema of one event in structured mode. Source: CloudEvents 1.0.2, "JSON Event Format"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelreg.schema.dialects import identify
from babelreg.wire.bridge import CERTAIN_INSTANT
from babelreg.wire.format import Profile

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(profile: Profile | None = None) -> dict[str, Any]:
    """See Format. Beyond it, a time is an instant that exists, and a writer has names in lower case only."""
    text = {"type": "string", "pattern": "\\S"}
    optional = {"type": ["string", "null"]}
    names = "^[a-z0-9]+$|^data_base64$" if profile == "strict" else "^[A-Za-z0-9]+$|^data_base64$"
    return {
        "$schema": _DRAFT,
        "title": "CloudEvents 1.0.2, structured mode",
        "type": "object",
        "required": ["specversion", "id", "source", "type"],
        "propertyNames": {"pattern": names},
        "properties": {
            "specversion": {"const": "1.0"},
            "id": text,
            "source": text,
            "type": text,
            "datacontenttype": optional,
            "dataschema": optional,
            "subject": optional,
            "time": {"type": ["string", "null"], "format": "date-time"},
            "data": True,
            "data_base64": {"type": ["string", "null"], "contentEncoding": "base64"},
        },
        "additionalProperties": {
            "type": ["string", "boolean", "integer", "null"],
            "minimum": -(2**31),
            "maximum": 2**31 - 1,
        },
    }


def compiled() -> Validator:
    """Return the validator of events that are good beyond doubt: with plain attributes, and data that is JSON."""
    text = {"type": "string", "pattern": "^[!-~]+$"}
    rule = {
        "$schema": _DRAFT,
        "type": "object",
        "required": ["specversion", "id", "source", "type"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": text,
            "source": {"type": "string", "pattern": "^[A-Za-z0-9._~:/-]+$"},
            "type": text,
            "datacontenttype": {"const": "application/json"},
            "dataschema": False,
            "subject": text,
            "time": {"type": "string", "pattern": CERTAIN_INSTANT},
            "data": True,
            "data_base64": False,
        },
        "propertyNames": {"pattern": "^[a-z0-9]{1,20}$"},
        "additionalProperties": {"type": ["string", "boolean"]},
    }
    return identify(rule).validator_for(rule)
