"""Replacements for transports of babelqueue that lose or change messages.

babelqueue's RabbitMQ transport does not wait until the broker has a message; its Kafka transport keeps messages in the
memory of the process, which loses them when it ends; its Redis transport changes messages of workers that die, in
Laravel's layout, and delays no retry in its own. None limits the deliveries of a message that kills its worker. With
the replacements no message is lost once ``publish`` has returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from babelqueue import BabelQueue
from babelqueue.transport import Transport

if TYPE_CHECKING:
    from babelqueue.kafka_transport import KafkaTransport
    from babelqueue.pika_transport import PikaTransport
    from babelqueue.redis_transport import RedisTransport

__all__ = ["another", "confirm", "confirmed"]

T = TypeVar("T", bound=Transport)


def confirmed(transport: Transport) -> Transport:
    """Return the replacement of ``transport``, or itself. Only babelqueue's own classes are replaced, no subclasses."""
    kind = type(transport)
    replacement = _REPLACEMENTS.get(f"{kind.__module__}.{kind.__qualname__}")
    return transport if replacement is None else replacement(transport)


def confirm(app: BabelQueue) -> None:
    """Replace the transport of ``app`` by a confirmed one."""
    app.transport = confirmed(app.transport)


def another(transport: Transport) -> Transport:
    """Return a transport for another thread: with a connection of its own where one connection serves one thread."""
    again: Callable[[], Transport] | None = getattr(transport, "another", None)
    return transport if again is None else again()


def _rabbitmq(transport: PikaTransport) -> Transport:
    from babelreg.runtime.transports.rabbitmq import RabbitMQ

    return RabbitMQ(transport._url)


def _kafka(transport: KafkaTransport) -> Transport:
    from babelreg.runtime.transports.kafka import Kafka

    return _as(Kafka, transport)


def _redis(transport: RedisTransport) -> Transport:
    # babelqueue reads these settings from the URL and passes them to a client that refuses them. A client that the
    # service created may be of another class.
    settings = getattr(getattr(transport._redis, "connection_pool", None), "connection_kwargs", {})
    for name in ("laravel", "laravel_compat", "prefix", "retry_after"):
        settings.pop(name, None)
    if not hasattr(transport._redis, "register_script"):
        return transport
    if not transport._laravel_compat:
        from babelreg.runtime.transports.redis_plain import PlainRedis

        return _as(PlainRedis, transport)
    from babelreg.runtime.transports.redis_laravel import LaravelRedis

    return _as(LaravelRedis, transport)


def _as(kind: type[T], transport: Transport) -> T:
    """Return a ``kind``, a subclass of the class of ``transport``, with its clients and settings."""
    replacement = kind.__new__(kind)
    vars(replacement).update(vars(transport))
    return replacement


# By name: a service has one broker and does not import the clients of others.
_REPLACEMENTS: Mapping[str, Callable[..., Transport]] = {
    "babelqueue.pika_transport.PikaTransport": _rabbitmq,
    "babelqueue.kafka_transport.KafkaTransport": _kafka,
    "babelqueue.redis_transport.RedisTransport": _redis,
}
