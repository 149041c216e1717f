"""Dead-letter records: the message as it came, with a ``dead_letter`` block that says why it lies here.

Source: BabelQueue envelope, "Optional dead_letter block"; facts N11. ``reason`` is failed | unknown_urn | poison;
``error`` opens with our finer reason, is bounded and holds no value of the data unless a handler's own exception
quotes one.
"""

from __future__ import annotations

from typing import Any

from babelqueue import dead_letter
from babelqueue._poison_record import build_poison_record
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, PoisonRoute, ReceivedMessage

from babelreg.contract import Envelope
from babelreg.runtime.bytes.envelope_patch import with_members

__all__ = ["attempts", "body_bytes", "failed", "poison", "refused", "route", "unread"]

_MAX_ERROR = 500
_GATE = "babelqueue:unsupported-schema-version:"


def body_bytes(received: ReceivedMessage) -> bytes:
    """The bytes of the body. Transports hand bytes that are no UTF-8 over as surrogate escapes."""
    try:
        return received.body.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return received.body.encode("utf-8", "surrogatepass")


def unread(received: ReceivedMessage) -> bool:
    """True when the transport refused the delivery by itself and wants its body handed on untouched.

    By its version header, without looking at the body (N14), or as a poison record that it wraps when it writes it.
    """
    route = received.route_urn
    return isinstance(route, PoisonRoute) or (route.startswith(_GATE) and route != NON_NUMERIC_ATTEMPTS_ROUTE)


def route(received: ReceivedMessage) -> str:
    """The URN by which the broker routed the delivery, where it has a property for that; else empty."""
    return "" if received.route_urn.startswith("babelqueue:") else received.route_urn


def attempts(received: ReceivedMessage, envelope: Envelope) -> int:
    """How many attempts there were before, by the body and by the broker's own count, whichever says more."""
    return max(0, envelope.attempts or 0, received.native_attempts or 0)


def failed(received: ReceivedMessage, attempts: int, error: str, exception: str) -> str:
    """The record of a message whose handler failed for good: as it came but for ``attempts``, with the block."""
    block = _block(received, "failed", attempts, error, exception)
    return with_members(received.body, {"attempts": attempts, "dead_letter": block})


def refused(received: ReceivedMessage, attempts: int, reason: str, error: str) -> str:
    """The record of an envelope that no handler saw: as it came, with the block."""
    return with_members(received.body, {"dead_letter": _block(received, reason, attempts, error, None)})


def poison(received: ReceivedMessage, error: str) -> str:
    """The record of a body that is no envelope."""
    return build_poison_record(received.body, _block(received, "poison", received.native_attempts, error, None))


def _block(received: ReceivedMessage, reason: str, attempts: int, error: str, exception: str | None) -> dict[str, Any]:
    # The queue it was taken from: what meta.queue says is the producer's word, and redriving would follow it.
    annotated = dead_letter.annotate({}, reason, received.queue, attempts, error=_bounded(error), exception=exception)
    block: dict[str, Any] = annotated["dead_letter"]
    return block


def _bounded(text: str) -> str:
    return text if len(text) <= _MAX_ERROR else text[: _MAX_ERROR - 1] + "…"
