"""The generated job on a real cluster: master, worker and driver are processes of their own, none has babelreg."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.targets.spark import target as target
from babelreg.gen.write import write
from babelreg.load.registry.json_bundle import pack
from babelreg.model import Registry
from babelreg.spark import files
from babelreg.spark.deploy import pack as archive

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import jars
import spark_cluster
from spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

URN = "urn:babel:orders:created"
DATA = {
    "type": "object",
    "required": ["total"],
    "properties": {"total": {"type": "integer"}, "who": {"type": "string"}},
}
SECONDS = 1200


def registry(settings: str = "") -> Registry:
    message = {"urn": URN, "kind": "event", "data": DATA}
    return load.from_tree(
        load.files.tree.Memory(
            {
                "babelreg.yaml": f"version: 1\n{settings}".encode(),
                "orders/_context.yaml": b"owner: team\n",
                "orders/created.yaml": json.dumps(message).encode(),
            }
        )
    )


def message(number: int, data: Any) -> str:
    meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": URN, "trace_id": f"t{number}", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture(scope="module")
def cluster(two_workers: SparkCluster, tmp_path_factory: pytest.TempPathFactory) -> SparkCluster:
    folder = tmp_path_factory.mktemp("cluster")
    loaded = registry()
    write(folder, "spark", target.files(loaded, {}))
    archive.write(folder / "babelreg.tar.gz", pack(loaded))
    return two_workers.within(folder, cores=2)


def _folders(folder: Path) -> tuple[Path, Path]:
    inbox = folder / "inbox"
    inbox.mkdir(parents=True)
    lines = [message(number, {"total": number, "who": "x"}) for number in range(200)]
    bad = [message(1000, {}), message(1001, {"total": 10**30}), message(7, {"total": -1}), "{", lines[3]]
    (inbox / "a.jsonl").write_text("".join(f"{line}\n" for line in [*lines, *bad]))
    return inbox, folder / "lake"


@pytest.mark.servers
def test_workers_without_babelreg_type_every_message(cluster: SparkCluster, tmp_path: Path) -> None:
    import pyarrow.dataset

    inbox, lake = _folders(tmp_path)
    bare = subprocess.run(
        [cluster.environment["PYSPARK_PYTHON"], "-c", "import pyarrow, pandas; import babelreg"],
        capture_output=True, text=True, check=False, env=cluster.environment, cwd=cluster.folder,
    )  # fmt: skip
    assert "No module named 'babelreg'" in bare.stderr
    job = ["--archives", "babelreg.tar.gz#babelreg", "spark_schemas/job.py", "--input", inbox, "--lake", lake]
    code, out, err = cluster.done(cluster.submit(*job, "--once"))
    assert code == 0, err[-5000:]
    told = json.loads(out)
    assert {name: told[name] for name in ("read", "accepted", "duplicates", "quarantined")} == {
        "read": 205,
        "accepted": 200,
        "duplicates": 1,
        "quarantined": 4,
    }
    assert sorted(told["reasons"]) == ["id_conflict", "invalid_json", "missing_required", "unstorable_integer"]
    rows = pyarrow.dataset.dataset([str(path) for path in files(lake, URN)]).to_table().to_pylist()
    assert sorted(row["data"]["total"] for row in rows) == list(range(200))


def _ingest(inbox: Path, lake: Path) -> list[str | Path]:
    return ["spark_schemas/job.py", "--input", inbox, "--lake", lake]


def _stream(inbox: Path, lake: Path) -> list[str | Path]:
    place = ["--at", lake, "--checkpoint", lake.with_name("checkpoint")]
    files = ",".join(map(str, jars.paths("delta")))
    return ["--jars", files, "spark_schemas/job.py", "--from", inbox, "--to", "delta", *place]


HELD, FAILED = "hold_above: {total: 1%}", "hold_above: {total: 50%}, fail_above: {total: 1%}"


@pytest.mark.servers
@pytest.mark.parametrize(
    "job, mode, thresholds",
    [
        pytest.param(_ingest, [], HELD, id="ingest once, held"),
        pytest.param(_stream, ["--every", "0.2"], FAILED, id="stream until stopped, written"),
        *(
            pytest.param(job, mode, thresholds, id=f"{name}, {outcome}", marks=pytest.mark.long)
            for job, mode, name, outcomes in (
                (_ingest, [], "ingest once", ["written"]),
                (_ingest, ["--every", "0.2"], "ingest until stopped", ["held", "written"]),
                (_stream, [], "stream once", ["held", "written"]),
                (_stream, ["--every", "0.2"], "stream until stopped", ["held"]),
            )
            for outcome, thresholds in (("held", HELD), ("written", FAILED))
            if outcome in outcomes
        ),
    ],
)
def test_a_batch_above_a_threshold_ends_the_job_with_exit_code_1(
    job: Callable[[Path, Path], list[str | Path]],
    mode: list[str],
    thresholds: str,
    cluster: SparkCluster,
    tmp_path: Path,
) -> None:
    inbox, lake = _folders(tmp_path)  # 3 of 205 messages are refused, and one is a conflict: a stream finds it later
    share = "1.96%" if job is _ingest else "1.47%"
    archive.write(tmp_path / "limits.tar.gz", pack(registry(f"spark: {{{thresholds}}}\n")))
    archived = ["--archives", f"{tmp_path}/limits.tar.gz#babelreg", *job(inbox, lake), *mode]
    code, out, err = cluster.done(cluster.submit(*archived, master="local[1]"))
    batches, log = [json.loads(line) for line in out.splitlines() if line.startswith("{")], out + err[-5000:]
    if thresholds is HELD:
        assert (code, batches) == (1, []), log
        assert f"error: the batch is held: {share} of 205 messages would go to quarantine, above 1%" in log
        assert not list(lake.rglob("*.parquet"))
    else:
        assert (code, [batch["read"] for batch in batches]) == (1, [205]), log
        assert [above["scope"] for above in batches[0]["exceeded"]] == ["total"]
        assert list(lake.rglob("*.parquet"))


@pytest.mark.long
def test_an_archive_with_arrow_is_all_that_a_bare_python_needs(cluster: SparkCluster, tmp_path: Path) -> None:
    inbox, lake = _folders(tmp_path)
    venv.create(tmp_path / "bare", symlinks=True)
    archive.write(tmp_path / "all.tar.gz", pack(registry()), arrow=True)
    job = ["--archives", f"{tmp_path}/all.tar.gz#babelreg", "spark_schemas/job.py", "--input", inbox, "--lake", lake]
    code, out, err = cluster.done(cluster.submit(*job, python=tmp_path / "bare" / "bin" / "python"))
    assert code == 0, out + err[-5000:]
    told = json.loads(out.splitlines()[-1])
    assert (told["read"], told["accepted"], told["quarantined"]) == (205, 200, 4)


@pytest.mark.long
def test_a_job_that_watches_ends_after_its_batch_when_told_to(cluster: SparkCluster, tmp_path: Path) -> None:
    inbox, lake = _folders(tmp_path)
    job = ["--archives", "babelreg.tar.gz#babelreg", "spark_schemas/job.py", "--input", inbox, "--lake", lake]
    process = cluster.submit(*job, "--watch", "--every", "0.2")
    assert process.stdout is not None
    too_long = threading.Timer(SECONDS, process.kill)
    too_long.start()
    first = json.loads(process.stdout.readline())
    (inbox / "b.jsonl").write_text(message(2000, {"total": 1}) + "\n")
    second = json.loads(process.stdout.readline())
    assert (first["read"], second["read"]) == (205, 1)
    os.kill(_python_of(process.pid), signal.SIGTERM)
    code, out, err = cluster.done(process)
    too_long.cancel()
    assert (code, out) == (0, ""), err[-5000:]


def _python_of(driver: int) -> int:
    """The process of the job: the child of the JVM that spark-submit has become."""
    (child,) = spark_cluster.children(driver)
    return child


@pytest.mark.long
@pytest.mark.parametrize(
    "archives, said",
    [
        pytest.param([], "archive not found", id="no archive"),
        pytest.param(
            ["--archives", "other.tar.gz#babelreg"], "packed for Python 3.9", id="an archive for another Python"
        ),
    ],
)
def test_a_job_that_cannot_go_on_says_why(
    archives: list[str], said: str, cluster: SparkCluster, tmp_path: Path
) -> None:
    inbox, lake = _folders(tmp_path)
    members = {"babelreg/packed.json": b'{"python": "3.9", "system": "x"}', "registry.json": b"{}"}
    body = archive._tar({**dict(archive._package_files()), **members})
    (cluster.folder / "other.tar.gz").write_bytes(body)
    job = ["spark_schemas/job.py", "--input", inbox, "--lake", lake]
    code, told, err = cluster.done(cluster.submit(*archives, *job, master="local[1]"))
    assert code == 2, err
    assert said in told  # spark-submit makes one stream of both
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in told or not archives
    assert not lake.exists()
