"""``babelreg mint`` as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
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
    assert "nothing was restored" in done.stderr
    assert f"{URN}.v2, supersedes {URN}" in done.stderr
    written = (folder / "orders/created.v2.yaml").read_text()
    assert written.startswith(f"urn: {URN}.v2\nkind: event # yes\nsupersedes: {URN}\n")
    assert sorted(path.name for path in (folder / "orders").iterdir()) == [
        "_context.yaml",
        "created.v2.yaml",
        "created.yaml",
    ]


@pytest.mark.parametrize("option", ["--dry-run", "--diff"])
def test_a_preview_does_not_report_its_notes_as_done(folder: Path, option: str) -> None:
    before = (folder / "orders/created.yaml").read_bytes()
    done = run(URN, "--sunset", "2099-01-01", option)
    says, *notes = done.stderr.splitlines()[1:]
    assert says == f"nothing was written; without {option}:"
    assert any("deprecated, sunset 2099-01-01" in note for note in notes)
    assert (folder / "orders/created.yaml").read_bytes() == before


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


@pytest.fixture
def shared(folder: Path) -> Path:
    (folder / "_common").mkdir()
    (folder / "_common/money.yaml").write_text("type: object\n")
    data = "data: {type: object, properties: {total: {$ref: ../_common/money.yaml}}}\n"
    (folder / "orders/created.yaml").write_text(f"urn: {URN}\nkind: event\n{data}")
    return folder


@pytest.mark.parametrize("spelled", ["_common/money.yaml", "./_common/money.yaml", "../{}/_common/money.yaml"])
def test_a_fragment_for_one_message(shared: Path, spelled: str) -> None:
    done = run("--fragment", spelled.format(shared.name), "--for", URN)
    assert done.stdout == "_common/money.v2.yaml\norders/created.yaml\n"
    assert "orders/created.yaml: refers to _common/money.v2.yaml" in done.stderr
    assert "money.v2.yaml" in (shared / "orders/created.yaml").read_text()


@pytest.mark.parametrize(
    "arguments, fix",
    [
        pytest.param([], "name a URN, or a fragment", id="nothing"),
        pytest.param([URN, "--fragment", "_common/money.yaml"], f"--for {URN}", id="both at once"),
        pytest.param(["--for", URN], f"babelreg mint {URN}", id="a message and no fragment"),
        pytest.param(["--fragment", "_common/mony.yaml"], "_common/money.yaml", id="a typing error"),
        pytest.param(["--fragment", "/etc/passwd"], "_common/", id="a file of somebody else"),
    ],
)
def test_wrong_use(shared: Path, arguments: list[str], fix: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, UsageError)
    assert fix in str(done.exception.fix)


def test_a_sunset_is_asked_for_on_a_terminal(folder: Path) -> None:
    pty = pytest.importorskip("pty")
    source = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r}); from babelreg.cli import main; main()"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", code, "mint", URN]
    process = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    os.write(ours, b"2099-06-30\n")
    listed = process.communicate(timeout=120)[0]
    os.close(ours)
    assert listed == "orders/created.v2.yaml\norders/created.yaml\n"
    assert 'sunset: "2099-06-30"' in (folder / "orders/created.yaml").read_text()


def test_nobody_is_asked_where_nobody_is_there(folder: Path) -> None:
    done = run(URN)
    assert done.exception is None
    said = "orders/created.yaml: stays active; to deprecate it, set `status: deprecated` and `sunset: DATE`"
    assert said in done.stderr


def test_nothing_is_written_through_a_link_out_of_the_registry(folder: Path, tmp_path_factory: Any) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "billing").symlink_to(elsewhere)
    (folder / "orders/created.yaml").write_text("urn: urn:babel:billing:paid\nkind: event\ndata: {type: object}\n")
    done = run("urn:babel:billing:paid")
    assert isinstance(done.exception, UsageError)
    assert "outside the registry" in str(done.exception)
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_is_put_back_keeps_its_permissions_and_nothing_is_left_beside_it(folder: Path) -> None:
    (folder / "orders/created.yaml").chmod(0o640)
    assert run(URN, "--sunset", "2099-01-01").exception is None
    assert (folder / "orders/created.yaml").stat().st_mode & 0o777 == 0o640
    assert not list((folder / "orders").glob(".*"))
