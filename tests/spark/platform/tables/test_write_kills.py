"""``Tables.write`` killed with SIGKILL around its commits, and called again: every message once, read without Spark."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "shared"))
import jars

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import envelope

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

PROGRAM = Path(__file__).parents[3] / "lake" / "shared" / "write_program.py"
URNS = ("urn:babel:shop:paid", "urn:babel:shop:sent")
COMMITS = 6
"""The log, the digests, two tables, the quarantine, the counts."""
KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "60"))


def messages(batch: int) -> list[bytes]:
    """New messages of two URNs, one of them twice, one of the batch before again, and one that is refused."""
    new = [envelope(URNS[n % 2], f"{batch}-{n}", {"n": n}) for n in range(20)]
    return [*new, new[0], envelope(URNS[0], f"{max(0, batch - 1)}-2", {"n": 2}), envelope(URNS[1], "x", {"n": "text"})]


def run(folder: Path, batch: int, point: int) -> list[Any] | None:
    """What a run printed, None if it was killed."""
    inbox = folder / "in" / str(batch)
    if not inbox.is_dir():
        inbox.mkdir(parents=True)
        for number, message in enumerate(messages(batch)):
            (inbox / f"{number:03}.jsonl").write_bytes(message + b"\n")
    delta = ",".join(map(str, jars.paths("delta")))
    arguments = [folder / "registry", inbox, folder / "lake", delta, batch, point]
    command = [sys.executable, PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, start_new_session=True)
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr[-3000:]
    result: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def endure(folder: Path, points: Iterable[Iterable[int]]) -> None:
    """Write a batch for each of ``points``, killed at each of these, and then to its end; compare all tables."""
    (folder / "registry" / "shop").mkdir(parents=True)
    (folder / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (folder / "registry" / "shop" / "_context.yaml").write_text("owner: team\n")
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    for urn in URNS:
        name = urn.rpartition(":")[2]
        declared = {"urn": urn, "kind": "event", "data": schema}
        (folder / "registry" / "shop" / f"{name}.yaml").write_text(json.dumps(declared))
    batches = 0
    for batch, killed_at in enumerate(points):
        results = [run(folder, batch, point) for point in (*killed_at, -1)]
        assert results[0] is None
        # A run that is repeated has fewer commits left, and may end before its point.
        ended = [result for result in results if result is not None]
        assert ended[0] in ([23, 20, 2, 1, False], [0, 0, 0, 0, True])
        assert all(result == [0, 0, 0, 0, True] for result in ended[1:])
        batches += 1
    rows = {name: read(folder / "lake" / name) for name in ("shop_paid__rows", "shop_sent__rows")}
    ids = Counter(row["message_id"] for of in rows.values() for row in of)
    assert ids == Counter(f"{batch}-{n}" for batch in range(batches) for n in range(20))
    refused = Counter(row["batch"] for row in read(folder / "lake" / "babelreg__quarantine"))
    assert refused == Counter(range(batches))
    assert sum(row["messages"] for row in read(folder / "lake" / "babelreg__counts")) == 23 * batches
    assert len(read(folder / "lake" / "babelreg__digests")) == 20 * batches


def read(table: Path) -> list[dict[str, Any]]:
    from deltalake import DeltaTable

    found: list[dict[str, Any]] = DeltaTable(table).to_pyarrow_table().to_pylist()
    return found


@pytest.mark.servers
def test_a_kill_within_a_write_loses_nothing_and_stores_nothing_twice(tmp_path: Path) -> None:
    endure(tmp_path, [[7]])  # after the second table; see ``test_batch_run.py`` for failures at other commits


@pytest.mark.long
def test_many_kills_within_writes_lose_nothing_and_store_nothing_twice(tmp_path: Path) -> None:
    numbers = random.Random(7)
    endure(tmp_path, ([numbers.randrange(2 * COMMITS) for _ in range(2)] for _ in range(KILLS // 2)))
