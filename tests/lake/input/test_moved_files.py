"""Files that were read, and that are found again under other names, in other folders, or not at all."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.input import input_discovery, moved_files
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.sources import digests, input_folder

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
        found = input_discovery.find(folder, input_folder.list_files(folder), self.so_far)
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


def _copied_truncated_and_written(folder: Path) -> None:
    _copied_and_truncated(folder)
    _written(folder, a=b"9\n")


def _copied_and_grown(folder: Path) -> None:
    _written(folder, c=A + b"8\n")


def _copied_before_it_grew(folder: Path) -> None:
    _copied(folder)
    _written(folder, a=A + b"7\n")


def _copied_while_it_grew(folder: Path) -> None:
    _written(folder, c=A + b"7\n", a=A + b"7\n8\n")


def _compressed(folder: Path) -> None:
    (folder / "a.gz").write_bytes(gzip.compress((folder / "a").read_bytes()))
    (folder / "a").unlink()


def _compressed_and_kept(folder: Path) -> None:
    _compressed(folder)
    _written(folder, a=A)


def _compressed_under_another_name(folder: Path) -> None:
    _compressed(folder)
    (folder / "a.gz").rename(folder / "a.1.gz")
    _written(folder, a=b"9\n")


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
    "change, read, copies, count",
    [
        pytest.param(_renamed, {}, [], 1, id="renamed: it is not read twice"),
        pytest.param(_rotated, {"a": b"9\n"}, [], 1, id="rotated: the old one is not read twice, the new one is read"),
        pytest.param(_rotated_after_it_grew, {"a": b"9\n", "a.1": b"7\n"}, [], 1, id="rotated after it grew"),
        pytest.param(_copied_and_truncated, {}, [], 1, id="copied and truncated: neither is read"),
        pytest.param(_copied_truncated_and_written, {"a": b"9\n"}, [], 1, id="copied, truncated and written again"),
        pytest.param(_copied, {}, ["c"], 0, id="copied: nothing is read twice"),
        pytest.param(_copied_and_grown, {"c": A + b"8\n"}, [], 0, id="only the beginning is equal: another file"),
        pytest.param(_copied_before_it_grew, {"a": b"7\n"}, ["c"], 0, id="copied before the original grew"),
        pytest.param(_copied_while_it_grew, {"a": b"7\n8\n"}, ["c"], 0, id="copied while the original grew"),
        pytest.param(_renamed_and_copied, {}, ["d"], 1, id="renamed and copied: neither is read"),
        pytest.param(_compressed, {}, [], 1, id="compressed: it is not read twice"),
        pytest.param(_compressed_and_kept, {}, ["a.gz"], 0, id="compressed, and the original is there: a copy"),
        pytest.param(
            _compressed_under_another_name, {"a": b"9\n"}, [], 1, id="compressed, and its name has a new file"
        ),
        pytest.param(_in_a_circle, {}, [], 2, id="two that changed their names: neither is read"),
        pytest.param(_in_a_row, {}, [], 2, id="each took the name of the next: none is read"),
        pytest.param(_below, {}, [], 2, id="moved to a folder below: none is read"),
        pytest.param(lambda folder: (folder / "a").unlink(), {}, [], 0, id="removed: nothing is read"),
        pytest.param(lambda folder: os.link(folder / "a", folder / "c"), {}, ["c"], 0, id="linked: a copy"),
    ],
)
def test_what_is_read_after_a_change(
    change: Change, read: dict[str, bytes], copies: list[str], count: int, tmp_path: Path
) -> None:
    reader = Reader()
    assert reader.read(_written(tmp_path, a=A, b=B)) == {"a": A, "b": B}
    change(tmp_path)
    found = reader.look(tmp_path)
    assert {one.name: (tmp_path / one.name).read_bytes()[one.start : one.end] for one in found.ranges} == read
    assert (list(found.copies), found.moved, found.set_aside) == (copies, count, ())
    again = reader.look(tmp_path)
    assert not again.has_changes, "the same folder again is no news"
    assert again.set_aside == ()


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
    found = reader.look(tmp_path / "in")
    assert (found.ranges, found.copies, found.moved) == ((), ("c",), 0)


def test_files_of_one_content_are_told_apart_by_their_number(tmp_path: Path) -> None:
    reader = Reader()
    assert len(reader.read(_written(tmp_path, a=A, b=A, c=A))) == 3
    for name in ("a", "b"):
        (tmp_path / name).rename(tmp_path / f"{name}.1")
    shutil.copy(tmp_path / "c", tmp_path / "d")
    found = reader.look(tmp_path)
    assert (found.ranges, found.moved, found.copies) == ((), 2, ("d",)), "two are gone and two of three are those"


def test_of_a_file_that_is_set_aside_only_the_head_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader()
    reader.read(_written(tmp_path, a=b"x" * 3_000_000))
    _written(tmp_path, a=b"y" * 5_000_000)
    read: list[int] = []

    whole = digests._digests

    def counted(path: Path, lengths: list[int], compression: str) -> Iterator[tuple[int, str]]:
        read.append(max(lengths))
        return whole(path, lengths, compression)

    monkeypatch.setattr(digests, "_digests", counted)
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
