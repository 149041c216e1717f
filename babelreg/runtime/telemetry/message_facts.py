"""Facts on one message that is handled or sent, for logs, hooks, spans and metrics. They contain none of its data."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.bytes import dead_letter

_MAX_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Incoming:
    """One delivery of a message. Members that the body does not have are empty: any sender may have written it.

    ``attempt`` is 1 for the first delivery. ``queue`` is the queue it was consumed from, ``headers`` are those of the
    transport, ``body_bytes`` is the size of the body. ``known`` is True if the consumer has a handler for ``urn``.
    """

    urn: str
    message_id: str
    trace_id: str
    attempt: int
    queue: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body_bytes: int = 0
    known: bool = True

    @classmethod
    def of(cls, received: ReceivedMessage, known_urns: Container[str] = ()) -> Incoming:
        """Return the facts on ``received``, whatever its body is. ``known_urns`` contains the URNs with a handler."""
        body = dead_letter.body_bytes(received)
        envelope = _mapping(_parsed(body))
        urn = dead_letter.route(received) or _urn(envelope)
        earlier = max(_count(envelope.get("attempts")), _count(received.native_attempts))
        return cls(
            urn=urn,
            message_id=_message_id(envelope),
            trace_id=_text(envelope.get("trace_id")),
            attempt=earlier + 1,
            queue=received.queue,
            headers=received.headers,
            body_bytes=len(body),
            known=urn in known_urns,
        )


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message that is sent. ``queue`` is its destination, ``body_bytes`` the size of the encoded envelope.

    ``headers`` is what the transport carries beside the message; middleware may add to it. ``key`` is the ordering key,
    ``delay_seconds`` how long the message waits in the broker.
    """

    urn: str
    message_id: str
    trace_id: str
    queue: str
    body_bytes: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    key: str | None = None
    delay_seconds: float = 0.0

    @classmethod
    def of(cls, queue: str, body: str, *options: Any) -> Outgoing:
        """Return the facts on an encoded envelope, as an outbox stores it. ``options``: headers, key and delay."""
        raw = dead_letter.text_bytes(body)
        envelope = _mapping(_parsed(raw))
        return cls(_urn(envelope), _message_id(envelope), _text(envelope.get("trace_id")), queue, len(raw), *options)


def _parsed(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except ValueError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _urn(envelope: Mapping[str, Any]) -> str:
    return _text(envelope.get("job")) or _text(envelope.get("urn"))


def _message_id(envelope: Mapping[str, Any]) -> str:
    return _text(_mapping(envelope.get("meta")).get("id"))


def _text(value: Any) -> str:
    return value[:_MAX_CHARACTERS] if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
