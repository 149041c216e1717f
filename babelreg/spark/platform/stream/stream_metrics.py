"""Metrics of a stream for Prometheus, as a file of the node exporter's textfile collector.

Counters are those of the whole stream, of all runs with its checkpoint: they begin with what the tables say was stored
before. ``checkpoint`` keeps the files of several streams apart. Labels are bounded: URNs are those of the registry,
reasons are codes, partitions those of the topics.
"""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.lake.operations.exposition import LabelledValues, MetricFamily, Sample, exposition, family, samples
from babelreg.lake.operations.message_metrics import by_label, by_result, refused_by_reason
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.stream.stream_summary import StreamSummary
from babelreg.spark.platform.tables.batch_counts import BatchCounts, added
from babelreg.spark.platform.tables.batch_totals import BatchTotals

_PREFIX = "babelreg_stream_"
_LAST_SUCCESS, _LOST = "last_success_timestamp_seconds", "lost_total"


def metrics(run: StreamSummary, before: BatchTotals | None, previous: str = "") -> str:
    """Return the metrics of ``run``; ``previous`` is the content of the file that the run found.

    ``before`` are the counts that the tables had when the run began. A run that failed before it could read them has
    none, and keeps the counters of ``previous``.
    """
    checkpoint = run.settings.checkpoint
    earlier = {
        name.removeprefix(_PREFIX): [({**sample.labels}, sample.value) for sample in values]
        for name, values in _of(samples(previous), checkpoint).items()
    }
    families = [*_run(run, earlier), *(_batch(run.last) if run.last else []), *_counters(run, before, earlier)]
    return exposition(metric.labelled(_PREFIX, {"checkpoint": checkpoint}) for metric in families)


def _of(by_name: Mapping[str, list[Sample]], checkpoint: str) -> dict[str, list[Sample]]:
    """Return the samples of one stream, without its label."""
    return {
        name: [
            Sample({key: label for key, label in sample.labels.items() if key != "checkpoint"}, sample.value)
            for sample in values
            if sample.labels.get("checkpoint") == checkpoint
        ]
        for name, values in by_name.items()
    }


def _run(run: StreamSummary, earlier: Mapping[str, LabelledValues]) -> list[MetricFamily]:
    now = (run.ended_at_utc or run.now_utc).timestamp()
    success: LabelledValues = earlier.get(_LAST_SUCCESS, [])
    if run.succeeded and run.ended_at_utc:
        success = [({}, now)]
    elif run.last_at_utc and not (run.last and run.last.counts.exceeded):
        success = [({}, run.last_at_utc.timestamp())]
    above = [({"scope": item.scope}, float(item.share.rstrip("%")) / 100) for item in run.exceeded]
    return [
        family("last_run_timestamp_seconds", "When the stream last ran, in Unix time.", now),
        family("last_run_success", "0 if the last run ended with another exit code than 0.", int(run.succeeded)),
        family(_LAST_SUCCESS, "When the last batch was stored or a run ended well, in Unix time.", success),
        family("last_run_duration_seconds", "How long the last run took, or has run.", run.seconds),
        family("running", "1 while the stream runs.", int(run.ended_at_utc is None)),
        family("last_run_held", "1 if the last run held a batch back.", int(run.held)),
        family("last_run_exceeded_ratio", "Quarantined share in the last run, where above its threshold.", above),
    ]


def _batch(batch: StreamBatch) -> list[MetricFamily]:
    counts = batch.counts.by_urn
    messages = by_result(counts.accepted, counts.duplicates, counts.refused)
    lag = by_label("partition", batch.lag or {})
    return [
        family("last_batch_duration_seconds", "How long the last batch took.", batch.seconds),
        family("last_batch_messages", "Messages of the last batch, by URN and result.", messages),
        family(
            "last_batch_refused",
            "Quarantined messages of the last batch, by URN and reason.",
            refused_by_reason(counts.refused),
        ),
        family("lag_messages", "Messages that the last batch left to be read, by partition.", lag),
    ]


def _counters(
    run: StreamSummary, before: BatchTotals | None, earlier: Mapping[str, LabelledValues]
) -> list[MetricFamily]:
    lost = sum(value for _, value in earlier.get(_LOST, ())) + run.lost
    if before is None:
        kept: Mapping[str, LabelledValues] = earlier
    else:
        # A batch that the tables had before is not new: a run that was killed stored it.
        kept = _totals(BatchCounts("", 0, added(before.rows, run.rows)), before.batches + run.new_batches)
    helps = {
        "batches_total": "Batches of the stream.",
        "read_total": "Messages read, tombstones included.",
        "accepted_total": "Messages accepted into tables.",
        "duplicates_total": "Messages dropped as duplicates.",
        "quarantined_total": "Messages quarantined.",
        "tombstones_total": "Records without a value.",
    }
    families = [family(name, text, kept.get(name, ()), "counter") for name, text in helps.items()]
    return [*families, family(_LOST, "Messages that Kafka deleted before they were read.", lost, "counter")]


def _totals(counts: BatchCounts, batches: int) -> Mapping[str, LabelledValues]:
    by_urn = counts.by_urn
    return {
        "batches_total": [({}, batches)],
        "read_total": [({}, counts.read)],
        "accepted_total": by_label("urn", by_urn.accepted),
        "duplicates_total": by_label("urn", by_urn.duplicates),
        "quarantined_total": by_label("reason", counts.reasons),
        "tombstones_total": [({}, counts.empty)],
    }
