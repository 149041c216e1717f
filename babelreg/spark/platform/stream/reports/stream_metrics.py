"""Metrics of a stream for Prometheus, as a file of the node exporter's textfile collector.

Counters are those of the whole stream, of all runs with its checkpoint: they begin with what the tables say was stored
before. ``checkpoint`` keeps the files of several streams apart. Labels are bounded: URNs are those of the registry,
reasons are codes, partitions those of the topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from babelreg.spark.operations.exposition import MetricFamily, Sample, exposition, samples
from babelreg.spark.platform.stream.reports.stream_summary import StreamSummary
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.tables.batch.batch_counts import BatchCounts, added
from babelreg.spark.platform.tables.batch.batch_totals import BatchTotals

__all__ = ["metrics"]

_PREFIX = "babelreg_stream_"
_LAST_SUCCESS, _LOST = "last_success_timestamp_seconds", "lost_total"
_Values = Iterable[tuple[Mapping[str, str], float]]


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
    return exposition(_named(family, checkpoint) for family in families)


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


def _named(family: MetricFamily, checkpoint: str) -> MetricFamily:
    labelled = tuple(Sample({"checkpoint": checkpoint, **sample.labels}, sample.value) for sample in family.samples)
    return MetricFamily(f"{_PREFIX}{family.name}", family.type, family.help, labelled)


def _family(
    name: str, help_: str, values: _Values | float, type_: Literal["counter", "gauge"] = "gauge"
) -> MetricFamily:
    listed = [({}, values)] if isinstance(values, (int, float)) else values
    return MetricFamily(name, type_, help_, tuple(Sample(labels, value) for labels, value in listed))


def _run(run: StreamSummary, earlier: Mapping[str, _Values]) -> list[MetricFamily]:
    now = (run.ended_at_utc or run.now_utc).timestamp()
    success: _Values = earlier.get(_LAST_SUCCESS, [])
    if run.succeeded and run.ended_at_utc:
        success = [({}, now)]
    elif run.last_at_utc and not (run.last and run.last.counts.exceeded):
        success = [({}, run.last_at_utc.timestamp())]
    above = [({"scope": item.scope}, float(item.share.rstrip("%")) / 100) for item in run.exceeded]
    return [
        _family("last_run_timestamp_seconds", "When the stream last ran, in Unix time.", now),
        _family("last_run_success", "0 if the last run ended with another exit code than 0.", int(run.succeeded)),
        _family(_LAST_SUCCESS, "When the last batch was stored or a run ended well, in Unix time.", success),
        _family("last_run_duration_seconds", "How long the last run took, or has run.", run.seconds),
        _family("running", "1 while the stream runs.", int(run.ended_at_utc is None)),
        _family("last_run_held", "1 if the last run held a batch back.", int(run.held)),
        _family("last_run_exceeded_ratio", "Quarantined share in the last run, where above its threshold.", above),
    ]


def _batch(batch: StreamBatch) -> list[MetricFamily]:
    counts = batch.counts.by_urn
    results = {"accepted": counts.accepted, "duplicate": counts.duplicates}
    messages = [
        ({"urn": urn, "result": result}, rows) for result, urns in results.items() for urn, rows in sorted(urns.items())
    ]
    refused = [
        ({"urn": urn, "reason": reason}, count)
        for urn, reasons in sorted(counts.refused.items())
        for reason, count in sorted(reasons.items())
    ]
    messages += [
        ({"urn": urn, "result": "quarantined"}, sum(of.values())) for urn, of in sorted(counts.refused.items())
    ]
    lag = [({"partition": partition}, behind) for partition, behind in sorted((batch.lag or {}).items())]
    return [
        _family("last_batch_duration_seconds", "How long the last batch took.", batch.seconds),
        _family("last_batch_messages", "Messages of the last batch, by URN and result.", messages),
        _family("last_batch_refused", "Quarantined messages of the last batch, by URN and reason.", refused),
        _family("lag_messages", "Messages that the last batch left to be read, by partition.", lag),
    ]


def _counters(run: StreamSummary, before: BatchTotals | None, earlier: Mapping[str, _Values]) -> list[MetricFamily]:
    lost = sum(value for _, value in earlier.get(_LOST, ())) + run.lost
    if before is None:
        kept: Mapping[str, _Values] = earlier
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
    families = [_family(name, text, kept.get(name, ()), "counter") for name, text in helps.items()]
    return [*families, _family(_LOST, "Messages that Kafka deleted before they were read.", lost, "counter")]


def _totals(counts: BatchCounts, batches: int) -> Mapping[str, _Values]:
    by_urn = counts.by_urn

    def by(label: str, values: Mapping[str, int]) -> _Values:
        return [({label: key}, count) for key, count in sorted(values.items())]

    return {
        "batches_total": [({}, batches)],
        "read_total": [({}, counts.read)],
        "accepted_total": by("urn", by_urn.accepted),
        "duplicates_total": by("urn", by_urn.duplicates),
        "quarantined_total": by("reason", counts.reasons),
        "tombstones_total": [({}, counts.empty)],
    }
