"""Many small files become one, and every reader reads the same rows."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.lake.storage import output_folder
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.replay import LakeState
from babelreg.model import Registry
from babelreg.spark import compact, files, ingest

compacting = importlib.import_module("babelreg.lake.ingest.compaction")  # the package has a function of that name

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
        lines = [_envelope(number), b"refused\n", *([] if number else [_envelope(0, OTHER)])]
        (tmp_path / "in" / f"{number}").write_bytes(b"".join(lines))
        ingest(spark, make_registry({URN: _schema(*names), OTHER: _schema("a")}), tmp_path / "in", out)
    earlier, rows, refused = files(out, URN), _rows(files(out, URN)), _refused(out)
    assert (len(earlier), rows, len(refused)) == (3, [(0, None), (1, -1), (2, -2)], 3)

    done = compact(spark, out, at_least=3, grace_seconds=10_000)
    assert (done.batch, done.files, done.rows) == (4, {URN: 3, "quarantine": 3}, {URN: 3, "quarantine": 3})
    assert [len(files(out, table)) for table in (URN, OTHER, "quarantine")] == [1, 1, 1]
    assert (_rows(files(out, URN)), _refused(out)) == (rows, refused)
    assert [tuple(row) for row in spark.read.parquet(*files(out, URN)).select("data.a", "data.b").collect()] == rows
    assert _rows(earlier) == rows, "a reader that looked before has lost its files"
    assert compact(pytest.fail, out, at_least=3).batch is None

    # An id stays known, and the grace comes to its end.
    (tmp_path / "in" / "again").write_bytes(_envelope(1) + _envelope(7))
    os.utime(manifest.path_of(out, 4), (1, 1))
    again = ingest(spark, make_registry({URN: _schema("a", "b"), OTHER: _schema("a")}), tmp_path / "in", out)
    assert (again.batch, again.accepted, again.duplicates) == (5, 1, 1)
    assert not any(Path(name).exists() for name in earlier)
    assert _rows(files(out, URN)) == [*rows, (7, -7)]
    there = {path.relative_to(out).as_posix() for path in (out / "tables").rglob("part-*")}
    assert there == {os.path.relpath(name, out) for urn in (URN, OTHER) for name in files(out, urn)}


def _refused(out: Path) -> list[dict[str, Any]]:
    return [row for name in files(out, "quarantine") for row in pq.ParquetFile(name).read().to_pylist()]


@pytest.mark.spark
def test_what_is_due_after_a_batch_is_compacted_and_a_failure_there_is_a_warning(
    spark: Any, make_registry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry, out = make_registry({URN: _schema("a"), OTHER: _schema("a")}), tmp_path / "out"
    monkeypatch.setattr(compacting, "FANOUT", 2)
    monkeypatch.setattr(compacting, "_REWRITE_FACTOR", 9)  # two files at a time soon leave more than is usual to do

    def batch(number: int, **options: Any) -> tuple[int | None, list[int]]:
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{number}").write_bytes(_envelope(number) + _envelope(number, OTHER))
        summary = ingest(spark, registry, tmp_path / "in", out, **options)
        assert (summary.accepted, summary.tables) == (2, {URN: 1, OTHER: 1})
        return summary.batch, [len(files(out, urn)) for urn in (URN, OTHER)]

    assert batch(0) == (1, [1, 1])
    assert batch(1, compacting=False) == (2, [2, 2])
    with monkeypatch.context() as patch:
        patch.setattr(compacting, "_written", _fails)
        with pytest.warns(RuntimeWarning, match="was not compacted: No space left"):
            assert batch(2) == (3, [3, 3])
    assert batch(3) == (4, [1, 1])
    assert [one.kind for one in manifest.read(out)] == ["ingest"] * 4 + ["compaction"]
    assert _rows(files(out, URN)) == [(number, None) for number in range(4)]
    assert not (out / ".staging").exists()


def _fails(*_: object) -> None:
    raise UsageError("No space left on device", fix="make room")


def test_a_folder_that_no_run_wrote_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(UsageError, match="contains no tables"):
        compact(pytest.fail, tmp_path / "photos")
    assert not any((tmp_path / "photos").iterdir())


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no table of 'urn:babel:a:b'") as raised:
        files(tmp_path, "urn:babel:a:b")
    assert raised.value.fix


def test_a_misspelt_table_is_told_and_of_many_only_some_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = replace(replay.read(tmp_path), tables={f"urn:babel:shop:thing.t{number}ed": () for number in range(40)})
    monkeypatch.setattr(replay, "read", lambda output: state)
    with pytest.raises(UsageError) as misspelt:
        files(tmp_path, "urn:babel:shop:thing.t7e")
    assert misspelt.value.fix == "did you mean 'urn:babel:shop:thing.t7ed'?"
    with pytest.raises(UsageError) as unknown:
        files(tmp_path, "nothing of the kind")
    assert (unknown.value.fix or "").endswith("thing.t9ed, ...) or quarantine")


def test_what_was_replaced_stays_for_its_grace(tmp_path: Path) -> None:
    replaced = f"{output_folder.QUARANTINE}/batch=000001/part-00000.parquet"
    none = manifest.TableRows(0, ())
    first = manifest.Batch(1, "ingest", 1, 0, 0, 1, False, (), {}, manifest.TableRows(1, (replaced,)), {}, {}, ())
    batch = manifest.Batch(
        2, "redrive", 0, 0, 0, 0, False, (), {}, none, {}, {}, (), replaced=(replaced,), grace_seconds=60
    )
    (tmp_path / replaced).parent.mkdir(parents=True)
    (tmp_path / replaced).write_bytes(b"")
    (tmp_path / manifest.FOLDER).mkdir()
    manifest.write(tmp_path, batch)
    so_far = replay.of([first, batch])
    assert output_folder.remove_replaced(tmp_path, so_far) == so_far
    assert (tmp_path / replaced).exists()
    os.utime(manifest.path_of(tmp_path, 2), (2**33, 2**33))  # the clock went backwards since
    assert output_folder.remove_replaced(tmp_path, so_far) == so_far
    os.utime(manifest.path_of(tmp_path, 2), (1, 1))
    assert output_folder.remove_replaced(tmp_path, so_far).removed == (2,)
    assert not (tmp_path / replaced).parent.exists()
    assert output_folder.remove_replaced(tmp_path, so_far).removed == (2,)
    after = replace(batch, number=3, replaced=(), removed=(2,))
    assert output_folder.remove_replaced(tmp_path, replay.of([first, batch, after])).removed == ()


@pytest.mark.parametrize(
    "grace_seconds, stays", [pytest.param(3600, True, id="an hour"), pytest.param(0, False, id="none")]
)
def test_the_grace_of_files_holds_when_the_manifest_that_replaced_them_is_folded(
    grace_seconds: int, stays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    none = manifest.TableRows(0, ())
    name = "quarantine/batch=000001/part-00000.parquet"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(b"")
    (tmp_path / manifest.FOLDER).mkdir()
    empty = manifest.Batch(1, "ingest", 0, 0, 0, 0, False, (), {}, none, {}, {}, ())
    batches = [
        replace(empty, quarantine=manifest.TableRows(1, (name,))),
        replace(empty, number=2, replaced=(name,), grace_seconds=grace_seconds),
        *(replace(empty, number=number) for number in range(3, 8)),
    ]
    for batch in batches:
        replay.checkpoint(tmp_path, replay.read(tmp_path))
        manifest.write(tmp_path, batch)
    assert not manifest.path_of(tmp_path, 2).exists()
    found = output_folder.remove_replaced(tmp_path, replay.read(tmp_path))
    assert (tmp_path / name).exists() == stays
    assert found.removed == (() if stays else (2,))


def _sized(folder: Path, urn: str, sizes: Sequence[int]) -> tuple[str, ...]:
    """Files of a table of so many KiB."""
    names = tuple(f"{urn}-{number}" for number in range(len(sizes)))
    for name, size in zip(names, sizes, strict=True):
        with (folder / name).open("wb") as file:
            file.truncate(size * 1024)
    return names


@pytest.mark.parametrize(
    "sizes, due",
    [
        pytest.param([10] * 15, [], id="too few"),
        pytest.param([10] * 16, range(16), id="enough of one size"),
        pytest.param([10] * 20, range(20), id="more than enough"),
        pytest.param([10] * 15 + [300], [], id="enough, of two sizes"),
        pytest.param([10] * 15 + [300] * 16, range(15, 31), id="enough of the larger size"),
        pytest.param([300] * 16 + [10] * 16, range(16, 32), id="of both: the smaller first"),
        pytest.param([40 * 1024] * 30, [], id="large ones stay as they are"),
    ],
)
def test_files_of_about_one_size_are_due(sizes: list[int], due: Sequence[int], tmp_path: Path) -> None:
    names = _sized(tmp_path, URN, sizes)
    for so_far in (LakeState(tables={URN: names}), LakeState(quarantine=names)):
        table = URN if so_far.tables else output_folder.QUARANTINE
        expected = {table: [names[number] for number in due]} if due else {}
        assert compacting._smallest_full_tier(tmp_path, so_far) == expected


def test_of_a_table_with_many_files_the_newest_are_looked_at(tmp_path: Path) -> None:
    """The older ones of these are not even there."""
    names = tuple(f"{URN}-{number}" for number in range(5_000))
    for name in names[-compacting._MOST_EXAMINED :]:
        (tmp_path / name).write_bytes(b"x")
    found = compacting._smallest_full_tier(tmp_path, LakeState(tables={URN: names}))
    assert found == {URN: list(names[-compacting._MOST_EXAMINED :])}


def test_what_one_batch_may_cost_is_bounded_and_one_table_always_has_its_turn(tmp_path: Path) -> None:
    due = {f"t{number}": _sized(tmp_path, f"t{number}", [10] * (16 + number)) for number in range(4)}
    one = compacting._cost(tmp_path, due["t0"])
    assert list(compacting._affordable(tmp_path, due, 1)) == ["t3"]
    assert list(compacting._affordable(tmp_path, due, 3 * one)) == ["t2", "t3"]
    assert list(compacting._affordable(tmp_path, due, 9 * one)) == list(due)


def test_each_row_is_written_again_a_few_times_and_no_table_gets_many_files() -> None:
    """A table that gets 10 KiB with each of 5,000 batches: what is due is put together at once."""
    sizes: list[int] = []
    written = 0
    for _ in range(5000):
        sizes.append(10 * 1024)
        tiers: dict[int, list[int]] = {}
        for size in sizes:
            tiers.setdefault(compacting._tier(size), []).append(size)
        for tier in tiers.values():
            if len(tier) >= compacting.FANOUT and sum(tier) < 2**25:
                sizes = [size for size in sizes if size not in tier] + [sum(tier)]
                written += sum(tier)
                break
        assert len(sizes) <= 4 * compacting.FANOUT
    assert written <= 3 * 5000 * 10 * 1024
