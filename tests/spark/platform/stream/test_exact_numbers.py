"""Streams store numbers as they were sent, in both formats."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.model import Registry

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import exact_rows
from lakehouse import Lakehouse

from babelreg.spark.platform.stream import spark_jars, stream, stream_settings

pytestmark = [pytest.mark.spark, pytest.mark.servers]


@pytest.mark.parametrize("to", ["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def test_numbers_are_streamed_as_they_were_sent(
    to: str, stream_session: Any, tmp_path: Path, make_registry: Callable[..., Registry]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(b"\n".join(exact_rows.bodies()))
    session, at = stream_session, str(tmp_path / "tables")
    if to == "iceberg":
        session = stream_session.newSession()
        for key, value in spark_jars.settings(to, at).items():
            session.conf.set(key, value)
    settings = stream_settings(str(tmp_path / "in"), to, at, str(tmp_path / "checkpoint"))
    stream(session, make_registry({exact_rows.URN: exact_rows.SCHEMA}), settings)
    stored, refused = (_read(tmp_path, to, name) for name in ("money_counted__rows", "babelreg__quarantine"))
    exact_rows.check(stored, refused)


def _read(folder: Path, to: str, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table, read without Spark, from wherever the format put it."""
    place = Lakehouse.__new__(Lakehouse)
    marker = "_delta_log" if to == "delta" else "metadata"
    (table,) = (found for found in (folder / "tables").rglob(name) if (found / marker).is_dir())
    place.to, place.folder = to, table.parent
    return place.read(name)
