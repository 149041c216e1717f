"""Lines about the batches of ``babelreg spark stream``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from babelreg.cli.lake.summary import exceeded_lines
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.lake.ingest.summary import BatchHeld
    from babelreg.spark.platform.stream.stream_batch import StreamBatch
    from babelreg.spark.platform.stream.stream_settings import StreamSettings
    from babelreg.spark.platform.stream.stream_summary import StreamSummary


def batch_line(batch: StreamBatch) -> str:
    """Return the line of a batch: its counts, the reasons of quarantine, the rate, and what is still to be read."""
    counts = batch.counts
    if counts.repeated:
        return f"batch {counts.batch}: stored before, by a run that was killed"
    parts = {"stored": counts.accepted, "duplicates": counts.duplicates, "quarantined": counts.quarantined}
    listed = [f"{count:,} {name}" for name, count in (parts | {"tombstones": counts.empty}).items() if count]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in list(counts.reasons.items())[:3])
    rate = [f"{batch.messages_per_second:,.0f} messages/s"]
    if batch.lag is not None:
        rate.append(f"{sum(batch.lag.values()):,} behind")
    text = f"batch {counts.batch}: {counts.read:,} read = {' + '.join(listed) or '0 stored'}"
    text += f" ({reasons})" if reasons else ""
    text += f"; {batch.lost_messages:,} lost in Kafka" if batch.lost else ""
    return printable(f"{text} | {', '.join(rate)}")


def nothing_line(settings: StreamSettings) -> str:
    """Return the line of a run without a batch."""
    return printable(f"nothing new in {settings.source}")


def held_as_json(held: BatchHeld) -> dict[str, Any]:
    """Return the JSON of a batch that was not stored. Its number is that of the next batch that is."""
    return {"batch": None, "held": True, "exceeded": [asdict(above) for above in held.exceeded]}


def summary_lines(run: StreamSummary) -> list[str]:
    """Return the lines about a run: its batches as one, the last of them, and how it ended."""
    counts, settings = run.counts, run.settings
    parts = {"stored": counts.accepted, "duplicates": counts.duplicates, "quarantined": counts.quarantined}
    listed = [f"{count:,} {name}" for name, count in (parts | {"tombstones": counts.empty}).items() if count]
    batches = "1 batch" if run.batches == 1 else f"{run.batches:,} batches"
    lines = [
        f"{batches} of {settings.source} in {settings.to} tables at {settings.at}",
        f"{counts.read:,} read = {' + '.join(listed) or '0 stored'}",
        *([batch_line(run.last)] if run.last else []),
        *exceeded_lines(run.exceeded, held=run.held),
        *([f"failed: {run.error}"] if run.error else []),
        *(["the stream is running"] if run.ended_at_utc is None else []),
    ]
    return [printable(line) for line in lines]
