"""Counts of one batch, by URN and outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from babelreg.lake.ingest.thresholds import OTHER, ExceededThreshold, UrnCounts

CountRow = tuple[str | None, str, str | None, int]
"""URN, outcome, reason, messages: a row of the table of counts, less the batch."""


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """Counts of a batch: ``read == accepted + duplicates + quarantined + empty``.

    ``rows`` are those of the table of counts. ``repeated`` is True for a batch that was finished before. ``exceeded``
    are the ``fail_above`` thresholds that the batch exceeds.
    """

    application: str
    batch: int
    rows: tuple[CountRow, ...] = ()
    repeated: bool = False
    exceeded: tuple[ExceededThreshold, ...] = ()

    @property
    def read(self) -> int:
        """All messages."""
        return sum(row[3] for row in self.rows)

    @property
    def accepted(self) -> int:
        """Messages in tables."""
        return self._of("accepted")

    @property
    def duplicates(self) -> int:
        """Messages that an earlier one repeats."""
        return self._of("duplicate")

    @property
    def quarantined(self) -> int:
        """Messages in quarantine."""
        return self._of("quarantined")

    @property
    def empty(self) -> int:
        """Rows without a body, as Kafka's tombstones."""
        return self._of("empty")

    @property
    def tables(self) -> Mapping[str, int]:
        """New rows by URN."""
        return {urn: count for urn, outcome, _, count in self.rows if outcome == "accepted" and urn is not None}

    @property
    def reasons(self) -> Mapping[str, int]:
        """Quarantined messages by reason, the most frequent first."""
        return _sum((reason or "", count) for _, outcome, reason, count in self.rows if outcome == "quarantined")

    @property
    def by_urn(self) -> UrnCounts:
        """The messages by URN, as thresholds compare them."""
        return urn_counts(self.rows)

    def _of(self, outcome: str) -> int:
        return sum(row[3] for row in self.rows if row[1] == outcome)


def added(rows: Iterable[CountRow], more: Iterable[CountRow]) -> tuple[CountRow, ...]:
    """Return the counts of two sets of batches as one."""
    total: dict[tuple[str | None, str, str | None], int] = {}
    for urn, outcome, reason, count in (*rows, *more):
        key = (urn, outcome, reason)
        total[key] = total.get(key, 0) + count
    return tuple((*key, count) for key, count in total.items())


def urn_counts(rows: Iterable[CountRow]) -> UrnCounts:
    """Return the messages in ``rows`` by URN; empty ones are none."""
    accepted: dict[str, int] = {}
    duplicates: dict[str, int] = {}
    refused: dict[str, dict[str, int]] = {}
    for urn, outcome, reason, count in rows:
        if outcome == "quarantined":
            reasons = refused.setdefault(urn or OTHER, {})
            reasons[reason or ""] = reasons.get(reason or "", 0) + count
        elif urn is not None:
            counts = duplicates if outcome == "duplicate" else accepted
            counts[urn] = counts.get(urn, 0) + count
    return UrnCounts(accepted, duplicates, refused)


def _sum(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for key, count in pairs:
        total[key] = total.get(key, 0) + count
    return dict(sorted(total.items(), key=lambda pair: (-pair[1], pair[0])))
