"""Sketches through engines and of lakes: the same bytes as one pass over the messages, and the same refusals."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from inferred import envelope

from babelreg.analysis.infer.refusals import DataRefusals
from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.errors import InputError, UsageError
from babelreg.lake import ingest
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.traffic import splits as traffic_splits
from babelreg.lake.traffic.detection import detectors
from babelreg.lake.traffic.run import RecordedTraffic, read_traffic
from babelreg.model.wire_mapping import wire_mapping
from babelreg.sources import recording_splits
from babelreg.wire.length_frames import frame
from babelreg.wire.message_headers import pack

URN = "urn:babel:a:b"
SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "kind": {"enum": ["x"]}}}


def data(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    more = {chance.choice("abcdefgh"): chance.choice([None, True, -1, 1.5, [], [{"z": 1}], "ada@example.com"])}
    return {"id": number, "kind": chance.choice(["paid", "new", "x"]), "at": "2026-11-20T09:30:00Z", **more}


def bodies(count: int, start: int = 0) -> list[bytes]:
    return [envelope(number, data(number)) for number in range(start, start + count)]


DAMAGE = [b"{", b"\xff\xfe", b"[]", b'{"job": "urn:babel:a:b"}', b"[" * 3000, envelope(9, {"id": "text"})]


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.jsonl").write_bytes(b"\n".join([*bodies(60, 100 * number), *DAMAGE]) + b"\n")
    (folder / "4.jsonl.gz").write_bytes(gzip.compress(b"\n".join(bodies(30, 500))))
    (folder / "5.frames").write_bytes(b"".join(map(frame, bodies(40, 600))))
    return folder


@pytest.fixture
def small_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_splits, "_MIN_SPLIT_BYTES", 2_000)
    monkeypatch.setattr(traffic_splits, "_PARALLEL_BYTES", 0)


def saved(recorded: RecordedTraffic) -> bytes:
    return sketch_file.encode(recorded.traffic, hides_rare=True)


def test_processes_give_the_bytes_of_one_pass(recordings, small_splits, monkeypatch, make_registry):
    registry = make_registry({URN: SCHEMA})
    refusals = [DataRefusals(registry), DataRefusals(registry)]
    with LocalEngine(1) as alone, LocalEngine(3) as engine:
        monkeypatch.setattr(traffic_splits, "_PARALLEL_BYTES", 2**60)
        plain = read_traffic(alone, [recordings], refusals[0])
        monkeypatch.setattr(traffic_splits, "_PARALLEL_BYTES", 0)
        monkeypatch.setattr("babelreg.lake.engine.local_engine._WORKER_BYTES", 1)
        shared = read_traffic(engine, [recordings], refusals[1])
        assert engine.tasks > 6
    assert saved(shared) == saved(plain)
    assert shared.traffic.total == 4 * 66 + 30 + 40
    assert dict(shared.traffic.refused) == {
        "invalid_json": 4, "invalid_utf8": 4, "root_not_an_object": 4, "missing_meta": 4, "too_deep": 4,
    }  # fmt: skip
    counts = [{key: way.count for key, way in each.counts.ways.items()} for each in refusals]
    assert counts[0] == counts[1]
    assert sum(counts[0].values()) > 100


@pytest.mark.spark
def test_tasks_of_spark_give_the_bytes_of_one_pass(recordings, small_splits, spark, monkeypatch, make_registry):
    from babelreg.spark.engine.spark_engine import SparkEngine

    refusals = DataRefusals(make_registry({URN: SCHEMA}))
    in_spark = read_traffic(SparkEngine(spark), [recordings], refusals)
    monkeypatch.setattr(traffic_splits, "_PARALLEL_BYTES", 2**60)
    plain = read_traffic(LocalEngine(1), [recordings])
    assert saved(in_spark) == saved(plain)
    assert sum(way.count for way in refusals.counts.ways.values()) > 100


def test_a_lake_gives_the_messages_that_it_took_in(recordings, make_registry, tmp_path):
    """Its rows and its quarantine: all but the duplicates."""
    registry = make_registry({URN: {**SCHEMA, "properties": {"id": {"type": "integer"}}}})
    ingest("local", registry, recordings, tmp_path / "lake", publish=None)
    with LocalEngine(1) as engine:
        of_lake = read_traffic(engine, [tmp_path / "lake"])
        (recordings / "again.jsonl").write_bytes(b"\n".join(bodies(60)))
        ingest("local", registry, recordings, tmp_path / "lake", publish=None)
        assert saved(read_traffic(engine, [tmp_path / "lake"])) == saved(of_lake)  # duplicates are not stored
        (recordings / "again.jsonl").unlink()
        plain = read_traffic(engine, [recordings])
    assert of_lake.lakes == [tmp_path / "lake"]
    assert of_lake.traffic.total == 4 * 66 + 30 + 40
    assert saved(of_lake) == saved(plain)


def test_a_damaged_file_of_a_lake_is_told_and_the_others_are_read(recordings, make_registry, tmp_path):
    ingest("local", make_registry({URN: SCHEMA}), recordings, tmp_path / "lake", publish=None)
    path = next((tmp_path / "lake/quarantine").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-40])
    with LocalEngine(1) as engine:
        recorded = read_traffic(engine, [tmp_path / "lake"])
    (error,) = recorded.damaged
    assert str(path) in error.message
    assert recorded.traffic.total > 0
    assert not recorded.traffic.refused


def test_the_errors_of_tasks_name_the_files_and_the_rest_counts(recordings, small_splits, monkeypatch):
    (recordings / "4.jsonl.gz").write_bytes((recordings / "4.jsonl.gz").read_bytes()[:-20])
    monkeypatch.setattr("babelreg.lake.engine.local_engine._WORKER_BYTES", 1)
    with LocalEngine(2) as engine:
        recorded = read_traffic(engine, [recordings])
    assert [str(recordings / "4.jsonl.gz") in error.message for error in recorded.damaged] == [True]
    assert isinstance(recorded.damaged[0], InputError)
    assert recorded.traffic.total >= 4 * 66 + 40


@pytest.mark.spark
def test_a_frame_gives_the_bytes_of_one_pass(spark, tmp_path):
    from babelreg.analysis.sketch.recordings import add_messages
    from babelreg.spark import sketch

    messages = [*bodies(90), *DAMAGE]
    plain = TrafficSketch(detectors())
    add_messages(plain, messages)
    rows = [(bytearray(body),) for body in messages] + [(None,)]
    df = spark.createDataFrame(rows, "payload binary").repartition(5)
    result = sketch(df, tmp_path / "traffic.sketch", body="payload")
    assert sketch_file.encode(result) == sketch_file.encode(plain)
    assert (tmp_path / "traffic.sketch").read_bytes() == sketch_file.encode(plain, hides_rare=True)


@pytest.mark.spark
def test_a_frame_of_events_gives_the_bytes_of_their_recording(spark, tmp_path, make_registry):
    from babelreg.spark import sketch

    settings = "version: 1\nwires: {cloudevents: {time: received}, json: {urn: {topic: true}}}\n"
    registry = make_registry({URN: SCHEMA}, settings)
    attributes = [("ce_specversion", b"1.0"), ("ce_source", b"/shop"), ("ce_type", URN.encode())]
    records = [
        ([*attributes, ("ce_id", b"%d" % number)], json.dumps(data(number)).encode()) for number in range(40)
    ] + [([("x", None)], b"{"), ([], json.dumps([{"specversion": "1.0"}]).encode())]
    content = b"".join(frame(pack(headers, body) if headers else body) for headers, body in records)
    (tmp_path / "events.frames").write_bytes(content)
    urns = wire_mapping(registry, "cloudevents").urns
    recorded = read_traffic(LocalEngine(), [tmp_path / "events.frames"], wire="cloudevents", urns=urns)
    rows = [(body, [{"key": key, "value": value} for key, value in headers]) for headers, body in records]
    df = spark.createDataFrame(
        [*rows, (None, [])], "value binary, headers array<struct<key string, value binary>>"
    ).repartition(3)
    result = sketch(df, wire="cloudevents", registry=registry, headers="headers")
    assert sketch_file.encode(result, hides_rare=True) == saved(recorded)
    assert (result.total, sum(result.refused.values())) == (42, 2)

    topics = spark.createDataFrame([(b'{"id": 1}', URN), (b'{"id": 2}', URN)], "value binary, topic string")
    plain = sketch(topics, wire="json", registry=registry, topic="topic")
    assert {urn: one.count for urn, one in (plain.messages or {}).items()} == {URN: 2}
    with pytest.raises(UsageError, match="for messages of a foreign wire format"):
        sketch(topics, topic="topic")
