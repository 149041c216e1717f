"""Replacements for transports of babelqueue that lose or change messages.

babelqueue's RabbitMQ transport does not wait until the broker has a message; its Kafka transport keeps messages in the
memory of the process, which loses them when it ends; its Redis transport changes messages of workers that die, in
Laravel's layout, and delays no retry in its own. None limits the deliveries of a message that kills its worker. With
the replacements no message is lost once ``publish`` has returned.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping

from babelqueue import BabelQueue
from babelqueue.transport import Transport

from babelreg.runtime.transports.sdk_settings import kafka_settings, rabbitmq_url, redis_settings

__all__ = ["another", "confirm", "confirmed"]


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


def _rabbitmq(transport: Transport) -> Transport:
    from babelreg.runtime.transports.rabbitmq import RabbitMQ

    return RabbitMQ(rabbitmq_url(transport))


def _kafka(transport: Transport) -> Transport:
    from babelreg.runtime.transports.kafka import Kafka

    return Kafka(**kafka_settings(transport))


def _redis(transport: Transport) -> Transport:
    from babelreg.runtime.transports.redis_laravel import LaravelRedis
    from babelreg.runtime.transports.redis_plain import PlainRedis

    settings = redis_settings(transport)
    client, laravel = settings.pop("client"), settings.pop("laravel_compat")
    # babelqueue reads these settings from the URL and passes them to a client that refuses them. A client that the
    # service created may be of another class.
    connection = getattr(getattr(client, "connection_pool", None), "connection_kwargs", {})
    for name in ("laravel", "laravel_compat", "prefix", "retry_after"):
        connection.pop(name, None)
    if "path" not in connection:
        for name, value in _REDIS_SOCKETS.items():
            connection.setdefault(name, value)
    if not hasattr(client, "register_script"):
        return transport
    return (LaravelRedis if laravel else PlainRedis)(transport, client, **settings)


_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
# A connection whose server is gone without a word is noticed. These are as the defaults of redis-py 8; before that it
# waits for ever.
_REDIS_SOCKETS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "socket_keepalive_options": {
        getattr(socket, name): value for name, value in _KEEPALIVE.items() if hasattr(socket, name)
    },
}

# By name: a service has one broker and does not import the clients of others.
_REPLACEMENTS: Mapping[str, Callable[..., Transport]] = {
    "babelqueue.pika_transport.PikaTransport": _rabbitmq,
    "babelqueue.kafka_transport.KafkaTransport": _kafka,
    "babelqueue.redis_transport.RedisTransport": _redis,
}
