"""Sketch of recorded messages: for each name that was sent, its envelopes and its data; and what could not be read.

Like the sketches of values it is a commutative monoid. A message counts where a reader would have handled its envelope;
all others are counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from babelreg.analysis.sketch.text_detection import Detectors, is_writable
from babelreg.analysis.sketch.value_sketch import ValueSketch, inferable
from babelreg.contract.envelope import Envelope

MAX_MESSAGES = 10_000
"""Names of messages that are told apart."""

MAX_LABELS = 64
"""Queues, and languages, that are kept of the messages of one name."""

MAX_DAYS = 4_096
"""Days of creation that are kept of the messages of one name."""

_LONGEST_NAME = 200
_DAY_MS = 86_400_000
_LATEST_MS = 253_402_300_799_999
"""The end of the year 9999, in Unix milliseconds."""

_Key = TypeVar("_Key", int, str)


class MessageSketch:
    """Sketch of the messages of one name.

    ``first_ms`` and ``last_ms`` are the least and the greatest ``created_at`` in Unix milliseconds, None before any is
    known. ``days`` counts messages by their day in UTC, in days since 1970, ``queues`` and ``languages`` by label; each
    is None where there were too many.
    """

    __slots__ = ("count", "data", "days", "first_ms", "languages", "last_ms", "queues")

    def __init__(self, detectors: Detectors) -> None:
        self.count = 0
        self.first_ms: int | None = None
        self.last_ms: int | None = None
        self.days: Counter[int] | None = Counter()
        self.queues: Counter[str] | None = Counter()
        self.languages: Counter[str] | None = Counter()
        self.data: ValueSketch = inferable(detectors)

    def add(self, envelope: Envelope) -> None:
        """Add a message."""
        self.count += 1
        meta = envelope.meta
        created_at, day = meta.get("created_at"), 0
        if created_at is not None and 0 <= created_at <= _LATEST_MS:
            day = created_at // _DAY_MS
            self._add_times(created_at, created_at)
            if self.days is not None:
                self.days[day] += 1
                if len(self.days) > MAX_DAYS:
                    self.days = None
        if self.queues is not None and (queue := meta.get("queue")) is not None:
            self.queues = _counted(self.queues, queue)
        if self.languages is not None and (lang := meta.get("lang")) is not None:
            self.languages = _counted(self.languages, lang)
        self.data.add(envelope.data, day)

    def _add_times(self, first_ms: int | None, last_ms: int | None) -> None:
        if first_ms is not None and last_ms is not None:
            self.first_ms = first_ms if self.first_ms is None else min(self.first_ms, first_ms)
            self.last_ms = last_ms if self.last_ms is None else max(self.last_ms, last_ms)

    def merge(self, other: MessageSketch) -> None:
        """Add the messages of ``other``, which is not to be used any more."""
        self.count += other.count
        self._add_times(other.first_ms, other.last_ms)
        self.days = _merged(self.days, other.days, MAX_DAYS)
        self.queues = _merged(self.queues, other.queues, MAX_LABELS)
        self.languages = _merged(self.languages, other.languages, MAX_LABELS)
        self.data.merge(other.data)


class TrafficSketch:
    """Sketch of recorded messages.

    ``messages`` are the sketches by the name that was sent, a URN or another one. ``refused`` counts messages without a
    readable envelope by the code of ``contract.reason``; ``unnamed`` those whose name is longer than 200 characters
    or contains an unpaired surrogate.
    With more than 10,000 names ``messages`` is None, and ``total`` still counts all.
    """

    def __init__(self, detectors: Detectors) -> None:
        self.detectors = detectors
        self.messages: dict[str, MessageSketch] | None = {}
        self.refused: Counter[str] = Counter()
        self.unnamed = 0
        self.total = 0

    def add(self, envelope: Envelope) -> None:
        """Add a message whose envelope a reader handles."""
        self.total += 1
        name = envelope.urn
        sketch = self.messages.get(name) if self.messages is not None else None
        if sketch is not None:
            sketch.add(envelope)
        elif len(name) > _LONGEST_NAME or not is_writable(name):
            self.unnamed += 1
        elif self.messages is not None:
            sketch = self.messages[name] = MessageSketch(self.detectors)
            sketch.add(envelope)
            if len(self.messages) > MAX_MESSAGES:
                self.messages = None

    def refuse(self, reason: str) -> None:
        """Count a message whose envelope no reader handles."""
        self.total += 1
        self.refused[reason] += 1

    def merge(self, other: TrafficSketch) -> None:
        """Add the messages of ``other``, which is not to be used any more."""
        self.total += other.total
        self.unnamed += other.unnamed
        self.refused += other.refused
        if self.messages is None or other.messages is None:
            self.messages = None
            return
        for name, sketch in other.messages.items():
            if name in self.messages:
                self.messages[name].merge(sketch)
            else:
                self.messages[name] = sketch
        if len(self.messages) > MAX_MESSAGES:
            self.messages = None


def _counted(counts: Counter[str], label: str) -> Counter[str] | None:
    """Count ``label``; return None with too many of them, or one that is too long."""
    if label in counts:
        counts[label] += 1
        return counts
    if len(label) > _LONGEST_NAME or not is_writable(label) or len(counts) >= MAX_LABELS:
        return None
    counts[label] = 1
    return counts


def _merged(counts: Counter[_Key] | None, other: Mapping[_Key, int] | None, most: int) -> Counter[_Key] | None:
    if counts is None or other is None:
        return None
    counts.update(other)
    return counts if len(counts) <= most else None
