"""Bridge between plain JSON and the canonical envelope, by the settings of ``wires.json``.

``job`` is the name as it was sent. ``meta.id`` is the id where that is a UUID, else made of name and id. Without an
``id`` the position in the source is the identity, never the content: two equal clicks are two. ``meta.ext.json`` has
the members beside ``data``, so that the way back gives the same message.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

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
)
from babelreg.wire.format import Canonical, CanonicalFields, Foreign, Frame, Receipt, WireError
from babelreg.wire.formats.plain_json.layout import MessageLayout, candidates, layout_of, resolved
from babelreg.wire.formats.plain_json.members import member, pointer, with_member, without_member
from babelreg.wire.mapping import UNMAPPED, UrnMapping

_NAME = "json"
_LEAST_MILLISECONDS = 10**11
"""A smaller number counts seconds: as milliseconds, it would be before 1973."""

_MOST_MILLISECONDS = 253_402_300_799_999


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """See Format. ``queue`` is ``json`` where none is given."""
    fields = canonical_fields(frame, receipt, mapping=mapping, queue=queue)
    path = layout_of(mapping).data
    ext = {"members": {} if path is None else without_member(frame.value, path)}
    return Canonical(canonical_body(_NAME, fields, ext, receipt))


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields:
    layout, value = layout_of(mapping), frame.value
    name = _job(value, layout, receipt, mapping)
    data = _data(value, layout)
    message_id = _message_id(value, layout, resolved(name, mapping.urns), receipt)
    trace_id = derived_uuid(f"{_NAME}:trace:{message_id}")
    created_at = None if layout.time is None else _created_at(value, layout.time)
    return CanonicalFields(name, data, trace_id, message_id, queue or _NAME, created_at)


def _job(value: dict[str, Any], layout: MessageLayout, receipt: Receipt, mapping: UrnMapping) -> str:
    if layout.urn is None:
        names = candidates(receipt.source, layout.origin or "file")
        name = next((name for name in names if ("name", name) in mapping.urns), names[0] if names else "")
        if not name.strip():
            raise WireError("missing_name", "the source has no name that the message could take")
        return name
    found = member(value, layout.urn)
    if not isinstance(found, str) or not found.strip():
        detail = (
            f"{layout.urn[:100]} is missing" if found is None else f"{layout.urn[:100]} is not a string, or is blank"
        )
        raise WireError("missing_name", detail, pointer=pointer(layout.urn))
    return found


def _message_id(value: dict[str, Any], layout: MessageLayout, name: str, receipt: Receipt) -> str:
    if layout.id is None:
        if receipt.occurrence.startswith(":"):  # a row of a table without columns that say where it is from
            raise WireError("missing_position", "wires.json defines no id, and the position of the message is unknown")
        return derived_uuid(f"{_NAME}:position:{receipt.occurrence}")
    found = member(value, layout.id)
    if found is None:
        raise WireError("missing_id", f"{layout.id[:100]} is missing", pointer=pointer(layout.id))
    if isinstance(found, bool) or not isinstance(found, (str, int)) or found == "":
        raise WireError(
            "invalid_id", f"{layout.id[:100]} is neither a string nor an integer", pointer=pointer(layout.id)
        )
    return str(found) if is_uuid(found) else derived_uuid(f"{_NAME}:{name}:{found}")


def _created_at(value: dict[str, Any], path: str) -> int:
    found = member(value, path)
    if found is None:
        raise WireError("missing_time", f"{path[:100]} is missing", pointer=pointer(path))
    created_at: int | None = instant(found) if isinstance(found, str) else _milliseconds(found)
    if created_at is None or not 0 <= created_at <= _MOST_MILLISECONDS:
        text = f"{path[:100]} is neither an RFC 3339 instant nor a Unix time since 1970"
        raise WireError("invalid_time", text, pointer=pointer(path))
    return created_at


def _milliseconds(number: Any) -> int | None:
    """Return a Unix time in milliseconds; its size tells seconds from milliseconds."""
    if isinstance(number, bool) or not isinstance(number, (int, float, Decimal)) or not _is_finite(number):
        return None
    seconds = -_LEAST_MILLISECONDS < number < _LEAST_MILLISECONDS
    return math.floor(number * 1000 if seconds else number)


def _is_finite(number: int | float | Decimal) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _data(value: dict[str, Any], layout: MessageLayout) -> dict[str, Any]:
    if layout.data is None:
        return value
    found = member(value, layout.data)
    if not isinstance(found, dict):
        detail = "is missing" if found is None else "is not an object"
        raise WireError("data_not_an_object", f"{layout.data[:100]} {detail}", pointer=pointer(layout.data))
    return found


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
    """See Format. An envelope that was no plain JSON before has its URN, id and time where the settings say."""
    layout, envelope = layout_of(mapping), envelope_of(body)
    members = extension(envelope, _NAME).get("members")
    if isinstance(members, dict):
        value = envelope.data if layout.data is None else with_member(members, layout.data, envelope.data)
    else:
        value = _placed(envelope, layout)
    return Foreign(value, tuple(export_losses(envelope, _NAME, _preserved_members(value, layout, envelope))))


def _placed(envelope: Envelope, layout: MessageLayout) -> dict[str, Any]:
    value = envelope.data if layout.data is None else {}
    contents = {layout.urn: envelope.urn, layout.id: envelope.id, layout.time: iso_instant(envelope.created_at or 0)}
    for path, item in contents.items():
        if path is not None:
            value = _with(value, path, item)
    return value if layout.data is None else _with(value, layout.data, envelope.data)


def _with(value: dict[str, Any], path: str, item: Any) -> dict[str, Any]:
    """Return ``value`` with the member. Raises WireError where the data has another one there."""
    present = member(value, path)
    try:
        if present is None or present == item:
            return with_member(value, path, item)
    except TypeError:
        pass
    text = f"the data already has {path[:100]}: choose another member in wires.json, or set data there"
    raise WireError("member_taken", text, pointer=f"/data{pointer(path)}")


def _preserved_members(value: dict[str, Any], layout: MessageLayout, envelope: Envelope) -> set[str]:
    preserved = set()
    if layout.id is not None and member(value, layout.id) == envelope.id:
        preserved.add("/meta/id")
    if layout.time is not None and instant(member(value, layout.time)) == envelope.created_at:
        preserved.add("/meta/created_at")
    return preserved
