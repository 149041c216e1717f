"""``babelreg format`` as a user runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from babelreg.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "registry.example"
UNTIDY = """\
status:   'active'
kind: event   # what it is
urn: urn:babel:orders:zapped
description: Something was zapped.
producers: [orders-api]
data: {properties: {a: {type: string}}, type: object}
examples:
- a: b
"""
TIDY = """\
urn: urn:babel:orders:zapped
kind: event  # what it is
status: active
description: Something was zapped.
producers: [orders-api]
data: {type: object, properties: {a: {type: string}}}
examples:
  - a: b
"""


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    (tmp_path / "registry/orders/zapped.yaml").write_text(UNTIDY)
    monkeypatch.chdir(tmp_path)
    return Path("registry")


def texts(registry: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in registry.rglob("*") if path.is_file()}


def test_files_are_laid_out_and_a_second_run_changes_nothing(
    registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "format", "--registry", registry)
    assert (code, out) == (0, "registry/orders/zapped.yaml\n")
    assert err.startswith("1 file formatted, ")
    assert (registry / "orders/zapped.yaml").read_text() == TIDY
    before = texts(registry)
    code, out, err = run(capsys, "format", registry)
    assert (code, out) == (0, "")
    assert err.startswith("0 files formatted, ")
    assert texts(registry) == before


def test_check_writes_nothing_and_says_what_to_run(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = texts(registry)
    code, out, err = run(capsys, "format", "--check", registry)
    assert code == 1
    assert out == (
        "registry/orders/zapped.yaml: error: the file is not formatted as by `babelreg format` [file-unformatted]\n"
        "  fix: run `babelreg format registry/orders/zapped.yaml`\n"
    )
    assert err.startswith("1 file would change, ")
    assert texts(registry) == before


def test_check_reports_as_the_other_commands_do(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "format", "--check", registry, "--format", "json")
    (found,) = json.loads(out)["findings"]
    assert (code, found["rule"], found["path"]) == (1, "file-unformatted", "registry/orders/zapped.yaml")


def test_a_tidy_registry_passes_the_check(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (registry / "orders/zapped.yaml").unlink()
    assert run(capsys, "format", "--check", registry)[:2] == (0, "")


def test_the_diff_can_be_applied(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (registry / "orders/_context.yaml").write_text("description: Orders, without an end.\nowner: me")
    before = texts(registry)
    code, out, _ = run(capsys, "format", "--diff", registry)
    assert code == 1
    assert texts(registry) == before
    subprocess.run(["git", "apply", "--unsafe-paths", "-p1"], input=out, text=True, check=True)
    assert (registry / "orders/zapped.yaml").read_text() == TIDY
    assert run(capsys, "format", "--diff", registry)[:2] == (0, "")


@pytest.mark.parametrize(
    "path, changed",
    [
        pytest.param("registry/orders/zapped.yaml", True, id="the file"),
        pytest.param("registry/orders", True, id="its folder"),
        pytest.param("registry/billing", False, id="another folder"),
        pytest.param("registry/orders/placed.yaml", False, id="another file"),
    ],
)
def test_only_what_is_named_is_laid_out(
    path: str, changed: bool, registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "format", path)
    assert ((registry / "orders/zapped.yaml").read_text() == TIDY) is changed


@pytest.mark.parametrize(
    "text, rule",
    [
        pytest.param("urn: [\n", "yaml-syntax", id="no YAML"),
        pytest.param("urn: urn:babel:orders:broken\nurn: x\n", "yaml-duplicate-key", id="a key twice"),
        pytest.param("urn: urn:babel:orders:broken\nkind:  event\n", "key-missing", id="not what the format demands"),
        pytest.param(
            f"{UNTIDY.replace('zapped', 'broken')}x-a: {'[' * 90}{'x,' * 20_000}{']' * 90}\n",
            "layout-refused",
            id="too large then",
        ),
        pytest.param(
            f"{UNTIDY.replace('zapped', 'broken')}x-a: 'a\u2028b'\n", "layout-refused", id="a strange line end"
        ),
    ],
)
def test_a_file_with_defects_is_reported_and_left_alone(
    text: str, rule: str, registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = registry / "orders/broken.yaml"
    broken.write_text(text, "utf-8")
    code, out, err = run(capsys, "format", registry)
    assert code == 1
    assert f"[{rule}]" in out
    assert "1 with defects left unchanged" in err
    assert broken.read_text("utf-8") == text
    assert (registry / "orders/zapped.yaml").read_text() == TIDY
    assert run(capsys, "format", registry / "orders/placed.yaml")[0] == 0


def test_windows_line_ends_and_a_byte_order_mark_stay(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = registry / "orders/zapped.yaml"
    file.write_bytes(("\ufeff" + UNTIDY.replace("\n", "\r\n")).encode())
    run(capsys, "format", registry)
    assert file.read_bytes() == ("\ufeff" + TIDY.replace("\n", "\r\n")).encode()


def test_a_path_that_is_not_there_is_wrong_use(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "format", "nowhere")
    assert (code, out) == (2, "")
    assert "nowhere does not exist" in err


def test_what_mint_writes_is_laid_out(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (registry / "orders/zapped.yaml").unlink()
    for urn in ("urn:babel:orders:cancelled", "urn:babel:orders:created.v2", "urn:babel:media:thumbnail.generate"):
        assert run(capsys, "mint", urn, "--sunset", "2099-12-31", "--registry", registry)[0] == 0
    assert run(capsys, "format", "--check", registry)[:2] == (0, "")
