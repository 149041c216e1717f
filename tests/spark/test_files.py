"""Files of JSON lines, read in ranges of bytes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.spark.sources import files
from babelreg.spark.sources.files import Files, Range


def _read(root: Path, ranges: list[Range]) -> list[tuple[int, bytes]]:
    """The messages with their offsets."""
    batch = pa.RecordBatch.from_pylist(
        [{"name": one.name, "start": one.start, "end": one.end, "limit": one.limit} for one in ranges]
    )
    pieces = Files(str(root), tuple(ranges)).pieces(batch)
    return [one for piece in pieces for one in zip(piece.offsets, piece.bodies, strict=True)]


def _whole(root: Path, content: bytes) -> list[tuple[int, bytes]]:
    (root / "a").write_bytes(content)
    return _read(root, [Range("a", 0, len(content), len(content))])


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
    whole = _whole(root, content)
    size = len(content)
    edges = sorted({0, size, *(cut for cut in cuts if cut < size)})
    ranges = [Range("a", start, end, size) for start, end in itertools.pairwise(edges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_CHUNK_ROWS", chunk)
        patch.setattr(files, "_BLOCK_BYTES", block)
        assert _read(root, ranges) == whole


def test_what_is_written_after_the_listing_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}\n[1")
    listed = [Range("a", 0, 5, 5)]
    with (tmp_path / "a").open("ab") as file:
        file.write(b",2]\n{}\n")
    assert _read(tmp_path, listed) == [(0, b"{}"), (3, b"[1")]


def _read_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 10)
    monkeypatch.setattr(files, "_BLOCK_BYTES", 4)


def test_a_line_without_end_stops_before_it_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _read_short(monkeypatch)
    with pytest.raises(InputError, match="line at byte 3 is longer"):
        _whole(tmp_path, b"{}\n" + b"x" * 11 + b"\n")


def test_the_longest_line_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _read_short(monkeypatch)
    assert _whole(tmp_path, b"x" * 9 + b"\n{}\n") == [(0, b"x" * 9), (10, b"{}")]


def test_a_message_is_read_again_by_its_position(tmp_path: Path) -> None:
    for offset, body in _whole(tmp_path, b"{}\n\n\xff[1]\r\nlast"):
        assert Files(str(tmp_path), ()).body("a", offset, len(body)) == body


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
        Files(str(tmp_path), ()).body("a", 3, 2)


def test_long_files_are_split_and_the_splits_cover_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SPLIT_BYTES", 10)
    splits = list(files._splits([Range("a", 5, 40, 40), Range("b", 0, 1, 1)]))
    assert [(one.name, one.start, one.end) for one in splits] == [
        ("a", 5, 13),
        ("a", 13, 22),
        ("a", 22, 31),
        ("a", 31, 40),
        ("b", 0, 1),
    ]
