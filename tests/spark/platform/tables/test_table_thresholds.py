"""A batch above a threshold, written to tables: held before anything is written, or written and named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "shared"))
import jars

from babelreg.lake.ingest.thresholds import OTHER, UrnCounts
from babelreg.spark.platform.tables.batch_counts import BatchCounts, CountRow

PROGRAM = Path(__file__).parents[3] / "lake" / "shared" / "threshold_program.py"
URN = "urn:babel:orders:created"
ROWS: tuple[CountRow, ...] = (
    (None, "empty", None, 7),
    (None, "quarantined", "invalid_json", 2),
    (URN, "accepted", None, 90),
    (URN, "duplicate", None, 3),
    (URN, "quarantined", "wrong_format", 5),
)


def test_counts_by_urn_leave_empty_messages_out():
    counts = BatchCounts("a", 1, ROWS).by_urn
    assert counts == UrnCounts({URN: 90}, {URN: 3}, {OTHER: {"invalid_json": 2}, URN: {"wrong_format": 5}})
    assert counts.read() == 100


@pytest.mark.cluster
@pytest.mark.spark
@pytest.mark.servers
def test_a_held_batch_writes_no_rows_and_may_be_written_later(tmp_path: Path):
    (tmp_path / "registry" / "orders").mkdir(parents=True)
    (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team\n")
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    declared = {"urn": URN, "kind": "event", "data": schema}
    (tmp_path / "registry" / "orders" / "created.yaml").write_text(json.dumps(declared))
    (tmp_path / "in").mkdir()
    lines = [_message(n, {"id": n}) for n in range(90)] + [_message(100 + n, {}) for n in range(9)] + ["{"]
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(lines) + "\n")
    delta = ",".join(map(str, jars.paths("delta")))
    arguments = [tmp_path / "registry", tmp_path / "in", tmp_path / "out", delta]
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["held"].startswith("the batch is held: 10% of 100 messages would go to quarantine, above 5%")
    assert found["tables"] == []
    assert found["written"] == [100, 90, 10, ["total"]]


def _message(number: int, data: object) -> str:
    meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})
