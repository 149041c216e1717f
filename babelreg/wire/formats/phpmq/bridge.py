"""Bridge between PHPMQ and the canonical envelope. Source: facts 5, column PHPMQ.

Carrier mode: the content is an envelope, which is unwrapped byte for byte; the frame's TTL and id are losses. Opaque
mode: the content is anything else and becomes ``data.content``, or ``data.content_base64`` where it is not UTF-8; the
frame's fields go to ``meta.ext.phpmq``. Messages 002, 004, 005 and 006 control the queue and have no payload, so no
envelope.
"""

from __future__ import annotations

import base64
import binascii
import re
import uuid
from typing import Any

from babelreg.contract import Envelope, Verdict
from babelreg.contract.verdict import decode as decode_envelope
from babelreg.wire.bridge import (
    canonical_body,
    envelope_of,
    export_losses,
    extension,
    loss,
    name_fits,
    occurrence_uuid,
    uuid_of,
)
from babelreg.wire.format import (
    Canonical,
    CanonicalFields,
    Diagnostic,
    Foreign,
    Frame,
    Receipt,
    WireError,
    raise_first_error,
)
from babelreg.wire.formats.phpmq.check import validate
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.mapping import UNMAPPED, UrnMapping

_NAME = "phpmq"
_PREFIX = "urn:babel:phpmq:"
_SERVER_ID = re.compile(rb"[0-9a-f]{32}\Z")
_CLIENT_TO_SERVER, _SERVER_TO_CLIENT = 1, 3


def carried_envelope(content: bytes) -> bool:
    """Return True for a content that is an envelope, valid or not: an object with an identity and ``meta``."""
    if content.lstrip()[:1] != b"{" or (b'"meta"' not in content and b"\\" not in content):
        return False  # as no name in it is spelled with an escape
    decoded = decode_envelope(content)
    envelope = decoded.envelope if isinstance(decoded, Verdict) else decoded
    return envelope is not None and envelope.urn != "" and envelope.document.get("meta") is not None


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """See Format. ``queue`` replaces the name in the queue packet as ``meta.queue``."""
    value: PacketMessage = frame.value
    fields = canonical_fields(frame, receipt, mapping=mapping, queue=queue)
    if value.content is None:
        return Canonical(None, (loss("", "a control message has no payload"),))
    if fields is None:
        return Canonical(value.content, tuple(_carrier_losses(value)))
    return Canonical(canonical_body(_NAME, fields, _extension(value, queue), receipt))


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields | None:
    """See Format: content that is an envelope is carried."""
    value: PacketMessage = frame.value
    raise_first_error(validate(value))
    if value.content is None or carried_envelope(value.content):
        return None
    name = _text(value.queue)
    if name is None:
        raise WireError("unmapped_name", "the queue's name is not UTF-8", pointer="/queue")
    trace_id, message_id = occurrence_uuid(_NAME, "trace", frame.raw, receipt), _message_id(frame, receipt)
    return CanonicalFields(_urn(name, mapping), _data(value.content), trace_id, message_id, queue or name)


def _carrier_losses(value: PacketMessage) -> list[Diagnostic]:
    """Return what the envelope does not say: all of the frame but its content."""
    envelope = decode_envelope(value.content or b"")
    name = envelope.queue if isinstance(envelope, Envelope) else None
    losses = [loss("/ttl", "a carried envelope has no field for it")] if value.ttl else []
    if value.message_id is not None:
        losses.append(loss("/message_id", "a carried envelope already has an id"))
    if _text(value.queue) != name:
        losses.append(loss("/queue", "meta.queue of the carried envelope differs"))
    return losses


def _urn(name: str, mapping: UrnMapping) -> str:
    mapped = mapping.urns.get(("queues", name))
    if mapped is not None:
        return mapped
    if not name_fits(name):
        text = "the queue's name cannot be part of a URN, and wires.phpmq does not map it"
        raise WireError("unmapped_name", text, pointer="/queue")
    return _PREFIX + name


def _message_id(frame: Frame, receipt: Receipt) -> str:
    identity: bytes | None = frame.value.message_id
    if identity is None:
        return occurrence_uuid(_NAME, "message", frame.raw, receipt)
    if _SERVER_ID.match(identity):
        return str(uuid.UUID(identity.decode("ascii")))
    return uuid_of(_NAME, identity.decode("utf-8", "surrogateescape"))


def _data(content: bytes) -> dict[str, Any]:
    text = _text(content)
    return {"content": text} if text is not None else {"content_base64": base64.b64encode(content).decode("ascii")}


def _extension(value: PacketMessage, queue: str | None) -> dict[str, Any]:
    name = _text(value.queue)
    ext: dict[str, Any] = {"type": value.type, "ttl": value.ttl}
    if value.message_id is not None:
        text = _text(value.message_id)
        encoded = base64.b64encode(value.message_id).decode("ascii")
        ext |= {"message_id": text} if text is not None else {"message_id_base64": encoded}
    return ext | ({"queue": name} if queue not in (None, name) else {})


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED, carrier: bool | None = None) -> Foreign:
    """See Format. An envelope that opaque content became is that content again; any other is carried as it is.

    ``carrier`` True carries every envelope, which keeps its bytes.
    """
    envelope = envelope_of(body)
    ext = {} if carrier else extension(envelope, _NAME)
    queue = envelope.queue or ""
    if not queue:
        raise WireError("unmapped_name", "the envelope has no queue", pointer="/meta/queue")
    if ext.get("type") not in (_CLIENT_TO_SERVER, _SERVER_TO_CLIENT):
        ttl = ext.get("ttl", 0)
        return Foreign(_checked(PacketMessage(_CLIENT_TO_SERVER, _bytes(queue), content=body, ttl=ttl)))
    name = ext.get("queue", queue)
    value = PacketMessage(ext["type"], _bytes(name), _content(envelope.data), _identity(ext), ttl=ext.get("ttl"))
    lost = export_losses(envelope, _NAME, _preserved_members(value, envelope))
    return Foreign(_checked(value), tuple(lost))


def _preserved_members(value: PacketMessage, envelope: Envelope) -> set[str]:
    preserved = {"/meta/queue"}
    identity = value.message_id
    if identity is not None and _SERVER_ID.match(identity) and envelope.id == str(uuid.UUID(identity.decode())):
        preserved.add("/meta/id")
    return preserved


def _checked(value: PacketMessage) -> PacketMessage:
    raise_first_error(validate(value))
    return value


def _content(data: dict[str, Any]) -> bytes:
    if data.keys() == {"content"} and isinstance(data["content"], str):
        return _bytes(data["content"])
    if data.keys() == {"content_base64"} and isinstance(data["content_base64"], str):
        return _decoded(data["content_base64"])
    raise WireError("invalid_extension", "data is neither content nor content_base64", pointer="/data")


def _identity(ext: dict[str, Any]) -> bytes | None:
    if isinstance(ext.get("message_id"), str):
        return _bytes(ext["message_id"])
    encoded = ext.get("message_id_base64")
    return _decoded(encoded) if isinstance(encoded, str) else None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise WireError("invalid_extension", "a base64 member is not base64", pointer="/meta/ext/phpmq") from None


def _bytes(text: Any) -> bytes:
    try:
        return str(text).encode("utf-8")
    except UnicodeEncodeError:
        raise WireError("not_json", "an unpaired surrogate cannot be encoded as UTF-8") from None


def _text(octets: bytes) -> str | None:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return None
