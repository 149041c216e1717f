"""Options of one message that is sent: headers, ordering key and delay, and whether its broker has them.

An option that the broker does not have is an error, because the service relies on it. Headers that telemetry adds are
left out instead: it must change nothing for the service.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from babelqueue.transport import Transport

from babelreg.runtime.errors import UnsupportedOptionError
from babelreg.runtime.telemetry.messaging_system import messaging_system
from babelreg.runtime.transports.amqp_properties import is_reserved
from babelreg.runtime.transports.capabilities import capabilities

_IN_MEMORY = "babelqueue"


class SendOptions(NamedTuple):
    """``key``: messages with equal keys keep their order. ``delay``: seconds before the message is delivered."""

    key: str | None = None
    delay: float = 0.0
    headers: Mapping[str, str] = MappingProxyType({})


PLAIN = SendOptions()


class BatchOptions(NamedTuple):
    """Options of several messages. ``key`` returns the key of data; see SendOptions."""

    key: Callable[[Any], str | None] | None
    delay: float
    headers: Mapping[str, str] | None

    def of(self, data: Any) -> SendOptions:
        """Return the options of one message; raises as :func:`send_options`."""
        return send_options(self.key(data) if self.key else None, self.delay, self.headers)


def send_options(key: str | None, delay: float, headers: Mapping[str, str] | None) -> SendOptions:
    """Return the options. Raises TypeError and ValueError where a broker could not carry them."""
    if key is None and not delay and not headers:
        return PLAIN
    if key is not None and not key:
        raise ValueError("key is empty: pass None for a message that needs no order")
    if not 0 <= delay < math.inf:
        raise ValueError(f"delay is {delay}: pass a number of seconds from 0 on")
    if key is not None:
        _check_text("key", key)
    return SendOptions(key, float(delay), headers or PLAIN.headers)


def carries_headers(urn: str, transport: Transport, options: SendOptions, *, declared: bool) -> bool:
    """Return True if headers travel with the message. ``declared``: the registry has ``headers: true`` for it.

    Raises UnsupportedOptionError for an option that the broker does not have; TypeError and ValueError for a header
    that is not text, or whose name is that of the broker or of the envelope.
    """
    known = capabilities(transport)
    carried = known.headers == "always" or (known.headers == "declared" and declared)
    for name, value in options.headers.items():
        _check_text("the name of a header", name)
        _check_text(f"header {name!r}", value)
        if not name or is_reserved(name):
            raise ValueError(f"{name!r} cannot be the name of a header: it is one of the broker's or the envelope's")
        if known.headers == "declared" and not value:
            raise ValueError(f"header {name!r} is empty and would be lost in Redis: omit it")
    system = messaging_system(transport).name
    broker = "this broker" if system == _IN_MEMORY else system
    if options.headers and not carried:
        raise _not_carried(
            urn, "headers", f"{broker} does not support headers: {', '.join(options.headers)}", known.headers
        )
    if options.key is not None and not (carried or known.keys):
        raise _not_carried(urn, "key", f"{broker} supports neither keys nor headers", known.headers)
    if options.delay and not known.delays:
        fix = "give its KafkaTransport retry_tiers_ms" if system == "kafka" else "send it when it is due"
        raise UnsupportedOptionError(urn, "delay", f"{broker} does not support delays", fix=fix)
    return carried


def _not_carried(urn: str, option: str, detail: str, headers: str) -> UnsupportedOptionError:
    if headers == "declared":
        fix = "write `headers: true` in the file of the message, and generate the code again"
        return UnsupportedOptionError(urn, option, f"{detail}, unless the registry allows frames", fix=fix)
    return UnsupportedOptionError(urn, option, detail, fix="put it into the data of the message")


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} is of type {type(value).__name__}, not a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{what} contains an unpaired surrogate") from None
