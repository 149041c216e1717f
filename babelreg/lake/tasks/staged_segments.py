"""Staged messages of a batch: validated rows in Arrow segments, one table id each, and how to read them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

REFUSED = -1
"""The table id of messages for quarantine."""


@dataclass(frozen=True, slots=True)
class StagedSegment:
    """Rows of one table in a staging file: byte range, row count, size in memory, and position of the first row."""

    path: str
    start: int
    length: int
    rows: int
    bytes: int
    file: str
    offset: int


@dataclass(frozen=True)
class StagedMessages:
    """All staged messages of a batch. ``segments`` are by table id, in input order; ``ids`` are files of ids.

    ``messages`` is the number of messages that the readers counted.
    """

    segments: Mapping[int, tuple[StagedSegment, ...]]
    ids: tuple[Path, ...]
    messages: int

    @property
    def table_ids(self) -> tuple[int, ...]:
        """The table ids that have rows, in order."""
        return tuple(sorted(self.segments))

    def rows(self, table_id: int) -> int:
        """Return the number of rows of ``table_id``."""
        return sum(segment.rows for segment in self.segments.get(table_id, ()))


def read_segments(segments: Iterable[StagedSegment], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``segments``, in order, as batches of ``schema``."""
    import pyarrow as pa

    name, file = "", None
    with ExitStack() as stack:
        for segment in segments:
            if file is None or segment.path != name:
                stack.close()
                name, file = segment.path, stack.enter_context(pa.memory_map(segment.path))
            file.seek(segment.start)
            yield pa.ipc.read_record_batch(file.read_buffer(segment.length), schema)
