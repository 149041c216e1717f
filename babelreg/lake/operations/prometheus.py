"""Metrics of a run for Prometheus, as a file of the node exporter's textfile collector.

Gauges describe the last run. Counters of an ingest are those of the whole lake, so that no run is missed between two
scrapes and a lost file does no harm: each file goes on from the batch of the one before. Labels are bounded: URNs are
those of the registry, reasons are codes. ``lake`` keeps the files of several lakes apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelreg.lake.ingest.compaction import Compacted
from babelreg.lake.operations import ingest_totals
from babelreg.lake.operations.exposition import LabelledValues, MetricFamily, Sample, exposition, family, samples
from babelreg.lake.operations.ingest_totals import IngestTotals
from babelreg.lake.operations.message_metrics import by_label, by_result, refused_by_reason
from babelreg.lake.operations.run_record import RunRecord

_LAST_SUCCESS = "last_success_timestamp_seconds"


def metrics(run: RunRecord, previous: str = "") -> str:
    """Return the metrics of ``run``; ``previous`` is the content of the file that they replace.

    Raises InputError for a manifest that cannot be read.
    """
    prefix = f"babelreg_{run.command}"
    lake = str(run.lake.absolute())
    earlier = {
        name.removeprefix(f"{prefix}_"): [sample for sample in values if sample.labels.get("lake") == lake]
        for name, values in samples(previous).items()
    }
    families = [*_run(run, earlier), *_messages(run), *_compacted(run)]
    if run.command == "ingest":
        families += _totals(ingest_totals.followed(_earlier_totals(earlier), run.lake))
    return exposition(metric.labelled(f"{prefix}_", {"lake": lake}) for metric in families)


def _run(run: RunRecord, earlier: Mapping[str, Sequence[Sample]]) -> list[MetricFamily]:
    end = run.ended_at_utc.timestamp()
    last_success: LabelledValues = (
        [({}, end)] if run.succeeded else [({}, old.value) for old in earlier.get(_LAST_SUCCESS, ())]
    )
    return [
        family("last_run_timestamp_seconds", "When the last run ended, in Unix time.", end),
        family("last_run_success", "1 if the last run ended with exit code 0.", int(run.succeeded)),
        family(_LAST_SUCCESS, "When the last successful run ended, in Unix time.", last_success),
        family("last_run_duration_seconds", "How long the last run took.", run.seconds),
    ]


def _messages(run: RunRecord) -> list[MetricFamily]:
    summary = run.summary
    if summary is None:
        return []
    counts = by_result(summary.tables, summary.repeated, summary.refused)
    above = [({"scope": exceeded.scope}, float(exceeded.share.rstrip("%")) / 100) for exceeded in summary.exceeded]
    return [
        family("last_run_files", "Files read by the last run.", summary.files),
        family("last_run_messages", "Messages of the last run, by URN and result.", counts),
        family(
            "last_run_refused",
            "Quarantined messages of the last run, by URN and reason.",
            refused_by_reason(summary.refused),
        ),
        family("last_run_held", "1 if the last run held its batch back.", int(summary.held)),
        family("last_run_exceeded_ratio", "Quarantined share in the last run, where above its threshold.", above),
        family("set_aside_files", "Input files that are no longer read.", len(summary.set_aside)),
    ]


def _compacted(run: RunRecord) -> list[MetricFamily]:
    if not isinstance(run.result, Compacted):
        return []
    files, rows = (by_label("urn", counts) for counts in (run.result.files, run.result.rows))
    return [
        family("last_run_files", "Files that the last run merged, by table.", files),
        family("last_run_rows", "Rows in the files that the last run merged, by table.", rows),
    ]


def _totals(totals: IngestTotals) -> list[MetricFamily]:
    return [
        family("batches_total", "Batches of the lake, of any kind.", totals.batch, "counter"),
        family("read_total", "Messages read into the lake.", totals.read, "counter"),
        family("accepted_total", "Messages accepted into tables.", by_label("urn", totals.accepted), "counter"),
        family("duplicates_total", "Messages dropped as duplicates.", by_label("urn", totals.duplicates), "counter"),
        family("quarantined_total", "Messages quarantined.", by_label("reason", totals.quarantined), "counter"),
        family("quarantine_messages", "Messages in quarantine now.", totals.waiting),
    ]


def _earlier_totals(earlier: Mapping[str, Sequence[Sample]]) -> IngestTotals:
    """Return the totals that a file holds; none where one of them is missing."""

    def one(name: str) -> int | None:
        return next((int(sample.value) for sample in earlier.get(name, ())), None)

    def by(label: str, name: str) -> dict[str, int]:
        return {sample.labels.get(label, ""): int(sample.value) for sample in earlier.get(name, ())}

    batch, read, waiting = one("batches_total"), one("read_total"), one("quarantine_messages")
    if batch is None or read is None or waiting is None:
        return IngestTotals()
    return IngestTotals(
        batch,
        read,
        waiting,
        by("urn", "accepted_total"),
        by("urn", "duplicates_total"),
        by("reason", "quarantined_total"),
    )
