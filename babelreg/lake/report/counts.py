"""Message counts of an output folder, added up over its manifests.

An ingest reads messages; a redrive moves some of the quarantine to tables or among the duplicates; a compaction moves
rows from file to file and counts nothing. So over all batches ``read = accepted + duplicates + quarantined`` holds,
where ``quarantined`` counts the messages in quarantine now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from babelreg.errors import UsageError
from babelreg.lake.storage.log.manifest import Batch

_MOST_POINTS = 72


@dataclass(frozen=True, slots=True)
class CountPoint:
    """Counts of the batches ``first`` to ``last`` that read messages; ``refused`` is the number at that time."""

    first: int
    last: int
    read: int
    accepted: int
    duplicates: int
    refused: int
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableCount:
    """Counts of one URN: rows, and duplicates that were dropped."""

    rows: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class ReasonHistory:
    """Number of messages refused for a reason at their first validation, and the batches of these."""

    refused: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class MessageCounts:
    """The counts. ``batch`` is None for all batches together; ``points`` are at most 72, for a picture.

    ``landed_later`` of the messages that were refused at first have left the quarantine by a redrive.
    """

    batch: Batch | None
    batches: int
    read: int
    accepted: int
    duplicates: int
    quarantined: int
    landed_later: int
    tables: Mapping[str, TableCount]
    reasons: Mapping[str, ReasonHistory]
    points: tuple[CountPoint, ...]
    keeps_duplicates: bool

    @property
    def adds_up(self) -> bool:
        """True if every message that was read is in exactly one place."""
        return self.read == self.accepted + self.duplicates + self.quarantined


def of_all(batches: Iterable[Batch], count: int) -> MessageCounts:
    """Return the ledger of all ``count`` batches together, which are read one by one."""
    book = _CountBook(count)
    for batch in batches:
        book.add(batch)
    return book.ledger(None)


def of_batch(batches: Iterable[Batch], count: int, number: int) -> MessageCounts:
    """Return the ledger of batch ``number``, with the ``points`` of all. Raises UsageError if it read no messages."""
    every, alone = _CountBook(count), _CountBook(1)
    chosen, newest = None, 0
    for batch in batches:
        every.add(batch)
        if batch.kind != "compaction":
            newest = batch.number
            if batch.number == number:
                chosen = batch
                alone.add(replace(batch, kind="ingest"))
    if chosen is None:
        problem = "only compacted files, and read no messages" if 0 < number <= count else "does not exist"
        raise UsageError(
            f"batch {number} {problem}", fix=f"--batch {newest} is the newest" if newest else "ingest something first"
        )
    return replace(alone.ledger(chosen), batches=count, points=every.ledger(None).points)


class _CountBook:
    """Adds up batches, of which there may be many: what is kept grows with tables and reasons alone."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._together = max(1, -(-count // _MOST_POINTS))
        self._points: list[CountPoint] = []
        self._sums: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()
        self._repeated: Counter[str] = Counter()
        self._reasons: dict[str, ReasonHistory] = {}
        self._keeps = False

    def add(self, batch: Batch) -> None:
        """Count one more."""
        self._keeps = batch.keeps_duplicates
        if batch.kind == "compaction":
            return
        self._rows.update({urn: table.rows for urn, table in batch.tables.items()})
        self._repeated.update(batch.repeated)
        self._sums.update(accepted=batch.accepted, duplicates=batch.duplicates)
        if batch.kind == "redrive":
            self._sums.update(later=batch.accepted + batch.duplicates)
            return
        self._sums.update(read=batch.read, refused=batch.quarantined)
        for reason, count in batch.reasons.items():
            history = self._reasons.get(reason, ReasonHistory(0, batch.number, 0))
            self._reasons[reason] = ReasonHistory(history.refused + count, history.first, batch.number)
        point = _point(batch)
        if self._points and (batch.number - 1) // self._together == (self._points[-1].last - 1) // self._together:
            point = _sum(self._points.pop(), point)
        self._points.append(point)

    def ledger(self, batch: Batch | None) -> MessageCounts:
        """Return the counts of ``batch``, or of all batches."""
        return MessageCounts(
            batch=batch,
            batches=self._count,
            read=self._sums["read"],
            accepted=self._sums["accepted"],
            duplicates=self._sums["duplicates"],
            quarantined=self._sums["refused"] - self._sums["later"],
            landed_later=self._sums["later"],
            tables={
                urn: TableCount(self._rows[urn], self._repeated[urn]) for urn in sorted({*self._rows, *self._repeated})
            },
            reasons=self._reasons,
            points=tuple(self._points),
            keeps_duplicates=self._keeps,
        )


def _point(batch: Batch) -> CountPoint:
    number = batch.number
    return CountPoint(number, number, batch.read, batch.accepted, batch.duplicates, batch.quarantined, batch.reasons)


def _sum(older: CountPoint, newer: CountPoint) -> CountPoint:
    return CountPoint(
        older.first,
        newer.last,
        older.read + newer.read,
        older.accepted + newer.accepted,
        older.duplicates + newer.duplicates,
        older.refused + newer.refused,
        Counter(older.reasons) + Counter(newer.reasons),
    )
