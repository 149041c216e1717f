"""The whole pipeline, killed at random moments: every message ends in one place, once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.spark import files, manifest

pytestmark = [pytest.mark.spark, pytest.mark.long]

KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "100"))
URN = "urn:babel:orders:created"
PROGRAM = """
import json, pathlib, sys
from babelreg import load
from babelreg.spark import compact, ingest, redrive, run
from babelreg.spark.session import start

home, files = pathlib.Path(sys.argv[1]), int(sys.argv[2])

def registry(minimum):
    data = {"type": "object", "properties": {"id": {"type": "integer", "minimum": minimum}}}
    message = {"urn": "urn:babel:orders:created", "kind": "event", "data": data}
    return load.from_tree(load.tree.Memory({
        "babelreg.yaml": b"version: 1",
        "orders/_context.yaml": b"owner: team",
        "orders/created.yaml": json.dumps(message).encode(),
    }))

session = start(master="local[2]")
(home / "ready").touch()
options = {"keep_duplicates": False, "progress": lambda step: None, "growing": False}
for number in range(1, files + 1):
    names = sorted(f"{n:05d}" for n in range(number))
    run.ingest_files(session, registry(1), home / "in", home / "out", names, **options)
    if number % 3 == 0:
        redrive(session, registry(-5), home / "out", grace_seconds=0)
    if number % 4 == 0:
        compact(session, home / "out", at_least=2, grace_seconds=0)
"""


def _lines(chance: random.Random, number: int) -> bytes:
    """Messages of one file: good, repeated from any file, with ids that are taken, refused until mended, never good."""
    found = []
    for n in range(chance.randrange(1, 20)):
        identity, data = chance.choice(
            [
                (f"{number}-{n}", {"id": n + 1}),
                (f"{chance.randrange(number + 1)}-{n}", {"id": n + 1}),
                (f"{chance.randrange(number + 1)}-{n}", {"id": 99}),
                (f"{number}-{n}-mended", {"id": -chance.randrange(3)}),
                (f"{number}-{n}-never", {"id": -99}),
            ]
        )
        meta = {"id": identity, "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
        body = {"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
        found.append(json.dumps(body).encode() + b"\n")
    return b"".join(found)


def _rows(home: Path, table: str) -> list[dict[str, Any]]:
    return [row for name in files(home / "out", table) for row in pq.read_table(name).to_pylist()]


def _check(home: Path) -> None:
    """Every message that a batch read is in one place; what is in a table is what its file says."""
    batches = manifest.read(home / "out")
    read = {one.name for batch in batches for one in batch.consumed}
    texts = {name: (home / "in" / name).read_bytes() for name in read}
    tables, refused = (_rows(home, URN) if any(b.tables for b in batches) else []), _rows(home, "quarantine")
    places = [(row["source_file"], row["source_offset"]) for row in [*tables, *refused]]
    assert len(places) == len(set(places)), "a message is there twice"
    duplicates = sum(batch.duplicates for batch in batches)
    assert len(places) + duplicates == sum(text.count(b"\n") for text in texts.values()), "a message was lost"
    ids = [row["message_id"] for row in tables]
    assert len(ids) == len(set(ids)), "an id was accepted twice"
    for row in tables:
        told = json.loads(texts[row["source_file"]][row["source_offset"] :].partition(b"\n")[0])
        assert (told["meta"]["id"], told["data"]) == (row["message_id"], json.loads(row["data_json"]))
    for row in refused:
        assert texts[row["source_file"]][row["source_offset"] :].startswith(row["body"] + b"\n")


def test_killed_a_hundred_times_nothing_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    chance = random.Random(int(os.environ.get("BABELREG_TEST_SEED", "1")))
    written = kills = 0
    while kills < KILLS:
        for _ in range(4):
            (tmp_path / "in" / f"{written:05d}").write_bytes(_lines(chance, written))
            written += 1
        process = _started(tmp_path, written)
        while not (tmp_path / "ready").exists() and process.poll() is None:
            time.sleep(0.05)
        try:
            process.wait(chance.random() * 30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL)
        if manifest.numbers(tmp_path / "out"):
            _check(tmp_path)
    assert _started(tmp_path, written).wait() == 0
    _check(tmp_path)
    consumed = {one.name for batch in manifest.read(tmp_path / "out") for one in batch.consumed}
    assert len(consumed) == written
    assert {row["reason"] for row in _rows(tmp_path, "quarantine")} <= {"below_minimum", "id_conflict"}


def _started(home: Path, written: int) -> subprocess.Popen[bytes]:
    (home / "ready").unlink(missing_ok=True)
    program = [sys.executable, "-c", PROGRAM, str(home), str(written)]
    return subprocess.Popen(program, cwd=Path(__file__).parents[2], start_new_session=True)
