"""The whole pipeline, killed at random moments: every message ends in one place, once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from babelreg.spark import manifest

sys.path.insert(0, str(Path(__file__).parent / "shared"))
import once

pytestmark = [pytest.mark.spark, pytest.mark.long]

KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "100"))
PROGRAM = """
import importlib, json, pathlib, sys
from babelreg import load
from babelreg.spark import compact, history, redrive, run
from babelreg.spark.session import start

home, files = pathlib.Path(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, sys.argv[3])
import once

importlib.import_module("babelreg.spark.compact").FANOUT = 3  # so that it happens every few batches
history.EVERY = 5

def registry(minimum):
    contexts = {f"{context}/_context.yaml": b"owner: team" for context in ("orders", "billing")}
    messages = {
        "/".join(urn.split(":")[2:]) + ".yaml": json.dumps({"urn": urn, "kind": "event", "data": data}).encode()
        for urn, data in once.schemas(minimum).items()
    }
    return load.from_tree(load.tree.Memory({"babelreg.yaml": b"version: 1", **contexts, **messages}))

def telling(what):
    def tell(step):
        (home / "step").write_text(f"{what}: {step.split()[0]}")
    tell("begin")
    return tell

session = start(master="local[2]")
(home / "ready").touch()
options = {"keep_duplicates": False, "compacting": True, "growing": False}
out = home / "out"
known = len(once.consumed(home))
for number in range(max(1, known - 1), files + 1):
    names = sorted(f"{n:05d}" for n in range(number))
    run.ingest_files(session, registry(1), home / "in", out, names, progress=telling("ingest"), **options)
    if number % 3 == 0:
        redrive(session, registry(-5), out, grace_seconds=0, progress=telling("redrive"))
    if number % 4 == 0:
        compact(session, out, at_least=2, grace_seconds=0, progress=telling("compact"))
"""


def test_killed_a_hundred_times_nothing_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    chance = random.Random(int(os.environ.get("BABELREG_TEST_SEED", "1")))
    written, kills, limit = 0, Counter[str](), 5.0
    while kills.total() < KILLS:
        behind = written - len(once.consumed(tmp_path))
        for _ in range(4 if behind < 8 else 1):  # who is killed all the time does not get behind without end
            (tmp_path / "in" / f"{written:05d}").write_bytes(once.lines(chance, written))
            written += 1
        batches = len(manifest.numbers(tmp_path / "out"))
        process = _started(tmp_path, written)
        while not (tmp_path / "ready").exists() and process.poll() is None:
            time.sleep(0.05)
        try:
            process.wait(chance.random() * limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            kills[(tmp_path / "step").read_text() if (tmp_path / "step").exists() else "start"] += 1
        assert process.returncode in (0, -signal.SIGKILL)
        once.check(tmp_path)
        # On a busy machine everything takes longer: about every other run is to get a batch done.
        limit *= 0.9 if len(manifest.numbers(tmp_path / "out")) > batches else 1.2
        print(f"{kills.total()} kills, {len(manifest.numbers(tmp_path / 'out'))} batches", flush=True)
    print(f"killed while at {dict(kills.most_common())}")
    assert _started(tmp_path, written).wait() == 0
    once.check(tmp_path)
    assert len(once.consumed(tmp_path)) == written
    assert {row["reason"] for row in once.rows(tmp_path)[1]} <= {"below_minimum", "id_conflict"}


def _started(home: Path, written: int) -> subprocess.Popen[bytes]:
    (home / "ready").unlink(missing_ok=True)
    program = [sys.executable, "-c", PROGRAM, str(home), str(written), str(Path(once.__file__).parent)]
    return subprocess.Popen(program, cwd=Path(__file__).parents[2], start_new_session=True)
