"""``babelreg spark pack``: what it prints, and that it works from the command line."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

from babelreg.load.registry.json_bundle import unpack

Run = Callable[..., tuple[int, str, str]]
EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"


def test_an_archive_and_the_lines_that_use_it(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "env.tar.gz"
    code, said, _ = run("spark", "pack", "--registry", EXAMPLE, "--out", out)
    assert code == 0
    lines = said.splitlines()
    assert lines[0].startswith(f"{out}: ")
    assert any(line.startswith("  orjson ") for line in lines)
    assert f"--archives '{out}#babelreg'" in said or f"--archives {out}#babelreg" in said
    with tarfile.open(out) as tar:
        body = tar.extractfile("registry.json")
        assert body is not None
        assert "urn:babel:orders:created" in unpack(body.read(), "registry.json").schemas


def test_a_registry_with_defects_is_not_packed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "_context.yaml").write_text("{")
    code, _, said = run("spark", "pack", "--registry", tmp_path, "--out", tmp_path / "env.tar.gz")
    assert code == 2
    assert "_context.yaml:1:" in said
    assert not (tmp_path / "env.tar.gz").exists()


def test_a_name_that_spark_would_not_unpack_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, said = run("spark", "pack", "--registry", EXAMPLE, "--out", tmp_path / "env.zip")
    assert code == 2
    assert "--out env.tar.gz" in said
