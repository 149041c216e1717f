"""What the manifests of an output folder say together: how many messages were read, and what became of them.

An ingest reads messages; a redrive moves some of the quarantine to tables or among the duplicates; a compaction moves
rows from file to file and counts nothing. So over all batches ``read = accepted + duplicates + quarantined`` holds,
with ``quarantined`` what is in quarantine now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from babelreg.errors import UsageError
from babelreg.spark.manifest import Batch

__all__ = ["Ledger", "Point", "ReasonHistory", "TableCount", "of_all", "of_batch", "points"]

_MOST_POINTS = 72


@dataclass(frozen=True, slots=True)
class Point:
    """What the batches ``first`` to ``last`` that read messages did together; ``refused`` as they refused then."""

    first: int
    last: int
    read: int
    accepted: int
    duplicates: int
    refused: int
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableCount:
    """What one URN got: rows, and duplicates that were dropped."""

    rows: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class ReasonHistory:
    """How often messages were refused for a reason when they were first judged, and in which batches."""

    refused: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """The counts. ``batch`` is None for all batches together.

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
    points: tuple[Point, ...]
    keeps_duplicates: bool

    @property
    def adds_up(self) -> bool:
        """Whether every message that was read is in exactly one place."""
        return self.read == self.accepted + self.duplicates + self.quarantined


def of_all(batches: Sequence[Batch]) -> Ledger:
    """The ledger of every batch together."""
    ingested = [batch for batch in batches if batch.kind == "ingest"]
    later = sum(batch.accepted + batch.duplicates for batch in batches if batch.kind == "redrive")
    return Ledger(
        batch=None,
        batches=len(batches),
        read=sum(batch.read for batch in ingested),
        accepted=sum(batch.accepted for batch in batches),
        duplicates=sum(batch.duplicates for batch in batches),
        quarantined=sum(batch.quarantined for batch in ingested) - later,
        landed_later=later,
        tables=_tables([batch for batch in batches if batch.kind != "compaction"]),
        reasons=_reasons(ingested),
        points=points(ingested),
        keeps_duplicates=bool(batches) and batches[0].keeps_duplicates,
    )


def of_batch(batches: Sequence[Batch], number: int) -> Ledger:
    """The ledger of batch ``number`` alone, with the ``points`` of all. Raises UsageError when it read no messages."""
    judged = [batch for batch in batches if batch.kind != "compaction"]
    batch = next((one for one in judged if one.number == number), None)
    if batch is None:
        what = "made few files of many, and read no messages" if 0 < number <= len(batches) else "is not there"
        newest = f"--batch {judged[-1].number} is the newest" if judged else "ingest something first"
        raise UsageError(f"batch {number} {what}", fix=newest)
    return Ledger(
        batch=batch,
        batches=len(batches),
        read=batch.read,
        accepted=batch.accepted,
        duplicates=batch.duplicates,
        quarantined=batch.quarantined,
        landed_later=0,
        tables=_tables([batch]),
        reasons=_reasons([batch]),
        points=points([one for one in batches if one.kind == "ingest"]),
        keeps_duplicates=batch.keeps_duplicates,
    )


def points(ingested: Sequence[Batch]) -> tuple[Point, ...]:
    """At most 72 points for a picture: each stands for as many batches that follow each other."""
    together = max(1, -(-len(ingested) // _MOST_POINTS))
    return tuple(_point(ingested[at : at + together]) for at in range(0, len(ingested), together))


def _point(batches: Sequence[Batch]) -> Point:
    reasons: Counter[str] = Counter()
    for batch in batches:
        reasons.update(batch.reasons)
    return Point(
        batches[0].number,
        batches[-1].number,
        sum(batch.read for batch in batches),
        sum(batch.accepted for batch in batches),
        sum(batch.duplicates for batch in batches),
        sum(batch.quarantined for batch in batches),
        reasons,
    )


def _tables(batches: Sequence[Batch]) -> dict[str, TableCount]:
    rows: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    for batch in batches:
        rows.update({urn: table.rows for urn, table in batch.tables.items()})
        repeated.update(batch.repeated)
    return {urn: TableCount(rows[urn], repeated[urn]) for urn in sorted({*rows, *repeated})}


def _reasons(batches: Sequence[Batch]) -> dict[str, ReasonHistory]:
    found: dict[str, ReasonHistory] = {}
    for batch in batches:
        for reason, count in batch.reasons.items():
            before = found.get(reason)
            found[reason] = ReasonHistory(
                count + (before.refused if before else 0), before.first if before else batch.number, batch.number
            )
    return found
