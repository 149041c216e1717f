"""Bridge between Strata and the canonical envelope. Source: facts 5, column Strata.

``trace_id`` is the first id of ``requestChain``, else ``priorRequest``, else the message's own; a UUID as it is.
Data of a response that ``wires`` maps is its payload, and ``meta.ext.strata`` has its status, messages and service; one
that failed or is pending has no payload of that schema and becomes no envelope. Data of any other response is all four.
``meta.ext.strata`` has the members without a home in the envelope. Secrets stay behind: ``auth``, and ``stack`` in the
messages of a response. Outwards, what Strata has no field for goes into ``metadata.babelqueue``.
"""

from __future__ import annotations

from typing import Any

from babelreg.contract import Envelope
from babelreg.wire.bridge import (
    canonical_body,
    derived_uuid,
    envelope_of,
    export_losses,
    extension,
    instant,
    is_iso_instant,
    iso_instant,
    loss,
    uuid_of,
)
from babelreg.wire.format import Canonical, CanonicalFields, Foreign, Frame, Receipt, WireError, raise_first_error
from babelreg.wire.formats.strata.backends import parse_queue, short_id
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.codec import UNKNOWN_CLIENT
from babelreg.wire.formats.strata.schema import MEMBERS, MESSAGE_TYPES, kind_of
from babelreg.wire.formats.strata.secrets import without_secrets
from babelreg.wire.formats.strata.urns import address_of, urn_of
from babelreg.wire.mapping import UNMAPPED, UrnMapping

_NAME = "strata"
_RESPONSE_DATA = ("status", "payload", "messages", "service")
_OUTCOME = ("status", "messages", "service")
_EXT_NAMES = {
    "id": "id",
    "messageType": "message_type",
    "client": "client",
    "priorRequest": "prior_request",
    "requestChain": "request_chain",
    "responseQueue": "response_queue",
    "timeout": "timeout",
    "metadata": "metadata",
    "responseChannel": "response_channel",
}
_MEMBER_NAMES = {ext: member for member, ext in _EXT_NAMES.items()}
_ADDRESS = ("context", "operation", "command")


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """See Format. ``queue`` is the queue that the message was in; its group becomes ``meta.queue``, else ``strata``."""
    fields = canonical_fields(frame, receipt, mapping=mapping, queue=queue)
    if fields is None:
        return Canonical(None)
    value, secrets = without_secrets(frame.value)
    kind = kind_of(value) or ""
    ext = _extension(kind, value, mapped=_is_mapped(kind, value, mapping))
    lost = tuple(loss(pointer, "a secret is not copied", "secret_removed") for pointer in secrets)
    return Canonical(canonical_body(_NAME, fields, ext, receipt), lost)


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields | None:
    """See Format: a mapped response that did not succeed becomes no envelope."""
    value = frame.value
    raise_first_error(validate(value))
    kind, payload = kind_of(value) or "", value.get("payload")
    mapped = _is_mapped(kind, value, mapping)
    if mapped and value["status"] != "succeeded":
        return None
    # No other message has secrets in its data.
    if kind == "response" or (isinstance(payload, dict) and "envelope" in payload):
        value, _ = without_secrets(value)
    group = parse_queue(queue) if queue else None
    return CanonicalFields(
        urn_of(kind, value, mapping),
        _data(kind, value, mapped=mapped),
        uuid_of(_NAME, _first_request(kind, value)),
        derived_uuid(f"{_NAME}:{value.get('messageType') or kind}:{value['id']}"),
        (group.group if group else queue) or _NAME,
        instant(value.get("timestamp")) if kind in MESSAGE_TYPES else None,
    )


def _is_mapped(kind: str, value: dict[str, Any], mapping: UrnMapping) -> bool:
    """Return True for a response that has a URN of its own in ``wires.strata``."""
    return kind == "response" and (value["context"], value["operation"], kind) in mapping.urns


def _first_request(kind: str, value: dict[str, Any]) -> str:
    """Return the id of the request that began the chain."""
    chain = value.get("requestChain") if kind in ("request", "post") else None
    prior = value.get("priorRequest") if kind in ("request", "post") else None
    return (chain[0] if chain else prior) or str(value["id"])


