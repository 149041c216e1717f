"""PHPMQ: messages of typed packets over TCP, binary and without separators.

Lossy: the order of packets, and leading zeros of a count or TTL; the compat reader also drops whatever it does not
check, and reads the revision before TTL with ttl 0. Inwards, carried envelopes leave TTL, message id and frame type
behind. Outwards, opaque content has no field for ``trace_id``, ``created_at`` and ``attempts``; carriers keep all.

Source: php-mq/protocol 37bf1fb; facts 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.wire.format import Code, Decoder, Profile
from babelreg.wire.formats.phpmq import check, codec
from babelreg.wire.formats.phpmq.bridge import from_canonical, to_canonical
from babelreg.wire.formats.phpmq.check import validate
from babelreg.wire.formats.phpmq.codec import encode
from babelreg.wire.formats.phpmq.headers import limits
from babelreg.wire.formats.phpmq.json_form import from_json, to_json
from babelreg.wire.formats.phpmq.message_boundaries import message_spans
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.formats.phpmq.schema import schema

__all__ = [
    "CODES", "decode", "decoder", "default_profile", "encode", "from_canonical", "from_json", "limits", "line_based",
    "mask", "message_spans", "name", "schema", "session", "to_canonical", "to_json", "validate",
]  # fmt: skip

name = "phpmq"
line_based = False
default_profile: Profile = "strict"
CODES: Mapping[str, Code] = check.CODES


def decoder(*, profile: Profile | None = None, whole: bool = False) -> Decoder:
    """See Format. A stream is always a stream: ``whole`` changes nothing."""
    return codec.PacketDecoder(profile=profile or default_profile)


def decode(raw: bytes, *, profile: Profile | None = None) -> PacketMessage:
    """See Format."""
    return codec.decode(raw, strict=(profile or default_profile) == "strict")


def mask(raw: bytes) -> bytes:
    """See Format: no field is for secrets; the content is opaque."""
    return raw


def session() -> None:
    """See Format: a consumer may acknowledge what another recording delivered."""
