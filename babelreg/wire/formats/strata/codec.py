"""Codec of Strata: one JSON object a message, as an item of a Redis list, or field ``msg`` of a stream entry.

A recording has one message a line. Read leniently, written strictly. Source: Strata, "Envelope Types"; facts 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract.parse import ParseError, bare
from babelreg.wire.compact_json import json_bytes, wire_error
from babelreg.wire.format import Limits, Profile, WireError, raise_first_error
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.schema import MEMBERS, kind_of

limits = Limits(16 * 1024 * 1024)
UNKNOWN_CLIENT = "unknown"
"""The client that a writer names where it knows none (S14)."""


def decode(raw: bytes, *, profile: Profile | None = None) -> dict[str, Any]:
    """Return the JSON object of one message.

    Both profiles decode alike. Raises WireError.
    """
    try:
        value = bare(raw, limits.message_bytes)
    except ParseError as err:
        raise wire_error(err) from None
    if type(value) is not dict:
        raise WireError("root_not_an_object", "the message is not a JSON object", offset=0)
    return value


def encode(document: Mapping[str, Any]) -> bytes:
    """Return the message: compact UTF-8, members in the order of the page, defaults written.

    Raises WireError for a message that breaks a rule for writers.
    """
    value = dict(document)
    kind = kind_of(value)
    if kind in ("request", "post", "response"):
        value.setdefault("payload", {})
        defaults = {"messages": []} if kind == "response" else {"metadata": {}, "client": UNKNOWN_CLIENT}
        for name, default in defaults.items():
            value.setdefault(name, default)
    raise_first_error(validate(value, profile="strict"))
    names = [member.name for member in MEMBERS[kind or "request"]]
    ordered = {name: value[name] for name in names if name in value} | value
    return json_bytes(ordered)
