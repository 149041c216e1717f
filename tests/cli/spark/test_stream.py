"""``babelreg spark stream``: wrong use in words, and a whole run as users start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import deltalake
import jars
import kafka_server
import pytest
from server import Server

from babelreg import load
from babelreg.lake.operations.exposition import samples

EXAMPLE = Path(__file__).parents[3] / "registry.example"
PLACE = ("--to", "delta", "--at", "./tables", "--checkpoint", "checkpoint")
FROM = ("--from", "kafka://broker/orders")


@pytest.mark.parametrize(
    "arguments, says",
    [
        pytest.param([*FROM, "--once", "--every", "5"], "exclude each other", id="once and again"),
        pytest.param(["--from", "kafka://broker"], "has no topic", id="no topic"),
        pytest.param([*FROM, "--option", "password:hunter2"], "write it as NAME=VALUE", id="no equals sign"),
        pytest.param([*FROM, "--option", "subscribe=orders"], "use --from kafka://...", id="an option of its own"),
        pytest.param([*FROM, "--conf", "spark.x=@none"], "cannot read the value of spark.x from none", id="no file"),
    ],
)
def test_wrong_use_is_named(arguments: list[str], says: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "babelreg", "spark", "stream", *PLACE, "--registry", str(EXAMPLE), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.cluster
@pytest.mark.spark
@pytest.mark.servers
def test_a_stream_that_runs_until_it_is_told_to_end(kafka: Server, tmp_path: Path) -> None:
    kafka_server.create(kafka, "commanded", 1)
    example = load.registry(EXAMPLE).by_urn["urn:babel:orders:created.v2"].examples[0].data
    meta = {"id": f"{1:032x}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    body = {"job": "urn:babel:orders:created.v2", "trace_id": "t", "data": example, "meta": meta, "attempts": 0}
    kafka_server.produce(kafka, "commanded", [json.dumps(body).encode(), b"{", None])
    files = ",".join(map(str, jars.paths("kafka", "delta")))
    arguments = ["--from", f"{kafka.url}/commanded", *PLACE, "--registry", str(EXAMPLE), "--jars", files]
    reports = ["--output", "json:run.json", "--output", "prometheus:run.prom", "--output", "openlineage:events.jsonl"]
    # With Spark's own settings, as users start it; other tests with servers have quicker ones.
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_CONF_DIR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "babelreg", "spark", "stream", *arguments, "--every", "0.5", *reports],
        env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert line.startswith("batch 0: 3 read = 1 stored + 1 quarantined + 1 tombstones (invalid_json 1) | ")
    assert line.endswith("messages/s, 0 behind\n")
    assert out == "report: run.json\nreport: run.prom\nreport: events.jsonl\n"
    summary = json.loads((tmp_path / "run.json").read_text())
    assert [summary[name] for name in ("batches", "read", "stored", "tombstones")] == [1, 3, 1, 1]
    assert summary["run"]["succeeded"]
    totals = samples((tmp_path / "run.prom").read_text())
    assert totals["babelreg_stream_read_total"][0].value == 3
    assert totals["babelreg_stream_lag_messages"][0].labels["partition"] == "commanded-0"
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    assert events[-1]["inputs"][0]["name"] == "commanded"
    tables = [path.name for path in (tmp_path / "tables").glob("orders*")]
    assert tables == ["orders_created_v2__rows"]
    assert deltalake.DeltaTable(tmp_path / "tables" / tables[0]).to_pyarrow_table().num_rows == 1
