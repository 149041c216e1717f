"""Staged messages of a batch: validated rows in Arrow segments, one table id each, and how to read them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

REFUSED = -1
"""The table id of messages for quarantine."""

_OPEN_FILES = 32
"""Staging files that are open together: the rows of a thousand small tables are in the same few."""


@dataclass(frozen=True, slots=True)
class StagedSegment:
    """Rows of one table in a staging file: byte range, row count, and position of the first row.

    ``length`` is about their size in memory, too.
    """

    path: str
    start: int
    length: int
    rows: int
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


class StagingReader:
    """Reads segments. As a context, it closes the staging files, of which it keeps a few open."""

    def __init__(self) -> None:
        self._files: dict[str, pa.MemoryMappedFile] = {}

    def __enter__(self) -> StagingReader:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def batches(self, segments: Iterable[StagedSegment], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the rows of ``segments``, in order, as batches of ``schema``."""
        import pyarrow as pa

        for segment in segments:
            file = self._opened(segment.path)
            file.seek(segment.start)
            yield pa.ipc.read_record_batch(file.read_buffer(segment.length), schema)

    def _opened(self, path: str) -> pa.MemoryMappedFile:
        import pyarrow as pa

        if path not in self._files:
            if len(self._files) >= _OPEN_FILES:
                self._files.pop(next(iter(self._files))).close()
            self._files[path] = pa.memory_map(path)
        return self._files[path]
