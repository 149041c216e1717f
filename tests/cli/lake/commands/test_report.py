"""``babelreg lake report`` as a user runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from babelreg.cli.lake.group import command
from babelreg.errors import InputError, UsageError
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.load.registry_error import RegistryError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An output of one batch that read nothing."""
    (tmp_path / "out" / "manifest").mkdir(parents=True)
    batch = Batch(1, "ingest", 0, 0, 0, 0, False, (), {}, TableRows(0, ()), {}, {}, ())
    manifest.write(tmp_path / "out", batch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["report", *arguments])


def test_without_a_registry_the_page_is_written_and_that_is_said(home: Path) -> None:
    done = run("--lake", "out")
    assert (done.exit_code, done.stdout) == (0, "wrote report.html\n")
    assert done.stderr.startswith("no registry found: all values are masked")
    assert "The counts add up." in (home / "report.html").read_text()


def test_of_several_registries_none_is_chosen_and_that_is_said(home: Path) -> None:
    for name in ("one", "two"):
        (home / name).mkdir()
        (home / name / "babelreg.yaml").write_text("version: 1\n")
    done = run("--lake", "out")
    assert done.stderr.startswith("there are several registries here: one and two: all values are masked")


def test_the_page_replaces_the_one_before_as_a_whole(home: Path) -> None:
    (home / "page.html").write_text("before")
    assert run("--lake", "out", "--output", "page.html").exit_code == 0
    assert sorted(path.name for path in home.iterdir()) == ["out", "page.html"]
    assert (home / "page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        pytest.param(("--lake", "gone"), UsageError, "gone does not exist", id="no such output"),
        pytest.param(("--lake", "out", "--batch", "7"), UsageError, "batch 7 does not exist", id="no such batch"),
        pytest.param(
            ("--lake", "out", "--registry", "out"),
            RegistryError,
            "the registry has defects",
            id="the registry is none",
        ),
        pytest.param(
            ("--lake", "out", "--output", "out/x.html"), UsageError, "would be inside out", id="a page in the output"
        ),
        pytest.param(
            ("--lake", "out", "--output", "gone/x.html"),
            SystemExit,
            "the folder of gone/x.html",
            id="no folder for the page",
        ),
    ],
)
def test_a_mistake_is_told(arguments: tuple[str, ...], error: type[BaseException], said: str, home: Path) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, error)
    assert said in f"{done.exception}{done.stderr}"
    assert not (home / "report.html").exists()


def test_a_manifest_that_is_none_is_told(home: Path) -> None:
    (home / "out" / "manifest" / "000001.json").write_text("{")
    assert isinstance(run("--lake", "out").exception, InputError)


def test_without_arrow_the_error_says_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run("--lake", "out")
    assert isinstance(done.exception, UsageError)
    assert done.exception.fix == "pip install 'babelreg[lake]'"
