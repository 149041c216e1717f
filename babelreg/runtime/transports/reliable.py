"""Transports that neither lose a message nor change it: what stands in for those of babelqueue that do.

babelqueue's RabbitMQ transport does not wait until the broker has a message, its Kafka transport leaves one in the
memory of the program, where it ends with the program, and its Redis transport changes messages of workers that die, in
Laravel's layout. Nothing here is lost once ``publish`` has come back.
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

__all__ = ["confirm", "confirmed"]

T = TypeVar("T", bound=Transport)


def confirmed(transport: Transport) -> Transport:
    """``transport``, or what goes in its place. Only babelqueue's very own classes are replaced."""
    kind = type(transport)
    stand_in = _STAND_INS.get(f"{kind.__module__}.{kind.__qualname__}")
    return transport if stand_in is None else stand_in(transport)


def confirm(app: BabelQueue) -> None:
    """Let ``app`` use a confirmed transport from now on."""
    app.transport = confirmed(app.transport)


def _rabbitmq(transport: PikaTransport) -> Transport:
    from babelreg.runtime.transports.rabbitmq import RabbitMQ

    return RabbitMQ(transport._url)


def _kafka(transport: KafkaTransport) -> Transport:
    from babelreg.runtime.transports.kafka import Kafka

    return _as(Kafka, transport)


def _redis(transport: RedisTransport) -> Transport:
    # Its own settings, which it reads from the URL and hands on to a client that refuses them. A client that was
    # made by the service may be of another kind.
    settings = getattr(getattr(transport._redis, "connection_pool", None), "connection_kwargs", {})
    for name in ("laravel", "laravel_compat", "prefix", "retry_after"):
        settings.pop(name, None)
    if not transport._laravel_compat:
        return transport
    from babelreg.runtime.transports.redis_laravel import LaravelRedis

    return _as(LaravelRedis, transport)


def _as(kind: type[T], transport: Transport) -> T:
    """A transport of ``kind`` with the clients and settings of ``transport``, whose class it derives from."""
    made = kind.__new__(kind)
    vars(made).update(vars(transport))
    return made


# By name: a service has one broker, and imports nothing for the others.
_STAND_INS: Mapping[str, Callable[..., Transport]] = {
    "babelqueue.pika_transport.PikaTransport": _rabbitmq,
    "babelqueue.kafka_transport.KafkaTransport": _kafka,
    "babelqueue.redis_transport.RedisTransport": _redis,
}
