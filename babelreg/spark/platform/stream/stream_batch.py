"""One batch of a stream for people and programs: counts, rate, and how far the stream is behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from babelreg.spark.platform.stream.kafka_admin import LostRange
from babelreg.spark.platform.tables.batch_counts import BatchCounts

__all__ = ["StreamBatch", "lag_of"]


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """A finished batch. ``lag`` are messages still to be read, by partition; None where the source does not say.

    ``lost`` are messages that Kafka deleted before they were read.
    """

    counts: BatchCounts
    seconds: float
    lag: Mapping[str, int] | None = None
    lost: Sequence[LostRange] = field(default=())

    @property
    def messages_per_second(self) -> float:
        """The rate of the batch as a whole."""
        return self.counts.read / self.seconds if self.seconds else 0.0

    @property
    def lost_messages(self) -> int:
        """How many messages were lost."""
        return sum(item.end - item.start for item in self.lost)

    def as_json(self) -> dict[str, Any]:
        """Return the batch as JSON."""
        counts = self.counts
        result: dict[str, Any] = {
            "batch": counts.batch,
            "application": counts.application,
            "read": counts.read,
            "stored": counts.accepted,
            "duplicates": counts.duplicates,
            "quarantined": counts.quarantined,
            "tombstones": counts.empty,
            "repeated": counts.repeated,
            "tables": dict(counts.tables),
            "reasons": dict(counts.reasons),
            "held": False,
            "exceeded": [asdict(above) for above in counts.exceeded],
            "seconds": round(self.seconds, 3),
            "messages_per_second": round(self.messages_per_second, 1),
        }
        if self.lag is not None:
            result["lag"] = {"messages": sum(self.lag.values()), "partitions": dict(self.lag)}
        if self.lost:
            result["lost"] = [
                {"topic": item.topic, "partition": item.partition, "start": item.start, "end": item.end}
                for item in self.lost
            ]
        return result


def lag_of(progress: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the messages that are still to be read, by ``topic-partition``, from the progress of a query as JSON."""
    behind: dict[str, int] = {}
    named = False
    for source in progress["sources"]:
        if not str(source["description"]).startswith("KafkaV2"):
            continue
        named = True
        latest, end = source["latestOffset"] or {}, source["endOffset"] or {}
        for topic, partitions in latest.items():
            for number, offset in partitions.items():
                behind[f"{topic}-{number}"] = max(0, int(offset) - int(end.get(topic, {}).get(number, 0)))
    return behind if named else None
