"""Impact through engines: the same counts as one pass over the messages, whatever reads them."""

from __future__ import annotations

import random

import pytest
from message_versions import URN, registry
from recorded_changes import DAY_MS, body, data_text, impact_of

from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.traffic import splits as traffic_splits
from babelreg.lake.traffic.impact_run import read_impact
from babelreg.sources import recording_splits
from babelreg.wire.format import NATIVE
from babelreg.wire.length_frames import frame

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer", "maximum": 90}, "kind": {"enum": ["x", "y"]}}}
EDITED = {"type": "object", "properties": {"id": {"type": "integer", "maximum": 50}, "kind": {"enum": ["x", "y", "z"]}}}
BEFORE, AFTER = registry(data_text(SCHEMA)), registry(data_text(EDITED))
DAMAGED = [b"{", b"\xff\xfe", b"[]", body({}, urn="urn:babel:no:body"), b"[" * 3000]


def message(number: int) -> bytes:
    chance = random.Random(number)
    data = {"id": chance.randrange(100), "kind": chance.choice("xyz")}
    return body(data, lang=chance.choice(["php", "go"]), created_at=DAY_MS + chance.randrange(9))


BODIES = [*map(message, range(400)), *DAMAGED]


@pytest.fixture
def recordings(tmp_path, monkeypatch):
    """Lines and frames, in splits that are smaller than a file."""
    monkeypatch.setattr(recording_splits, "_MIN_SPLIT_BYTES", 5_000)
    monkeypatch.setattr(traffic_splits, "_PARALLEL_BYTES", 0)
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(b"\n".join(BODIES[:300]) + b"\n")
    (folder / "b.frames").write_bytes(b"".join(map(frame, BODIES[300:])))
    return folder


@pytest.fixture
def impact():
    """The impact, and its counts of one pass."""
    counted, _ = impact_of(BEFORE, AFTER, BODIES)
    return counted, counted.counts


def read(engine, folder, impact):
    recorded = read_impact(engine, [folder], impact, wire=NATIVE, urns={})
    assert recorded.damaged == []
    return recorded.counts


def test_processes_give_the_counts_of_one_pass(recordings, impact, monkeypatch):
    monkeypatch.setattr("babelreg.lake.engine.local_engine._WORKER_BYTES", 1)
    counted, whole = impact
    with LocalEngine(3) as engine:
        counts = read(engine, recordings, counted)
        assert engine.tasks > 3
    assert counts == whole
    assert counts.hurt[URN] > 50


@pytest.mark.spark
def test_tasks_of_spark_give_the_counts_of_one_pass(recordings, impact, spark):
    from babelreg.spark.engine.spark_engine import SparkEngine

    counted, whole = impact
    assert read(SparkEngine(spark), recordings, counted) == whole
