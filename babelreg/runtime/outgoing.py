"""A message on its way out: its data held to its contract, its envelope encoded; or refused with the place.

Nothing here touches a broker or a database, so a batch can be made ready as a whole before any of it leaves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, NoReturn

from babelqueue import EnvelopeCodec

from babelreg.contract import Contract
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.message import MessageType
from babelreg.runtime.sendable import unsendable
from babelreg.runtime.trace import current, is_uuid
from babelreg.schema import pointer

__all__ = ["Outgoing", "checked_trace", "ready"]

# The encoder of babelqueue, but for NaN and infinity, which are no JSON. Kept: making one costs as much as its work.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Outgoing(NamedTuple):
    """One message that nothing speaks against any more. ``body`` is the encoded envelope, valid UTF-8 JSON."""

    message_id: str
    queue: str
    body: str


def checked_trace(trace_id: str | None) -> str | None:
    """``trace_id``, a UUID or None. Raises ValueError for anything else."""
    if trace_id is not None and not is_uuid(trace_id):
        raise ValueError(f"trace_id {str(trace_id)[:64]!r} is not a UUID")
    return trace_id


def ready(message: MessageType[Any], data: Any, queue: str, trace_id: str | None) -> Outgoing:
    """The envelope of ``data``. Without a ``trace_id`` the trace of the message being handled goes on, if one is.

    Raises InvalidDataError when the data does not satisfy its contract; TypeError for the data of another message.
    """
    if not message.takes(data):
        raise TypeError(f"{message.urn} takes {message.model.__name__}, not {type(data).__name__}")
    values = message.dump(data)
    verdict = _contract(message).judge(message.urn, values)
    if verdict.reason is not None:
        _refuse(message.urn, values, verdict.pointer or "", verdict.reason, verdict.detail or "")
    envelope = EnvelopeCodec.make(message.urn, values, queue=queue, trace_id=trace_id)
    if trace_id is None and (handled := current()) is not None:
        envelope["trace_id"] = handled.trace_id  # as it came, blanks and all (N4)
    return Outgoing(envelope["meta"]["id"], queue, _encoded(message.urn, values, envelope))


@cache
def _contract(message: MessageType[Any]) -> Contract:
    strict = (message.urn,) if message.reader == "strict" else ()
    return Contract({message.urn: message.schema}, strict=strict, side="producer")


def _encoded(urn: str, values: dict[str, Any], envelope: Mapping[str, Any]) -> str:
    try:
        body = _ENCODE(envelope)
        body.encode("utf-8")
    except (ValueError, TypeError, RecursionError):
        _refuse(urn, values, "", "not_json", "data has a value that JSON has no form for")
    return body


def _refuse(urn: str, values: dict[str, Any], where: str, reason: str, detail: str) -> NoReturn:
    found = unsendable(values)
    if found is not None:
        where, detail = found
        reason = "not_json"
    try:
        value = pointer.find(values, pointer.parse(where))
    except KeyError:
        value = None
    raise InvalidDataError(urn, where, reason, detail, value)
