"""Misplaced files, and paths that are not the registry's, as a user meets them in lint, format and breaking."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from babelreg.cli import main

MESSAGE = "urn: urn:babel:orders:refunded\nkind: event\ndata: {type: objct}\n"
FILES = {
    "babelreg.yaml": "version: 1\nignore_files: [samples/]\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\ndata: {$ref: ../_common/order.json}\n"
    "examples: {file: created.jsonl}\n",
    "orders/created.jsonl": "{}\n",
    "_common/order.json": '{"type": "object"}',
    "samples/x/refunded.yaml": MESSAGE,
    "README.md": "# Orders\n",
    "deploy/app.yaml": "kind: ConfigMap\n",
}
COMMANDS = [
    pytest.param(["lint", "--fail-on", "error"], id="lint"),
    pytest.param(["lint", "--no-cache"], id="lint without a cache"),
    pytest.param(["lint", "--fix"], id="lint --fix"),
    pytest.param(["format", "--check"], id="format --check"),
    pytest.param(["format"], id="format"),
    pytest.param(["breaking", "--against", "HEAD"], id="breaking"),
]


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "registry"
    write(root, FILES)
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *command], check=True)
    return root


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out + captured.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("orders/refunds/refunded.yaml", id="too deep"),
        pytest.param("refunded.yaml", id="at the top"),
        pytest.param("orders/Refunded.YAML", id="another letter case"),
        pytest.param("orders/refunded.yaml.txt", id="another ending"),
        pytest.param("_orders/refunded.yaml", id="an underscore"),
    ],
)
def test_no_command_is_silent_about_a_misplaced_file(
    command: list[str], path: str, registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(registry, {path: MESSAGE})
    for paths in ((registry,), (registry / path,)):
        code, out = run(capsys, *command, *paths)
        assert code in (1, 2)
        assert f"registry/{path}: error: this file is not read" in out
        assert "[file-misplaced]" in out


def test_a_verdict_from_the_cache_knows_of_a_file_that_is_new(
    registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "lint", "registry", "--fail-on", "never")[1] == run(capsys, "lint", "registry")[1]
    write(registry, {"orders/refunds/notes": "text\n"})
    assert "file-misplaced" not in run(capsys, "lint", "registry")[1]
    write(registry, {"orders/refunds/notes": MESSAGE})
    assert "file-misplaced" in run(capsys, "lint", "registry")[1]
    write(registry, {".gitignore": "refunds/\n"})
    assert "file-misplaced" not in run(capsys, "lint", "registry")[1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("README.md", id="another file"),
        pytest.param("deploy/app.yaml", id="another tool's YAML"),
        pytest.param("deploy", id="another tool's folder"),
        pytest.param("samples/x/refunded.yaml", id="a file in ignore_files"),
        pytest.param("samples", id="a folder in ignore_files"),
        pytest.param("orders/created.yml", id="a file that is not there"),
    ],
)
def test_a_path_that_is_not_the_registrys_is_wrong_use(
    command: list[str], path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = run(capsys, *command, f"registry/{path}")
    assert code == 2
    assert path in out
    assert "fix: name a" in out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "path",
    [
        "babelreg.yaml",
        "_services",
        "_services/orders-api.yaml",
        "orders",
        "orders/_context.yaml",
        "orders/created.yaml",
        "orders/created.jsonl",
        "_common/order.json",
    ],
)
def test_a_path_of_the_registry_is_taken(command: list[str], path: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, *command, f"registry/{path}")
    assert code in (0, 1), out
    assert "is not a file of the registry" not in out


def test_breaking_reads_no_more_for_a_shared_schema_in_json(
    registry: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from babelreg import load
    from babelreg.breaking.baseline import changed_subset

    run(capsys, "breaking", "--against", "HEAD", "registry")
    whole, subset = load.from_tree, changed_subset.from_documents
    read: list[int] = []
    read_whole: list[int] = []
    monkeypatch.setattr(load, "from_tree", lambda *args: read_whole.append(1) or whole(*args))
    monkeypatch.setattr(changed_subset, "from_documents", lambda *args: read.append(1) or subset(*args))
    code, out = run(capsys, "breaking", "--against", "HEAD", "registry")
    assert code == 0, out
    assert (len(read), len(read_whole)) == (2, 0)  # what differs, on both sides
