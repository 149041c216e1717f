"""Bridge between FlowLayer V1 and the canonical envelope. Source: facts 5, column FlowLayer.

The id of a command, ack or result is ``trace_id`` (itself where it is a UUID), and with the type ``meta.id``. Events,
and errors without an id, take both from their bytes and occurrence. ``meta.ext.flowlayer`` has the members of the
envelope.
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
    loss,
    name_fits,
    occurrence_uuid,
    uuid_of,
)
from babelreg.wire.format import Canonical, CanonicalFields, Foreign, Frame, Receipt, WireError, raise_first_error
from babelreg.wire.formats.flowlayer.check import validate
from babelreg.wire.formats.flowlayer.codec import decode
from babelreg.wire.formats.flowlayer.secrets import mask
from babelreg.wire.mapping import UNMAPPED, UrnMapping

_NAME = "flowlayer"
_PREFIX = "urn:babel:flowlayer:"
_GROUPS = {"command": "commands", "event": "events"}


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """See Format. ``queue`` is ``flowlayer`` where none is given."""
    masked = _masked(frame)
    fields = _fields(masked, receipt, mapping, queue)
    lost = () if masked is frame else (loss("", "a bearer token is not copied", "secret_removed"),)
    return Canonical(canonical_body(_NAME, fields, _extension(masked.value), receipt), lost)


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields | None:
    return _fields(_masked(frame), receipt, mapping, queue)


def _masked(frame: Frame) -> Frame:
    """Return the message without secrets; ``frame`` itself where it has none."""
    raw = mask(frame.raw)
    return frame if raw == frame.raw else Frame(decode(raw), raw)


def _fields(frame: Frame, receipt: Receipt, mapping: UrnMapping, queue: str | None) -> CanonicalFields:
    value: dict[str, Any] = frame.value
    raise_first_error(validate(value))
    kind, payload, identity = value["type"], value.get("payload"), value.get("id")
    if isinstance(identity, str) and identity and kind != "event":
        trace_id, message_id = uuid_of(_NAME, identity), derived_uuid(f"{_NAME}:{kind}:{identity}")
    else:
        trace_id = occurrence_uuid(_NAME, "trace", frame.raw, receipt)
        message_id = occurrence_uuid(_NAME, "message", frame.raw, receipt)
    data = payload or {}
    job, created_at = _urn(kind, value.get("name"), mapping), instant(data.get("timestamp"))
    return CanonicalFields(job, data, trace_id, message_id, queue or _NAME, created_at)


def _urn(kind: str, name: Any, mapping: UrnMapping) -> str:
    if kind not in _GROUPS:
        return _PREFIX + kind
    mapped = mapping.urns.get((_GROUPS[kind], name))
    if mapped is not None:
        return mapped
    if not name_fits(name):
        text = "the name cannot be part of a URN, and wires.flowlayer does not map it"
        raise WireError("unmapped_name", text, pointer="/name")
    return f"{_PREFIX}{kind}.{name}"


def _extension(value: dict[str, Any]) -> dict[str, Any]:
    ext: dict[str, Any] = {key: value[key] for key in ("type", "id", "name") if key in value}
    if value.get("payload") is None:
        ext["payload"] = "null" if "payload" in value else "absent"
    others = {key: member for key, member in value.items() if key not in ("type", "id", "name", "payload")}
    return ext | ({"members": others} if others else {})


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
    """See Format. Without ``meta.ext.flowlayer`` a command takes ``trace_id`` for its id; ack and result have none."""
    envelope = envelope_of(body)
    kind, name = _address(envelope.urn, mapping)
    ext = extension(envelope, _NAME)
    if ext.get("type") != kind or (name is not None and ext.get("name") != name):
        ext = {}
    value: dict[str, Any] = {"type": kind}
    if ext:
        value |= {key: ext[key] for key in ("id", "name") if key in ext}
    else:
        value |= _identity(kind, envelope)
        value |= {} if name is None else {"name": name}
    data = envelope.data
    if not data and (ext.get("payload") == "absent" or (not ext and kind == "command")):
        pass  # fields are omitted when not applicable
    else:
        value["payload"] = None if not data and ext.get("payload") == "null" else data
    members = ext.get("members")
    value |= members if isinstance(members, dict) else {}
    for defect in validate(value):
        raise WireError(defect.code, defect.detail, pointer=defect.pointer)
    identity, preserved = value.get("id"), set()
    if identity and kind != "event" and uuid_of(_NAME, identity) == envelope.trace_id:
        preserved.add("/trace_id")
    if instant(data.get("timestamp")) == envelope.created_at:
        preserved.add("/meta/created_at")
    return Foreign(value, tuple(export_losses(envelope, _NAME, preserved)))


def _identity(kind: str, envelope: Envelope) -> dict[str, Any]:
    if kind in ("ack", "result"):
        raise WireError("missing_id", f"{kind} needs the id of its command in meta.ext.flowlayer.id", pointer="/meta")
    return {"id": envelope.trace_id} if kind == "command" else {}


def _address(urn: str, mapping: UrnMapping) -> tuple[str, str | None]:
    """Return the type and name for a URN."""
    key = mapping.keys.get(urn)
    if key is not None and len(key) == 2:
        for kind, group in _GROUPS.items():
            if key[0] == group:
                return kind, key[1]
    kind, dot, name = urn.removeprefix(_PREFIX).partition(".")
    if urn.startswith(_PREFIX):
        if not dot and kind in ("ack", "result", "error"):
            return kind, None
        if dot and kind in _GROUPS and name_fits(name):
            return kind, name
    fix = "map a command or event to it: wires: {flowlayer: {commands: ...}} in babelreg.yaml"
    raise WireError("unmapped_urn", f"FlowLayer has no name for the URN; {fix}", pointer="/job")
