"""Names that Strata's clients and backends use: queues, channels, clients, ids, and the chains of requests.

Source: facts S3, S5, S10, S12 to S15.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from typing import Any, NamedTuple

STREAM_FIELD = "msg"
"""The field of a stream entry that holds the JSON of a message; an item of a list is the JSON itself (S13)."""

_REQUESTS, _RESPONSES, _SERVICES = "Requests:", "Responses:", "Services"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


class QueueName(NamedTuple):
    """The parts of a queue's name. ``kind`` is requests or responses; ``service_id`` is None for requests."""

    kind: str
    group: str
    service_id: str | None = None


class Monitored(NamedTuple):
    """A message that the queue monitor saw, and the queue it was in."""

    queue: str
    envelope: dict[str, Any]


def request_queue(group: str) -> str:
    """Return the queue of a service group; the prefix is added where it is missing."""
    return group if group.startswith(_REQUESTS) else _REQUESTS + group


def response_queue(group: str, service_id: str) -> str:
    """Return the queue in which one client or service awaits its responses."""
    return f"{_RESPONSES}{group}:{service_id}"


def parse_queue(name: str) -> QueueName | None:
    """Return the parts of a queue's name; None for any other name."""
    if name.startswith(_REQUESTS) and len(name) > len(_REQUESTS):
        return QueueName("requests", name[len(_REQUESTS) :])
    group, colon, service_id = name.removeprefix(_RESPONSES).rpartition(":")
    if name.startswith(_RESPONSES) and colon and group and service_id:
        return QueueName("responses", group, service_id)
    return None


def service_channels(group: str, service_id: str) -> tuple[str, str, str]:
    """Return the channels on which a service listens for commands: all services, its group, itself (S12)."""
    return _SERVICES, f"{_SERVICES}:{group}", f"{_SERVICES}:{group}:{service_id}"


def client_name(group: str | None, hostname: str) -> str:
    """Return the default name of a client (S14)."""
    return f"Client:{group}" if group else f"StrataClient.{hostname}"


def short_id(seed: str) -> str:
    """Return 20 letters and digits made of ``seed``, in the form of Strata's ids; the same seed gives the same id."""
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest(), "big")
    characters = []
    for _ in range(20):
        number, index = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[index])
    return "".join(characters)


def chain_after(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``priorRequest`` and ``requestChain`` for a request that ``request`` causes (S5)."""
    chain = request.get("requestChain")
    return {"priorRequest": request["id"], "requestChain": [*(chain if isinstance(chain, list) else []), request["id"]]}


def stream_body(entry: Mapping[Any, Any]) -> bytes | None:
    """Return the message of a stream entry, its fields given as text or bytes; None where it has none."""
    body = entry.get(STREAM_FIELD, entry.get(STREAM_FIELD.encode()))
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body


def monitored(value: Mapping[str, Any]) -> Monitored | None:
    """Return the message that a request ``monitor.logMessage`` of the queue monitor carries; None for any other."""
    if value.get("context") != "monitor" or value.get("operation") != "logMessage":
        return None
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return None
    queue, envelope = payload.get("queue"), payload.get("envelope")
    return Monitored(queue, envelope) if isinstance(queue, str) and isinstance(envelope, dict) else None
