"""``babelreg demo`` runs the whole job; a second run adds only what is new."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def without_java(programs: Path, folder: Path) -> str:
    """A folder with links to all of ``programs`` but Java's, where it has any: bash often stands beside it."""
    if not (programs / "java").exists():
        return str(programs)
    links = folder / ".programs" / "-".join(programs.parts[1:])
    if not links.is_dir():
        links.mkdir(parents=True)
        for program in programs.iterdir():
            if not program.name.startswith("java"):
                (links / program.name).symlink_to(program)
    return str(links)


def demo(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    # No Java on the path: the one that comes with the extra must do.
    path = os.pathsep.join(without_java(Path(p), folder) for p in os.environ["PATH"].split(os.pathsep))
    env = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"} | {"PATH": path, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "babelreg", "demo", "--out", "demo", "--messages", "200", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def counts(text: str) -> dict[str, int]:
    """What the summary says: read, and what became of it; nothing where there was nothing new."""
    said = re.search(
        r"read ([\d,]+) messages?.*\n\s*= ([\d,]+) accepted \+ ([\d,]+) duplicates? \+ ([\d,]+) quarantined", text
    )
    names = "read", "accepted", "duplicate", "quarantined"
    return dict(zip(names, (int(number.replace(",", "")) for number in said.groups()), strict=True)) if said else {}


@pytest.mark.spark
@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.long)], ids=["once", "twice"])
def test_the_whole_job_runs_and_its_counts_add_up(again, tmp_path):
    first = demo(tmp_path)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "Warning" not in first.stdout + first.stderr
    assert "[property-required]" in first.stdout
    assert "may still send {" in first.stdout
    assert (tmp_path / "demo/changed/orders/created.v3.yaml").is_file()
    found = counts(first.stdout)
    assert found["read"] == found["accepted"] + found["duplicate"] + found["quarantined"]
    assert found["duplicate"] == 2
    assert found["quarantined"] >= 7
    if not again:
        return
    stamps = {file: file.stat().st_mtime_ns for file in (tmp_path / "demo/messages").rglob("*.py")}
    second = demo(tmp_path)
    assert second.returncode == 0, second.stdout + second.stderr
    assert counts(second.stdout)["read"] == found["read"]
    assert {file: file.stat().st_mtime_ns for file in stamps} == stamps


def test_a_folder_that_is_not_the_demos_is_left_alone(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/mine.txt").write_text("mine")
    done = demo(tmp_path)
    assert done.returncode == 2
    assert "was not created by a demo" in done.stderr
    assert [p.name for p in (tmp_path / "demo").iterdir()] == ["mine.txt"]


def test_what_the_demo_breaks_on_purpose_annotates_nothing(tmp_path, monkeypatch, capsys):
    from babelreg.cli.demo import _DemoSteps

    for path, text in (("babelreg.yaml", "version: 1\n"), ("orders/_context.yaml", "owner: [\n")):
        (tmp_path / "registry" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "registry" / path).write_text(text)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    _DemoSteps(tmp_path).run("lint", "--registry", tmp_path / "registry", expect=1)
    shown = capsys.readouterr().out
    assert "error: " in shown
    assert "::error" not in shown
