"""Offsets of messages that Spark read: the same as those of a lake, however lines are divided into splits and batches."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.tasks.located_messages import LocatedMessages

MODIFIED = datetime(2026, 11, 20, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        ("value", pa.binary()),
        ("source_file", pa.string()),
        ("modified", pa.timestamp("us", "UTC")),
        ("block", pa.int64()),
    ]
)
Row = tuple[bytes, str, datetime, int]


def batch(rows: Sequence[Row]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def located(
    batches: Sequence[Sequence[Row]], starts: Any = None, marked: frozenset[str] = frozenset()
) -> list[tuple[str, int, bytes]]:
    found = LocatedMessages(starts or {}, marked=marked)(map(batch, batches))
    return [
        (row["source_file"], row["source_offset"], row["value"]) for part in found for row in part.to_pylist()
    ]  # fmt: skip


def lines(file: str, block: int, *values: bytes) -> list[Row]:
    return [(value, file, MODIFIED, block) for value in values]


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
        pytest.param([[]], {}, [], id="nothing"),
    ],
)  # fmt: skip
def test_messages_have_the_offsets_of_their_first_bytes(batches: Any, starts: Any, found: Any) -> None:
    assert located(batches, starts) == found


@settings(deadline=None)
@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), max_size=30), st.data())
def test_the_bytes_of_a_file_at_an_offset_are_the_message(content: list[bytes], data: st.DataObject) -> None:
    content = [b"first", *content]  # whose bytes tell the kind of the file
    text, batches, rest = b"\n".join(content), [], lines("a", 0, *content)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        batches.append(rest[:size])
        rest = rest[size:]
    found = located(batches)
    assert [message for *_, message in found] == [line for line in content if line and not line.isspace()]
    assert all(text[offset : offset + len(message)] == message for _, offset, message in found)


def test_a_byte_order_mark_that_spark_dropped_is_put_back() -> None:
    batches = [lines("a", 0, b"x"), lines("a", 0, b"y"), [*lines("b", 0, b"x"), *lines("b", 9, b"z")]]
    marked = frozenset({"a", "b"})
    assert located(batches, {("b", 9): 5}, marked) == [
        ("a", 0, b"\xef\xbb\xbfx"), ("a", 5, b"y"), ("b", 0, b"\xef\xbb\xbfx"), ("b", 5, b"z"),
    ]  # fmt: skip


def test_a_file_is_named_as_it_is_called() -> None:
    assert located([lines("file:/a%20b%2541", 0, b"x")], {}) == [("file:/a b%41", 0, b"x")]


@pytest.mark.parametrize(
    "name, first, says",
    [
        pytest.param("a.jsonl", b"PAR1\x15", "/in/a.jsonl is a parquet file, not JSON lines", id="another format"),
        pytest.param("a.jsonl", b"\x1f\x8b\x08", "decompressed by its name", id="gzip that is not named so"),
    ],
)
def test_a_large_file_that_spark_cannot_read_as_lines_is_refused(name: str, first: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        located([lines(f"file:///in/{name}", 0, first, b"x")])
    assert raised.value.fix


def test_decompressed_lines_may_begin_like_a_compressed_file() -> None:
    assert located([lines("file:///in/a.gz", 0, b"\x1f\x8b\x08")]) == [("file:///in/a.gz", 0, b"\x1f\x8b\x08")]


@pytest.mark.parametrize(
    "wire, given, found",
    [
        pytest.param("cloudevents", lines("f", 0, b'{"a":1}', b"[1, 2]", b" [] ", b"{"),
                     [(b'{"a":1}', 0), (b"1", 9), (b"2", 12), (b"{", 20)], id="lines"),
        pytest.param("cloudevents", lines("f", 0, b"[]"), [], id="an empty batch alone"),
        pytest.param("babelqueue", lines("f", 0, b"[1, 2]"), [(b"[1, 2]", 0)], id="another wire"),
    ],
)  # fmt: skip
def test_messages_of_a_batch_have_rows_of_their_own(
    wire: str, given: list[Row], found: list[tuple[bytes, int]]
) -> None:
    (result,) = LocatedMessages({}, wire)([batch(given)])
    assert list(zip(result.column(0).to_pylist(), result.column(2).to_pylist(), strict=True)) == found
    assert result.schema.names == ["value", "source_file", "source_offset", "source_modified"]
