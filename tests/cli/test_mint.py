"""``babelreg mint`` as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from babelreg.cli.mint import command
from babelreg.errors import UsageError

URN = "urn:babel:orders:created"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders").mkdir()
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "orders/_context.yaml").write_text("owner: team-orders\n")
    (tmp_path / "orders/created.yaml").write_text(f"urn: {URN}\nkind: event # yes\ndata: {{type: object}}\n")
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_the_files_written_are_listed_on_stdout_and_the_rest_said_on_stderr(folder: Path) -> None:
    done = run(URN, "--sunset", "2099-01-01")
    assert done.stdout == "orders/created.v2.yaml\norders/created.yaml\n"
    assert "nothing was put back" in done.stderr
    assert f"{URN}.v2, supersedes {URN}" in done.stderr
    written = (folder / "orders/created.v2.yaml").read_text()
    assert written.startswith(f"urn: {URN}.v2\nkind: event # yes\nsupersedes: {URN}\n")
    assert sorted(path.name for path in (folder / "orders").iterdir()) == [
        "_context.yaml",
        "created.v2.yaml",
        "created.yaml",
    ]


def test_nothing_is_written_where_it_cannot_be_done(folder: Path) -> None:
    before = (folder / "orders/created.yaml").read_bytes()
    done = run(URN, "--sunset", "soon")
    assert isinstance(done.exception, UsageError)
    assert (folder / "orders/created.yaml").read_bytes() == before
    assert not (folder / "orders/created.v2.yaml").exists()


def test_a_baseline_that_was_asked_for_must_be_there(folder: Path) -> None:
    done = run(URN, "--against", "main")
    assert isinstance(done.exception, UsageError)
    assert not (folder / "orders/created.v2.yaml").exists()
