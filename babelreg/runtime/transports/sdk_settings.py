"""The settings of babelqueue's own transports: the only module that reads what babelqueue keeps private.

A service makes ``BabelQueue("redis://...")``, and our transport takes the place of the one in there. Three private
names are read, because babelqueue tells in no other way which broker a transport is for. All other settings are
compared with those of a new transport, without their names: one that differs is refused, so that none gets lost, not
even one of a later version.
"""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any

from babelqueue.transport import Transport

from babelreg.errors import UsageError


def redis_client(transport: Transport) -> Any:
    """Return the client of a ``RedisTransport``, which it may have created from its URL."""
    return _kept(transport, "_redis")


def kafka_brokers(transport: Transport) -> str:
    """Return the brokers of the URL of a ``KafkaTransport``, which does not keep the URL."""
    return str(_kept(transport, "_brokers"))


def rabbitmq_url(transport: Transport) -> str:
    """Return the URL of a ``PikaTransport``."""
    return str(_kept(transport, "_url"))


def refuse_other_settings(transport: Transport, plain: Transport, instead: str | None) -> None:
    """Raise UsageError if ``transport`` has settings other than those of ``plain``, a new one for the same broker.

    Settings are the attributes that hold a parameter of its class, and those that hold data in a new transport. The
    others are filled by use, with connections for example. ``instead`` is the function that takes such settings.
    """
    kept, usual = vars(transport), vars(plain)
    settings = {f"_{name}" for name in inspect.signature(type(transport)).parameters}
    settings |= {name for name, value in usual.items() if value and isinstance(value, str | int | tuple | list | dict)}
    other = [name.lstrip("_") for name in usual if name in settings and kept.get(name) != usual[name]]
    if other:
        kind = type(transport).__name__
        package = __name__.rpartition("._babelreg.")[0] or __name__.rpartition(".transports.")[0]
        raise UsageError(
            f"{' and '.join(sorted(other))} of a {kind} cannot be applied, because babelqueue does not expose it",
            fix=f"from {package} import {instead}; BabelQueue(transport={instead}(...)) takes the arguments of {kind}"
            if instead
            else "put them into the URL",
        )


def _kept(transport: Transport, name: str) -> Any:
    try:
        return vars(transport)[name]
    except KeyError:
        raise UsageError(
            f"babelqueue {version('babelqueue')} keeps {name.lstrip('_')!r} of its {type(transport).__name__} in an "
            "unknown way",
            fix="install a version of babelqueue that this runtime was tested with: pip install babelqueue==1.24.0",
        ) from None
