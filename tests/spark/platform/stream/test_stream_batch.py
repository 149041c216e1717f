"""The line and the JSON of a batch, and how far a stream is behind."""

from __future__ import annotations

from babelreg.cli.spark.stream_lines import batch_line
from babelreg.spark.platform.stream.kafka_admin import LostRange, lost_ranges
from babelreg.spark.platform.stream.stream_batch import StreamBatch, lag_of
from babelreg.spark.platform.tables.batch_counts import BatchCounts

URN = "urn:babel:orders:created"
COUNTS = BatchCounts(
    "app",
    7,
    (
        (URN, "accepted", None, 1_000),
        (URN, "duplicate", None, 2),
        (URN, "quarantined", "missing_required", 3),
        (None, "quarantined", "invalid_json", 4),
        (None, "empty", None, 1),
    ),
)


def test_a_batch_is_one_line() -> None:
    batch = StreamBatch(COUNTS, 2.0, {"t-0": 30, "t-1": 12}, (LostRange("t", 0, 5, 9),))
    assert batch_line(batch) == (
        "batch 7: 1,010 read = 1,000 stored + 2 duplicates + 7 quarantined + 1 tombstones"
        " (invalid_json 4, missing_required 3); 4 lost in Kafka | 505 messages/s, 42 behind"
    )


def test_a_batch_that_was_stored_before_says_so() -> None:
    assert "stored before" in batch_line(StreamBatch(BatchCounts("app", 7, repeated=True), 1.0))


def test_the_counts_of_a_batch_add_up_in_json() -> None:
    told = StreamBatch(COUNTS, 2.0, {"t-0": 30}).as_json()
    assert told["read"] == sum(told[name] for name in ("stored", "duplicates", "quarantined", "tombstones")) == 1_010
    assert told["lag"] == {"messages": 30, "partitions": {"t-0": 30}}
    assert told["tables"] == {URN: 1_000}


def test_lag_is_known_of_kafka_alone() -> None:
    kafka = {
        "description": "KafkaV2[Subscribe[t]]",
        "endOffset": {"t": {"0": 5}},
        "latestOffset": {"t": {"0": 7, "1": 2}},
    }
    files = {"description": "FileStreamSource[file:/in]", "endOffset": {"logOffset": 0}, "latestOffset": None}
    assert lag_of({"sources": [kafka]}) == {"t-0": 2, "t-1": 2}
    assert lag_of({"sources": [files, files]}) is None


def test_offsets_below_the_earliest_are_lost() -> None:
    wanted = {"t": {0: 5, 1: 8, 2: 3}, "u": {0: 1}}
    earliest = {"t": {0: 9, 1: 8}, "u": {0: 0}}
    assert lost_ranges(wanted, earliest) == [LostRange("t", 0, 5, 9)]
