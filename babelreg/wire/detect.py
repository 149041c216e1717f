"""Guess of the format that bytes are in, for whoever named another one."""

from __future__ import annotations

from babelreg.contract.parse import ParseError, bare
from babelreg.wire.formats.flowlayer.schema import TYPES

__all__ = ["detect"]

_MAX_BYTES = 1024 * 1024


def detect(raw: bytes) -> str | None:
    """Return the name of the format whose distinguishing members the message has; None in doubt."""
    if raw[:1] == b"H" and raw[1:8].isdigit() and len(raw) >= 8:
        return "phpmq"
    try:
        value = bare(raw, _MAX_BYTES)
    except ParseError:
        return None
    if not isinstance(value, dict):
        return None
    if "meta" in value and ("job" in value or "urn" in value):
        return "babelqueue"
    if "messageType" in value or ("command" in value and "id" in value):
        return "strata"
    return "flowlayer" if isinstance(value.get("type"), str) and value["type"] in TYPES else None
