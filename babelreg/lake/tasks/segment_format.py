"""Format of segments: the rows of one table that one task validated, as Arrow in a binary column of Spark.

Spark keeps and moves segments as they are, so that rows pass through the JVM neither one by one nor typed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from babelreg.wire.format import NATIVE

INTERNAL = "__babelreg_"
"""The beginning of the names of columns that no table has, and that stand beside those of the caller."""

MESSAGE, DIGEST, TABLE = (f"{INTERNAL}{name}" for name in ("message", "digest", "table"))
"""The number of a message, the hash of its body and position, the number of its URN."""

REFUSED_TABLE = -1
"""The table id of segments of refused messages."""

SEGMENT_SCHEMA = pa.schema(
    [
        ("table", pa.int32()),
        ("reason", pa.string()),
        ("rows", pa.int64()),
        ("digest", pa.int64()),
        ("day", pa.date32()),
        ("ids", pa.int64()),
        ("size", pa.int64()),
        ("segment", pa.binary()),
    ]
)
"""A segment has ``size`` bytes of Arrow data, and no other member than ``table`` and ``rows``.

A count has ``rows`` and the exclusive or of their ``digest``; ``table`` is null for undeclared URNs. Where duplicates
are searched for, it has the number of ``ids`` and the ``day`` of their digests.
"""

_SEGMENT_BYTES = 16 * 1024 * 1024
"""Arrow data of one segment at most, which is a value of a row of Spark."""

_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True)
class SegmentColumns:
    """The columns that messages come in, by order: body, digest, then what this says, then those of the position.

    Where duplicates are searched for (``numbered``), comes the number of the message; segments keep it, the digest and
    the bodies of accepted messages. Messages of a foreign ``wire`` have the instant of receipt and a text that tells
    equal ones apart. With ``headers``, a column of the position, come the attempts that they say and the bodies of
    messages that must not be decoded, of which ``forbidden`` are the reason and the detail.
    """

    position: tuple[str, ...] = ()
    wire: str = NATIVE
    numbered: bool = False
    headers: str | None = None
    forbidden: tuple[str, str] = ("", "")

    @property
    def first_of_position(self) -> int:
        """The number of the first column of the position."""
        return 2 + self.numbered + 2 * (self.wire != NATIVE) + 2 * (self.headers is not None)


def read_segment(segment: pa.Scalar) -> pa.Table:
    """Return the rows of a segment."""
    return pa.ipc.open_stream(segment.as_buffer()).read_all()


def segments_of(table: int, rows: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as segments."""
    step = max(1, len(rows) * _SEGMENT_BYTES // max(1, rows.nbytes))
    for start in range(0, len(rows), step):
        part = rows.slice(start, step)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, part.schema, options=_OPTIONS) as writer:
            writer.write_table(part.combine_chunks())
        row = [table, None, len(part), 0, None, 0, max(1, part.nbytes)]
        arrays = [pa.array([value], field.type) for value, field in zip(row, SEGMENT_SCHEMA, strict=False)]
        buffer = sink.getvalue()
        ends = pa.array([0, buffer.size], pa.int32()).buffers()[1]
        arrays.append(pa.Array.from_buffers(pa.binary(), 1, [None, ends, buffer]))
        yield pa.RecordBatch.from_arrays(arrays, schema=SEGMENT_SCHEMA)
