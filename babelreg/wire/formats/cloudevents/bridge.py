"""Bridge between CloudEvents and the canonical envelope.

The identity of an event is (source, id): ``meta.id`` is the UUID version 5 of both. ``job`` is its type, a URN or an
alias. ``trace_id`` is that of ``traceparent``, else ``correlationid``, else made of the identity.
``meta.ext.cloudevents`` has the attributes, extensions too, so that the way back gives the same event.

An envelope becomes an event whose source is ``urn:babelqueue:<queue>`` and whose id is ``meta.id``; with the extension
``babeltraceid`` it has the same id, trace, queue and time after the way back.
"""

from __future__ import annotations

import re
import uuid
from json.encoder import encode_basestring_ascii
from typing import Any
from urllib.parse import quote, unquote

from babelreg.contract import Envelope
from babelreg.wire.bridge import (
    canonical_body,
    derived_uuid,
    envelope_of,
    export_losses,
    extension,
    instant,
    is_uuid,
    iso_instant,
    uuid_of,
)
from babelreg.wire.format import Canonical, CanonicalFields, Foreign, Frame, Receipt, WireError, raise_first_error
from babelreg.wire.formats.cloudevents.attributes import DATA, SPECIFICATION, is_json
from babelreg.wire.formats.cloudevents.check import validate
from babelreg.wire.mapping import UNMAPPED, UrnMapping

_NAME = "cloudevents"
_OWN_SOURCE = "urn:babelqueue:"
_TRACE = "babeltraceid"
_RECEIVED = ("time",)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}\Z")
_NO_TRACE = "0" * 32


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """See Format. ``queue`` is ``cloudevents`` where none is given."""
    fields = canonical_fields(frame, receipt, mapping=mapping, queue=queue)
    return Canonical(canonical_body(_NAME, fields, _extension(frame.value, fields), receipt))


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields:
    value: dict[str, Any] = frame.value
    raise_first_error(validate(value))
    data, created_at, own = _data(value), _created_at(value, mapping), _own(value)
    identity = _identity(value)
    message_id = value["id"] if own else derived_uuid(f"{_NAME}:{identity}")
    return CanonicalFields(
        value["type"],
        data,
        _trace_id(value, identity, message_id),
        message_id,
        queue or (unquote(value["source"].removeprefix(_OWN_SOURCE)) if own else "") or _NAME,
        created_at,
    )


def _identity(value: dict[str, Any]) -> str:
    """Return source and id, as a JSON array."""
    return f"[{encode_basestring_ascii(value['source'])}, {encode_basestring_ascii(value['id'])}]"


def _extension(value: dict[str, Any], fields: CanonicalFields) -> dict[str, Any]:
    """Return ``meta.ext.cloudevents``, without a time that the envelope has in this form."""
    ext = {name: member for name, member in value.items() if name not in (*DATA, "type") and member is not None}
    created_at = fields.created_at
    if created_at is not None and created_at >= 0 and ext["time"] == iso_instant(created_at):
        del ext["time"]
    if value.get("data") is None:
        ext["data"] = "null" if "data" in value else "absent"
    return ext


def _data(value: dict[str, Any]) -> dict[str, Any]:
    kind = value.get("datacontenttype")
    if value.get("data_base64") is not None:
        raise WireError("binary_data", "data_base64 contains bytes, which no schema describes", pointer="/data_base64")
    data = value.get("data")
    if kind is not None and not is_json(kind) and data is not None:
        text = "the content type of the data is not JSON"
        raise WireError("content_type_not_json", text, pointer="/datacontenttype")
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise WireError("data_not_an_object", "data is not an object", pointer="/data")
    return data


def _created_at(value: dict[str, Any], mapping: UrnMapping) -> int | None:
    """Return the time of the event; None for the time of its receipt."""
    time = value.get("time")
    if time is None:
        if mapping.urns.get(_RECEIVED) != "received":
            raise WireError("missing_time", "the event has no time", pointer="/time")
        return None
    return instant(time)


def _own(value: dict[str, Any]) -> bool:
    """Return True for an event that was made of an envelope."""
    return value["source"].startswith(_OWN_SOURCE) and is_uuid(value["id"])


def _trace_id(value: dict[str, Any], identity: str, message_id: str) -> str:
    own, traceparent = value.get(_TRACE), value.get("traceparent")
    parent = None if traceparent is None else _TRACEPARENT.match(str(traceparent))
    correlation = value.get("correlationid")
    if is_uuid(own):
        trace_id = str(own)
    elif parent is not None and parent[1] != _NO_TRACE:
        trace_id = str(uuid.UUID(parent[1]))
    elif isinstance(correlation, str) and correlation:
        trace_id = uuid_of(f"{_NAME}:correlation", correlation)
    else:
        trace_id = derived_uuid(f"{_NAME}:trace:{identity}")
    # an envelope has two ids (E10)
    return trace_id if trace_id.lower() != message_id.lower() else derived_uuid(f"{_NAME}:trace:{identity}")


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
    envelope = envelope_of(body)
    ext = extension(envelope, _NAME)
    value = _event(envelope, ext) if isinstance(ext.get("id"), str) and "source" in ext else _own_event(envelope)
    raise_first_error(validate(value))
    return Foreign(value, tuple(export_losses(envelope, _NAME, _preserved_members(value, envelope))))


def _event(envelope: Envelope, ext: dict[str, Any]) -> dict[str, Any]:
    """Return the event that the envelope was made of."""
    value = {name: member for name, member in ext.items() if name not in ("data", "received_from")}
    value = {"specversion": SPECIFICATION} | value | {"type": envelope.urn}
    if "time" not in value and "received_from" not in ext:
        value["time"] = _time(envelope)
    form = ext.get("data")
    if envelope.data or form not in ("absent", "null"):
        return value | {"data": envelope.data}
    return value | ({"data": None} if form == "null" else {})


def _own_event(envelope: Envelope) -> dict[str, Any]:
    """Return the event of an envelope that was none before."""
    return {
        "specversion": SPECIFICATION,
        "id": envelope.id,
        "source": _OWN_SOURCE + quote(envelope.queue or "default", safe="-._~", errors="replace"),
        "type": envelope.urn,
        "time": _time(envelope),
        "datacontenttype": "application/json",
        _TRACE: envelope.trace_id,
        "data": envelope.data,
    }


def _time(envelope: Envelope) -> str:
    time = iso_instant(envelope.created_at or 0)
    if time is None:
        raise WireError("invalid_time", "meta.created_at is beyond the year 9999", pointer="/meta/created_at")
    return time


def _preserved_members(value: dict[str, Any], envelope: Envelope) -> set[str]:
    """Return the pointers of what the way back gives again."""
    preserved = {"/meta/created_at"} if instant(value.get("time")) == envelope.created_at else set()
    if _own(value):
        preserved |= {"/meta/id", "/meta/queue"}
    identity = _identity(value)
    if derived_uuid(f"{_NAME}:{identity}") == envelope.id:
        preserved.add("/meta/id")
    if _trace_id(value, identity, envelope.id or "") == envelope.trace_id:
        preserved.add("/trace_id")
    return preserved
