"""Metadata of a message for its module: queue, delivery, status, and the version that is upcast to it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from babelreg.gen.target import is_generated
from babelreg.model import Message, Registry

_MOST_VERSIONS = 50  # each imports the one before


def facts(registry: Registry, message: Message) -> dict[str, Any]:
    """Return the arguments of ``MessageType`` that are plain data, in order, without defaults."""
    arguments: dict[str, Any] = {}
    if message.queue:
        arguments["queue"] = message.queue
    if message.headers:
        arguments["headers"] = True
    if message.aliases:
        arguments["aliases"] = list(message.aliases)
    reader = registry.compatibility(message.context).reader
    if reader != "tolerant":
        arguments["reader"] = reader
    delivery = message.delivery
    if delivery is not None:
        arguments["max_attempts"] = delivery.max_attempts
        if delivery.backoff is not None:
            arguments["backoff"] = asdict(delivery.backoff)
        if delivery.time_limit_seconds is not None:
            arguments["time_limit_seconds"] = delivery.time_limit_seconds
        if delivery.on_failure != "dead_letter":
            arguments["on_failure"] = delivery.on_failure
    services = (registry.services.get(name) for name in registry.consumers(message.urn))
    if node := [service.name for service in services if service is not None and service.lang == "node"]:
        arguments["node_consumers"] = node
    arguments["consumers"] = list(registry.consumers(message.urn))
    if message.status == "deprecated":
        arguments["status"] = message.status
        successor = registry.successor(message.urn)
        arguments |= {"successor": successor.urn} if successor else {}
        arguments |= {"sunset": message.sunset} if message.sunset else {}
    if ancestor(registry, message) is not None:
        arguments["upcast"] = [dict(operation) for operation in message.upcast]
    return arguments


def ancestor(registry: Registry, message: Message) -> Message | None:
    """Return the message whose data can be upcast to ``message``; None where no code is generated for it."""
    previous = _previous(registry, message)
    seen = {message.urn}
    older = previous
    while older is not None:
        if older.urn in seen or len(seen) > _MOST_VERSIONS:
            return None  # a cycle, or too many nested imports
        seen.add(older.urn)
        older = _previous(registry, older)
    return previous


def _previous(registry: Registry, message: Message) -> Message | None:
    if not message.upcast or message.supersedes is None:
        return None
    previous = registry.by_urn.get(message.supersedes)
    return previous if previous is not None and is_generated(previous) else None
