"""The settings of babelqueue's own transports: the only module that reads what babelqueue keeps private.

A service makes ``BabelQueue("redis://...")``, and our transport takes over the settings of the one in there, which
babelqueue does not tell in public. It keeps each parameter of a transport's public constructor in an attribute of that
name with an underscore before it. Three are kept in another way, and stand here by name. An attribute that is missing
is an error, so that a later version of babelqueue cannot lose a setting unnoticed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from babelqueue.transport import Transport

from babelreg.errors import UsageError

__all__ = ["kafka_settings", "rabbitmq_url", "redis_settings"]

_NAMES = {
    # The Redis client, which the transport may have created from the URL.
    "client": "_redis",
    # How many messages to bring back at once, on Redis.
    "migration_batch_size": "_batch",
    # The brokers of a Kafka URL; the rest of the URL is not kept.
    "brokers": "_brokers",
}


def redis_settings(transport: Transport) -> dict[str, Any]:
    """Return the arguments of ``RedisTransport``, with the client in place of the URL."""
    return _settings(transport, without="url")


def kafka_settings(transport: Transport) -> dict[str, Any]:
    """Return the arguments of ``KafkaTransport``, with ``brokers`` in place of the URL."""
    return {"brokers": _setting(transport, "brokers"), **_settings(transport, without="url")}


def rabbitmq_url(transport: Transport) -> str:
    """Return the URL of a ``PikaTransport``."""
    return str(_setting(transport, "url"))


def _settings(transport: Transport, without: str) -> dict[str, Any]:
    names = inspect.signature(type(transport)).parameters
    return {name: _setting(transport, name) for name in names if name != without}


def _setting(transport: Transport, name: str) -> Any:
    kept: Mapping[str, Any] = vars(transport)
    try:
        return kept[_NAMES.get(name, f"_{name}")]
    except KeyError:
        raise UsageError(
            f"babelqueue {version('babelqueue')} keeps {name!r} of its {type(transport).__name__} in an unknown way",
            fix="install a version of babelqueue that this runtime was tested with: pip install babelqueue==1.24.0",
        ) from None
