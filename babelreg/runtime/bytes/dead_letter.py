"""Dead-letter records: the message unchanged, plus a ``dead_letter`` block with the reason.

Source: BabelQueue envelope, "Optional dead_letter block"; facts N11. ``reason`` is failed | unknown_urn | poison;
``error`` begins with our finer reason, is bounded and has no value of the data unless a handler's exception quotes one.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from babelqueue import dead_letter
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, PoisonRoute, ReceivedMessage

from babelreg.contract import Envelope
from babelreg.contract.envelope_edit import with_members

_MAX_ERROR = 500
_SPACE = " \t\r\n"
_GATE = "babelqueue:unsupported-schema-version:"


def body_bytes(received: ReceivedMessage) -> bytes:
    """Return the bytes of the body."""
    return text_bytes(received.body)


def text_bytes(text: str) -> bytes:
    """Return the bytes of a body as a transport passes it: with invalid UTF-8 as surrogate escapes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def refused_by_transport(received: ReceivedMessage) -> bool:
    """Return True if the transport refused the delivery and expects its body unchanged.

    It does so for an unsupported version header, without parsing the body (N14), and for a poison record, which it
    wraps itself when it writes it.
    """
    route = received.route_urn
    return isinstance(route, PoisonRoute) or (route.startswith(_GATE) and route != NON_NUMERIC_ATTEMPTS_ROUTE)


def route(received: ReceivedMessage) -> str:
    """Return the URN of the broker's routing property, or empty text."""
    return "" if received.route_urn.startswith("babelqueue:") else received.route_urn


def attempts(received: ReceivedMessage, envelope: Envelope) -> int:
    """Return the number of earlier attempts: the larger of the body's and the broker's count."""
    return max(0, envelope.document.get("attempts") or 0, received.native_attempts or 0)


def failed(received: ReceivedMessage, attempts: int, error: str, exception: str) -> str:
    """Return the record of a message whose handler failed finally: with new ``attempts`` and the block."""
    block = _block(received, "failed", attempts, error, exception)
    return with_members(received.body, {"attempts": attempts, "dead_letter": block})


def refused(received: ReceivedMessage, attempts: int, reason: str, error: str) -> str:
    """Return the record of an envelope that reached no handler: unchanged, with the block."""
    return with_members(received.body, {"dead_letter": _block(received, reason, attempts, error, None)})


def poison(received: ReceivedMessage, error: str) -> str:
    """Return the record of a body that is not an envelope.

    A JSON object gets the block as its last member; anything else is the member ``raw``, in base64 if it is not UTF-8.
    """
    block = _block(received, "poison", received.native_attempts, error, None)
    body = body_bytes(received)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raw = base64.b64encode(body).decode("ascii")
        return _compact({"raw": raw, "raw_encoding": "base64", "dead_letter": block})
    if not _takes_member(text):
        return _compact({"raw": text, "dead_letter": block})
    last = _compact({"dead_letter": block})
    members = text.strip(_SPACE)[1:-1]
    return f"{{{members},{last[1:]}" if members.strip(_SPACE) else last


def _takes_member(text: str) -> bool:
    """Return True for an object in strict JSON without a dead-letter block and without an unpaired surrogate."""
    try:
        parsed = json.loads(text, parse_constant=_refused_constant, object_pairs_hook=tuple)
        json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return isinstance(parsed, tuple) and all(key != "dead_letter" for key, _ in parsed)


def _refused_constant(name: str) -> None:
    raise ValueError(name)


def _compact(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _block(received: ReceivedMessage, reason: str, attempts: int, error: str, exception: str | None) -> dict[str, Any]:
    # The queue of the delivery: a redrive returns the message there, and meta.queue is the producer's choice.
    queue = getattr(received, "home", None) or received.queue  # on Kafka the inbox: see KafkaGroups
    annotated = dead_letter.annotate({}, reason, queue, attempts, error=_bounded(error), exception=exception)
    block: dict[str, Any] = annotated["dead_letter"]
    return block


def _bounded(text: str) -> str:
    return text if len(text) <= _MAX_ERROR else text[: _MAX_ERROR - 1] + "…"
