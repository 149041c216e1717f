"""Metrics of a stream: gauges of the run and of its last batch, counters of the whole stream."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from babelreg.errors import InputError
from babelreg.lake.ingest.summary import BatchHeld
from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.lake.operations.exposition import samples
from babelreg.spark.platform.stream import stream_settings
from babelreg.spark.platform.stream.kafka_admin import LostRange
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.stream.stream_metrics import metrics
from babelreg.spark.platform.stream.stream_summary import StreamSummary
from babelreg.spark.platform.tables.batch_counts import BatchCounts, CountRow
from babelreg.spark.platform.tables.batch_totals import BatchTotals

A, B = "urn:babel:a:a", "urn:babel:b:b"
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
BEFORE = BatchTotals(7, ((A, "accepted", None, 1_000), (None, "quarantined", "poison", 10)))
ROWS: tuple[CountRow, ...] = (
    (A, "accepted", None, 100),
    (A, "duplicate", None, 2),
    (B, "quarantined", "below_minimum", 3),
    (None, "quarantined", "poison", 5),
    (None, "empty", None, 4),
)


def _summary() -> StreamSummary:
    place = "kafka://broker/orders", "delta", "/tables", "/checkpoint"
    return StreamSummary(stream_settings(*place), "id", START, now_utc=START)


def _batch(number: int, rows: tuple[CountRow, ...], lost: tuple[LostRange, ...] = ()) -> StreamBatch:
    return StreamBatch(BatchCounts("app", number, rows, repeated=not rows), 2.5, {"orders-0": 42}, lost)


def _values(text: str, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(value for key, value in sample.labels.items() if key != "checkpoint"): sample.value
        for sample in samples(text).get(f"babelreg_stream_{name}", ())
    }


def test_gauges_are_those_of_the_run_and_of_its_last_batch() -> None:
    run = _summary().with_batch(_batch(0, ()), START).with_batch(_batch(1, ROWS), START + timedelta(seconds=9))
    text = metrics(run, BEFORE)
    assert _values(text, "last_batch_messages") == {
        (A, "accepted"): 100,
        (A, "duplicate"): 2,
        (B, "quarantined"): 3,
        ("other", "quarantined"): 5,
    }
    assert _values(text, "last_batch_refused") == {(B, "below_minimum"): 3, ("other", "poison"): 5}
    assert _values(text, "last_batch_duration_seconds") == {(): 2.5}
    assert _values(text, "lag_messages") == {("orders-0",): 42}
    assert (_values(text, "running"), _values(text, "last_run_success")) == ({(): 1}, {(): 1})
    assert _values(text, "last_run_duration_seconds") == {(): 9}
    labels = {sample.labels["checkpoint"] for family in samples(text).values() for sample in family}
    assert labels == {"file:///checkpoint"}


def test_counters_go_on_from_what_the_tables_have() -> None:
    run = _summary().with_batch(_batch(8, ROWS), START).with_batch(_batch(9, ROWS), START)
    for text in (metrics(run, BEFORE), metrics(run.ended(START, None), BEFORE, metrics(run, BEFORE))):
        for name, values in {
            "batches_total": {(): 9},
            "read_total": {(): 1_010 + 2 * 114},
            "accepted_total": {(A,): 1_200},
            "duplicates_total": {(A,): 4},
            "quarantined_total": {("poison",): 20, ("below_minimum",): 6},
            "tombstones_total": {(): 8},
        }.items():
            assert _values(text, name) == values


def test_a_batch_that_a_killed_run_stored_counts_once() -> None:
    run = _summary().with_batch(_batch(7, ()), START)
    assert _values(metrics(run, BEFORE), "batches_total") == {(): 7}


def test_messages_lost_in_kafka_add_up_over_runs() -> None:
    lost = (LostRange("orders", 0, 10, 25),)
    first = metrics(_summary().with_batch(_batch(0, ROWS, lost), START), BatchTotals())
    assert _values(metrics(_summary().with_batch(_batch(1, ROWS, lost), START), BEFORE, first), "lost_total") == {
        (): 30
    }


def test_a_run_that_fails_before_the_first_batch_keeps_the_counters() -> None:
    good = metrics(_summary().with_batch(_batch(0, ROWS), START).ended(START, None), BEFORE)
    later = START + timedelta(hours=1)
    failed = metrics(_summary().ended(later, InputError("no such topic", fix="create it")), None, good)
    for name in ("read_total", "accepted_total", "last_success_timestamp_seconds"):
        assert _values(failed, name) == _values(good, name) != {}
    assert (_values(failed, "last_run_success"), _values(failed, "running")) == ({(): 0}, {(): 0})
    assert _values(failed, "last_run_timestamp_seconds") == {(): later.timestamp()}


def test_the_file_of_another_stream_is_of_no_use() -> None:
    other = metrics(_summary().with_batch(_batch(0, ROWS), START), BEFORE).replace("/checkpoint", "/elsewhere")
    assert metrics(_summary().at(START), BatchTotals(), other) == metrics(_summary().at(START), BatchTotals())


def test_a_held_batch_is_a_failed_run_with_its_share() -> None:
    above = ExceededThreshold("total", "5%", "8.25%", 110, 9, {"poison": 9})
    text = metrics(_summary().ended(START, BatchHeld([above])), BEFORE)
    assert _values(text, "last_run_held") == {(): 1}
    assert _values(text, "last_run_success") == {(): 0}
    assert _values(text, "last_run_exceeded_ratio") == {("total",): 0.083}
