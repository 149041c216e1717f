"""BabelQueue: one JSON envelope a message, one a line or printed over several.

Lossy: decoding folds ``urn`` into ``job`` and drops forbidden keys with a warning (E35, N6); of equal keys the last is
left (N2); the spelling of numbers and strings, and whitespace, are those of the encoder (1.5). The bytes of a frame
are in ``Frame.raw``; ``to_canonical`` and ``from_canonical`` return them unchanged.

Source: BabelQueue, "The Envelope"; facts 1.2 to 1.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract import Envelope
from babelreg.contract.reason import REASONS
from babelreg.wire.format import NATIVE, Code, Decoder, Profile, WireError
from babelreg.wire.formats.babelqueue import check, codec
from babelreg.wire.formats.babelqueue.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.babelqueue.codec import decode, encode, limits
from babelreg.wire.formats.babelqueue.schema import schema
from babelreg.wire.line_hints import text_hint
from babelreg.wire.lines import WholeDecoder
from babelreg.wire.mapping import UrnMapping
from babelreg.wire.names import Names

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = NATIVE
line_based = True
carries_envelopes = True
reads_headers = False
json_values = False
spans = divide = None
names: Names | None = None
default_profile: Profile = "compat"
CODES: Mapping[str, Code] = {code: Code(reason.meaning, reason.upstream) for code, reason in REASONS.items()}


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. Both profiles decode alike."""
    if whole:
        return WholeDecoder(decode, limits.message_bytes)
    return codec.EnvelopeDecoder(decode, limits.message_bytes)


validate = check.validate


def to_json(value: Envelope) -> dict[str, Any]:
    return value.document


def from_json(document: Mapping[str, Any]) -> Envelope:
    urn = document.get("job")
    return Envelope(urn if isinstance(urn, str) else "", dict(document))


def mask(raw: bytes) -> bytes:
    """See Format: an envelope has no member for secrets."""
    return raw


def session() -> None:
    """See Format: envelopes do not refer to each other."""


def recognizes(raw: bytes, document: Any) -> bool:
    return isinstance(document, dict) and "meta" in document and ("job" in document or "urn" in document)


def hint(raw: bytes, error: WireError, *, whole: bool = False) -> str | None:
    return text_hint(raw, whole=whole)


def data_pointer(value: Envelope, mapping: UrnMapping) -> str:
    return "/data"
