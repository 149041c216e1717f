"""PHPMQ: messages of typed packets over TCP, binary and without separators.

Lossy: the order of packets, and leading zeros of a count or TTL; the compat reader also drops whatever it does not
check, and reads the revision before TTL with ttl 0. Inwards, carried envelopes leave TTL, message id and frame type
behind. Outwards, opaque content has no field for ``trace_id``, ``created_at`` and ``attempts``; carriers keep all.

Source: php-mq/protocol 37bf1fb; facts 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.wire.format import Code, Decoder, Profile, WireError
from babelreg.wire.formats.phpmq import check, codec, names
from babelreg.wire.formats.phpmq.bridge import canonical_fields, from_canonical, to_canonical
from babelreg.wire.formats.phpmq.check import validate
from babelreg.wire.formats.phpmq.codec import encode
from babelreg.wire.formats.phpmq.headers import MESSAGE_HEADER_BYTES, limits
from babelreg.wire.formats.phpmq.json_form import from_json, to_json
from babelreg.wire.formats.phpmq.message_boundaries import message_spans as spans
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.formats.phpmq.schema import schema
from babelreg.wire.mapping import UrnMapping

__all__ = [
    "CODES", "canonical_fields", "carries_envelopes", "data_pointer", "decode", "decoder", "default_profile",
    "divide", "encode", "from_canonical", "from_json", "hint", "json_values", "limits", "line_based", "mask", "name",
    "names", "reads_headers", "recognizes", "schema", "session", "spans", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "phpmq"
line_based = False
carries_envelopes = True
reads_headers = False
json_values = False
divide = None
default_profile: Profile = "strict"
CODES: Mapping[str, Code] = check.CODES


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. A stream is always a stream: ``whole`` changes nothing."""
    return codec.PacketDecoder(profile=profile or default_profile)


def decode(raw: bytes, *, profile: Profile | None = None) -> PacketMessage:
    return codec.decode(raw, strict=(profile or default_profile) == "strict")


def mask(raw: bytes) -> bytes:
    """See Format: no field is for secrets; the content is opaque."""
    return raw


def session() -> None:
    """See Format: a consumer may acknowledge what another recording delivered."""


def recognizes(raw: bytes, document: Any) -> bool:
    return len(raw) >= MESSAGE_HEADER_BYTES and raw[:1] == b"H" and raw[1:MESSAGE_HEADER_BYTES].isdigit()


def hint(raw: bytes, error: WireError, *, whole: bool = False) -> str | None:
    at = (error.offset or 0) - error.start
    if raw[at : at + 1] in (b"\n", b"\r") or (error.code == "truncated" and raw[:1] in (b"\n", b"\r")):
        return "remove the line breaks: headers, contents and messages follow each other without a separator"
    if error.code == "packet_count_mismatch" and raw[:MESSAGE_HEADER_BYTES] in (b"H0100102", b"H0100303"):
        return "--compat reads messages of the revision before TTL"
    follows_content = at > MESSAGE_HEADER_BYTES if error.code == "invalid_packet_flag" else error.start > 0
    if error.code in ("invalid_packet_flag", "invalid_message_flag") and follows_content:
        return "check the content length before it, which counts bytes, not characters"
    return None


def data_pointer(value: PacketMessage, mapping: UrnMapping) -> str:
    """See Format. Data has no place of its own in a content: findings keep the pointer of the envelope."""
    return "/data"
