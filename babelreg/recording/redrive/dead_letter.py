"""Dead letters, the interface of their queues, and the message that is sent again for one.

The message is the one that was dead-lettered: ``babelqueue.redrive`` defines that ``dead_letter`` is removed and
``attempts`` is 0 again, and that all else stays. There the envelope is decoded and encoded; here the two members are
edited in the text, so that every other byte stays as its producer wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson

from babelreg.contract import Envelope, Verdict
from babelreg.contract.envelope_edit import with_members
from babelreg.runtime.recording.queue_source import is_dead_letter_queue

__all__ = [
    *("DeadLetter", "DeadLetterQueue", "Move", "Publisher", "Selection"),
    *("block_of", "original_queue", "reasons_of", "redriven_body"),
]

_DETAIL = re.compile(r"([a-z][a-z0-9_]*)(?::|$)")


class DeadLetter(NamedTuple):
    """A message as it lies in a queue of dead letters; ``handle`` is for that queue alone."""

    body: bytes
    handle: Any


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


@dataclass(frozen=True, slots=True)
class Selection:
    """Filter of dead letters: any of ``reasons`` and any of ``urns``; an empty set selects all."""

    reasons: frozenset[str] = frozenset()
    urns: frozenset[str] = frozenset()

    def matches(self, reasons: tuple[str, ...], urn: str | None) -> bool:
        """Return whether a dead letter with these reasons is selected."""
        return (not self.reasons or not self.reasons.isdisjoint(reasons)) and (not self.urns or urn in self.urns)


def block_of(letter: DeadLetter, verdict: Verdict) -> dict[str, Any]:
    """Return the ``dead_letter`` block, also of a record around a poison body; empty where there is none."""
    if verdict.envelope is not None:
        block: Any = verdict.envelope.dead_letter
    else:
        try:
            block = orjson.loads(letter.body)["dead_letter"]
        except (ValueError, TypeError, LookupError):
            block = None
    return block if isinstance(block, dict) else {}


def reasons_of(block: dict[str, Any]) -> tuple[str, ...]:
    """Return why a message was dead-lettered: failed, unknown_urn or poison, and the code that opens ``error``."""
    reason, error = block.get("reason"), block.get("error")
    detail = _DETAIL.match(error) if isinstance(error, str) else None
    return tuple(text for text in (reason, detail[1] if detail else None) if isinstance(text, str))


def original_queue(block: dict[str, Any], declared: Collection[str], source: str) -> str | None:
    """Return the queue that a dead letter came from, or None where that cannot be trusted.

    A producer of another SDK decides on ``original_queue``. So it counts where it is one of the queues that the
    registry declares for the URN, or the one that the name of the ``source`` is made of: ``orders`` of ``orders.dlq``.
    """
    named = block.get("original_queue")
    if not isinstance(named, str) or not named or named == source:
        return None
    derived = is_dead_letter_queue(source) and source in (f"{named}.dlq", f"{named}-dlq", f"{named}-dlq.fifo")
    return named if derived or named in declared else None


def redriven_body(body: bytes, envelope: Envelope) -> bytes:
    """Return the bytes to send for the valid message ``body``: without ``dead_letter``, and with 0 ``attempts``."""
    members: dict[str, Any] = {} if envelope.attempts == 0 else {"attempts": 0}
    if not members and "dead_letter" not in envelope.document:
        return body
    return with_members(body.decode("utf-8"), members, {"dead_letter"}).encode("utf-8")
