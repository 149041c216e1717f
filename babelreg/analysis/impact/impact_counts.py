"""Counts of messages by the verdicts of two registries: a commutative monoid of bounded size.

Every key is a URN that a registry declares, a language, a queue that a registry names, a reason, a finding or a place
in a schema, so that memory does not grow with the messages and no text of a message is a key.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Sender(NamedTuple):
    """Sender of messages as envelopes name it; None for a language, or a queue, that no registry knows."""

    lang: str | None
    queue: str | None


class Cell(NamedTuple):
    """Messages of one URN, sender and pair of verdicts; a verdict is a reason, or None for a valid message.

    ``urn`` is empty where no registry declares it or the envelope could not be read.
    """

    urn: str
    producer: Sender
    before: str | None
    after: str | None


class UnexplainedPlace(NamedTuple):
    """A keyword of the present registry that refuses messages without a finding about it.

    It is at ``pointer`` of the file ``path``; both are empty where the whole message is refused. ``undeclared``: the
    messages have what no producer may send by the published registry, such as properties that it does not declare, so
    that ``breaking`` does not foresee them.
    """

    urn: str
    path: str
    pointer: str
    keyword: str
    undeclared: bool = False


class Rescue(NamedTuple):
    """Messages of one URN that were refused for ``reason`` and are no longer."""

    urn: str
    reason: str


Group = int | UnexplainedPlace | Rescue
"""Messages that are told together: those of the finding of this number, of a place, or of a rescue."""


@dataclass
class RefusedMessage:
    """One message of a group, with the pointer to the value that is refused. Its values are not masked yet."""

    time_ms: int
    document: dict[str, Any]
    pointer: str

    def is_before(self, other: RefusedMessage) -> bool:
        """Return True where ``other`` is the newer one; of two of one instant, by their content."""
        if self.time_ms != other.time_ms:
            return self.time_ms < other.time_ms
        return (repr(self.document), self.pointer) < (repr(other.document), other.pointer)


@dataclass
class GroupCounts:
    """Messages of a group by sender, the first and the newest instant among them, and the newest message."""

    producers: Counter[Sender] = field(default_factory=Counter)
    first_ms: int | None = None
    newest_ms: int | None = None
    sample: RefusedMessage | None = None

    @property
    def count(self) -> int:
        """The number of messages."""
        return self.producers.total()

    def add(self, producer: Sender, time_ms: int | None, sample: RefusedMessage) -> None:
        """Add a message."""
        self.producers[producer] += 1
        self._add_time(time_ms, time_ms)
        if self.sample is None or self.sample.is_before(sample):
            self.sample = sample

    def merge(self, other: GroupCounts) -> None:
        """Add the messages of ``other``."""
        self.producers += other.producers
        self._add_time(other.first_ms, other.newest_ms)
        if self.sample is None or (other.sample is not None and self.sample.is_before(other.sample)):
            self.sample = other.sample

    def _add_time(self, first_ms: int | None, newest_ms: int | None) -> None:
        self.first_ms = least(self.first_ms, first_ms)
        self.newest_ms = greatest(self.newest_ms, newest_ms)


@dataclass
class ImpactCounts:
    """Messages by URN, sender and verdicts, and those of each group.

    ``earlier`` and ``later`` messages than the window are in no other count. ``undated`` ones are. ``hurt`` are the
    messages by URN that were good and are refused by what no waiver accepts. ``held`` counts, by the number of an
    expectation, the messages that satisfy it; ``expected`` those that could.
    """

    earlier: int = 0
    later: int = 0
    undated: int = 0
    first_ms: int | None = None
    newest_ms: int | None = None
    cells: Counter[Cell] = field(default_factory=Counter)
    groups: dict[Group, GroupCounts] = field(default_factory=dict)
    hurt: Counter[str] = field(default_factory=Counter)
    held: Counter[int] = field(default_factory=Counter)
    expected: Counter[int] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """The number of messages in the window."""
        return self.cells.total()

    def group(self, key: Group) -> GroupCounts:
        """Return the counts of a group."""
        return self.groups.setdefault(key, GroupCounts())

    def merge(self, other: ImpactCounts) -> None:
        """Add the messages of ``other``, which is not to be used any more."""
        self.earlier += other.earlier
        self.later += other.later
        self.undated += other.undated
        self.first_ms = least(self.first_ms, other.first_ms)
        self.newest_ms = greatest(self.newest_ms, other.newest_ms)
        for mine, others in ((self.cells, other.cells), (self.hurt, other.hurt)):
            mine.update(others)  # type: ignore[arg-type]
        self.held.update(other.held)
        self.expected.update(other.expected)
        for key, counts in other.groups.items():
            self.group(key).merge(counts)


def least(one: int | None, other: int | None) -> int | None:
    """Return the lesser of two numbers, the known one where only one is known."""
    return other if one is None else one if other is None else min(one, other)


def greatest(one: int | None, other: int | None) -> int | None:
    """Return the greater of two numbers, the known one where only one is known."""
    return other if one is None else one if other is None else max(one, other)
