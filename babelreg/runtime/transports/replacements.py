"""Replacements for transports of babelqueue that lose or change messages.

babelqueue's RabbitMQ transport does not wait until the broker has a message; its Kafka transport keeps messages in the
memory of the process, which loses them when it ends; its Redis transport changes messages of workers that die, in
Laravel's layout, and delays no retry in its own. None limits the deliveries of a message that kills its worker. With
the replacements no message is lost once ``publish`` has returned.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from babelqueue import BabelQueue
from babelqueue.transport import Transport

from babelreg.runtime.transports import sdk_settings


def confirmed(transport: Transport) -> Transport:
    """Return the replacement of ``transport``, or itself. Only babelqueue's own classes are replaced, no subclasses.

    Raises UsageError if it has settings that it does not tell.
    """
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


def kafka_transport(url: str = "kafka://localhost:9092", **settings: Any) -> Transport:
    """Return a confirmed transport with settings of its own; its arguments are those of babelqueue's."""
    from babelreg.runtime.transports.kafka import Kafka

    return Kafka(url, **settings)


def redis_transport(url: str = "redis://localhost:6379/0", *, client: Any = None, **settings: Any) -> Transport:
    """Return a confirmed transport, as :func:`kafka_transport`."""
    from babelqueue.redis_transport import RedisTransport

    return _redis(RedisTransport(url, client=client, **settings), **settings)


def _rabbitmq(transport: Any) -> Transport:
    from babelreg.runtime.transports.rabbitmq import RabbitMQ

    url = sdk_settings.rabbitmq_url(transport)
    sdk_settings.refuse_other_settings(transport, type(transport)(url), None)
    return RabbitMQ(url)


def _kafka(transport: Any) -> Transport:
    url = f"kafka://{sdk_settings.kafka_brokers(transport)}"
    sdk_settings.refuse_other_settings(transport, type(transport)(url), kafka_transport.__name__)
    return kafka_transport(url)


def _redis(transport: Transport, **settings: Any) -> Transport:
    from babelqueue.redis_transport import RedisTransport

    from babelreg.runtime.transports.redis_laravel import LaravelRedis
    from babelreg.runtime.transports.redis_plain import PlainRedis

    client = sdk_settings.redis_client(transport)
    if not hasattr(client, "register_script"):
        return transport
    # A client that the service created may be of another class.
    connection = getattr(getattr(client, "connection_pool", None), "connection_kwargs", {})
    of_url = _url_settings(transport, connection)
    plain = RedisTransport(f"redis://?{urlencode(of_url)}", client=client, **settings)
    sdk_settings.refuse_other_settings(transport, plain, redis_transport.__name__)
    if "path" not in connection:
        for name, value in _REDIS_SOCKETS.items():
            connection.setdefault(name, value)
    laravel = bool(settings.pop("laravel_compat", False))
    laravel |= any(of_url.get(name, "").lower() in _TRUE for name in ("laravel", "laravel_compat"))
    if "prefix" in of_url:
        settings["key_prefix"] = of_url["prefix"]
    if "retry_after" in of_url:
        seconds = of_url["retry_after"].strip().lower()
        settings["retry_after"] = None if seconds in _NONE else int(seconds)
    return (LaravelRedis if laravel else PlainRedis)(client, **settings)


def _url_settings(transport: Transport, connection: dict[str, Any]) -> dict[str, str]:
    """Return the settings of babelqueue in the URL of a client, and take them away from its connections.

    babelqueue reads them from the URL, too, and passes them on to connections, which refuse them.
    """
    settings = _TAKEN.setdefault(transport, {})
    for name in ("laravel", "laravel_compat", "prefix", "retry_after"):
        if (value := connection.get(name)) is not None:
            settings[name] = str(value)
            connection.pop(name, None)  # after it is noted: another thread may do the same
    return dict(settings)


_TAKEN: WeakKeyDictionary[Transport, dict[str, str]] = WeakKeyDictionary()
"""What was taken from the clients of transports, which may be replaced once for each of several services."""
_TRUE, _NONE = ("1", "true", "yes", "on"), ("null", "none")
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