def _data(kind: str, value: dict[str, Any], *, mapped: bool) -> dict[str, Any]:
    """Return ``data`` of a message without secrets."""
    if kind == "response" and not mapped:
        return {name: value[name] for name in _RESPONSE_DATA if name in value}
    return value.get("payload") or {}


def _extension(kind: str, value: dict[str, Any], *, mapped: bool) -> dict[str, Any]:
    """Return ``meta.ext.strata`` of a message without secrets."""
    known = {member.name for member in MEMBERS[kind]}
    ext = {name: value[member] for member, name in _EXT_NAMES.items() if member in value and member in known}
    ext |= {name: value[name] for name in _OUTCOME if mapped and name in value}
    if (kind != "response" or mapped) and "payload" not in value:
        ext["payload"] = "absent"
    ext |= {name: value[name] for name in _ADDRESS if name in value and name in known}
    timestamp = value.get("timestamp") if "timestamp" in known else None
    if timestamp is not None and not is_iso_instant(timestamp):
        ext["timestamp"] = timestamp
    others = {name: member for name, member in value.items() if name not in known}
    return ext | ({"members": others} if others else {})


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
    """See Format. Without ``meta.ext.strata`` the message is a post, for nobody awaits a response."""
    envelope = envelope_of(body)
    address = address_of(envelope.urn, mapping, extension(envelope, _NAME))
    ext = address.ext
    value: dict[str, Any] = {"id": ext["id"] if ext else short_id(f"{_NAME}:{envelope.id}")}
    if address.kind in ("request", "post", "response"):
        value |= {"messageType": address.kind, "context": address.context, "operation": address.operation}
        value["timestamp"] = ext.get("timestamp") or _timestamp(envelope)
    elif address.kind != "command-response":
        value["command"] = address.kind
    value |= _contents(address.kind, envelope.data, ext)
    value |= {member: ext[name] for name, member in _MEMBER_NAMES.items() if name in ext and member not in value}
    members = ext.get("members")
    value |= members if isinstance(members, dict) else {}
    if not ext:
        value |= _tracing(address.kind, envelope)
    raise_first_error(validate(value))
    return Foreign(value, tuple(export_losses(envelope, _NAME, _preserved_members(address.kind, value, envelope))))


def _contents(kind: str, data: dict[str, Any], ext: dict[str, Any]) -> dict[str, Any]:
    if kind == "response" and not ext:
        return {"payload": data, "status": "succeeded", "messages": [], "service": UNKNOWN_CLIENT}
    if kind == "response" and "status" in ext:
        return {"payload": data} | {name: ext[name] for name in _OUTCOME if name in ext}
    if kind == "response":
        contents = {name: data[name] for name in _RESPONSE_DATA if name in data}
        others = [name for name in data if name not in _RESPONSE_DATA]
        if others or "status" not in data:
            text = "data of a response has status, payload, messages and service, and nothing else"
            raise WireError("unmapped_urn", text, pointer="/data")
        return contents
    return {} if not data and ext.get("payload") == "absent" else {"payload": data}


def _timestamp(envelope: Envelope) -> str:
    timestamp = iso_instant(envelope.created_at or 0)
    if timestamp is None:
        raise WireError("invalid_timestamp", "meta.created_at is beyond the year 9999", pointer="/meta/created_at")
    return timestamp


def _tracing(kind: str, envelope: Envelope) -> dict[str, Any]:
    """Return the members that a message without ``meta.ext.strata`` needs, and those that keep what would be lost."""
    if kind not in ("request", "post"):
        return {}
    root, meta = envelope.document, envelope.meta
    preserved = {"meta": meta, "attempts": root.get("attempts")}
    preserved |= {name: root[name] for name in root if name not in ("job", "trace_id", "data", "meta", "attempts")}
    return {
        "metadata": {"babelqueue": preserved},
        "client": UNKNOWN_CLIENT,
        "requestChain": [envelope.trace_id],
    }


def _preserved_members(kind: str, value: dict[str, Any], envelope: Envelope) -> set[str]:
    preserved = set()
    if uuid_of(_NAME, _first_request(kind, value)) == envelope.trace_id:
        preserved.add("/trace_id")
    if kind in MESSAGE_TYPES and instant(value.get("timestamp")) == envelope.created_at:
        preserved.add("/meta/created_at")
    return preserved
