"""Many small files become one, and every reader reads the same rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark import compact, files, history, ingest, manifest, output

URN, OTHER = "urn:babel:orders:created", "urn:babel:orders:paid"
Make = Callable[..., Registry]


def _schema(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "integer"} for name in names}}


def _envelope(number: int, urn: str = URN) -> bytes:
    meta = {"id": f"{urn}-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    data = {"a": number, "b": -number}
    body = {"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
    return json.dumps(body).encode() + b"\n"


def _rows(named: list[str]) -> list[tuple[int, int | None]]:
    found = [row["data"] for name in named for row in pq.ParquetFile(name).read().to_pylist()]
    return sorted((row["a"], row.get("b")) for row in found)


@pytest.mark.spark
def test_readers_read_the_same_rows_before_and_after(spark: Any, make_registry: Make, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    out = tmp_path / "out"
    for number, names in enumerate([("a",), ("a", "b"), ("a", "b")]):
        (tmp_path / "in" / f"{number}").write_bytes(_envelope(number) + (_envelope(0, OTHER) if not number else b""))
        ingest(spark, make_registry({URN: _schema(*names), OTHER: _schema("a")}), tmp_path / "in", out)
    earlier, rows = files(out, URN), _rows(files(out, URN))
    assert (len(earlier), rows) == (3, [(0, None), (1, -1), (2, -2)])

    done = compact(spark, out, at_least=3, grace_seconds=10_000)
    assert (done.batch, done.files, done.rows) == (4, {URN: 3}, {URN: 3})
    assert (len(files(out, URN)), len(files(out, OTHER))) == (1, 1)
    assert _rows(files(out, URN)) == rows
    assert _rows(earlier) == rows, "a reader that looked before has lost its files"
    assert compact(pytest.fail, out, at_least=3).batch is None

    # An id stays known, and the grace comes to its end.
    (tmp_path / "in" / "again").write_bytes(_envelope(1) + _envelope(7))
    os.utime(manifest.path_of(out, 4), (1, 1))
    again = ingest(spark, make_registry({URN: _schema("a", "b"), OTHER: _schema("a")}), tmp_path / "in", out)
    assert (again.accepted, again.duplicates) == (1, 1)
    assert not any(Path(name).exists() for name in earlier)
    assert _rows(files(out, URN)) == [*rows, (7, -7)]
    there = {path.relative_to(out).as_posix() for path in (out / "tables").rglob("part-*")}
    assert there == {os.path.relpath(name, out) for urn in (URN, OTHER) for name in files(out, urn)}


def test_a_folder_that_no_run_wrote_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(UsageError, match="holds no tables"):
        compact(pytest.fail, tmp_path / "photos")
    assert not any((tmp_path / "photos").iterdir())


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no table of 'urn:babel:a:b'") as raised:
        files(tmp_path, "urn:babel:a:b")
    assert raised.value.fix


def test_what_was_replaced_stays_for_its_grace(tmp_path: Path) -> None:
    replaced = f"{output.QUARANTINE}/batch=000001/part-00000.parquet"
    none = manifest.Table(0, ())
    batch = manifest.Batch(
        1, "redrive", 0, 0, 0, 0, False, (), {}, none, {}, {}, (), replaced=(replaced,), grace_seconds=60
    )
    (tmp_path / replaced).parent.mkdir(parents=True)
    (tmp_path / replaced).write_bytes(b"")
    (tmp_path / manifest.FOLDER).mkdir()
    manifest.write(tmp_path, batch)
    so_far = history.of([batch])
    assert output.remove_replaced(tmp_path, so_far) == so_far
    assert (tmp_path / replaced).exists()
    os.utime(manifest.path_of(tmp_path, 1), (1, 1))
    assert output.remove_replaced(tmp_path, so_far).removed == (1,)
    assert not (tmp_path / replaced).parent.exists()
    assert output.remove_replaced(tmp_path, so_far).removed == (1,)
    after = replace(batch, number=2, replaced=(), removed=(1,))
    assert output.remove_replaced(tmp_path, history.of([batch, after])).removed == ()
