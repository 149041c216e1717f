"""PHPMQ messages as JSON objects, for people: text where octets are UTF-8, base64 where they are not."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from babelreg.wire.format import WireError
from babelreg.wire.formats.phpmq.headers import LAYOUTS
from babelreg.wire.formats.phpmq.models import PacketMessage

NAMES = {
    1: "MessageClientToServer",
    2: "ConsumeRequest",
    3: "MessageServerToClient",
    4: "Acknowledgement",
    5: "ReQueue",
    6: "DeadLetter",
}
"""The message types by the names of php-mq/protocol."""

_OCTETS = ("queue", "content", "message_id")


def to_json(value: PacketMessage) -> dict[str, Any]:
    """Return the message as a JSON object: type, name, and the fields of its packets."""
    document: dict[str, Any] = {"type": f"{value.type:03}", "name": NAMES[value.type]}
    for field in _OCTETS:
        octets: bytes | None = getattr(value, field)
        if octets is not None:
            document |= _member(field, octets)
    numbers = {"count": value.message_count, "ttl": value.ttl}
    return document | {name: number for name, number in numbers.items() if number is not None}


def _member(field: str, octets: bytes) -> dict[str, str]:
    try:
        return {field: octets.decode("utf-8")}
    except UnicodeDecodeError:
        return {f"{field}_base64": base64.b64encode(octets).decode("ascii")}


def from_json(document: Mapping[str, Any]) -> PacketMessage:
    """Return the message of such an object; ``name`` is not looked at.

    Raises WireError.
    """
    kind = document.get("type")
    types = {f"{number:03}": number for number in LAYOUTS}
    if not isinstance(kind, str) or kind not in types:
        raise WireError("message_type_not_implemented", "type is not 001 to 006", pointer="/type")
    queue, content, identity = (_octets(document, field) for field in _OCTETS)
    if queue is None:
        raise WireError("missing_field", "a message requires a queue", pointer="/queue")
    return PacketMessage(types[kind], queue, content, identity, document.get("count"), document.get("ttl"))


def _octets(document: Mapping[str, Any], field: str) -> bytes | None:
    text, encoded = document.get(field), document.get(f"{field}_base64")
    try:
        if isinstance(text, str):
            return text.encode("utf-8")
        return base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise WireError("not_json", f"{field} is neither UTF-8 nor base64", pointer=f"/{field}") from None
