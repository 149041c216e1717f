"""What the module of a message says beside its data: how it travels, what comes after it, and what came before it."""

from __future__ import annotations

from typing import Any

from babelreg.model import Message, Registry

__all__ = ["ancestor", "facts"]

_MOST_VERSIONS = 50  # each imports the one before


def facts(registry: Registry, message: Message) -> dict[str, Any]:
    """The arguments of ``MessageType`` that are plain data, in order; those at their default are left out."""
    found: dict[str, Any] = {}
    if message.queue:
        found["queue"] = message.queue
    reader = registry.compatibility(message.context).reader
    if reader != "tolerant":
        found["reader"] = reader
    delivery = message.delivery
    if delivery is not None:
        found["max_attempts"] = delivery.max_attempts
        if delivery.on_failure != "dead_letter":
            found["on_failure"] = delivery.on_failure
    if message.status == "deprecated":
        found["status"] = message.status
        successor = registry.successor(message.urn)
        found |= {"successor": successor.urn} if successor else {}
        found |= {"sunset": message.sunset} if message.sunset else {}
    if ancestor(registry, message) is not None:
        found["upcast"] = [dict(operation) for operation in message.upcast]
    return found


def ancestor(registry: Registry, message: Message) -> Message | None:
    """The message whose data can be upcast to that of ``message``; None where no code is written for it."""
    found = _before(registry, message)
    seen = {message.urn}
    older = found
    while older is not None:
        if older.urn in seen or len(seen) > _MOST_VERSIONS:
            return None  # a circle, or a line too long to be imported
        seen.add(older.urn)
        older = _before(registry, older)
    return found


def _before(registry: Registry, message: Message) -> Message | None:
    if not message.upcast or message.supersedes is None:
        return None
    found = registry.by_urn.get(message.supersedes)
    if found is None or found.parsed is None or found.schema is None or found.status == "retired":
        return None
    return found
