"""Frames are validated where babelreg is on the driver alone: on a Spark Connect server, and on workers of a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from babelreg.load.registry.json_bundle import pack
from babelreg.spark.deploy import pack as archive

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))
sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import connect_server
from spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.cluster, pytest.mark.servers]

PROGRAM = Path(__file__).parents[2] / "lake" / "shared" / "platform_program.py"
URN = "urn:babel:orders:created"
SCHEMA = {
    "type": "object",
    "required": ["total"],
    "properties": {"total": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}, "any": {"x-spark-type": "variant"}},
}  # fmt: skip
SECONDS = 1200


def message(number: int, data: Any) -> str:
    meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": URN, "trace_id": f"t{number}", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture
def arguments(make_registry: Any, tmp_path: Path) -> list[str]:
    """The registry and the archive that was packed of it, and a folder of messages: 200 good ones, four refused."""
    registry = make_registry({URN: SCHEMA})
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "registry.json").write_text(pack(registry))
    archive.write(tmp_path / "babelreg.tar.gz", pack(registry))
    (tmp_path / "in").mkdir()
    good = [message(number, {"total": number, "any": {"a": number}}) for number in range(200)]
    bad = [message(1000, {}), message(1001, {"total": 10**30}), message(7, {"total": 1, "at": "now"}), "{"]
    (tmp_path / "in" / "a.jsonl").write_text("".join(f"{line}\n" for line in [*good[:120], *bad]))
    (tmp_path / "in" / "b.jsonl").write_text("".join(f"{line}\n" for line in good[120:]))
    return [str(tmp_path / "registry"), URN, str(tmp_path / "in"), str(tmp_path / "out")]


def check(found: dict[str, Any]) -> None:
    assert found["worker"] is False
    accepted, refused = found["two"]
    assert found["one"] == found["two"]
    assert sorted(json.loads(row)["data"]["total"] for row in accepted) == list(range(200))
    assert {json.loads(row)["file_name"] for row in accepted} == {"a.jsonl", "b.jsonl"}
    reasons = ["invalid_json", "missing_required", "unstorable_integer", "wrong_format"]
    assert sorted(json.loads(row)["reason"] for row in refused) == reasons
    assert [json.loads(row)["message_id"] for row in found["stream"][0]] == [
        json.loads(row)["message_id"] for row in accepted
    ]
    assert found["stream"][1] == refused
    assert found["column"] == sorted([*reasons, *[URN] * 200])
    assert found["misuse"] == "the frame has no column 'valu'"
    assert "stream" in found["page"]


@pytest.mark.parametrize("given_to", ["server", "session"])
def test_on_a_connect_server(given_to: str, arguments: list[str], tmp_path: Path) -> None:
    packed = tmp_path / "babelreg.tar.gz"
    with connect_server.running(tmp_path, packed if given_to == "server" else None) as url:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), *arguments, *([str(packed)] if given_to == "session" else [])],
            env={**os.environ, "SPARK_REMOTE": url},
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    found = json.loads(done.stdout)
    assert found["session"] == "pyspark.sql.connect.session"
    if given_to == "session":
        assert "babelreg spark pack" in found["without"]
        # Spark 4.1 runs streams without the artifacts of their session: the error says what to do instead.
        assert "--archives babelreg.tar.gz#babelreg" in found.pop("stream")
        found["stream"] = found["two"]
    check(found)


def test_on_two_workers_that_get_the_archive(arguments: list[str], two_workers: SparkCluster, tmp_path: Path) -> None:
    cluster = two_workers.within(tmp_path, executors=2)
    cluster.environment = {**cluster.environment, "PYSPARK_DRIVER_PYTHON": sys.executable}
    process = cluster.submit("--archives", f"{tmp_path}/babelreg.tar.gz#babelreg", PROGRAM, *arguments)
    code, out, err = cluster.done(process)
    assert code == 0, err[-5000:]
    found = json.loads(out.splitlines()[-1])
    assert found["session"] == "pyspark.sql.session"
    check(found)
