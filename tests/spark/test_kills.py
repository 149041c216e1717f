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

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import once

KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "100"))
PROGRAM = """
import importlib, json, pathlib, sys
from babelreg import load
from babelreg.load.files import tree
from babelreg.spark import LocalEngine, compact, redrive
from babelreg.lake.engine import local_engine
from babelreg.lake.ingest import run
from babelreg.lake.storage.log import replay as history
from babelreg.spark.engine.spark_engine import SparkEngine
from babelreg.spark.session.local import start

home, files = pathlib.Path(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, sys.argv[3])
import once

importlib.import_module("babelreg.lake.ingest.compaction").FANOUT = 3  # so that it happens every few batches
history.EVERY = 5

def registry(minimum):
    contexts = {f"{context}/_context.yaml": b"owner: team" for context in ("orders", "billing")}
    messages = {
        "/".join(urn.split(":")[2:]) + ".yaml": json.dumps({"urn": urn, "kind": "event", "data": data}).encode()
        for urn, data in once.schemas(minimum).items()
    }
    return load.from_tree(tree.Memory({"babelreg.yaml": b"version: 1", **contexts, **messages}))

def telling(what):
    def tell(step):
        with (home / "steps").open("a") as file:
            file.write(f"{what}: {step.split()[0]}\\n")
    tell("begin")
    return tell

local_engine._WORKER_BYTES = 1  # so that jobs of several tasks go to workers
session = LocalEngine(2) if sys.argv[4] == "local" else SparkEngine(start(master="local[2]"))
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


@pytest.mark.parametrize(
    "engine, wanted_kills",
    [
        pytest.param("local", 3, id="a few times without a JVM"),
        pytest.param("local", KILLS, id="without a JVM", marks=pytest.mark.long),
        pytest.param("spark", KILLS, id="with Spark", marks=[pytest.mark.long, pytest.mark.spark]),
    ],
)
def test_killed_at_random_nothing_is_lost_and_nothing_is_there_twice(
    engine: str, wanted_kills: int, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    chance = random.Random(int(os.environ.get("BABELREG_TEST_SEED", "1")))
    written, kills = 0, Counter[str]()
    while kills.total() < wanted_kills:
        behind = written - len(once.consumed(tmp_path))
        for _ in range(4 if behind < 8 else 1):  # who is killed all the time does not get behind without end
            (tmp_path / "in" / f"{written:05d}").write_bytes(once.lines(chance, written))
            written += 1
        process = _started(tmp_path, written, engine)
        # So many steps are done, whatever a step takes on this machine, and then some of the next.
        wanted = chance.randrange(1, 30)
        while len(_steps(tmp_path)) < wanted and process.poll() is None:
            time.sleep(0.05)
        try:
            process.wait(chance.random() * chance.choice([0.1, 2]))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            kills[_steps(tmp_path)[-1]] += 1
        assert process.returncode in (0, -signal.SIGKILL)
        found = once.check(tmp_path)
        print(f"{kills.total()} kills, the last at {_steps(tmp_path)[-1:]}: {dict(found)}", flush=True)
    print(f"killed while at {dict(kills.most_common())}")
    assert _started(tmp_path, written, engine).wait() == 0
    once.check(tmp_path)
    assert len(once.consumed(tmp_path)) == written
    assert {row["reason"] for row in once.rows(tmp_path)[1]} <= {"below_minimum", "id_conflict"}


def _steps(home: Path) -> list[str]:
    """What the run has begun so far."""
    return (home / "steps").read_text().splitlines() if (home / "steps").exists() else []


def _started(home: Path, written: int, engine: str) -> subprocess.Popen[bytes]:
    (home / "steps").unlink(missing_ok=True)
    program = [sys.executable, "-c", PROGRAM, str(home), str(written), str(Path(once.__file__).parent), engine]
    return subprocess.Popen(program, cwd=Path(__file__).parents[2], start_new_session=True)
