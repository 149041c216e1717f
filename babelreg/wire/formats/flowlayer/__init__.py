"""FlowLayer V1: JSON messages over a WebSocket, one a frame; in a recording one a line.

Lossy inwards: bearer tokens that a message quotes are secrets and masked; the spelling of JSON (white space, order of
members, 1.10 for 1.1), equal keys but the last, and digits of ``payload.timestamp`` below a millisecond in
``meta.created_at`` (``data`` has them all). Lossy outwards: ``trace_id`` of an event, ``meta`` but for
``ext.flowlayer``, ``attempts`` and ``dead_letter`` have no field.

Source: FlowLayer, "Message Envelopes"; facts 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.wire.format import Code, Decoder, Profile
from babelreg.wire.formats.flowlayer import check, names
from babelreg.wire.formats.flowlayer.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.flowlayer.check import validate
from babelreg.wire.formats.flowlayer.codec import decode, encode, limits
from babelreg.wire.formats.flowlayer.schema import TYPES, schema
from babelreg.wire.formats.flowlayer.secrets import mask
from babelreg.wire.formats.flowlayer.session import FlowLayerSession
from babelreg.wire.line_hints import line_hint as hint
from babelreg.wire.lines import LineDecoder, WholeDecoder
from babelreg.wire.mapping import UrnMapping

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "flowlayer"
line_based = True
carries_envelopes = False
reads_headers = False
json_values = True
spans = divide = None
default_profile: Profile = "compat"
CODES: Mapping[str, Code] = check.CODES


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. Both profiles decode alike. A whole file is one frame, so an empty one is ``invalid_json``."""
    if whole:
        return WholeDecoder(decode, limits.message_bytes, skip_blank=False)
    return LineDecoder(decode, limits.message_bytes)


def to_json(value: dict[str, Any]) -> dict[str, Any]:
    return value


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    return dict(document)


def session() -> FlowLayerSession:
    return FlowLayerSession()


def recognizes(raw: bytes, document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("type"), str) and document["type"] in TYPES


def data_pointer(value: dict[str, Any], mapping: UrnMapping) -> str:
    return "/payload"
