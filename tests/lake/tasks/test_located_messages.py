"""Offsets of messages that Spark read: the same as those of a lake, however lines are divided into splits and batches."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.tasks.located_messages import LocatedMessages
from babelreg.wire.length_frames import frame
from babelreg.wire.message_headers import pack

MODIFIED = datetime(2026, 11, 20, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        ("value", pa.binary()),
        ("source_file", pa.string()),
        ("modified", pa.timestamp("us", "UTC")),
        ("block", pa.int64()),
        ("is_framed", pa.bool_()),
    ]
)
Row = tuple[bytes, str, datetime, int, bool]


def batch(rows: Sequence[Row]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def located(batches: Sequence[Sequence[Row]], starts: Any = None) -> list[tuple[str, int, bytes]]:
    found = LocatedMessages(starts or {})(map(batch, batches))
    return [
        (row["source_file"], row["source_offset"], row["value"]) for part in found for row in part.to_pylist()
    ]  # fmt: skip


def lines(file: str, block: int, *values: bytes) -> list[Row]:
    return [(value, file, MODIFIED, block, False) for value in values]


def frames(file: str, content: bytes) -> list[Row]:
    return [(content, file, MODIFIED, 0, True)]


FRAMED = b"\0\0\0\x01a\0\0\0\x03\n \xff"


@pytest.mark.parametrize(
    "batches, starts, found",
    [
        pytest.param([lines("a", 0, b"x", b"yz")], {}, [("a", 0, b"x"), ("a", 2, b"yz")], id="lines follow each other"),
        pytest.param([lines("a", 0, b"", b" \t", b"x\r", b" y")], {}, [("a", 4, b"x\r"), ("a", 7, b" y")],
                     id="white space counts and is no message"),
        pytest.param([lines("a", 0, b"x"), lines("a", 0, b"y")], {}, [("a", 0, b"x"), ("a", 2, b"y")],
                     id="a split over two batches"),
        pytest.param([[*lines("a", 0, b"x"), *lines("b", 0, b"y")]], {}, [("a", 0, b"x"), ("b", 0, b"y")],
                     id="two files in one batch"),
        pytest.param([[*lines("a", 0, b"x"), *lines("a", 9, b"y")]], {("a", 9): 12}, [("a", 0, b"x"), ("a", 12, b"y")],
                     id="a split begins where the lines before it end"),
        pytest.param([frames("f", FRAMED)], {}, [("f", 4, b"a"), ("f", 9, b"\n \xff")], id="frames"),
        pytest.param([frames("f", gzip.compress(FRAMED))], {}, [("f", 4, b"a"), ("f", 9, b"\n \xff")],
                     id="frames that are compressed"),
        pytest.param([[*lines("a", 0, b"x"), *frames("f", b""), *lines("a", 0, b"y")]], {}, [("a", 0, b"x"), ("a", 2, b"y")],
                     id="a file of no frames between lines"),
        pytest.param([[]], {}, [], id="nothing"),
    ],
)  # fmt: skip
def test_messages_have_the_offsets_of_their_first_bytes(batches: Any, starts: Any, found: Any) -> None:
    assert located(batches, starts) == found


@settings(deadline=None)
@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), max_size=30), st.data())
def test_the_bytes_of_a_file_at_an_offset_are_the_message(content: list[bytes], data: st.DataObject) -> None:
    text, batches, rest = b"\n".join(content), [], lines("a", 0, *content)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        batches.append(rest[:size])
        rest = rest[size:]
    found = located(batches)
    assert [message for *_, message in found] == [line for line in content if line and not line.isspace()]
    assert all(text[offset : offset + len(message)] == message for _, offset, message in found)


def test_a_truncated_file_of_frames_is_named() -> None:
    with pytest.raises(InputError, match="f ends within the frame at byte 5"):
        located([frames("f", FRAMED[:-1])])


PACKED = pack([("ce_id", b"1")], b"{}")
FRAMES = frame(b"[1,2]") + frame(PACKED)


@pytest.mark.parametrize(
    "wire, given, found",
    [
        pytest.param("cloudevents", lines("f", 0, b'{"a":1}', b"[1, 2]", b" [] ", b"{"),
                     [(b'{"a":1}', 0), (b"1", 9), (b"2", 12), (b"{", 20)], id="lines"),
        pytest.param("cloudevents", frames("f", FRAMES), [(b"1", 5), (b"2", 7), (PACKED, 13)], id="frames"),
        pytest.param("cloudevents", lines("f", 0, b"[]"), [], id="an empty batch alone"),
        pytest.param("babelqueue", lines("f", 0, b"[1, 2]"), [(b"[1, 2]", 0)], id="another wire"),
        pytest.param("babelqueue", frames("f", FRAMES), [(b"[1,2]", 4), (b"{}", 32)], id="frames of another wire"),
    ],
)  # fmt: skip
def test_messages_of_a_batch_have_rows_of_their_own(
    wire: str, given: list[Row], found: list[tuple[bytes, int]]
) -> None:
    (result,) = LocatedMessages({}, wire)([batch(given)])
    assert list(zip(result.column(0).to_pylist(), result.column(2).to_pylist(), strict=True)) == found
    assert result.schema.names == ["value", "source_file", "source_offset", "source_modified"]
