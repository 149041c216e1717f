"""The topology of a registry at run time, as ``gen python`` writes it into a package: nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RuntimeTopology", "ServiceTopology"]


@dataclass(frozen=True)
class ServiceTopology:
    """The queues of one service.

    ``queues`` has the URNs that each of its queues is subscribed to. ``named`` are those that the registry names, which
    SDKs of other languages may have declared; the others are inboxes of this runtime. ``read_besides`` are queues of
    producers that only this service consumes. ``others`` has the URNs of other services by queue, ``topics`` those that
    are not for this service by Kafka topic.
    """

    queues: Mapping[str, Sequence[str]]
    named: Sequence[str] = ()
    read_besides: Sequence[str] = ()
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    topics: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def queue_of(self, urn: str) -> str | None:
        """Return the queue that ``urn`` is read from, or None for a URN that the service does not consume."""
        return next((queue for queue, urns in self.queues.items() if urn in urns), None)


@dataclass(frozen=True)
class RuntimeTopology:
    """``services`` by name. ``sources`` has the queue that producers of each URN name, ``consumers`` its services.

    ``fan_outs`` has the URNs of each queue whose messages a fan-out copies to subscriptions, ``aliases`` the URN by
    each other name under which messages are sent.
    """

    services: Mapping[str, ServiceTopology] = field(default_factory=dict)
    sources: Mapping[str, str | None] = field(default_factory=dict)
    consumers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fan_outs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, name: str) -> str:
        """Return the URN of the message that is sent as ``name``; a name that is not an alias as it is."""
        return self.aliases.get(name, name)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> RuntimeTopology:
        """Return the topology that generated code holds as plain data."""
        services = {name: ServiceTopology(**queues) for name, queues in data["services"].items()}
        return cls(**{**data, "services": services})
