"""``babelreg lint --fix`` and ``--diff`` as a user runs them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from babelreg.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "registry.example"
MESSAGE = "orders/cancelled.yaml"


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "registry" / MESSAGE
    said = "producers: [orders-api]\n"
    file.write_text(file.read_text().replace(said, f"{said}consumers: [warehouse, storefront]  # who\n"))
    return Path("registry")


def test_what_can_be_mended_is(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (registry / MESSAGE).read_text()
    code, out, err = run(capsys, "lint", "--fix", registry)
    assert (code, "[consumer-declared-twice]" in out) == (0, False)
    assert err.splitlines()[0] == "fixed 1 finding in 1 file"
    assert (registry / MESSAGE).read_text() == before.replace("[warehouse, storefront]", "[storefront]")
    assert run(capsys, "lint", "--fix", registry)[2].splitlines()[0] in (
        "nothing to fix",
        "nothing can be fixed automatically",
    )


def test_what_remains_is_reported_and_decides(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = registry / "orders/placed.yaml"
    file.write_text(f"{file.read_text()}colour: red\n")
    code, out, err = run(capsys, "lint", "--fix", registry)
    assert code == 1
    assert "[key-unknown]" in out
    assert "[consumer-declared-twice]" not in out
    assert err.splitlines()[0] == "fixed 1 finding in 1 file"
    assert run(capsys, "lint", "--fix", registry)[2].splitlines()[0] == "nothing can be fixed automatically"


def test_a_file_with_a_wrong_path_stays_there_and_the_page_says_so(
    registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (registry / MESSAGE).rename(registry / "orders/other.yaml")
    code, out, err = run(capsys, "lint", "--fix", registry, "--select", "path-mismatch")
    assert (code, "fix: git mv " in out, err.splitlines()[0]) == (1, True, "nothing can be fixed automatically")
    assert (registry / "orders/other.yaml").exists()
    assert "edits files but does not move them" in " ".join(run(capsys, "explain", "path-mismatch")[1].split())


def test_the_diff_shows_it_and_writes_nothing(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (registry / MESSAGE).read_text()
    code, out, err = run(capsys, "lint", "--diff", registry)
    assert (code, err) == (1, "would fix 1 finding in 1 file\n")
    assert out.startswith(f"--- a/registry/{MESSAGE}\n+++ b/registry/{MESSAGE}\n@@ ")
    assert "-consumers: [warehouse, storefront]  # who\n+consumers: [storefront]  # who\n" in out
    assert (registry / MESSAGE).read_text() == before


def test_what_is_out_of_sight_is_not_mended(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (registry / MESSAGE).read_text()
    run(capsys, "lint", "--fix", registry / "billing")
    assert (registry / MESSAGE).read_text() == before


def test_a_waived_finding_is_not_mended(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (registry / MESSAGE).read_text()
    service = registry / "_services/warehouse.yaml"
    entry = "  - urn: urn:babel:orders:cancelled\n"
    waiver = "    # babelreg: allow consumer-declared-twice -- they move it next week\n"
    service.write_text(service.read_text().replace(entry, waiver + entry))
    code, out, err = run(capsys, "lint", "--fix", registry)
    assert (code, "[consumer-declared-twice]" in out) == (0, False)
    assert "1 waived" in err
    assert (registry / MESSAGE).read_text() == before
