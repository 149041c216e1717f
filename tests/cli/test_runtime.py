"""``babelreg runtime`` writes one file; the wheel itself has tests of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from babelreg.cli import main
from babelreg.gen.targets.python.runtime_wheel import wheel_bytes, wheel_name


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main(["runtime", *arguments])
    captured = capsys.readouterr()
    return ended.value.code, captured.out + captured.err


def test_the_wheel_is_written_into_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys) == (0, f"wrote {wheel_name()}\n")
    assert run(capsys, "--out", "a/b") == (0, f"wrote {Path('a/b') / wheel_name()}\n")
    assert Path(wheel_name()).read_bytes() == Path("a/b", wheel_name()).read_bytes() == wheel_bytes()


def test_a_dry_run_writes_nothing_and_tells_the_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    checksum = hashlib.sha256(wheel_bytes()).hexdigest()
    assert run(capsys, "--dry-run") == (0, f"would write {wheel_name()}, SHA-256 {checksum}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_an_error_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("")
    code, shown = run(capsys, "--out", "taken/deep")
    assert code == 2
    assert "taken" in shown
    assert "Traceback" not in shown
