"""Published tables have the numbers of the lake."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.model import Registry
from babelreg.spark import ingest, publish

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import exact_rows


def test_numbers_are_published_as_they_were_sent(tmp_path: Path, make_registry: Callable[..., Registry]) -> None:
    for package in ("deltalake", "pyiceberg", "sqlalchemy"):
        pytest.importorskip(package)
    import projected

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(b"\n".join(exact_rows.bodies()))
    lake: Any = tmp_path / "lake"
    with LocalEngine(1) as engine:
        ingest(engine, make_registry({exact_rows.URN: exact_rows.SCHEMA}), tmp_path / "in", lake)
    assert not publish(lake, projected.FORMATS).failed
    for read in (projected.delta, projected.iceberg):
        exact_rows.check(read(lake, exact_rows.URN).to_pylist(), read(lake, projected.QUARANTINE).to_pylist())
