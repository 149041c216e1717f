"""Totals of all batches of a lake, added up batch by batch from the manifests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from babelreg.lake.storage.log import manifest


@dataclass(frozen=True, slots=True)
class IngestTotals:
    """Messages of all ingests up to ``batch``. ``waiting`` of the quarantined ones are still in quarantine."""

    batch: int = 0
    read: int = 0
    waiting: int = 0
    accepted: Mapping[str, int] = field(default_factory=dict)
    duplicates: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)


def followed(earlier: IngestTotals, lake: Path) -> IngestTotals:
    """Return ``earlier`` and the batches after it. Totals of more batches than the lake has start anew.

    Raises InputError for a manifest that cannot be read.
    """
    newest = manifest.listing(lake).newest
    base = earlier if earlier.batch <= newest else IngestTotals()
    number, read, waiting = base.batch, base.read, base.waiting
    accepted, duplicates, quarantined = Counter(base.accepted), Counter(base.duplicates), Counter(base.quarantined)
    for batch in manifest.batches(lake, base.batch):
        number = batch.number
        if batch.kind == "redrive":
            waiting -= batch.accepted + batch.duplicates
        if batch.kind != "ingest":
            continue
        read += batch.read
        waiting += batch.quarantined
        accepted.update({urn: table.rows for urn, table in batch.tables.items()})
        duplicates.update(batch.repeated)
        quarantined.update(batch.reasons)
    return IngestTotals(number, read, waiting, accepted, duplicates, quarantined)
