"""What the landing holds, as plain data: where the rows of each table_id stand, and how they are read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REFUSED", "StagedMessages", "StagedSegment", "segments"]

REFUSED = -1
"""The ``table_id`` of messages for quarantine."""


@dataclass(frozen=True, slots=True)
class StagedSegment:
    """Some rows of one table_id: where they stand, how large they are unpacked, and where the first one comes from."""

    path: str
    start: int
    length: int
    rows: int
    bytes: int
    file: str
    offset: int


@dataclass(frozen=True)
class StagedMessages:
    """What was landed. ``segments`` are by table_id, in the order of the input; ``ids`` are files of ids.

    ``messages`` is how many the readers met, by their own count.
    """

    segments: Mapping[int, tuple[StagedSegment, ...]]
    ids: tuple[Path, ...]
    messages: int

    @property
    def table_ids(self) -> tuple[int, ...]:
        """The table_ids that got rows, in order."""
        return tuple(sorted(self.segments))

    def rows(self, table_id: int) -> int:
        """How many rows ``table_id`` got."""
        return sum(one.rows for one in self.segments.get(table_id, ()))


def segments(found: Iterable[StagedSegment], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of some segments, one after the other, as batches of ``schema``."""
    import pyarrow as pa

    name, file = "", None
    with ExitStack() as held:
        for one in found:
            if file is None or one.path != name:
                held.close()
                name, file = one.path, held.enter_context(pa.memory_map(one.path))
            file.seek(one.start)
            yield pa.ipc.read_record_batch(file.read_buffer(one.length), schema)
