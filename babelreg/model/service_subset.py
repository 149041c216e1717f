"""Part of a registry for one service: the messages that it produces, consumes, or upcasts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from babelreg.model.message import Message
from babelreg.model.registry import Registry
from babelreg.model.service_repo import ROLES


@dataclass(frozen=True, slots=True)
class Share:
    """``urns`` are by role (:data:`ROLES`), each sorted; a message may have two. Retired messages have none."""

    registry: Registry
    service: str
    urns: Mapping[str, tuple[str, ...]]

    @property
    def every(self) -> frozenset[str]:
        """The URNs of all roles."""
        return frozenset(urn for role in ROLES for urn in self.urns.get(role, ()))

    @property
    def part(self) -> Registry:
        """The registry with only the messages of this service, their contexts and their other services."""
        wanted = self.every
        full_registry = self.registry
        messages = tuple(message for message in full_registry.messages if message.urn in wanted)
        contexts = {message.context for message in messages}
        known = {name for message in messages for name in (*message.producers, *message.declared_consumers)}
        services = {}
        for name, service in full_registry.services.items():
            consumes = tuple(item for item in service.consumes if item.urn in wanted)
            if consumes or name in known or name == self.service:
                services[name] = service._replace(consumes=consumes)
        mine = {name: context for name, context in full_registry.contexts.items() if name in contexts}
        return replace(full_registry, messages=messages, contexts=mine, services=services)


def share_of(registry: Registry, service: str) -> Share:
    """Return the part for ``service``: what it produces and consumes, and the messages that consumed ones upcast."""
    living = {urn: message for urn, message in registry.by_urn.items() if _usable(message)}
    produced = {urn for urn, message in living.items() if service in message.producers}
    consumed = {urn for urn in living if service in registry.consumers(urn)}
    upcast = {urn for item in consumed for urn in _ancestors(living, item)} - consumed
    urns = {"produces": produced, "consumes": consumed, "upcasts": upcast}
    return Share(registry, service, {role: tuple(sorted(urns[role])) for role in ROLES})


def _usable(message: Message) -> bool:
    return message.status != "retired" and message.parsed is not None and message.schema is not None


def _ancestors(living: Mapping[str, Message], urn: str) -> set[str]:
    result: set[str] = set()
    message = living[urn]
    while message.upcast and (before := message.supersedes) and before in living and before not in result:
        result.add(before)
        message = living[before]
    return result


def names(registry: Registry) -> frozenset[str]:
    """Return the names of all services that the registry mentions."""
    producers = {name for message in registry.messages for name in message.producers}
    consumers = {name for message in registry.messages for name in message.declared_consumers}
    return frozenset(producers | consumers | set(registry.services))
