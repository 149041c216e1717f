"""Sources of recordings: messages of a queue or an exchange, taken in batches and acknowledged once they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from babelqueue.transport import BatchPopper, ReceivedMessage, Transport

from babelreg.runtime.bytes.dead_letter import body_bytes

MAX_BATCH_BYTES = 16 * 1024 * 1024
"""The size from which a batch takes no further message, so that large messages do not fill the memory."""

_DEAD_LETTER_ENDS = (".dlq", "-dlq", "-dlq.fifo")


class QueueSource(Protocol):
    """A queue whose messages are recorded. All methods raise the exceptions of the broker's client."""

    def receive(self, most: int, timeout_seconds: float) -> list[bytes]:
        """Return the next messages, at most ``most``; none if none arrives within ``timeout_seconds``."""
        ...

    def acknowledge(self) -> None:
        """Remove all messages that were received from the queue."""
        ...

    def is_empty(self) -> bool:
        """Return whether the queue has no message for us."""
        ...

    def close(self) -> None:
        """Return what was not acknowledged to the queue."""
        ...


def is_dead_letter_queue(name: str) -> bool:
    """Return whether ``name`` is that of a dead-letter queue in BabelQueue: ``orders.dlq``, on SQS ``orders-dlq``."""
    return name.endswith(_DEAD_LETTER_ENDS)


class TransportSource:
    """The queue of any transport of babelqueue, message by message."""

    def __init__(self, transport: Transport, queue: str) -> None:
        self._transport = transport
        self._queue = queue
        self._unacknowledged: list[ReceivedMessage] = []
        self._short = False

    def receive(self, most: int, timeout_seconds: float) -> list[bytes]:
        received = list(self._next(most, timeout_seconds))
        self._unacknowledged += received
        self._short = len(received) < most
        return [body_bytes(message) for message in received]

    def acknowledge(self) -> None:
        while self._unacknowledged:
            self._transport.ack(self._unacknowledged[0])
            del self._unacknowledged[0]

    def is_empty(self) -> bool:
        """Return whether the last batch was not full."""
        return self._short

    def close(self) -> None:
        """Do nothing: the transport belongs to the app."""

    def _next(self, most: int, timeout_seconds: float) -> Iterator[ReceivedMessage]:
        if isinstance(self._transport, BatchPopper):
            yield from self._transport.pop_batch(self._queue, most, timeout_seconds)
            return
        for _ in range(most):
            received = self._transport.pop(self._queue, timeout=timeout_seconds)
            if received is None:
                return
            yield received
