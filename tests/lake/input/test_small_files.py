"""New files that one read settles, compared with the same files examined as any other."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.input import input_discovery, small_files
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.input.small_files import SmallFileReader, SmallFiles
from babelreg.lake.storage.log import replay, source_log
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.sources import digests, input_folder

NAMES = ["a", "b", "app.log", "app.log.1", "app.log.2.gz", "part-00001", "part-00002", "day/a", "ä.frames"]
CONTENTS = [
    b"",
    b"\n",
    b"1\n",
    b"1",
    b"1\n2",
    b"1\n2\n",
    b"1\n2\n3\n",
    b"x" * 300 + b"\n",
    b"x" * 300 + b"\n1\n",
    b"x" * 70_000,
    gzip.compress(b"1\n2\n", mtime=0),
    gzip.compress(b"1\n2\n3\n", mtime=0),
    b"\x00\x00\x00\x021\n",
]
FILES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, len(CONTENTS) - 1), max_size=6)


def _written(folder: Path, files: dict[str, int]) -> None:
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.unlink()
    for name, number in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENTS[number])
        os.utime(path, ns=(number, number))


def _batch(consumed: Sequence[Any]) -> Batch:
    return Batch(1, "ingest", 0, 0, 0, 0, False, tuple(consumed), {}, TableRows(0, ()), {}, {}, ())


def _outcome(folder: Path, so_far: LakeState, *, growing: bool) -> InputBacklog | str:
    try:
        return input_discovery.find(folder, input_folder.list_files(folder), so_far, growing=growing)
    except InputError as err:
        return err.message


def _examined(folder: Path, so_far: LakeState, *, growing: bool) -> InputBacklog | str:
    """Return what is found if no file is settled by one read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SmallFileReader, "read", lambda reader, names, known: SmallFiles({}, names))
        return _outcome(folder, so_far, growing=growing)


def _in_files(root: Path, so_far: LakeState, batch: Batch) -> LakeState:
    runs = source_log.added(root, "sources", (), [batch])
    return LakeState(number=1, sources=SourceLog(root, runs)) if so_far.sources else so_far


@settings(max_examples=150, deadline=None)
@given(before=FILES, after=FILES, growing=st.booleans(), filed=st.booleans())
@example(before={}, after={"app.log": 5, "app.log.1": 5, "part-00001": 6, "part-00002": 5}, growing=False, filed=False)
@example(before={"a": 5}, after={"b": 6, "app.log": 5}, growing=False, filed=True)
def test_files_are_found_as_if_each_was_examined(
    before: dict[str, int],
    after: dict[str, int],
    growing: bool,
    filed: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder, log = tmp_path_factory.mktemp("in"), tmp_path_factory.mktemp("log")
    _written(folder, before)
    first = _examined(folder, LakeState(), growing=growing)
    assert _outcome(folder, LakeState(), growing=growing) == first
    batch = _batch(() if isinstance(first, str) else first.consumed)
    so_far = replay.of([batch])
    so_far = _in_files(log, so_far, batch) if filed else so_far
    _written(folder, after)
    assert _outcome(folder, so_far, growing=growing) == _examined(folder, so_far, growing=growing)


def _opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    real = os.open

    def counted(path: str, flags: int) -> int:
        opened.append(path)
        return real(path, flags)

    monkeypatch.setattr(digests.os, "open", counted)
    monkeypatch.setattr(digests, "_digests", lambda *_: pytest.fail("a small file was read again"))
    return opened


@pytest.mark.parametrize("name", ["{}.jsonl", "part-{}.jsonl", "app.log.{}"])
def test_a_new_small_file_is_opened_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        (tmp_path / name.format(number)).write_bytes(b'{"n": %02d}\n' % number)
    opened = _opened(monkeypatch)
    found = input_discovery.find(tmp_path, input_folder.names(tmp_path), LakeState())
    assert len(found.ranges) == len(opened) == len(set(opened)) == 40


def test_a_new_small_file_beside_known_ones_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        (tmp_path / f"{number:02d}").write_bytes(b'{"n": %02d}\n' % number)
    first = input_discovery.find(tmp_path, input_folder.names(tmp_path), LakeState())
    so_far = replay.of([_batch(first.consumed)])
    for number in range(40, 50):
        (tmp_path / f"{number:02d}").write_bytes(b'{"n": %02d}\n' % number)
    opened = _opened(monkeypatch)
    found = input_discovery.find(tmp_path, input_folder.names(tmp_path), so_far)
    assert sorted(Path(path).name for path in opened) == [part.name for part in found.ranges]
    assert len(opened) == 10


def test_known_files_are_neither_opened_nor_indexed_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        (tmp_path / f"part-{number:02d}").write_bytes(b'{"n": %02d}\n' % number)
    first = input_discovery.find(tmp_path, input_folder.names(tmp_path), LakeState())
    so_far = replay.of([_batch(first.consumed)])
    opened = _opened(monkeypatch)
    assert not input_discovery.find(tmp_path, input_folder.names(tmp_path), so_far).has_changes
    assert opened == []
    assert "_by_digest" not in vars(so_far.sources.recent)


def test_heads_are_looked_up_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in"
    _written(folder, {"a": 5, "b": 6, "day/a": 8})
    first = input_discovery.find(folder, ["a"], LakeState())
    so_far = replay.of([_batch(first.consumed)])
    together = input_discovery.find(folder, ["a", "b", "day/a"], so_far)
    monkeypatch.setattr(small_files, "_AT_ONCE", 1)
    assert input_discovery.find(folder, ["a", "b", "day/a"], so_far) == together
    assert [part.name for part in together.ranges] == ["b", "day/a"]
