"""Messages of files that Spark read: those of a batch have rows of their own, those of frames their headers."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from babelreg.lake.tasks.located_messages import LocatedMessages
from babelreg.wire.length_frames import frame
from babelreg.wire.message_headers import pack

NOW = datetime(2026, 11, 14, tzinfo=UTC)
SCHEMA = pa.schema(
    [("value", pa.binary()), ("source_file", pa.string()), ("m", pa.timestamp("us", "UTC")), ("block", pa.int64()),
     ("is_framed", pa.bool_())]
)  # fmt: skip
PACKED = pack([("ce_id", b"1")], b"{}")
FRAMES = frame(b"[1,2]") + frame(PACKED)


def batch(*values: bytes, framed: bool = False) -> pa.RecordBatch:
    rows = [{"value": value, "source_file": "f", "m": NOW, "block": 0, "is_framed": framed} for value in values]
    return pa.RecordBatch.from_pylist(rows, SCHEMA)


@pytest.mark.parametrize(
    "wire, given, found",
    [
        pytest.param("cloudevents", batch(b'{"a":1}', b"[1, 2]", b" [] ", b"{"), [(b'{"a":1}', 0), (b"1", 9), (b"2", 12), (b"{", 20)],
                     id="lines"),
        pytest.param("cloudevents", batch(FRAMES, framed=True), [(b"1", 5), (b"2", 7), (PACKED, 13)], id="frames"),
        pytest.param("cloudevents", batch(b"[]"), [], id="an empty batch alone"),
        pytest.param("babelqueue", batch(b"[1, 2]"), [(b"[1, 2]", 0)], id="another wire"),
        pytest.param("babelqueue", batch(FRAMES, framed=True), [(b"[1,2]", 4), (b"{}", 32)], id="frames of another wire"),
    ],
)  # fmt: skip
def test_messages_and_their_offsets(wire: str, given: pa.RecordBatch, found: list[tuple[bytes, int]]) -> None:
    (result,) = LocatedMessages({}, wire)([given])
    assert list(zip(result.column(0).to_pylist(), result.column(2).to_pylist(), strict=True)) == found
    assert result.schema.names == ["value", "source_file", "source_offset", "source_modified"]
