"""The deliveries that a concurrent consumer reserves in advance, on any transport of babelqueue."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from babelqueue.transport import ReceivedMessage, Transport

__all__ = ["DeliveryLostError", "Reservations", "each"]

logger = logging.getLogger("babelreg.runtime")

_RENEW_AFTER_SECONDS = 1.0


class DeliveryLostError(Exception):
    """The reservation of a delivery has ended, with its connection, say: the broker will deliver the message again."""


@runtime_checkable
class TakesMany(Protocol):
    """A transport that can reserve several messages in one request."""

    def take(self, queue: str, most: int, timeout: float) -> Sequence[ReceivedMessage]:
        """Return up to ``most`` messages; wait up to ``timeout`` seconds for the first one. All stay reserved."""
        ...


@runtime_checkable
class Renews(Protocol):
    """A transport whose reservations end by themselves, or with a connection."""

    def renew(self, message: ReceivedMessage) -> bool:
        """Let the time of a reservation begin anew; return False if it has ended."""
        ...


def each(pop: Callable[[float], ReceivedMessage | None], most: int, timeout: float) -> list[ReceivedMessage]:
    """Return up to ``most`` messages that ``pop`` returns one by one; it waits for the seconds that it is passed.

    Where it fails after the first message, those before are returned: they are reserved, and the next call fails, too.
    """
    messages: list[ReceivedMessage] = []
    while len(messages) < most:
        try:
            received = pop(0.0 if messages else timeout)
        except Exception:
            if not messages:
                raise
            break
        if received is None:
            break
        messages.append(received)
    return messages


class Reservations:
    """Reserves messages of one transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._many = transport if isinstance(transport, TakesMany) else None
        self._renews = transport if isinstance(transport, Renews) else None

    def take(self, queue: str, most: int, timeout: float) -> Sequence[ReceivedMessage]:
        """Return up to ``most`` messages of ``queue``; wait up to ``timeout`` seconds for the first one."""
        if self._many is not None:
            return self._many.take(queue, most, timeout)
        return each(lambda seconds: self._transport.pop(queue, timeout=seconds), most, timeout)

    def renew(self, message: ReceivedMessage, waited_seconds: float) -> bool:
        """Return False for a message that was reserved too long ago: the broker has delivered it again."""
        if self._renews is None or waited_seconds < _RENEW_AFTER_SECONDS:
            return True
        try:
            return self._renews.renew(message)
        except Exception:
            logger.exception("cannot renew the reservation of a message of queue %r", message.queue)
            return True
