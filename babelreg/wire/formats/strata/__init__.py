"""Strata: JSON messages in Redis lists and streams, and service commands over pub/sub; in a recording one a line.

Lossy inwards: ``auth`` and ``stack`` are secrets and stay behind; the spelling of JSON (white space, order of members,
1.10 for 1.1), equal keys but the last, and digits of ``timestamp`` below a millisecond in ``meta.created_at``
(``meta.ext.strata.timestamp`` has them). Lossy outwards: ``meta.id``, ``meta.lang``, ``meta.queue``, ``attempts`` and
``dead_letter`` have no field; ``metadata.babelqueue`` has them for people, and is not read back.

Source: Strata, "Envelope Types"; facts 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.wire.format import Code, Decoder, Profile
from babelreg.wire.formats.strata import check, names
from babelreg.wire.formats.strata.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.codec import decode, encode, limits
from babelreg.wire.formats.strata.schema import schema
from babelreg.wire.formats.strata.secrets import mask
from babelreg.wire.line_hints import line_hint as hint
from babelreg.wire.lines import LineDecoder, WholeDecoder
from babelreg.wire.mapping import UrnMapping

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "strata"
line_based = True
carries_envelopes = False
reads_headers = False
json_values = True
spans = divide = None
default_profile: Profile = "compat"
CODES: Mapping[str, Code] = check.CODES


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. Both profiles decode alike."""
    return (WholeDecoder if whole else LineDecoder)(decode, limits.message_bytes)


def to_json(value: dict[str, Any]) -> dict[str, Any]:
    return value


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    return dict(document)


def session() -> None:
    """See Format: a response refers to a request that may be in another recording."""


def recognizes(raw: bytes, document: Any) -> bool:
    return isinstance(document, dict) and ("messageType" in document or ("command" in document and "id" in document))


def data_pointer(value: dict[str, Any], mapping: UrnMapping) -> str:
    """See Format. A response that ``wires`` does not map is its own data."""
    address = (value.get("context"), value.get("operation"), "response")
    return "" if value.get("messageType") == "response" and address not in mapping.urns else "/payload"
