"""Parquet files by the paths that people name."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.lake.storage.parquet import address


def test_a_relative_path_is_one_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert address(Path("lake/ids")) == f"file://{tmp_path}/lake/ids"
    assert address(tmp_path / "a b") == f"file://{tmp_path}/a b"
