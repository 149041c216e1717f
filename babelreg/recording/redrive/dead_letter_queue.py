"""The interface of queues of dead letters, from which messages are moved to other queues of the same broker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from babelreg.recording.redrive.dead_letter import DeadLetter

__all__ = ["DeadLetterQueue", "Move", "Publisher"]


class Move(NamedTuple):
    """A dead letter, the URN of its message, the ``body`` that is sent for it, and the queue that gets it."""

    letter: DeadLetter
    urn: str
    target: str
    body: bytes


class Publisher(Protocol):
    """A broker that messages are sent to. Raises the exceptions of its client."""

    def publish(self, target: str, bodies: Sequence[bytes]) -> None:
        """Return once the broker has all of ``bodies`` in the queue ``target``."""
        ...

    def missing(self, target: str) -> bool:
        """Return whether the broker can tell that it has no queue ``target``."""
        ...

    def close(self) -> None:
        """Close the connection. What was not moved is in its queue."""
        ...


class DeadLetterQueue(Publisher, Protocol):
    """The dead letters that were in a queue when it was opened. All methods raise the exceptions of the client."""

    def next(self, most: int) -> list[DeadLetter]:
        """Return the next dead letters, at most ``most``; none at the end."""
        ...

    def leave(self, letters: Sequence[DeadLetter]) -> None:
        """Leave ``letters`` of the last batch where they are."""
        ...

    def move(self, moves: Sequence[Move]) -> Iterator[Move]:
        """Send each message, wait until the broker has it, remove its dead letter, and yield it.

        Called once a batch, after :meth:`leave`. A dead letter that somebody else took meanwhile is not sent.
        """
        ...

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        """Remove ``letters`` of the last batch, which repeat ones that were moved. Called after :meth:`move`."""
        ...
