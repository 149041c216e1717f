"""CloudEvents 1.0.2: a JSON object a message (structured mode), or arrays of them (batched mode).

In binary mode, attributes are in the headers of a message, where a recording has headers.

Lossy inwards: the mode, the spelling of JSON, and null attributes, which count as absent. Lossy outwards:
``meta.lang``, ``attempts``, ``dead_letter`` and extensions of other formats have no attribute.

Source: CloudEvents 1.0.2, "CloudEvents - Version 1.0.2", "JSON Event Format", "Kafka Protocol Binding".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.wire.compact_json import JSON_CODES
from babelreg.wire.format import Code, Decoder, Profile, WireError
from babelreg.wire.formats.cloudevents import attributes, names
from babelreg.wire.formats.cloudevents.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.cloudevents.check import validate
from babelreg.wire.formats.cloudevents.codec import carries_attributes, decode, divide, encode, limits
from babelreg.wire.formats.cloudevents.schema import schema
from babelreg.wire.line_hints import line_hint
from babelreg.wire.lines import LineDecoder, WholeDecoder
from babelreg.wire.mapping import UrnMapping
from babelreg.wire.message_headers import has_headers

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "cloudevents"
line_based = True
carries_envelopes = False
reads_headers = True
json_values = True
spans = None
default_profile: Profile = "compat"
CODES: Mapping[str, Code] = {
    **{code: Code(meaning) for code, meaning in attributes.CODES.items()},
    **JSON_CODES,
}
_FIXES = {
    "missing_time": "make the producer set time, or write in babelreg.yaml: wires: {cloudevents: {time: received}}",
    "binary_data": "make the producer send JSON as data",
    "batch_not_divided": "--whole reads a file as one batch",
}


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. Both profiles decode alike."""
    return (WholeDecoder if whole else LineDecoder)(decode, limits.message_bytes, divide)


def to_json(value: dict[str, Any]) -> dict[str, Any]:
    return value


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    return dict(document)


def mask(raw: bytes) -> bytes:
    """See Format: an event has no member for secrets."""
    return raw


def session() -> None:
    """See Format: events do not refer to each other."""


def recognizes(raw: bytes, document: Any) -> bool:
    if has_headers(raw):
        return carries_attributes(raw)
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and "specversion" in first and "source" in first


def hint(raw: bytes, error: WireError, *, whole: bool = False) -> str | None:
    return _FIXES.get(error.code) or line_hint(raw, error, whole=whole)


def data_pointer(value: dict[str, Any], mapping: UrnMapping) -> str:
    return "/data"
