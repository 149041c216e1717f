"""An input that worker processes validate: they and the run itself are killed, and every message is in one place."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from babelreg.lake import all_files, files
from babelreg.lake.storage.log import manifest

URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}
KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "60"))
LARGE = 34 * 1024 * 1024
"""Above twice the input of a worker: below it, the run validates alone."""

PROGRAM = """
import os, signal, sys, threading
from contextlib import suppress
from pathlib import Path
from babelreg.__main__ import main
from babelreg.lake.engine import local_engine, worker_pool

victim, number, delay, worker_bytes, killed = sys.argv[1:6]
del sys.argv[1:6]
if int(worker_bytes):
    local_engine._WORKER_BYTES = int(worker_bytes)
calls, items, lock, call = [0], set(), threading.Lock(), worker_pool._Worker.call

def kill(process):
    with Path(killed).open("a") as file:
        file.write("x")
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)

def calling(self, job, work, item):
    with lock:
        calls[0] += 1
        if calls[0] == int(number):
            items.add((job, item))
        chosen = (job, item) in items
        if victim != "task":
            items.clear()
    if chosen:
        timer = threading.Timer(float(delay), kill, [os.getpid() if victim == "run" else self._process.pid])
        timer.daemon = True
        timer.start()
    return call(self, job, work, item)

worker_pool._Worker.call = calling
main()
"""


def message(file: int, number: int, size: int) -> bytes:
    """Every tenth one is refused, and every twentieth has the id and the data of another one."""
    if number % 20 == 11:
        file, number = max(0, file - 1), number - 4
    meta = {"id": f"{file}-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    data = {"n": -1 if number % 10 == 3 else number, "text": "y" * size}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


class Home:
    """A registry, an input of files with ``count`` messages each, and a lake that programs write."""

    def __init__(self, folder: Path, count: int, size: int, worker_bytes: int) -> None:
        self.folder, self.count, self.size, self.worker_bytes = folder, count, size, worker_bytes
        (folder / "registry" / "orders").mkdir(parents=True)
        (folder / "registry" / "babelreg.yaml").write_text("version: 1\n")
        (folder / "registry" / "orders" / "_context.yaml").write_text("owner: team\n")
        declared = {"urn": URN, "kind": "event", "data": SCHEMA}
        (folder / "registry" / "orders" / "created.yaml").write_text(json.dumps(declared))
        (folder / "in").mkdir()
        self.written = 0

    def write(self) -> None:
        """Write one more file."""
        lines = b"\n".join(message(self.written, number, self.size) for number in range(self.count))
        (self.folder / "in" / f"{self.written:03}.jsonl").write_bytes(lines)
        self.written += 1

    def ingest(self, victim: str = "", number: int = 0, delay: float = 0.0) -> tuple[int, str, bool]:
        """Run the command; return its exit code, what it printed, and whether something was killed."""
        killed = self.folder / "killed"
        killed.unlink(missing_ok=True)
        killing = [victim, str(number), str(delay), str(self.worker_bytes), str(killed)]
        command = ["lake", "ingest", "--input", "in", "--lake", "out", "--registry", "registry"]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *killing, *command],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr, killed.exists()

    def check(self) -> int:
        """The files that batches have read are there, every message once; return their number."""
        lake = self.folder / "out"
        batches = manifest.read(lake) if lake.exists() else ()
        if not batches:
            return 0
        read = {int(one.name[:3]) for batch in batches for one in batch.consumed if one.start < one.end}
        assert read == set(range(len(read)))
        accepted = Counter(row for path in all_files(lake)[URN] for row in _column(path, "message_id"))
        refused = Counter(row for path in files(lake, "quarantine") for row in _column(path, "message_id"))
        numbers = [number for number in range(self.count) if number % 20 != 11]
        good = {f"{file}-{number}" for file in read for number in numbers if number % 10 != 3}
        assert accepted == Counter(good), "lost or doubled"
        assert refused == Counter(f"{file}-{number}" for file in read for number in numbers if number % 10 == 3)
        assert sum(batch.duplicates for batch in batches) == len(read) * (self.count - len(numbers))
        return len(read)


def _column(path: str, name: str) -> list[str]:
    rows: list[str] = pq.ParquetFile(path).read([name])[name].to_pylist()
    return rows


@pytest.mark.parametrize(
    "kills, count, size, worker_bytes",
    [
        pytest.param(3, 3_000, 10, 100_000, id="a few"),
        pytest.param(KILLS, 16_000, LARGE // 16_000, 0, id="many, of inputs above 32 MB", marks=pytest.mark.long),
    ],
)
def test_whoever_is_killed_nothing_is_lost_and_nothing_is_there_twice(
    kills: int, count: int, size: int, worker_bytes: int, tmp_path: Path
) -> None:
    home, chance = Home(tmp_path, count, size, worker_bytes), random.Random(5)
    victims, done = ["worker", "task", "run"], Counter[str]()
    while done.total() < kills:
        victim = victims[done.total() % len(victims)]
        if home.check() == home.written:
            home.write()
        code, printed, killed = home.ingest(
            victim, chance.randint(1, 4), chance.random() * (1.5 if count > 9_000 else 0.1)
        )
        if not killed:
            assert code == 0, printed
        elif victim == "run":
            assert code == -signal.SIGKILL
        elif code:  # a task is tried twice
            assert victim == "task"
            assert "twice for the same task; nothing was lost" in printed
        done[victim] += killed
        print(f"killed so far: {dict(done)}, {home.written} files", flush=True)
    code, printed, _ = home.ingest()
    assert code == 0, printed
    assert home.check() == home.written


def test_the_workers_of_a_run_that_is_killed_end(tmp_path: Path) -> None:
    home = Home(tmp_path, 3_000, 10, 100_000)
    home.write()
    code, printed, killed = home.ingest("run", 2, 0.0)
    # The pipes of the run are those of its workers, too: it has returned, so that they have ended.
    assert (code, killed) == (-signal.SIGKILL, True), printed
    assert home.check() == 0
