"""Parquet files by the paths that people name."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.lake.storage.parquet import address, opened, unreadable


def test_a_relative_path_is_one_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert address(Path("lake/ids")) == f"file://{tmp_path}/lake/ids"
    assert address(tmp_path / "a b") == f"file://{tmp_path}/a b"


def test_a_file_that_is_gone_is_named_once_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    with pytest.raises(OSError) as raised:  # noqa: PT011 - whatever the system says
        opened(path)
    err = unreadable(path, raised.value)
    assert err.message == f"cannot read {path}, which the manifest lists: No such file or directory"
    assert err.fix
