"""What is new in an input folder."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.input import input_discovery
from babelreg.lake.input.set_aside import explained
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.manifest import Batch, Consumed, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.sources import input_folder


def _batch(*consumed: Consumed) -> Batch:
    none = TableRows(0, ())
    return Batch(1, "ingest", 0, 0, 0, 0, False, consumed, {}, none, {}, {}, ())


def _new(folder: Path, *before: Batch) -> list[tuple[str, int, int]]:
    found = input_discovery.find(folder, input_folder.names(folder), replay.of(before))
    return [(one.name, one.start, one.end) for one in found.ranges]


def _read_once(folder: Path) -> Batch:
    return _batch(*input_discovery.find(folder, input_folder.names(folder), LakeState()).consumed)


def _touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def test_of_a_single_file_only_it_is_found(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(b"{}\n")
    path = tmp_path / "b.jsonl"
    found = input_discovery.find(input_folder.folder_of(path), input_folder.names(path), LakeState())
    assert [part.name for part in found.ranges] == ["b.jsonl"]


def test_every_file_in_every_folder_is_found_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/z.log", "a/b/c", "B.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")
    assert _new(tmp_path) == [("B.json", 0, 3), ("a/b/c", 0, 3), ("a/z.log", 0, 3), ("b.jsonl", 0, 3)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(".hidden", id="a hidden file"),
        pytest.param("_SUCCESS", id="a marker"),
        pytest.param("_temporary/0/part", id="a file in a folder of work in progress"),
        pytest.param(".git/config", id="a file in a hidden folder"),
    ],
)
def test_what_is_left_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"{}\n")
    (tmp_path / "a").write_bytes(b"{}\n")
    assert _new(tmp_path) == [("a", 0, 3)]


def test_a_file_that_was_read_is_not_new(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n")
    assert _new(tmp_path, _read_once(tmp_path)) == []


def test_a_file_that_was_only_touched_is_not_new(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n")
    before = _read_once(tmp_path)
    _touch(tmp_path / "a")
    assert _new(tmp_path, before) == []


def test_the_same_name_in_another_folder_is_new(tmp_path: Path) -> None:
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "a").write_bytes(b'"%s"\n' % day.encode())
    assert _new(tmp_path / "tuesday", _read_once(tmp_path / "monday")) == [("a", 0, 10)]


@pytest.mark.parametrize(
    "was, added, start",
    [
        pytest.param(b"{}\n", b"[]\n", 3, id="after a line feed"),
        pytest.param(b"{}", b"\n[]\n", 2, id="the line feed came later"),
        pytest.param(b"", b"{}\n", 0, id="it was empty"),
    ],
)
def test_of_a_file_that_grew_what_was_added_is_new(was: bytes, added: bytes, start: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(was)
    before = _read_once(tmp_path)
    (tmp_path / "a").write_bytes(was + added)
    assert _new(tmp_path, before) == [("a", start, len(was + added))]


def test_an_empty_file_is_no_work(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert _new(tmp_path) == []


@pytest.mark.parametrize(
    "was, now, why",
    [
        pytest.param(b"{}\n[]\n", b"{}\n", "truncated", id="it is shorter"),
        pytest.param(b"{}\n[]\n", b"", "truncated", id="it is empty"),
        pytest.param(b"{}\n", b"[]\n", "replaced", id="other content of the same size"),
        pytest.param(b"{}\n", b"[]\n{}\n", "replaced", id="other content, longer"),
        pytest.param(b"x" * 300_000, b"x" * 150_000 + b"y" + b"x" * 150_000, "replaced", id="other in its middle"),
        pytest.param(b'{"a":', b'{"a":1}\n', "line_went_on", id="a line that went on"),
        pytest.param(gzip.compress(b"{}\n"), gzip.compress(b"{}\n") * 2, "grew_packed", id="a packed file that grew"),
    ],
)
def test_a_file_that_was_read_and_changed_is_set_aside_and_the_others_are_read(
    was: bytes, now: bytes, why: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(was)
    so_far = replay.of([_read_once(tmp_path)])
    (tmp_path / "a").write_bytes(now)
    (tmp_path / "b").write_bytes(b"1\n")
    _touch(tmp_path / "a")
    found = input_discovery.find(tmp_path, ["a", "b"], so_far)
    assert [one.name for one in found.ranges] == ["b"]
    assert [(one.name, one.why, one.end) for one in found.set_aside] == [("a", why, len(was))]
    assert found.newly == found.set_aside
    assert explained(found.set_aside[0])


@pytest.mark.parametrize(
    "magic, kind",
    [
        pytest.param(b"PAR1\x15\x04", "parquet", id="parquet"),
        pytest.param(b"BZh91AY", "bzip2", id="bzip2"),
        pytest.param(b"\xfd7zXZ\x00", "xz", id="xz"),
        pytest.param(b"PK\x03\x04", "zip", id="zip"),
    ],
)
def test_a_file_that_is_packed_is_named(magic: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(magic)
    with pytest.raises(InputError, match=f"is an? {kind} file"):
        _new(tmp_path)


@pytest.mark.parametrize(
    "name, content, ends",
    [
        pytest.param("a", b"{}\n[", [3], id="a line that may go on"),
        pytest.param("a", b"{}", [], id="the only line may go on"),
        pytest.param("a", b"{}\n", [3], id="whole lines"),
        pytest.param("a", b"{}\n" + b"x" * 200_000, [3], id="a long line that may go on"),
        pytest.param("a.frames", b"\0\0\0\1a\0\0\0\5b", [5], id="a frame that is not whole"),
        pytest.param("a.frames", b"\0\0", [], id="a length that is not whole"),
        pytest.param("a.gz", gzip.compress(b"{}", mtime=0), [22], id="a packed file"),
    ],
)
def test_where_somebody_may_be_writing_only_whole_messages_are_new(
    name: str, content: bytes, ends: list[int], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    found = input_discovery.find(tmp_path, [name], LakeState(), growing=True)
    assert [one.end for one in found.ranges] == ends
    again = input_discovery.find(tmp_path, [name], replay.of([_batch(*found.consumed)]), growing=True)
    assert again.ranges == ()


def test_a_frame_that_is_too_long_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.frames").write_bytes(b"\0\0\0\1a\x10\0\0\1")
    with pytest.raises(InputError, match="the frame at byte 5 is 268435457 bytes long, more than 256 MiB"):
        input_discovery.find(tmp_path, ["a.frames"], LakeState(), growing=True)
    (tmp_path / "a.frames").write_bytes(b"\0\0\0\1a\x10\0\0\0")
    assert [one.end for one in input_discovery.find(tmp_path, ["a.frames"], LakeState(), growing=True).ranges] == [5]


def test_what_was_left_is_new_when_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n[")
    before = _batch(*input_discovery.find(tmp_path, ["a"], LakeState(), growing=True).consumed)
    with (tmp_path / "a").open("ab") as file:
        file.write(b"]\n{")
    found = input_discovery.find(tmp_path, ["a"], replay.of([before]), growing=True)
    assert [(one.start, one.end) for one in found.ranges] == [(3, 6)]


def test_frames_go_on_where_the_last_run_ended(tmp_path: Path) -> None:
    (tmp_path / "a.frames").write_bytes(b"\0\0\0\1\n")
    before = _read_once(tmp_path)
    (tmp_path / "a.frames").write_bytes(b"\0\0\0\1\n\0\0\0\1b")
    assert _new(tmp_path, before) == [("a.frames", 5, 10)]
    (tmp_path / "a.frames").write_bytes(b"\0\0\0\1\n\0\0\0\2b")
    with pytest.raises(InputError, match="ends within the frame at byte 5"):
        _new(tmp_path, before)


def test_the_state_of_a_folder_is_told_without_waiting_for_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n")
    (tmp_path / "z").write_bytes(gzip.compress(b"{}"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert {name: one.compression for name, one in input_folder.state(tmp_path).items()} == {
        "a": "",
        "z": "gzip",
        "pipe": "",
    }


def _no_folder(root: Path) -> Path:
    return root / "gone"


def _empty(root: Path) -> Path:
    (root / "empty").mkdir()
    return root / "empty"


def _pipe(root: Path) -> Path:
    (root / "in").mkdir()
    os.mkfifo(root / "in" / "pipe")
    return root / "in"


def _dangling(root: Path) -> Path:
    (root / "in").mkdir()
    (root / "in" / "link").symlink_to(root / "gone")
    return root / "in"


def _odd_name(root: Path) -> Path:
    (root / "in").mkdir()
    Path(os.fsdecode(os.fsencode(root / "in") + b"/\xff")).write_bytes(b"{}\n")
    return root / "in"


@pytest.mark.parametrize(
    "make, kind, said",
    [
        pytest.param(_no_folder, UsageError, "does not exist", id="there is no such folder"),
        pytest.param(_empty, UsageError, "contains no files", id="it is empty"),
        pytest.param(_pipe, InputError, "not a regular file", id="it holds a pipe, which would never end"),
        pytest.param(_dangling, InputError, "cannot read", id="it holds a link to nothing"),
        pytest.param(_odd_name, InputError, "not UTF-8", id="a file name is no text"),
    ],
)
def test_an_input_that_cannot_be_read(make: object, kind: type[BabelregError], said: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=said) as raised:
        _new(make(tmp_path))  # type: ignore[operator]
    assert raised.value.fix


class _Compared(str):
    """A name that counts how often it is compared with another one."""

    count = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        _Compared.count += 1
        return str.__eq__(self, other)


def test_a_new_name_is_not_compared_with_all_others(tmp_path: Path) -> None:
    def comparisons(count: int) -> int:
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number:04d}").write_bytes(b'{"n":%d}\n' % number)
        names = [_Compared(name) for name in input_folder.names(folder)]
        _Compared.count = 0
        found = input_discovery.find(folder, names, LakeState())
        assert len(found.ranges) == count
        return _Compared.count

    assert comparisons(400) < 8 * comparisons(100), "4 is linear, 16 is quadratic"
