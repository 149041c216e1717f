"""What the landing holds, as plain data: where the rows of each place stand, and how they are read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REFUSED", "Landing", "Segment", "segments"]

REFUSED = -1
"""The ``place`` of messages for quarantine."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Some rows of one place: where they stand, how large they are unpacked, and where the first one comes from."""

    path: str
    start: int
    length: int
    rows: int
    bytes: int
    file: str
    offset: int


@dataclass(frozen=True)
class Landing:
    """What was landed. ``segments`` are by place, in the order of the input; ``ids`` are files of ids.

    ``messages`` is how many the readers met, by their own count.
    """

    segments: Mapping[int, tuple[Segment, ...]]
    ids: tuple[Path, ...]
    messages: int

    @property
    def places(self) -> tuple[int, ...]:
        """The places that got rows, in order."""
        return tuple(sorted(self.segments))

    def rows(self, place: int) -> int:
        """How many rows ``place`` got."""
        return sum(one.rows for one in self.segments.get(place, ()))


def segments(found: Iterable[Segment], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
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
