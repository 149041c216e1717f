"""Input files that moved, and files that changed after they were read, through whole runs without a JVM."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from babelreg.cli.lake.group import command
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.input.set_aside import REPLACED
from babelreg.lake.report import html
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.manifest import SetAside, TableRows
from babelreg.model import Registry
from babelreg.spark import files, ingest

Make = Callable[..., Registry]
URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer", "minimum": 1}}}


def _message(number: int, data: Any, identity: bool = True) -> bytes:
    meta = {"id": f"{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


def _lines(start: int, count: int) -> bytes:
    """Messages of which every third is refused."""
    return b"".join(_message(n, {"id": -1 if n % 3 == 0 else n}) for n in range(start, start + count))


class Lake:
    """An input and an output folder."""

    def __init__(self, home: Path, spark: Any, registry: Registry, keep_duplicates: bool = False) -> None:
        self.home, self._spark, self._registry, self._keep = home, spark, registry, keep_duplicates
        (home / "in").mkdir()

    def write(self, name: str, content: bytes) -> None:
        path = self.home / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def ingest(self, folder: str = "in") -> Any:
        out = self.home / "out"
        return ingest(self._spark, self._registry, self.home / folder, out, keep_duplicates=self._keep)

    def rows(self) -> tuple[int, int]:
        """How many rows are in the table, and in quarantine."""
        return tuple(  # type: ignore[return-value]
            sum(parquet.ParquetFile(name).metadata.num_rows for name in files(self.home / "out", table))
            for table in (URN, "quarantine")
        )


@pytest.fixture
def lake(tmp_path: Path, make_registry: Make) -> Lake:
    return Lake(tmp_path, LocalEngine(2), make_registry({URN: SCHEMA}))


@pytest.mark.parametrize("keep_duplicates", [pytest.param(False, id="once"), pytest.param(True, id="with duplicates")])
def test_a_folder_that_moves_is_not_read_twice(keep_duplicates: bool, tmp_path: Path, make_registry: Make) -> None:
    lake = Lake(tmp_path, LocalEngine(2), make_registry({URN: SCHEMA}), keep_duplicates)
    for number in range(4):
        lake.write(f"day{number}/a.jsonl", _lines(10 * number + 1, 9))
    assert lake.ingest().read == 36
    before = lake.rows()
    assert before == (24, 12)
    for here, there in [("in", "moved"), ("moved", "again")]:
        (tmp_path / here).rename(tmp_path / there)
        summary = lake.ingest(there)
        assert (summary.read, summary.batch, summary.moved, summary.set_aside) == (0, None, 4, {})
        assert lake.ingest(there).moved == 0, "that it moved is known by now"
    (tmp_path / "again" / "day1").rename(tmp_path / "again" / "archive")
    (tmp_path / "again" / "new.jsonl").write_bytes(_lines(100, 3))
    summary = lake.ingest("again")
    assert (summary.read, summary.moved, summary.known_files) == (3, 1, 4)
    assert lake.rows() == (before[0] + 2, before[1] + 1)


def test_a_file_written_anew_does_not_stop_the_others(lake: Lake, tmp_path: Path) -> None:
    lake.write("app.log", _lines(1, 6))
    lake.write("other.log", _lines(11, 3))
    lake.ingest()
    lake.write("app.log", _lines(21, 2))
    lake.write("new.log", _lines(31, 4))
    for read in (4, 0, 0):
        summary = lake.ingest()
        assert summary.read == read
        assert list(summary.set_aside) == ["app.log"]
        assert "have changed since" in summary.set_aside["app.log"] or "shorter" in summary.set_aside["app.log"]
    assert summary.as_json()["set_aside"] == summary.set_aside
    page = html(tmp_path / "out", None)
    assert "Files set aside" in page
    assert "<code>app.log</code>" in page
    batches = len(manifest.read(tmp_path / "out"))
    (tmp_path / "in" / "app.log").rename(tmp_path / "in" / "app-2.log")
    summary = lake.ingest()
    assert (summary.read, summary.set_aside) == (2, {})
    assert len(manifest.read(tmp_path / "out")) == batches + 1
    assert "Files set aside" not in html(tmp_path / "out", None)
    assert sum(lake.rows()) == 6 + 3 + 4 + 2


def test_a_copy_is_not_read_again(lake: Lake, tmp_path: Path) -> None:
    lake.write("a", _lines(1, 6))
    lake.ingest()
    shutil.copy(tmp_path / "in" / "a", tmp_path / "in" / "b")
    summary = lake.ingest()
    assert (summary.read, summary.batch, summary.copies) == (0, None, ("b",))
    assert (lake.ingest().copies, lake.rows()) == ((), (4, 2))
    lake.write("b", _lines(1, 7))
    assert lake.ingest().read == 1


def test_a_log_that_an_earlier_version_set_aside_is_read(lake: Lake, tmp_path: Path) -> None:
    """It knew that ``app.log.1`` holds what ``app.log`` held, and set the new ``app.log`` aside."""
    lake.write("app.log", _lines(1, 6))
    lake.ingest()
    (tmp_path / "in" / "app.log").rename(tmp_path / "in" / "app.log.1")
    lake.write("app.log", _lines(21, 5))
    (before,) = manifest.read(tmp_path / "out")
    (read,) = before.consumed
    moved = (read._replace(name="app.log.1", start=read.end), read._replace(start=read.end, moved=True))
    aside = (SetAside(read.input, "app.log", REPLACED, read.end),)
    later = replace(before, number=2, read=0, accepted=0, quarantined=0, tables={}, quarantine=TableRows(0, ()))
    manifest.write(tmp_path / "out", replace(later, consumed=moved, set_aside=aside))
    summary = lake.ingest()
    assert (summary.read, summary.set_aside, sum(lake.rows())) == (5, {}, 11)
    assert replay.read(tmp_path / "out").set_aside == {}


def test_what_was_noted_of_files_outlives_folding(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    lake.write("a", _lines(1, 3))
    lake.write("b", _lines(11, 3))
    lake.ingest()
    lake.write("a", b"")
    (tmp_path / "in" / "b").rename(tmp_path / "in" / "c")
    assert lake.ingest().moved == 1
    for number in range(6):
        lake.write(f"n{number}", _lines(100 + 10 * number, 1))
        summary = lake.ingest()
        assert (summary.read, list(summary.set_aside), summary.moved) == (1, ["a"], 0)
    assert replay.read(tmp_path / "out").checkpoint >= 6
    (tmp_path / "in" / "c").rename(tmp_path / "in" / "d")
    assert (lake.ingest().moved, lake.ingest().moved) == (1, 0)


@pytest.fixture
def asked(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``babelreg spark`` on the folders, with a registry on disk and no JVM."""
    (tmp_path / "registry" / "orders").mkdir(parents=True)
    (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team\ndescription: Orders.\n")
    message = {"urn": URN, "kind": "event", "data": SCHEMA}
    (tmp_path / "registry" / "orders" / "created.yaml").write_text(json.dumps(message))
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        return CliRunner().invoke(command, (*words, "--engine", "local"))

    return run


INGEST = ("ingest", "--input", "in", "--lake", "out", "--registry", "registry")


def test_the_summary_names_what_is_set_aside_and_the_run_fails_unless_a_flag_says_otherwise(
    lake: Lake, asked: Callable[..., Result], tmp_path: Path
) -> None:
    lake.write("app.log", _lines(1, 5))
    assert asked(*INGEST).exit_code == 0
    lake.write("app.log", _lines(11, 5))
    lake.write("new.log", _lines(31, 2))
    done = asked(*INGEST, "--output", "page.html")
    assert done.exit_code == 1, done.output
    assert "read 2 messages from 1 file" in done.stdout
    assert "set aside: 1 file that cannot be read further\n  app.log: its first" in done.stdout
    assert "<code>app.log</code>" in (tmp_path / "page.html").read_text()
    done = asked(*INGEST, "--no-fail-set-aside")
    assert done.exit_code == 0
    assert done.stdout.startswith("nothing new: 1 file in in, ingested before\n\nset aside: 1 file")
    assert json.loads(asked(*INGEST, "--format", "json").stdout)["set_aside"].keys() == {"app.log"}


def test_the_summary_names_copies(lake: Lake, asked: Callable[..., Result], tmp_path: Path) -> None:
    lake.write("app.log", _lines(1, 5))
    asked(*INGEST)
    (tmp_path / "in" / "copy.gz").write_bytes(gzip.compress(_lines(1, 5)))
    done = asked(*INGEST)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("not read again: 1 copy of files that were read\n  copy.gz\n")


@pytest.mark.parametrize(
    "words, seconds",
    [
        pytest.param((), 3600, id="an hour by default"),
        pytest.param(("--grace", "90s"), 90, id="seconds"),
        pytest.param(("--grace", "30m"), 1800, id="minutes"),
        pytest.param(("--grace", "1h"), 3600, id="an hour"),
        pytest.param(("--grace", "7d"), 604_800, id="days"),
        pytest.param(("--grace", "0s"), 0, id="none"),
    ],
)
def test_how_long_replaced_files_stay_is_said(
    words: tuple[str, ...], seconds: int, lake: Lake, asked: Callable[..., Result], tmp_path: Path
) -> None:
    for number in range(3):
        lake.write(f"{number}", _lines(10 * number + 1, 2))
        assert asked(*INGEST, *words).exit_code == 0
    assert asked("compact", "--lake", "out", "--at-least", "2", *words).exit_code == 0
    (tmp_path / "registry" / "orders" / "created.yaml").write_text(
        json.dumps({"urn": URN, "kind": "event", "data": True})
    )
    done = asked("redrive", "--lake", "out", "--registry", "registry", *words)
    assert done.exit_code in (0, 2), done.output
    graces = {batch.kind: batch.grace_seconds for batch in manifest.read(tmp_path / "out") if batch.replaced}
    assert set(graces.values()) == {seconds}
    assert "compaction" in graces


@pytest.mark.parametrize("text", ["1", "h", "-1h", "1w", "1h30m", "1.5h", ""])
def test_what_is_not_a_duration_is_refused(text: str, asked: Callable[..., Result]) -> None:
    done = asked("compact", "--lake", "out", "--grace", text)
    assert done.exit_code == 2
    assert "is not a duration" in done.output
