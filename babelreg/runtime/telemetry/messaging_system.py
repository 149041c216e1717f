"""The messaging system behind a transport, named as OpenTelemetry's messaging conventions name it."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from babelqueue.transport import Transport


class MessagingSystem(NamedTuple):
    """The system of one transport. ``address`` and ``port`` are those of the broker, None where they are not known."""

    name: str
    address: str | None = None
    port: int | None = None


# By the names of modules: a service imports the client of its own broker only.
_NAMES = {
    "artemis_transport": "activemq",
    "asb_transport": "servicebus",
    "kafka": "kafka",
    "kafka_transport": "kafka",
    "pika_transport": "rabbitmq",
    "pulsar_transport": "pulsar",
    "rabbitmq": "rabbitmq",
    "redis_layout": "redis",
    "redis_transport": "redis",
    "sqs_transport": "aws_sqs",
}
_cache: WeakKeyDictionary[Transport, MessagingSystem] = WeakKeyDictionary()


def messaging_system(transport: Transport) -> MessagingSystem:
    """Return the system of ``transport``; for a class of the service's own its name is ``babelqueue``."""
    system = _cache.get(transport)
    if system is None:
        system = _cache[transport] = _system(transport)
    return system


def _system(transport: Transport) -> MessagingSystem:
    modules = [kind.__module__.rpartition(".")[2] for kind in type(transport).__mro__]
    name = next((_NAMES[module] for module in modules if module in _NAMES), "babelqueue")
    address, port = _checked(*getattr(transport, "address", (None, None)))
    return MessagingSystem(name, address, port)


def _checked(address: object, port: object) -> tuple[str | None, int | None]:
    host = address if isinstance(address, str) and address else None
    return host, port if host is not None and isinstance(port, int) else None
