"""Summary of one run of a stream: its batches added up, and how it stands or ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from babelreg.errors import BabelregError
from babelreg.lake.ingest.summary import BatchHeld
from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.stream.stream_settings import StreamSettings
from babelreg.spark.platform.tables.batch_counts import BatchCounts, CountRow, added


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """One run of the stream ``settings``. ``run_id`` is a UUID; ``ended_at_utc`` is None while it runs.

    ``rows`` are the counts of its batches added up, ``last`` is the newest batch. ``new_batches`` are those that the
    tables did not have before. ``exceeded`` are the thresholds that
    a batch exceeded: with ``held``, nothing of that batch was written and ``rows`` does not count it. ``error`` says
    why the run failed; a held batch is no error.
    """

    settings: StreamSettings
    run_id: str
    started_at_utc: datetime
    ended_at_utc: datetime | None = None
    batches: int = 0
    new_batches: int = 0
    rows: tuple[CountRow, ...] = ()
    lost: int = 0
    last: StreamBatch | None = None
    last_at_utc: datetime | None = None
    exceeded: tuple[ExceededThreshold, ...] = ()
    held: bool = False
    error: str | None = None
    now_utc: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def counts(self) -> BatchCounts:
        """The batches of the run as one."""
        return BatchCounts(self.last.counts.application if self.last else "", 0, self.rows)

    @property
    def succeeded(self) -> bool:
        """True where the run exits with 0, or would if it ended now."""
        return self.error is None and not self.exceeded

    @property
    def seconds(self) -> float:
        """Duration of the run so far."""
        return ((self.ended_at_utc or self.now_utc) - self.started_at_utc).total_seconds()

    def with_batch(self, batch: StreamBatch, time: datetime) -> StreamSummary:
        """Return the summary with one more batch."""
        return replace(
            self,
            batches=self.batches + 1,
            new_batches=self.new_batches + bool(batch.counts.rows),
            rows=added(self.rows, batch.counts.rows),
            lost=self.lost + batch.lost_messages,
            last=batch,
            last_at_utc=time,
            exceeded=(*self.exceeded, *batch.counts.exceeded),
            now_utc=time,
        )

    def at(self, time: datetime) -> StreamSummary:
        """Return the summary as it is at ``time``, without another batch."""
        return replace(self, now_utc=time)

    def ended(self, time: datetime, error: BaseException | None) -> StreamSummary:
        """Return the summary of the run after its end."""
        ended = replace(self, ended_at_utc=time, now_utc=time)
        if isinstance(error, BatchHeld):
            return replace(ended, exceeded=error.exceeded, held=True)
        if error is None:
            return ended
        return replace(
            ended, error=error.message if isinstance(error, BabelregError) else str(error) or type(error).__name__
        )

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON; ``last_batch`` is a batch as ``spark stream --format json`` prints it."""
        counts, settings = self.counts, self.settings
        by_urn = counts.by_urn
        return {
            "source": str(settings.source),
            "to": settings.to,
            "at": settings.at,
            "checkpoint": settings.checkpoint,
            "batches": self.batches,
            "read": counts.read,
            "stored": counts.accepted,
            "duplicates": counts.duplicates,
            "quarantined": counts.quarantined,
            "tombstones": counts.empty,
            "lost": self.lost,
            "tables": dict(counts.tables),
            "reasons": dict(counts.reasons),
            "refused": {urn: dict(reasons) for urn, reasons in by_urn.refused.items()},
            "exceeded": [asdict(above) for above in self.exceeded],
            "held": self.held,
            "last_batch": self.last.as_json() if self.last else None,
            "run": self._run(),
        }

    def _run(self) -> Mapping[str, Any]:
        ended = self.ended_at_utc
        return {
            "command": "stream",
            "id": self.run_id,
            "started_at": self.started_at_utc.isoformat(timespec="milliseconds"),
            "ended_at": None if ended is None else ended.isoformat(timespec="milliseconds"),
            "seconds": round(self.seconds, 3),
            "succeeded": None if ended is None else self.succeeded,
            "error": self.error,
        }
