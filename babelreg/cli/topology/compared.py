"""The topology of a registry compared with a broker, and declared there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from babelqueue import BabelQueue

from babelreg.recording.broker_state import BrokerState, kafka_state, rabbitmq_state, redis_state
from babelreg.runtime.transports.replacements import confirmed
from babelreg.runtime.transports.subscription_broker import Subscribes

if TYPE_CHECKING:
    from babelreg.model import Topology
    from babelreg.recording.broker_url import BrokerUrl


def differences(known: Topology, server: BrokerUrl, management: str | None) -> list[str]:
    """Return a line for each subscription and queue that is missing in the broker, and for each without a service."""
    if server.kind == "kafka":
        groups = {name: list(known.topics(name)) for name in known.services}
        return list(_kafka(groups, kafka_state(server.kafka_settings(), groups)))
    state = _rabbitmq_or_redis(server, management)
    return [*_missing(known, state), *_unused(known, state)]


def declare(known: Topology, server: BrokerUrl) -> int:
    """Declare all queues and subscriptions; return their number. Deletes nothing, and changes nothing that exists.

    On Kafka groups get their first positions on topics that are empty; elsewhere their workers ask where to begin.
    """
    if server.kind == "kafka":
        from babelreg.runtime.transports.kafka_groups import begin_where_empty, create_topics

        settings = server.kafka_settings()
        names = {name for service in known.services for name in (*known.topics(service), service, f"{service}.dlq")}
        count = create_topics(settings, sorted(names))
        for service in known.services:
            begin_where_empty(settings, service, known.topics(service))
        return count
    transport = confirmed(BabelQueue(server.text).transport)
    assert isinstance(transport, Subscribes)
    for queue, subscriptions in known.queues.items():
        own = not any(each.named and each.queue != each.service for each in subscriptions)
        subscribed = [name for each in subscriptions for name in known.names(each.urn)]
        transport.subscribe(queue, subscribed, inbox=own)
    transport.close()
    return len(known.subscriptions)


def _rabbitmq_or_redis(server: BrokerUrl, management: str | None) -> BrokerState:
    if server.kind == "rabbitmq":
        return rabbitmq_state(server.text, management)
    from babelreg.runtime.transports.redis_layout import RedisLayout

    transport = server.redis()
    assert isinstance(transport, RedisLayout)
    return redis_state(transport)


def _missing(known: Topology, state: BrokerState) -> Iterator[str]:
    for queue, subscriptions in known.queues.items():
        if state.queues is not None and queue not in state.queues:
            yield f"missing: queue {queue}"
        for name in (name for each in subscriptions for name in known.names(each.urn)):
            if (name, queue) not in state.subscriptions:
                yield f"missing: subscription of queue {queue} to {name}"


def _unused(known: Topology, state: BrokerState) -> Iterator[str]:
    wanted = {(name, each.queue) for each in known.subscriptions for name in known.names(each.urn)}
    for urn, queue in sorted(state.subscriptions - wanted, key=lambda pair: (pair[1], pair[0])):
        yield f"without a service: subscription of queue {queue} to {urn}"


def _kafka(groups: dict[str, list[str]], state: BrokerState) -> Iterator[str]:
    topics = state.queues or frozenset()
    wanted = {name for group, names in groups.items() for name in (*names, group, f"{group}.dlq")}
    for topic in sorted(wanted - topics):
        yield f"missing: topic {topic}"
    for group, names in groups.items():
        for topic in names:
            if topic in topics and (topic, group) not in state.subscriptions:
                yield f"missing: position of group {group} on topic {topic}, set by the first start of its worker"
