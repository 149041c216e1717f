"""``babelreg spark ingest`` as a user runs it, and what reads its lake."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import commands
import pytest

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
URN = "urn:babel:orders:created"


def _envelope(identity: str, data: Any) -> str:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A registry with one message and three recorded ones: good, good again, bad."""
    (tmp_path / "registry" / "orders").mkdir(parents=True)
    (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    message = {"urn": URN, "kind": "event", "data": schema}
    (tmp_path / "registry" / "orders" / "created.yaml").write_text(json.dumps(message))
    lines = [_envelope("a", {"id": 1}), _envelope("a", {"id": 1}), _envelope("b", {"id": "x"})]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def _environment(home: Path, **values: str) -> dict[str, str]:
    """As little as a program may expect, and no Java on the path."""
    tools = home / "tools"
    tools.mkdir(exist_ok=True)
    for name in ("bash", "sh", "dirname", "basename", "uname", "ps", "env", "cat", "chmod"):
        if (found := shutil.which(name)) and not (tools / name).exists():
            (tools / name).symlink_to(found)
    cache = os.environ["BABELREG_CACHE_DIR"]
    return {"PATH": str(tools), "HOME": str(home), "BABELREG_CACHE_DIR": cache, "PYTHONPATH": str(ROOT), **values}


def _run(home: Path, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    return _run_command(home, "ingest", *arguments, **values)


def _run_command(home: Path, name: str, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    group = "spark" if name == "ingest" else "lake"
    asked = [sys.executable, "-m", "babelreg", group, name, *arguments]
    return subprocess.run(
        asked, cwd=home, env=_environment(home, **values), capture_output=True, text=True, check=False, timeout=900
    )


def _copied(home: Path, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    """A command of the group that ends before it starts anything, in a copy of a process that has imported it."""
    return commands.run("spark", *arguments, at=home, env=_environment(home, **values))


ASKED = ("--input", "in", "--lake", "out", "--registry", "registry")


@pytest.mark.cluster
@pytest.mark.servers
@pytest.mark.spark
def test_ingest_without_java_on_the_machine_then_again(home: Path) -> None:
    done = _run(home, *ASKED)
    assert (done.returncode, done.stderr) == (0, "published to delta: 2 files in 2 tables\n")
    assert done.stdout.splitlines() == [
        "read 3 messages from 1 file in in (batch 1)",
        "  = 1 accepted + 1 duplicates + 1 quarantined",
        "",
        "      rows  duplicates  table, in out/tables",
        "         1           1  urn:babel:orders:created",
        "",
        "   refused  reason, in out/quarantine",
        "         1  not_an_integer",
        "",
        "next, a report on the refused messages:",
        "  babelreg lake report --registry registry --lake out",
    ]
    told = _run_command(home, *done.stdout.splitlines()[-1].split()[2:])
    assert (told.returncode, told.stdout, told.stderr) == (0, "wrote report.html\n", "")
    page = (home / "report.html").read_text()
    assert "The counts add up." in page
    assert "babelreg lake redrive --registry registry --lake out --reason not_an_integer" in page

    again = _run(home, *ASKED)
    assert (again.returncode, again.stdout) == (0, "nothing new: 1 file in in, ingested before\n")

    as_json = _run(home, *ASKED, "--format", "json")
    assert json.loads(as_json.stdout)["batch"] is None

    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": ["integer", "string"]}}}
    assert _run_command(home, "compact", "--lake", "out").stdout == (
        "nothing to compact in out: no table has enough small files\n"
    )
    files = {path for path in home.rglob("*") if path.is_file()}
    local = ("--lake", "out", "--registry", "registry")
    assert _run_command(home, "redrive", *local, "--dry-run").stdout.splitlines()[:4] == [
        "would validate 1 message of out again: 0 pass now, 1 stay in quarantine",
        "",
        "      pass      stay  reason in quarantine",
        "         0         1  not_an_integer",
    ]
    assert _run_command(home, "compact", "--lake", "out", "--dry-run").stdout == ""
    assert {path for path in home.rglob("*") if path.is_file()} == files
    none = _run_command(home, "redrive", *local, "--reason", "invalid_json")
    assert (none.returncode, none.stdout) == (0, "nothing to validate again in out/quarantine\n")
    message = {"urn": URN, "kind": "event", "data": schema}
    (home / "registry" / "orders" / "created.yaml").write_text(json.dumps(message))
    changed = _run_command(home, "redrive", "--lake", "out", "--registry", "registry")
    assert (changed.returncode, "has 'data.id' as BIGINT" in changed.stderr) == (2, True)


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.long)])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_watch_goes_on_with_what_is_added_and_ends_when_it_is_told_to(number: int, engine: str, home: Path) -> None:
    program = [sys.executable, "-m", "babelreg", "lake", "ingest", *ASKED, "--watch", "--every", "0.2"]
    environment = _environment(home, PYTHONUNBUFFERED="1")
    (home / "events.jsonl").write_text('{"eventType": "of an earlier process"}\n')
    with subprocess.Popen(
        [*program, "--engine", engine, "--format", "json", "--output", "openlineage:events.jsonl"],
        cwd=home,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        with (home / "in" / "a.jsonl").open("a") as file:
            file.write(_envelope("c", {"id": 2}) + "\n" + _envelope("d", {"id": 3}))
        second = json.loads(process.stdout.readline())
        process.send_signal(number)
        rest, said = process.communicate(timeout=600)
    assert (process.returncode, rest) == (0, "")
    ends = "babelreg: ends after this batch; press again to stop at once"  # where it compacts its batch
    *lines, report = said.splitlines()
    others = [line for line in lines if not line.startswith("published to delta: ")]
    assert (report, others) in [("report: events.jsonl", [end]) for end in ("babelreg: stopped", ends)]
    assert len(lines) == 3, "a line for each batch"
    events = [json.loads(line)["eventType"] for line in (home / "events.jsonl").read_text().splitlines()]
    assert events == ["of an earlier process", *["START", "COMPLETE"] * 2]
    assert [(one["batch"], one["read"], one["accepted"]) for one in (first, second)] == [(1, 3, 1), (2, 1, 1)]
    assert not (home / "out" / ".staging").exists()


def _no_input(home: Path) -> tuple[str, ...]:
    return ("--input", "gone", "--lake", "out", "--registry", "registry")


def _empty_input(home: Path) -> tuple[str, ...]:
    (home / "empty").mkdir()
    return ("--input", "empty", "--lake", "out", "--registry", "registry")


def _output_inside(home: Path) -> tuple[str, ...]:
    return ("--input", "in", "--lake", "in/tables", "--registry", "registry")


def _no_registry(home: Path) -> tuple[str, ...]:
    return ("--input", "in", "--lake", "out", "--registry", "in")


def _broken_registry(home: Path) -> tuple[str, ...]:
    (home / "registry" / "orders" / "created.yaml").write_text("{")
    return ASKED


def _foreign_output(home: Path) -> tuple[str, ...]:
    (home / "out").mkdir()
    (home / "out" / "photo.jpg").write_bytes(b"")
    return ASKED


def _unwritable_output(home: Path) -> tuple[str, ...]:
    (home / "file").write_bytes(b"")
    return ("--input", "in", "--lake", "file/out", "--registry", "registry")


def _report_inside(home: Path) -> tuple[str, ...]:
    return (*ASKED, "--output", "in/report.html")


def _nothing_said(home: Path) -> tuple[str, ...]:
    return ()


@pytest.mark.parametrize(
    "mistake, said",
    [
        pytest.param(_no_input, "the input gone does not exist", id="the input is not there"),
        pytest.param(_empty_input, "contains no files", id="the input is empty"),
        pytest.param(_output_inside, "is inside the input", id="the output is inside the input"),
        pytest.param(_no_registry, "babelreg.yaml", id="the registry is none"),
        pytest.param(_broken_registry, "the registry has defects", id="the registry is broken"),
        pytest.param(_foreign_output, "it holds 'photo.jpg'", id="the output is something else"),
        pytest.param(_unwritable_output, "cannot write", id="the output cannot be made"),
        pytest.param(_report_inside, "would be inside in", id="the report is to lie among the messages"),
        pytest.param(_nothing_said, "--input", id="no option given"),
    ],
)
def test_a_mistake_is_told_with_a_way_out_and_exit_2(mistake: Any, said: str, home: Path) -> None:
    done = _copied(home, "ingest", *mistake(home))
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    assert not list(home.rglob("*.parquet"))


def test_without_the_extra_the_error_says_what_to_install(home: Path) -> None:
    hidden = home / "hidden"
    hidden.mkdir()
    # A finder that says that nothing of the extra is installed.
    (hidden / "sitecustomize.py").write_text(
        "import sys\nclass No:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('pyspark', 'pyarrow', 'pandas', 'numpy'):\n            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, No())\n"
    )
    done = _run(home, *ASKED, PYTHONPATH=os.pathsep.join([str(hidden), str(ROOT)]))
    assert (done.returncode, "pip install 'babelreg[spark]'" in done.stderr, "Traceback" in done.stderr) == (
        2,
        True,
        False,
    )
    (home / "out" / "manifest").mkdir(parents=True)
    (home / "out" / "manifest" / "000001.json").write_text("{}")
    again = ("--lake", "out", "--registry", "registry")
    redriven = _run_command(home, "redrive", *again, PYTHONPATH=os.pathsep.join([str(hidden), str(ROOT)]))
    assert (redriven.returncode, "pip install 'babelreg[lake]'" in redriven.stderr) == (2, True)


def test_help_imports_neither_spark_nor_arrow() -> None:
    program = "import sys\nfrom babelreg.cli import main\ntry:\n    main(['spark', 'ingest', '--help'])\nfinally:\n    print(sorted({'pyspark', 'pyarrow', 'py4j'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_dry_run_names_what_would_be_read_and_starts_nothing(home: Path) -> None:
    done = _copied(home, "ingest", *ASKED, "--dry-run", PATH="/nowhere")
    size = (home / "in/a.jsonl").stat().st_size
    assert (done.returncode, done.stdout) == (0, f"would read in/a.jsonl ({size:,} bytes)\n"), done.stderr
    assert done.stderr.startswith("1 file, ")
    assert not (home / "out").exists()
    as_json = json.loads(_copied(home, "ingest", *ASKED, "--dry-run", "--format", "json").stdout)
    assert as_json == {
        "files": [{"path": "in/a.jsonl", "start": 0, "end": size}],
        "known_files": 0,
        "bytes": size,
    }


@pytest.mark.parametrize("name", ["compact", "files", "publish", "quarantine", "redrive", "report"])
def test_a_command_that_moved_says_where_to(name: str, home: Path) -> None:
    done = _copied(home, name, "--lake", "my lake")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"babelreg: error: `babelreg spark {name}` is `babelreg lake {name}` now",
        f"  fix: babelreg lake {name} --lake 'my lake'",
    ]
