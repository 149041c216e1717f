"""A disk that is full below ``lake ingest`` and its sisters: they say so, and the next run has every message once."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import commands
import pytest

pytest.importorskip("deltalake")
pytest.importorskip("pyiceberg")

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import disk
import once
import projected

from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage.log import manifest

STEPS = ("ingest", "ingest", "redrive", "publish", "ingest", "compact")
"""Each command with the lake that the ones before it have left."""

FULL = ("No space left on device", "is full")


@dataclass
class Home:
    """A lake on a small disk; its input and its registries are elsewhere."""

    folder: Path
    small: Path
    files: int = 0
    ended: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for name, minimum in (("strict", 1), ("mild", -5)):
            for urn, schema in once.schemas(minimum).items():
                context, message = urn.split(":")[2:]
                (self.folder / name / context).mkdir(parents=True, exist_ok=True)
                (self.folder / name / context / "_context.yaml").write_text("owner: team\n")
                declared = {"urn": urn, "kind": "event", "data": schema}
                (self.folder / name / context / f"{message}.yaml").write_text(json.dumps(declared))
            (self.folder / name / "babelreg.yaml").write_text("version: 1\n")
        (self.folder / "sent").mkdir()
        self.home.mkdir()
        (self.home / "sent").symlink_to(self.folder / "sent")

    @property
    def home(self) -> Path:
        return self.small / "home"

    def add(self) -> None:
        lines = b"".join(once.lines(random.Random(100 * self.files + n), self.files) for n in range(20))
        (self.folder / "sent" / f"{self.files:05d}").write_bytes(lines)
        self.files += 1

    def run(self, step: str) -> CompletedProcess[str]:
        arguments = {
            "ingest": ["--input", self.folder / "sent", "--registry", self.folder / "strict"],
            "redrive": ["--registry", self.folder / "mild", "--grace", "0s"],
            "publish": ["--to", "delta,iceberg"],
            "compact": ["--at-least", "2", "--grace", "0s"],
        }
        return commands.run("lake", step, "--lake", self.home / "out", *arguments[step], at=self.folder)

    def state(self) -> Any:
        """The rows of the lake, each message of which is in one place."""
        if not manifest.read(self.home / "out"):
            return [], []
        once.check(self.home)
        return tuple(sorted(map(repr, rows)) for rows in once.rows(self.home))

    def published(self) -> dict[str, list[Any]]:
        """The rows of the Delta tables."""
        out = self.home / "out"
        tables = projected.tables(out) if manifest.read(out) else []
        logs = [table for table in tables if any((out / folder_of(table) / "_delta_log").glob("*.json"))]
        return {table: projected.sorted_rows(projected.delta(out, table).to_pylist()) for table in logs}

    def full(self, step: str, left: int) -> CompletedProcess[str]:
        """Run the command with so many bytes left on the disk."""
        other = self.small / "other"
        other.write_bytes(bytes(max(0, shutil.disk_usage(self.small).free - left)))
        try:
            return self.run(step)
        finally:
            other.unlink()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with disk.mounted(tmp_path / "disk", "16m") as small:
        yield Home(tmp_path, small)


@pytest.mark.parametrize(
    "steps, stride, runs",
    [
        pytest.param(("ingest", "redrive"), 163_840, 1, id="here and there"),
        pytest.param(STEPS, 16_384, 3, id="at every fourth page", marks=pytest.mark.long),
    ],
)
def test_wherever_the_disk_is_full_the_command_says_so_and_the_next_one_works(
    steps: tuple[str, ...], stride: int, runs: int, home: Home
) -> None:
    """More and more bytes are left, until there were enough for ``runs`` runs."""
    for number, step in enumerate(steps):
        if step == "ingest":
            home.add()
        before, published = home.state(), home.published()
        start = home.folder / "start"
        shutil.copytree(home.home, start, symlinks=True)
        done = home.run(step)
        assert done.returncode == 0, done.stderr
        after, left, complete = home.state(), number * 4_096 % stride, 0
        assert home.published().keys() == {*projected.tables(home.home / "out")}
        newest = home.published()
        while complete < runs:
            shutil.rmtree(home.home)
            shutil.copytree(start, home.home, symlinks=True)
            done = home.full(step, left)
            where = f"{step} {number} with {left} bytes left: {done.returncode}\n{done.stderr}"
            assert done.returncode in (0, 1, 2), where
            complete += done.returncode == 0
            home.ended[f"{step}: {done.returncode}"] += 1
            assert home.state() in ([after] if done.returncode == 0 else [before, after]), where
            for table, rows in home.published().items():
                assert rows in (published.get(table), newest[table]), where
            if done.returncode:
                assert any(text in done.stderr for text in FULL), where
            if done.returncode == 2:
                assert "free some space" in done.stderr, where
            again = home.run(step)
            assert again.returncode == 0, f"{where}\n{again.stderr}"
            assert home.state() == after, where
            assert home.published() == newest, where
            assert not (home.home / "out" / ".staging").exists()
            left += stride
        shutil.rmtree(start)
    projected.check(home.home / "out", ["delta", *(["iceberg"] if "publish" in steps else [])])
    print(dict(home.ended))
    assert all(home.ended[f"{step}: 2"] + home.ended[f"{step}: 1"] for step in steps), home.ended
