"""The subscriptions that a broker has, for a comparison with those that the registry asks for; names only."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from babelreg.errors import InputError
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE
from babelreg.runtime.transports.redis_layout import RedisLayout

_SECONDS = 30.0
_MANAGEMENT_PORT = 15672


class BrokerState(NamedTuple):
    """``subscriptions`` are pairs of URN and queue; on Kafka of topic and group. ``queues`` are the names of queues.

    ``queues`` is None for a broker whose queues need no declaration.
    """

    subscriptions: frozenset[tuple[str, str]]
    queues: frozenset[str] | None = None


def redis_state(transport: RedisLayout) -> BrokerState:
    """Return the subscriptions in Redis. Raises the exceptions of the client."""
    return BrokerState(frozenset(transport.subscriptions()))


def rabbitmq_state(url: str, management: str | None) -> BrokerState:
    """Return the bindings and queues of the virtual host of ``url``, by the HTTP API of the management plugin.

    AMQP cannot list bindings. ``management`` is the address of the API; the default is port 15672 of the same host.
    Raises InputError where it does not answer.
    """
    parts = urlsplit(url)
    virtual_host = quote(unquote(parts.path[1:]) or "/", safe="")
    base = (management or f"http://{parts.hostname or 'localhost'}:{_MANAGEMENT_PORT}").rstrip("/")
    user = f"{unquote(parts.username or 'guest')}:{unquote(parts.password or 'guest')}"
    bindings = _listed(base, f"bindings/{virtual_host}", user)
    queues = _listed(base, f"queues/{virtual_host}?columns=name", user)
    subscribed = (each for each in bindings if each.get("source") == EXCHANGE and each["destination_type"] == "queue")
    return BrokerState(
        frozenset((each["routing_key"], each["destination"]) for each in subscribed),
        frozenset(each["name"] for each in queues),
    )


def _listed(base: str, path: str, user: str) -> list[Mapping[str, Any]]:
    token = base64.b64encode(user.encode()).decode()
    request = urllib.request.Request(f"{base}/api/{path}", headers={"Authorization": f"Basic {token}"})
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            listed: list[Mapping[str, Any]] = json.load(answer)
            return listed
    except (urllib.error.URLError, OSError, ValueError) as err:
        reason = getattr(err, "reason", None) or err
        raise InputError(
            f"RabbitMQ's management API at {base} does not answer: {reason}",
            fix="`rabbitmq-plugins enable rabbitmq_management`, or name its address: --management http://HOST:15672",
        ) from err


def kafka_state(settings: Mapping[str, Any], groups: Mapping[str, Iterable[str]]) -> BrokerState:
    """Return the topics of ``groups`` on which each group has a position, and the names of all topics."""
    from confluent_kafka import Consumer, TopicPartition

    positions = set()
    topics: frozenset[str] = frozenset()
    for group, names in groups.items():
        consumer = Consumer({**settings, "group.id": group, "enable.auto.commit": False})
        try:
            known = consumer.list_topics(timeout=_SECONDS).topics
            topics |= known.keys()
            for topic in names:
                places = [TopicPartition(topic, number) for number in known[topic].partitions] if topic in known else []
                if places and any(place.offset >= 0 for place in consumer.committed(places, timeout=_SECONDS)):
                    positions.add((topic, group))
        finally:
            consumer.close()
    return BrokerState(frozenset(positions), topics)
