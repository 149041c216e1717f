"""Topology of a registry: the queue of each consumer, subscriptions, Kafka groups, and queues to fan out.

An event goes to every service that consumes it, a command to the one that handles it. A service reads one inbox, named
as the service, unless ``consumes[].queue`` names another queue. Foreign SDKs publish to the queue of the message; a
fan-out copies from there to the inboxes, except where one service alone consumes all that the queue gets and reads it
itself. On Kafka nothing is copied: each service is a consumer group on the topics that producers write to.

Lint, docs, generated code and the runtime use this one function of the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from babelreg.model.message import Message
from babelreg.model.registry import Registry

K = TypeVar("K")
V = TypeVar("V")

EXCHANGE = "babelqueue.subscriptions"
"""The direct exchange of RabbitMQ that all subscriptions are bound to; the routing key is the URN."""


class Subscription(NamedTuple):
    """The delivery of one URN to one service. ``named``: the registry names the queue, which others may declare."""

    urn: str
    service: str
    queue: str
    named: bool = False


@dataclass(frozen=True)
class Topology:
    """``subscriptions`` in order; ``sources`` has the queue that producers of each URN name, None without one.

    ``unsubscribed`` are living URNs without a consumer. Retired messages have no part in it. ``aliases`` has the URN by
    each other name under which messages are sent: brokers route by the name, so each subscription is one to all names.
    """

    subscriptions: tuple[Subscription, ...]
    sources: Mapping[str, str | None]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def names(self, urn: str) -> tuple[str, ...]:
        """Return the names under which the message is sent: ``urn``, then its aliases."""
        return (urn, *self._aliases.get(urn, ()))

    @cached_property
    def _aliases(self) -> Mapping[str, tuple[str, ...]]:
        return _grouped((urn, alias) for alias, urn in self.aliases.items())

    def of_urn(self, urn: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of ``urn``, by service."""
        return self._by_urn.get(urn, ())

    def of_service(self, service: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of ``service``, by URN."""
        return self._by_service.get(service, ())

    @cached_property
    def _by_urn(self) -> Mapping[str, tuple[Subscription, ...]]:
        return _grouped((each.urn, each) for each in self.subscriptions)

    @cached_property
    def _by_service(self) -> Mapping[str, tuple[Subscription, ...]]:
        return _grouped((each.service, each) for each in self.subscriptions)

    @cached_property
    def queues(self) -> Mapping[str, tuple[Subscription, ...]]:
        """The subscriptions by queue."""
        return dict(sorted(_grouped((each.queue, each) for each in self.subscriptions).items()))

    @property
    def services(self) -> tuple[str, ...]:
        """The names of all services that consume a message, sorted."""
        return tuple(sorted(self._by_service))

    @cached_property
    def unsubscribed(self) -> tuple[str, ...]:
        """The URNs that no service consumes, sorted."""
        return tuple(sorted(urn for urn in self.sources if urn not in self._by_urn))

    @cached_property
    def sent_to(self) -> Mapping[str, tuple[str, ...]]:
        """The URNs that producers send to each queue."""
        return dict(sorted(_grouped((queue, urn) for urn, queue in sorted(self.sources.items()) if queue).items()))

    def sole_reader(self, queue: str) -> str | None:
        """Return the service that reads the producers' ``queue`` itself: it alone consumes every URN on it."""
        readers = {each.service for each in self.queues.get(queue, ())}
        if readers:
            return None
        names = [{each.service for each in self.of_urn(urn)} for urn in self.sent_to.get(queue, ())]
        alone = set.intersection(*names) if names else set()
        return alone.pop() if len(alone) == 1 and all(len(each) == 1 for each in names) else None

    @cached_property
    def fan_outs(self) -> Mapping[str, tuple[str, ...]]:
        """The producers' queues that a fan-out empties, with the URNs on each."""
        return {
            queue: urns
            for queue, urns in self.sent_to.items()
            if queue not in self.queues and self.sole_reader(queue) is None and any(map(self.of_urn, urns))
        }

    def reads(self, service: str) -> Mapping[str, tuple[str, ...]]:
        """Return the URNs that ``service`` subscribes each of its queues to."""
        return dict(sorted(_grouped((each.queue, each.urn) for each in self.of_service(service)).items()))

    def read_besides(self, service: str) -> tuple[str, ...]:
        """Return the producers' queues that ``service`` reads beside its own, as their only consumer."""
        queues = {self.sources.get(each.urn) for each in self.of_service(service)}
        return tuple(sorted(queue for queue in queues if queue and self.sole_reader(queue) == service))

    def others(self, service: str) -> Mapping[str, tuple[str, ...]]:
        """Return the URNs that other services consume from each queue of ``service``, and it does not."""
        own = {each.urn for each in self.of_service(service)}
        others = {
            queue: tuple(sorted({each.urn for each in self.queues[queue]} - own)) for queue in self.reads(service)
        }
        return {queue: urns for queue, urns in others.items() if urns}

    def topics(self, service: str) -> Mapping[str, tuple[str, ...]]:
        """Return the Kafka topics that the group of ``service`` reads, with the URNs there that are not for it."""
        own = {each.urn for each in self.of_service(service)}
        names = {queue for urn in own if (queue := self.sources.get(urn))}
        return {name: tuple(urn for urn in self.sent_to[name] if urn not in own) for name in sorted(names)}


def topology(registry: Registry) -> Topology:
    """Return the topology of ``registry``. A consumer that is declared twice for one URN counts once."""
    messages = [message for message in registry.by_urn.values() if message.status != "retired"]
    subscriptions = {each for message in messages for each in subscriptions_of(registry, message)}
    sources = {message.urn: message.queue for message in messages}
    aliases = {alias: urn for alias, urn in registry.aliases.items() if urn in sources}
    return Topology(tuple(sorted(subscriptions)), sources, aliases)


def subscriptions_of(registry: Registry, message: Message) -> Iterator[Subscription]:
    """Yield the subscriptions to ``message``, by service: its part of the topology."""
    for name in registry.consumers(message.urn):
        queue = registry.inbox(name, message.urn)
        yield Subscription(message.urn, name, queue or name, queue is not None)


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
