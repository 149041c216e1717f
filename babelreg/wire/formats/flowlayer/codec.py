"""Codec of FlowLayer V1: one JSON object a frame.

A WebSocket frame is one message; a recording has one a line. Keys are matched exactly, and of equal keys the last
counts. Source: FlowLayer, "Message Envelopes"; facts F1, F8, 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract.parse import ParseError, bare
from babelreg.wire.compact_json import json_bytes
from babelreg.wire.format import Limits, Profile, WireError

limits = Limits(16 * 1024 * 1024)
"""The read limit of FlowLayer's own client (F27)."""

_OWN = frozenset({"too_large", "too_deep", "number_out_of_range"})
_ORDER = ("type", "id", "name", "payload")


def decode(raw: bytes, *, profile: Profile | None = None) -> dict[str, Any]:
    """Return the JSON object of one frame.

    Raises WireError: ``invalid_json`` for a frame that is not a JSON object, ``missing_type`` for null, which the
    reference's decoder reads as an empty envelope.
    """
    try:
        value = bare(raw, limits.message_bytes)
    except ParseError as err:
        code = err.reason if err.reason in _OWN else "invalid_json"
        raise WireError(code, err.detail, offset=err.offset or 0, pointer=err.pointer) from None
    if type(value) is dict:
        return value
    if value is None:
        raise WireError("missing_type", "type is missing: the frame is null", offset=0)
    raise WireError("invalid_json", "the frame is not a JSON object", offset=0)


def encode(document: Mapping[str, Any]) -> bytes:
    """Return the frame: compact UTF-8, members in the order of the page, ``error`` omitted where it says nothing.

    Raises WireError for a value without a form in JSON.
    """
    ordered = {key: document[key] for key in _ORDER if key in document}
    ordered |= {key: value for key, value in document.items() if key not in _ORDER}
    payload = ordered.get("payload")
    if isinstance(payload, dict) and "error" in payload and _without_effect(ordered.get("type"), payload):
        ordered["payload"] = {key: value for key, value in payload.items() if key != "error"}
    return json_bytes(ordered)


def _without_effect(kind: Any, payload: Mapping[str, Any]) -> bool:
    # facts 2.2, 2: an error that is null, or beside accepted=true, is omitted by the reference
    if kind not in ("ack", "result"):
        return False
    return payload["error"] is None or (kind == "ack" and payload.get("accepted") is True)
