"""Files that were read, and that are found again under other names, in other folders, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.spark.ingest import input_discovery
from babelreg.spark.ingest.input_discovery import InputBacklog
from babelreg.spark.lake.log import replay
from babelreg.spark.lake.log.manifest import Batch, TableRows
from babelreg.spark.lake.log.replay import LakeState
from babelreg.spark.sources import digests, moved_files

Change = Callable[[Path], object]


def _batch(number: int, found: InputBacklog) -> Batch:
    none = TableRows(0, ())
    return Batch(
        number,
        "ingest",
        *(0, 0, 0, 0, False),
        found.consumed,
        {},
        none,
        {},
        {},
        (),
        set_aside=found.newly,
        resumed=found.resumed,
    )


class Reader:
    """Reads what is new, as runs do: each look is a batch where there are news."""

    def __init__(self) -> None:
        self.so_far = LakeState()

    def look(self, folder: Path) -> InputBacklog:
        found = input_discovery.find(folder, input_discovery.list_files(folder), self.so_far)
        if found.has_changes:
            self.so_far = replay.after(self.so_far, _batch(self.so_far.number + 1, found))
        return found

    def read(self, folder: Path) -> dict[str, bytes]:
        """What a look reads, by name."""
        return {one.name: (folder / one.name).read_bytes()[one.start : one.end] for one in self.look(folder).ranges}


def _written(folder: Path, **files: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


A, B = b"1\n2\n", b"3\n4\n5\n"


def _renamed(folder: Path) -> None:
    (folder / "a").rename(folder / "c")


def _rotated(folder: Path) -> None:
    (folder / "a").rename(folder / "a.1")
    _written(folder, a=b"9\n")


def _rotated_after_it_grew(folder: Path) -> None:
    _written(folder, a=A + b"7\n")
    _rotated(folder)


def _copied_and_truncated(folder: Path) -> None:
    shutil.copy(folder / "a", folder / "a.1")
    _written(folder, a=b"")


def _copied(folder: Path) -> None:
    shutil.copy(folder / "a", folder / "c")


def _renamed_and_copied(folder: Path) -> None:
    _renamed(folder)
    shutil.copy(folder / "c", folder / "d")


def _in_a_circle(folder: Path) -> None:
    (folder / "a").rename(folder / "x")
    (folder / "b").rename(folder / "a")
    (folder / "x").rename(folder / "b")


def _in_a_row(folder: Path) -> None:
    (folder / "b").rename(folder / "c")
    (folder / "a").rename(folder / "b")


def _below(folder: Path) -> None:
    (folder / "old").mkdir()
    for name in ("a", "b"):
        (folder / name).rename(folder / "old" / name)


@pytest.mark.parametrize(
    "change, read, aside, count",
    [
        pytest.param(_renamed, {}, [], 1, id="renamed: it is not read twice"),
        pytest.param(_rotated, {}, ["a"], 1, id="rotated: the old one is not read twice, the new one is set aside"),
        pytest.param(_rotated_after_it_grew, {"a.1": b"7\n"}, ["a"], 1, id="rotated after it grew: the rest is read"),
        pytest.param(_copied_and_truncated, {}, ["a"], 1, id="copied and truncated: neither is read"),
        pytest.param(_copied, {"c": A}, [], 0, id="copied: another file, which is read"),
        pytest.param(_renamed_and_copied, {"d": A}, [], 1, id="renamed and copied: the copy is read"),
        pytest.param(_in_a_circle, {}, [], 2, id="two that changed their names: neither is read"),
        pytest.param(_in_a_row, {}, [], 2, id="each took the name of the next: none is read"),
        pytest.param(_below, {}, [], 2, id="moved to a folder below: none is read"),
        pytest.param(lambda folder: (folder / "a").unlink(), {}, [], 0, id="removed: nothing is read"),
        pytest.param(lambda folder: os.link(folder / "a", folder / "c"), {"c": A}, [], 0, id="linked: a copy"),
    ],
)
def test_what_is_read_after_a_change(
    change: Change, read: dict[str, bytes], aside: list[str], count: int, tmp_path: Path
) -> None:
    reader = Reader()
    assert reader.read(_written(tmp_path, a=A, b=B)) == {"a": A, "b": B}
    change(tmp_path)
    found = reader.look(tmp_path)
    assert {one.name: (tmp_path / one.name).read_bytes()[one.start : one.end] for one in found.ranges} == read
    assert [one.name for one in found.set_aside] == aside
    assert found.moved == count
    again = reader.look(tmp_path)
    assert not again.has_changes, "the same folder again is no news"
    assert [one.name for one in again.set_aside] == aside


def test_another_mount_point_reads_nothing_twice_and_back_again(tmp_path: Path) -> None:
    reader = Reader()
    reader.read(_written(tmp_path / "in", a=A, b=B))
    for here, there in [("in", "there"), ("there", "elsewhere"), ("elsewhere", "in")]:
        (tmp_path / here).rename(tmp_path / there)
        found = reader.look(tmp_path / there)
        assert found.ranges == ()
        assert not reader.look(tmp_path / there).has_changes
    _written(tmp_path / "in", a=A + b"6\n")
    assert reader.read(tmp_path / "in") == {"a": b"6\n"}


def test_rotation_day_by_day_reads_every_line_once(tmp_path: Path) -> None:
    """Where each day has a name of its own."""
    reader, lines = Reader(), list[bytes]()
    for day in range(5):
        for name in sorted(tmp_path.iterdir(), reverse=True):
            name.rename(tmp_path / f"{name.stem}.{int(name.suffix[1:]) + 1}")
        _written(tmp_path, **{f"log{day}.0": b"%d\n" % day * (day + 1)})
        lines += reader.read(tmp_path).values()
    assert b"".join(lines) == b"".join(b"%d\n" % day * (day + 1) for day in range(5))


def test_a_file_that_is_set_aside_is_read_under_a_new_name_and_no_longer_named(tmp_path: Path) -> None:
    reader = Reader()
    reader.read(_written(tmp_path, a=A))
    _written(tmp_path, a=b"9\n")
    assert [one.name for one in reader.look(tmp_path).newly] == ["a"]
    (tmp_path / "a").rename(tmp_path / "new")
    found = reader.look(tmp_path)
    assert [(one.name, one.start, one.end) for one in found.ranges] == [("new", 0, 2)]
    assert [name for _, name in found.resumed] == ["a"]
    assert reader.so_far.set_aside == {}


def test_an_original_that_nobody_may_read_may_still_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader()
    reader.read(_written(tmp_path / "in", a=A))
    (tmp_path / "in" / "a").rename(tmp_path / "in" / "c")
    stat = Path.stat

    def refused(self: Path, **options: bool) -> os.stat_result:
        if self.name == "a":
            raise PermissionError(13, "Permission denied")
        return stat(self, **options)

    monkeypatch.setattr(Path, "stat", refused)
    assert reader.read(tmp_path / "in") == {"c": A}, "a message twice is better than a message lost"


def test_files_of_one_content_are_told_apart_by_their_number(tmp_path: Path) -> None:
    reader = Reader()
    assert len(reader.read(_written(tmp_path, a=A, b=A, c=A))) == 3
    for name in ("a", "b"):
        (tmp_path / name).rename(tmp_path / f"{name}.1")
    shutil.copy(tmp_path / "c", tmp_path / "d")
    assert list(reader.read(tmp_path)) == ["d"], "two are gone and two of three are those"


def test_of_a_file_that_is_set_aside_only_the_head_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader()
    reader.read(_written(tmp_path, a=b"x" * 3_000_000))
    _written(tmp_path, a=b"y" * 5_000_000)
    read: list[int] = []

    def counted(path: Path, lengths: list[int]) -> dict[int, str]:
        read.append(max(lengths))
        return digests.digests(path, lengths)

    monkeypatch.setattr(moved_files, "digests", counted)
    assert [one.name for one in reader.look(tmp_path).set_aside] == ["a"]
    assert read
    assert max(read) <= 65_536


def test_a_file_that_goes_on_moving_while_somebody_looks_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader()
    reader.read(_written(tmp_path, a=A, b=B))
    (tmp_path / "a").rename(tmp_path / "c")
    digest = moved_files.FileMatcher.digest

    def gone(self: moved_files.FileMatcher, name: str, end: int) -> tuple[str, str]:
        if name == "c":
            (tmp_path / "c").rename(tmp_path / "d")
            raise FileNotFoundError(2, "No such file or directory", name)
        return digest(self, name, end)

    with monkeypatch.context() as patch:
        patch.setattr(moved_files.FileMatcher, "digest", gone)
        found = input_discovery.find(tmp_path, ["b", "c"], reader.so_far, growing=True)
    assert (found.ranges, found.consumed, found.has_changes) == ((), (), False)
    assert reader.read(tmp_path) == {}


STEPS = st.lists(
    st.tuples(st.sampled_from(["new", "grow", "rename", "remove"]), st.integers(0, 5), st.integers(0, 5)), max_size=25
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, looks=st.sets(st.integers(0, 25)))
def test_however_files_grow_and_move_every_line_is_read_once(
    steps: list[tuple[str, int, int]], looks: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, reader = tmp_path_factory.mktemp("in"), Reader()
    count, written, removed, read = 0, set[bytes](), set[bytes](), list[bytes]()

    def look() -> None:
        for content in reader.read(folder).values():
            read.extend(content.splitlines())

    for number, (step, one, other) in enumerate(steps):
        path, target = folder / f"f{one}", folder / f"f{other}"
        if (step == "new" and not path.exists() and f"f{one}" not in _names(reader)) or (
            step == "grow" and path.exists()
        ):
            count += 1
            written.add(b"%d" % count)
            with path.open("ab") as file:
                file.write(b"%d\n" % count)
        elif step == "rename" and path.exists() and not target.exists():
            known = _names(reader)
            if path.name in known or target.name not in known:
                path.rename(target)
        elif step == "remove" and path.exists():
            removed.update(path.read_bytes().splitlines())
            path.unlink()
        if number in looks:
            look()
    look()
    assert len(read) == len(set(read)), "a line was read twice"
    assert written - removed <= set(read), "a line was lost"


def _names(reader: Reader) -> set[str]:
    """The names of files that were read: a new file under one of them is set aside, which is another test."""
    return {one.name for one in reader.so_far.sources}
