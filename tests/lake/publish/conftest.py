"""A lake in this process, where both libraries are installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_registry: Callable[..., object]) -> object:
    for package in ("deltalake", "pyiceberg", "sqlalchemy"):
        pytest.importorskip(package)
    import projected

    return projected.lake(tmp_path / "home", monkeypatch, make_registry)
