"""Receivers: the deliveries of several queues for one run of a consumer, on any transport of babelqueue."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from babelqueue.transport import ReceivedMessage, Transport

logger = logging.getLogger("babelreg.runtime")

_LEAST_KEEP_SECONDS = 0.05


class DeliveryLostError(Exception):
    """The reservation of a delivery has ended, with its connection, say: the broker will deliver the message again."""


class Receiver(ABC):
    """A source of deliveries for one run. One thread uses it; others may call :meth:`wake` and :meth:`keep`."""

    wakes = False
    """True if :meth:`wake` ends the wait of :meth:`take`."""

    keep_seconds: float | None = None
    """How often :meth:`keep` has to be called; None where reservations do not end."""

    @abstractmethod
    def take(self, most: int, seconds: float, *, ahead: bool = True) -> Sequence[ReceivedMessage]:
        """Return up to ``most`` messages, of each queue that has some in turn; wait up to ``seconds`` for the first.

        All stay reserved. Without ``ahead`` nothing is reserved that is not returned.
        """

    def wake(self) -> None:  # noqa: B027
        """End the wait of :meth:`take` in another thread."""

    def keep(self, messages: Sequence[ReceivedMessage]) -> None:  # noqa: B027
        """Let the time of the reservations of ``messages`` begin anew."""

    def release(self) -> Sequence[ReceivedMessage]:
        """Return what is reserved in advance; nothing more is until the next :meth:`take` with ``ahead``."""
        return ()

    def close(self) -> None:  # noqa: B027
        """End the reservations that are left."""


@runtime_checkable
class Renews(Protocol):
    """A transport whose reservations end by themselves, or with a connection."""

    def renew(self, message: ReceivedMessage) -> bool:
        """Let the time of a reservation begin anew; return False if it has ended."""
        ...


@runtime_checkable
class Receives(Protocol):
    """A transport with a receiver of its own."""

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> Receiver:
        """Return a receiver that reserves up to ``ahead`` messages of a queue in advance.

        With ``until_empty`` it returns nothing only where all queues are empty.
        """
        ...


def receiver_of(transport: Transport, queues: Sequence[str], ahead: int, *, until_empty: bool) -> Receiver:
    """Return a receiver of ``queues``: that of the transport, or one that polls it."""
    if isinstance(transport, Receives):
        return transport.receiver(queues, ahead, until_empty=until_empty)
    return PollingReceiver(lambda queue, seconds: transport.pop(queue, timeout=seconds), queues)


@contextmanager
def kept(receiver: Receiver, reserved: Callable[[], Sequence[ReceivedMessage]]) -> Iterator[None]:
    """Keep the reservations of ``reserved`` within the block, by a thread: a handler may block the loop."""
    if receiver.keep_seconds is None:
        yield
        return
    ended = threading.Event()

    def keep(seconds: float) -> None:
        while not ended.wait(seconds):
            try:
                receiver.keep(reserved())
            except Exception as error:
                logger.warning("cannot renew reservations (%s: %s)", type(error).__name__, error)

    arguments = (max(_LEAST_KEEP_SECONDS, receiver.keep_seconds),)
    thread = threading.Thread(target=keep, args=arguments, name="babelreg-leases", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class PollingReceiver(Receiver):
    """The receiver of a transport that has only ``pop``: it asks each queue, and then waits in each for a share.

    ``pop`` takes the queue, and the seconds to wait.
    """

    def __init__(self, pop: Callable[[str, float], ReceivedMessage | None], queues: Sequence[str]) -> None:
        self._ask = pop
        self._queues = deque(queues)

    def take(self, most: int, seconds: float, *, ahead: bool = True) -> Sequence[ReceivedMessage]:
        """See Receiver. Where ``pop`` fails after the first message, the next call fails, too."""
        messages: list[ReceivedMessage] = []
        asked = list(self._queues)
        self._queues.rotate(-1)
        try:
            # With one queue the first question waits at once.
            wait = seconds if len(asked) == 1 else 0.0
            while asked and len(messages) < most:
                asked = [queue for queue in asked if self._pop(queue, 0.0 if messages else wait, most, messages)]
            for queue in self._queues if seconds > 0 and len(self._queues) > 1 else ():
                if not messages:
                    self._pop(queue, seconds / len(self._queues), most, messages)
        except Exception:
            if not messages:
                raise
        return messages

    def _pop(self, queue: str, seconds: float, most: int, messages: list[ReceivedMessage]) -> bool:
        if len(messages) == most:
            return False
        received = self._ask(queue, seconds)
        if received is not None:
            messages.append(received)
        return received is not None
