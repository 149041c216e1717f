"""Files of JSON lines, read in ranges of bytes."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.input import input_discovery, message_files
from babelreg.lake.input.message_files import FileRange, FileSource
from babelreg.lake.storage.log.replay import LakeState
from babelreg.sources import frames
from babelreg.sources.compression import compression_of

Pack = Callable[[bytes], bytes]
PACKINGS = [
    pytest.param(bytes, id="plain"),
    pytest.param(gzip.compress, id="gzip"),
    pytest.param(lambda content: pa.Codec("zstd").compress(content, asbytes=True), id="zstd"),
]


def _read(root: Path, ranges: list[FileRange]) -> list[tuple[int, bytes]]:
    """The messages with their offsets."""
    chunks = FileSource(str(root), tuple(ranges), 1).chunks(ranges)
    return [one for chunk in chunks for one in zip(chunk.offsets, chunk.bodies, strict=True)]


def _whole(root: Path, content: bytes) -> list[tuple[int, bytes]]:
    (root / "a").write_bytes(content)
    return _read(root, [FileRange("a", 0, len(content), len(content), compression_of(content))])


@pytest.mark.parametrize(
    "content, messages",
    [
        pytest.param(b"", [], id="an empty file holds none"),
        pytest.param(b"{}\n[]\n", [(0, b"{}"), (3, b"[]")], id="one a line"),
        pytest.param(b"{}\n[]", [(0, b"{}"), (3, b"[]")], id="the last needs no line feed"),
        pytest.param(b"\n{}\n \t\r\n\n[]\n\n", [(1, b"{}"), (9, b"[]")], id="blank lines are none"),
        pytest.param(b"{}\r\n[]\r\n", [(0, b"{}\r"), (4, b"[]\r")], id="a CR belongs to the message"),
        pytest.param(b"{\r}\n", [(0, b"{\r}")], id="a CR alone separates nothing"),
        pytest.param(b"\xef\xbb\xbf{}\n", [(0, b"\xef\xbb\xbf{}")], id="a byte order mark is kept"),
        pytest.param(b"\xff\xfe\x00\n", [(0, b"\xff\xfe\x00")], id="bytes that are no text are kept"),
        pytest.param(b"a\xe2\x80\xa8b\n", [(0, b"a\xe2\x80\xa8b")], id="U+2028 separates nothing"),
        pytest.param(b"a\x0bb\x0cc\x85d\n", [(0, b"a\x0bb\x0cc\x85d")], id="nor do other line ends"),
    ],
)
def test_what_a_line_is(content: bytes, messages: list[tuple[int, bytes]], tmp_path: Path) -> None:
    assert _whole(tmp_path, content) == messages


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b" ")), max_size=12),
    ended=st.booleans(),
    cuts=st.lists(st.integers(0, 200), max_size=6),
    chunk=st.integers(1, 4),
    block=st.integers(1, 40),
)
def test_however_a_file_is_cut_every_line_is_read_once(
    lines: list[bytes], ended: bool, cuts: list[int], chunk: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("cut")
    content = b"\n".join(lines) + (b"\n" if ended else b"")
    assume(not compression_of(content))
    whole = _whole(root, content)
    size = len(content)
    edges = sorted({0, size, *(cut for cut in cuts if cut < size)})
    ranges = [FileRange("a", start, end, size) for start, end in itertools.pairwise(edges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_files, "_CHUNK_ROWS", chunk)
        patch.setattr(message_files, "_BLOCK_BYTES", block)
        assert _read(root, ranges) == whole


def test_what_is_written_after_the_listing_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n[1")
    listed = [FileRange("a", 0, 5, 5)]
    with (tmp_path / "a").open("ab") as file:
        file.write(b",2]\n{}\n")
    assert _read(tmp_path, listed) == [(0, b"{}"), (3, b"[1")]


def _read_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_files, "MAX_LINE_BYTES", 10)
    monkeypatch.setattr(message_files, "_BLOCK_BYTES", 4)


def test_a_line_without_end_stops_before_it_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _read_short(monkeypatch)
    with pytest.raises(InputError, match="line at byte 3 is longer"):
        _whole(tmp_path, b"{}\n" + b"x" * 11 + b"\n")


def test_the_longest_line_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _read_short(monkeypatch)
    assert _whole(tmp_path, b"x" * 9 + b"\n{}\n") == [(0, b"x" * 9), (10, b"{}")]


def _again(root: Path, places: list[tuple[int, int]]) -> list[bytes]:
    """The bytes of messages of the file ``a`` again, by offset and length."""
    rows = [{"source_file": "00000001/a", "source_offset": at, "source_bytes": length} for at, length in places]
    (read,) = FileSource(str(root), (), 1).with_bodies(pa.Table.from_pylist(rows))
    return read["body"].to_pylist()


@pytest.mark.parametrize("pack", PACKINGS)
def test_a_message_is_read_again_by_its_position(pack: Pack, tmp_path: Path) -> None:
    found = _whole(tmp_path, pack(b"{}\n\n\xff[1]\r\nlast"))
    assert len(found) == 3
    assert _again(tmp_path, [(offset, len(body)) for offset, body in found]) == [body for _, body in found]


@pytest.mark.parametrize(
    "then",
    [
        pytest.param(lambda path: path.unlink(), id="the file is gone"),
        pytest.param(lambda path: path.write_bytes(b"{"), id="the file is shorter"),
    ],
)
def test_reading_a_message_again_that_is_gone_is_an_error(then: object, tmp_path: Path) -> None:
    _whole(tmp_path, b"{}\n{}\n")
    then(tmp_path / "a")  # type: ignore[operator]
    with pytest.raises(InputError):
        _again(tmp_path, [(3, 2)])


@pytest.mark.parametrize("pack", PACKINGS[1:])
def test_of_a_packed_file_the_lines_within_are_read(
    pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_files, "_BLOCK_BYTES", 7)
    lines = [b"%d" % n * (n % 9 + 1) for n in range(400)]
    offsets = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
    assert _whole(tmp_path, pack(b"\n".join(lines))) == list(zip(offsets, lines, strict=False))
    two = pack(b"{}\n") + pack(b"[]\n")
    assert _whole(tmp_path, two) == [(0, b"{}"), (3, b"[]")]


@pytest.mark.parametrize("pack", PACKINGS[1:])
def test_a_packed_file_that_is_cut_off_is_an_error(pack: Pack, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a is not a complete (gzip|zstd) file") as raised:
        _whole(tmp_path, pack(b"{}\n" * 1000)[:-3])
    assert raised.value.fix


@pytest.mark.parametrize("pack", PACKINGS)
@pytest.mark.parametrize("name", ["a.frames", "a.frames.zst"])
def test_frames_hold_any_bytes(pack: Pack, name: str, tmp_path: Path) -> None:
    bodies = [b"{}", b"", b"a\nb\n", b"\0" * 300, b"\x1f\x8b"]
    (tmp_path / name).write_bytes(pack(b"".join(len(body).to_bytes(4, "big") + body for body in bodies)))
    size = (tmp_path / name).stat().st_size
    compression = compression_of((tmp_path / name).read_bytes())
    assert _read(tmp_path, [FileRange(name, 0, size, size, compression)]) == [
        (4, b"{}"),
        (10, b""),
        (14, b"a\nb\n"),
        (22, b"\0" * 300),
        (326, b"\x1f\x8b"),
    ]


@pytest.mark.parametrize(
    "content, said",
    [
        pytest.param(b"\0\0\0\x05abc", "ends within the frame at byte 0", id="the last is cut off"),
        pytest.param(b"\0\0\0\1a\0\0", "ends within the frame at byte 5", id="a length is cut off"),
        pytest.param(b'{"job":"urn"}', "the frame at byte 0 is 2065853039 bytes long", id="the file holds lines"),
    ],
)
def test_what_is_no_frame_is_an_error(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.frames").write_bytes(content)
    with pytest.raises(InputError, match=said) as raised:
        _read(tmp_path, [FileRange("a.frames", 0, len(content), len(content))])
    assert raised.value.fix


@pytest.mark.parametrize(
    "name, content, left",
    [
        pytest.param("a", b"{}\n[]\n", 3, id="a line is gone"),
        pytest.param("a", b"{}\n[]\n", 4, id="within a line"),
        pytest.param("a", b"{}\n[]", 0, id="all of it is gone"),
        pytest.param("a.frames", b"\0\0\0\1a\0\0\0\1b", 5, id="a frame is gone"),
    ],
)
@pytest.mark.parametrize("start", [0, 3])
def test_a_file_that_was_cut_since_it_was_looked_at_is_an_error(
    name: str, content: bytes, left: int, start: int, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content[:left])
    start = 5 if start and "frames" in name else start
    with pytest.raises(InputError, match="became shorter while it was read") as raised:
        _read(tmp_path, [FileRange(name, start, len(content), len(content))])
    assert raised.value.fix


@pytest.mark.parametrize("tasks, count", [(1, 4), (2, 4), (3, 6), (9, 9)])
def test_long_files_are_split_and_the_shares_cover_them(
    tasks: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_files, "SPLIT_BYTES", 10)
    found = FileSource("", (FileRange("a", 5, 40, 40), FileRange("b", 0, 1, 1)), 1).splits(tasks)
    told = sorted((one.name, one.start, one.end) for split in found for one in split)
    assert told[-1] == ("b", 0, 1)
    assert [told[0][1], told[-2][2]] == [5, 40]
    assert all(one[2] == other[1] for one, other in itertools.pairwise(told[:-1]))
    assert all(end - start <= 10 for _, start, end in told)
    assert len(found) == count


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["", "gzip"])), max_size=9), st.integers(1, 9))
def test_shares_take_every_byte_once_and_are_of_one_size(sizes: list[tuple[int, str]], tasks: int) -> None:
    ranges = [FileRange(f"{n:02d}", 0, size, size, compression) for n, (size, compression) in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(message_files, "SPLIT_BYTES", 10)
        found = FileSource("", tuple(ranges), 1).splits(tasks)
    parts = [one for split in found for one in split]
    for one in ranges:
        edges = sorted((part.start, part.end) for part in parts if part.name == one.name)
        assert [0, *(end for _, end in edges)] == [*(start for start, _ in edges), one.end]
        assert len(edges) <= 1 or not one.compression
    uncut = max((one.end for one in ranges if one.compression), default=0)
    read = [sum(one.end - one.start for one in split) for split in found]
    assert read == sorted(read, reverse=True)
    assert all(0 < size <= 10 + uncut for size in read)
    starts = sorted(found, key=lambda split: (split[0].name, split[0].start))
    in_order = [(one.name, one.start) for split in starts for one in split]
    assert in_order == sorted(in_order), "the order of rows would depend on the number of tasks"


def _frames(bodies: list[bytes]) -> bytes:
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 40), max_size=40),
    before=st.integers(0, 5),
    step=st.integers(1, 60),
    tasks=st.integers(1, 4),
)
def test_however_frames_are_cut_every_one_is_read_once(
    sizes: list[int], before: int, step: int, tasks: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, bodies = tmp_path_factory.mktemp("frames"), [bytes([n % 256]) * size for n, size in enumerate(sizes)]
    (root / "a.frames").write_bytes(_frames(bodies))
    size = (root / "a.frames").stat().st_size
    start = len(_frames(bodies[:before]))
    end, cuts = frames.borders(root / "a.frames", start, size, step)
    assert end == size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_files, "SPLIT_BYTES", 50)
        splits = FileSource(str(root), (FileRange("a.frames", start, size, size, borders=cuts),), 1).splits(tasks)
    parts = sorted((part for split in splits for part in split), key=lambda part: part.start)
    assert [body for _, body in _read(root, parts)] == bodies[before:]
    assert all(not part.borders for part in parts), "a task needs none"


def test_a_large_file_of_frames_is_the_work_of_many_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.frames").write_bytes(_frames([b"x" * 996] * 5_000))
    found = input_discovery.find(tmp_path, ["a.frames"], LakeState())
    monkeypatch.setattr(message_files, "SPLIT_BYTES", 1_000_000)
    splits = FileSource(str(tmp_path), found.ranges, 1).splits(2)
    assert len(splits) == 5, "5 MB, cut about every MiB"
    assert (
        sum(len(chunk.bodies) for split in splits for chunk in FileSource(str(tmp_path), (), 1).chunks(split)) == 5_000
    )


def test_a_packed_file_of_frames_is_the_work_of_one_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.frames.gz").write_bytes(gzip.compress(_frames([b"x" * 996] * 5_000), 0))
    found = input_discovery.find(tmp_path, ["a.frames.gz"], LakeState())
    monkeypatch.setattr(message_files, "SPLIT_BYTES", 1_000_000)
    assert len(FileSource(str(tmp_path), found.ranges, 1).splits(2)) == 1
