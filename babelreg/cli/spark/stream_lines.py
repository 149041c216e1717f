"""Lines about the batches of ``babelreg spark stream``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.spark.platform.stream.stream_batch import StreamBatch
    from babelreg.spark.platform.stream.stream_settings import StreamSettings

__all__ = ["batch_line", "nothing_line"]


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
    lost = sum(item.end - item.start for item in batch.lost)
    text = f"batch {counts.batch}: {counts.read:,} read = {' + '.join(listed) or '0 stored'}"
    text += f" ({reasons})" if reasons else ""
    text += f"; {lost:,} lost in Kafka" if lost else ""
    return printable(f"{text} | {', '.join(rate)}")


def nothing_line(settings: StreamSettings) -> str:
    """Return the line of a run without a batch."""
    return printable(f"nothing new in {settings.source}")
