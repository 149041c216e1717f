"""Messages with headers, and the frames that hold them beside those of the first version."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.sources import frames
from babelreg.wire.length_frames import bodies, ends, frame, parse_length, whole_frames
from babelreg.wire.message_headers import HeadersError, PackedMessage, body_of, has_headers, pack, unpack

HEADERS = [("a", b"x"), ("a", None), ("b", b"\xff"), ("", b"")]


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.binary())), st.binary())
def test_what_was_packed_is_unpacked(headers: list[tuple[str, bytes | None]], body: bytes) -> None:
    packed = pack(headers, body)
    assert has_headers(packed)
    assert unpack(packed) == (headers, body)
    assert body_of(packed) == body


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"\n", b"\0"])
def test_a_body_in_json_has_no_headers(raw: bytes) -> None:
    assert not has_headers(raw)


def test_headers_have_a_limit() -> None:
    with pytest.raises(OverflowError):
        pack([("a", b"x" * (1 << 24))], b"")


@given(st.binary(max_size=30))
def test_other_bytes_are_refused(raw: bytes) -> None:
    with contextlib.suppress(HeadersError):
        headers, body = unpack(raw)
        assert raw.endswith(body)
        assert unpack(pack(headers, body)) == (headers, body)


MIXED = frame(b"one") + frame(pack(HEADERS, b"two")) + frame(b"") + frame(pack([], b"four"))


def test_a_file_may_hold_frames_of_both_versions() -> None:
    assert list(bodies(io.BytesIO(MIXED))) == [b"one", b"two", b"", b"four"]
    assert b"".join(whole_frames(io.BytesIO(MIXED))) == MIXED
    assert list(ends(io.BytesIO(MIXED), 0, len(MIXED)))[-1] == len(MIXED)
    assert [parse_length(one[:4])[1] for one in whole_frames(io.BytesIO(MIXED))] == [False, True, False, True]


@pytest.mark.parametrize("headers", [True, False])
def test_the_position_of_a_message_is_that_of_its_first_byte(headers: bool) -> None:
    found = list(frames.read(io.BytesIO(MIXED), Path("a"), 0, len(MIXED), 1000, headers=headers))
    for body, position in found:
        assert MIXED[position : position + len(body)] == body
    assert [body_of(body) if headers and has_headers(body) else body for body, _ in found] == [
        b"one",
        b"two",
        b"",
        b"four",
    ]


def test_a_reader_of_the_first_version_refuses_the_length() -> None:
    assert int.from_bytes(MIXED[7:11], "big") > frames.MAX_LINE_BYTES


def test_damaged_headers_are_named_with_their_place() -> None:
    damaged = frame(b"one") + frame(PackedMessage(b"\0\0\0\x09"))
    with pytest.raises(InputError, match="the frame at byte 7 is damaged: the headers are longer than the message"):
        list(frames.read(io.BytesIO(damaged), Path("a"), 0, len(damaged), 1000))
