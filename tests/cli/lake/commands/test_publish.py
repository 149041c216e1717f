"""``babelreg lake publish`` and ``--publish``: a line a table, JSON, exit codes, and no Java."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import commands
import pytest

LINE = (
    '{"job":"urn:babel:orders:created","trace_id":"t","data":{"id":%d,"total":{"minor":1,"currency":"EUR"}},'
    '"meta":{"id":"m%d","queue":"orders","lang":"php","schema_version":1,"created_at":1749132727000},"attempts":0}\n'
)


def started(folder: Path) -> Path:
    """A registry and an inbox with one message, in ``folder``."""
    for package in ("deltalake", "pyiceberg"):
        pytest.importorskip(package)
    assert run(folder, "init", "registry").returncode == 0
    (folder / "inbox").mkdir()
    add(folder, 1)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return started(tmp_path)


@pytest.fixture(scope="module")
def home_with_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For wrong uses, which change nothing."""
    home = started(tmp_path_factory.mktemp("home"))
    assert ingest(home, "--publish", "none").returncode == 0
    return home


def add(home: Path, number: int) -> None:
    (home / "inbox" / f"{number}.jsonl").write_text(LINE % (number, number))


def run(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command, where starting Java is an error."""
    environment = {**os.environ, "JAVA_HOME": str(home / "no-java"), "NO_COLOR": "1"}
    return commands.run(*args, at=home, env=environment)


def ingest(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run(home, "lake", "ingest", "--engine", "local", "--input", "inbox", "--lake", "lake", *args)


def test_a_batch_is_published_and_later_commands_follow(home: Path) -> None:
    first = ingest(home, "--publish", "delta,iceberg")
    assert first.returncode == 0, first.stderr
    assert "published to delta: 1 file in 1 table\npublished to iceberg: 1 file in 1 table" in first.stderr
    add(home, 2)
    second = ingest(home, "--format", "json")
    assert json.loads(second.stdout)["accepted"] == 1
    assert "published to delta" in second.stderr
    compacted = run(home, "lake", "compact", "--engine", "local", "--lake", "lake", "--at-least", "2")
    assert compacted.returncode == 0, compacted.stderr
    assert "published to iceberg: 1 file in 1 table" in compacted.stderr
    done = run(home, "lake", "publish", "--lake", "lake")
    assert (done.returncode, done.stdout) == (
        0,
        "delta: nothing new, up to batch 3\niceberg: nothing new, up to batch 3\n",
    )


def test_delta_is_published_unless_none_is_asked_for(home: Path) -> None:
    from deltalake import DeltaTable

    created = home / "lake" / "tables" / "orders" / "created"
    assert ingest(home, "--publish", "none").returncode == 0
    assert not (created / "_delta_log").exists()
    assert ingest(home).returncode == 0
    assert DeltaTable(created).to_pyarrow_table()["message_id"].to_pylist() == ["m1"]
    add(home, 2)
    done = ingest(home, "--publish", "none")
    assert (done.returncode, "published" in done.stderr) == (0, False)
    assert DeltaTable(created).to_pyarrow_table().num_rows == 1
    wrong = ingest(home, "--publish", "none,delta")
    assert (wrong.returncode, "'none' is not a table format" in wrong.stderr) == (2, True)


def test_each_table_is_a_line_of_80_columns_or_a_member_of_json(home: Path) -> None:
    assert ingest(home, "--publish", "none").returncode == 0
    preview = run(home, "lake", "publish", "--lake", "lake", "--to", "delta", "--dry-run", "--format", "json")
    table = "urn:babel:orders:created"
    assert json.loads(preview.stdout) == {"formats": {"delta": {table: {"added": 1, "removed": 0}}}}
    text = run(home, "lake", "publish", "--lake", "lake", "--to", "delta")
    assert text.stdout.splitlines() == [
        "delta: published 1 table up to batch 1",
        "",
        "  new files   replaced       rows  table",
        "          1          0          1  lake/tables/orders/created",
    ]
    add(home, 2)
    assert ingest(home, "--publish", "none").returncode == 0
    result = json.loads(run(home, "lake", "publish", "--lake", "lake", "--to", "iceberg", "--format", "json").stdout)
    assert result["formats"]["iceberg"]["tables"][table]["rows"] == 2
    assert result["formats"]["iceberg"]["failed"] == {}


def test_a_table_that_cannot_be_published_is_exit_1_and_the_batch_counts(home: Path) -> None:
    assert ingest(home, "--publish", "delta").returncode == 0
    log = home / "lake" / "tables" / "orders" / "created" / "_delta_log"
    for path in log.iterdir():
        path.write_text("{")
    add(home, 2)
    done = ingest(home)
    assert done.returncode == 1
    assert "1 accepted" in done.stdout
    assert "warning: not published to delta: urn:babel:orders:created: " in done.stderr
    assert "Traceback" not in done.stderr
    assert run(home, "lake", "publish", "--lake", "lake").returncode == 1
    assert run(home, "lake", "publish", "--lake", "lake", "--rebuild").returncode == 0
    assert run(home, "lake", "publish", "--lake", "lake").returncode == 0


@pytest.mark.parametrize(
    "args, said",
    [
        pytest.param(("--lake", "lake"), "is not published yet", id="no format"),
        pytest.param(("--lake", "none", "--to", "delta"), "does not exist", id="no lake"),
        pytest.param(("--lake", "lake", "--to", "detla"), "did you mean 'delta'?", id="a misspelt format"),
        pytest.param(("--lake", "s3://lake", "--to", "delta"), "is an address", id="an address"),
    ],
)
def test_wrong_use_is_exit_2_with_a_way_out(args: tuple[str, ...], said: str, home_with_lake: Path) -> None:
    done = run(home_with_lake, "lake", "publish", *args)
    assert (done.returncode, said in done.stderr, "fix: " in done.stderr) == (2, True, True), done.stderr
