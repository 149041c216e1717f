"""Sorted files of keys and texts, and the log of sources that is made of them."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.storage.log import sorted_file, source_log
from babelreg.lake.storage.log.manifest import Batch, Consumed, SortedFileRecord, TableRows
from babelreg.lake.storage.log.sorted_file import DamagedFile
from babelreg.lake.storage.log.source_log import SourceLog, name_key


def _key(number: int) -> bytes:
    return b"%032x" % number


@pytest.mark.parametrize("count", [0, 1, 3, 400, 5_000])
def test_every_key_is_found_and_no_other(count: int, tmp_path: Path) -> None:
    rows = [(_key(3 * n + 1), b"text %d" % n) for n in range(count)]
    assert sorted_file.write(tmp_path / "a.files", rows) == count
    found = sorted_file.opened(tmp_path / "a.files")
    assert (found.rows, list(found)) == (count, rows)
    assert list(found.find([_key(n) for n in range(3 * count + 2)])) == rows
    assert list(found.among({_key(n) for n in range(3 * count + 2)})) == rows
    assert list(found.among({_key(n) for n in range(0, 3 * count + 2, 2)})) == [
        row for row in rows if int(row[0], 16) % 2 == 0
    ]


def test_one_key_takes_one_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_file.write(tmp_path / "a.files", [(_key(n), b"x" * 100) for n in range(50_000)])
    found, blocks = sorted_file.opened(tmp_path / "a.files"), []
    rows = found._rows
    monkeypatch.setattr(found, "_rows", lambda block, number: blocks.append(len(block)) or rows(block, number))
    assert [key for key, _ in found.find([_key(40_000)])] == [_key(40_000)]
    assert len(blocks) == 1
    assert blocks[0] < 2 * 16 * 1024


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content[:-1], id="a byte less"),
        pytest.param(lambda content: content + b"\0", id="a byte more"),
        pytest.param(lambda content: content[len(content) // 2 :], id="half of it"),
        pytest.param(lambda content: b"{}\n" * 50, id="something else"),
    ],
)
def test_what_was_not_written_so_is_damaged(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.files"
    sorted_file.write(path, [(_key(n), b"x") for n in range(100)])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DamagedFile):
        list(sorted_file.opened(path))


def _batch(number: int, chance: random.Random) -> Batch:
    """A batch that read a few of some files, which hold one of few contents."""
    consumed = []
    for name in chance.sample(range(30), chance.randrange(6)):
        content = chance.randrange(1, 9)
        moved = chance.random() < 0.1
        consumed.append(Consumed("/in", f"{name}", 0, content, number, True, f"f{content}", f"h{content}", moved))
    return Batch(number, "ingest", 0, 0, 0, 0, False, tuple(consumed), {}, TableRows(0, ()), {}, {}, ())


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(1, 5), max_size=12), rest=st.integers(0, 4))
def test_the_log_says_the_same_from_files_and_from_memory(
    seed: int, cuts: list[int], rest: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, chance = tmp_path_factory.mktemp("log"), random.Random(seed)
    batches = [_batch(number, chance) for number in range(1, sum(cuts) + rest + 1)]
    runs: tuple[SortedFileRecord, ...] = ()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_log, "_SMALLEST_TIER_ROWS", 4)
        at = 0
        for cut in cuts:
            runs = source_log.added(root, "sources", runs, batches[at : at + cut])
            at += cut
    filed = SourceLog(root, runs).followed(batches[at:])
    held = SourceLog().followed(batches)
    names = [name_key("/in", f"{name}") for name in range(31)]
    contents = [(length, f"{kind}{length}") for length in range(9) for kind in "fh"]
    assert filed.records(names) == held.records(names)
    assert filed.alike(contents) == held.alike(contents)
    for log in (filed, held):
        by_name = dict(log.of_names("/in", [f"{name}" for name in range(31)]))
        assert list(by_name) == [f"{name}" for name in range(31)]
        known = {name: record._replace(start=record.end) for name, record in by_name.items() if record}
        assert {name_key("/in", name): record for name, record in known.items()} == held.records(names)
    assert sorted(filed, key=str) == sorted(held, key=str)
    assert len(runs) <= 4 * 4


def test_files_of_the_log_stay_few(tmp_path: Path) -> None:
    runs: tuple[SortedFileRecord, ...] = ()
    for number in range(1, 200):
        read = Consumed("/in", f"{number}", 0, 9, 1, True, f"f{number}", f"h{number}")
        batch = Batch(number, "ingest", 0, 0, 0, 0, False, (read,) * (number % 3), {}, TableRows(0, ()), {}, {}, ())
        runs = source_log.added(tmp_path, "sources", runs, [batch])
        assert len(runs) <= 4


def test_a_checkpoint_takes_little_memory_for_each_file(tmp_path: Path) -> None:
    count = 2_000
    read = [Consumed("/in", f"{n}", 0, 9, n, True, f"{n:032x}", f"{n + count:032x}") for n in range(count)]
    batch = Batch(1, "ingest", 0, 0, 0, 0, False, tuple(read), {}, TableRows(0, ()), {}, {}, ())
    tracemalloc.start()
    try:
        source_log.added(tmp_path, "sources", (), [batch])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000 * count


def test_a_log_that_is_damaged_is_named(tmp_path: Path) -> None:
    read = Consumed("/in", "a", 0, 9, 1, True, "f", "h")
    batch: Any = Batch(1, "ingest", 0, 0, 0, 0, False, (read,), {}, TableRows(0, ()), {}, {}, ())
    runs = source_log.added(tmp_path, "sources", (), [batch])
    (tmp_path / runs[0].file).unlink()
    with pytest.raises(InputError, match=r"000001-0\.files") as raised:
        SourceLog(tmp_path, runs).records([name_key("/in", "a")])
    assert raised.value.fix
