"""Plain JSON: one object a message, without an envelope. ``wires.json`` of the registry says where its name stands.

Lossy inwards: the spelling of JSON. Lossy outwards: whatever the settings have no member for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract.parse import MAX_BYTES, ParseError, bare
from babelreg.wire.compact_json import JSON_CODES, json_bytes, unwritable, wire_error
from babelreg.wire.format import Code, Decoder, Diagnostic, Limits, Profile, WireError
from babelreg.wire.formats.plain_json import names
from babelreg.wire.formats.plain_json.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.plain_json.members import pointer
from babelreg.wire.line_hints import line_hint as hint
from babelreg.wire.lines import LineDecoder, WholeDecoder
from babelreg.wire.mapping import UrnMapping

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "json"
line_based = True
carries_envelopes = False
reads_headers = False
json_values = True
spans = divide = None
default_profile: Profile = "compat"
limits = Limits(MAX_BYTES)
CODES: Mapping[str, Code] = {
    "no_settings": Code("wires.json in babelreg.yaml does not say where a message has its URN"),
    "missing_name": Code("the member, topic or file that names the message is missing or blank"),
    "missing_id": Code("the member that identifies the message is missing"),
    "invalid_id": Code("the member that identifies the message is neither a string nor an integer"),
    "missing_position": Code("wires.json defines no id, and the row of a table has no position"),
    "missing_time": Code("the member that has the time is missing"),
    "invalid_time": Code("the member that has the time is neither an RFC 3339 instant nor a Unix time"),
    "data_not_an_object": Code("the member that has the data is missing or not an object"),
    "member_taken": Code("the data already has a member at the path of the name, id or time"),
    **JSON_CODES,
}


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. Both profiles decode alike."""
    return (WholeDecoder if whole else LineDecoder)(decode, limits.message_bytes)


def decode(raw: bytes, *, profile: Profile | None = None) -> dict[str, Any]:
    try:
        value = bare(raw, limits.message_bytes)
    except ParseError as err:
        raise wire_error(err) from None
    if type(value) is not dict:
        raise WireError("root_not_an_object", "the message is not a JSON object", offset=0)
    return value


def encode(value: Mapping[str, Any]) -> bytes:
    return json_bytes(dict(value))


def validate(value: dict[str, Any], *, profile: Profile | None = None) -> list[Diagnostic]:
    """See Format: there is no envelope to check."""
    return unwritable(value) if profile == "strict" else []


def schema(profile: Profile | None = None) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "plain JSON", "type": "object"}


def to_json(value: dict[str, Any]) -> dict[str, Any]:
    return value


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    return dict(document)


def mask(raw: bytes) -> bytes:
    """See Format: nothing says which member is a secret."""
    return raw


def session() -> None:
    """See Format: messages do not refer to each other."""


def recognizes(raw: bytes, document: Any) -> bool:
    """See Format: any object may be one, so none is guessed."""
    return False


def data_pointer(value: dict[str, Any], mapping: UrnMapping) -> str:
    path = mapping.urns.get(("data",))
    return "" if path is None else pointer(path)
