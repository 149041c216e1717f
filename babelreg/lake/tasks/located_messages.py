"""Messages of large files, whose lines Spark read, with their offsets.

Spark's text reader yields the lines of a split in order, without offsets. An offset is that of the first line of the
split plus the bytes of the lines before, each with the LF that ended it. Only the first line of a file's first split is
known to begin at 0; ``starts`` has the others. Offsets are those of the decompressed content, as in a lake.

The reader drops a byte order mark, which is put back where the sizes show that it did, and decompresses by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from babelreg.errors import InputError
from babelreg.lake.tasks.file_contents import BATCH_NAMES, MAGIC_BYTES, MAY_BEGIN_BATCH, decoded, shown_path
from babelreg.sources.compression import message_compression, uncompressed_name
from babelreg.wire.format import NATIVE, Divide
from babelreg.wire.formats import find

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Split = tuple[str, int]
"""A file and the position at which the split begins, of the compressed bytes where there are any."""

_WHITE: NDArray[np.bool_] = np.isin(np.arange(256), list(b" \t\r\n\x0b\x0c"))
"""By byte, whether it is ASCII white space."""


@dataclass(frozen=True)
class LocatedMessages:
    """From ``value, source_file, modified, block`` to ``value, source_file, source_offset, modified``.

    ``starts`` are the offsets of the first lines of splits, ``marked`` the files that begin with a byte order mark. In
    a ``wire`` that has several messages on a line, these are divided. Plain data, so that it can be sent to the
    workers.
    """

    starts: Mapping[Split, int]
    wire: str = NATIVE
    marked: frozenset[str] = frozenset()

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield messages in the order of rows, without lines of white space. Raises InputError."""
        lines = _LineOffsets(self.starts, self.marked)
        for batch in batches:
            if len(batch):
                located = lines.located(batch)
                yield located if self.wire == NATIVE else _divided(located, find(self.wire).divide)


class _LineOffsets:
    """Offsets of the lines of one task, which come split by split."""

    def __init__(self, starts: Mapping[Split, int], marked: frozenset[str]) -> None:
        self._starts, self._marked = starts, marked
        self._split: Split | None = None
        self._next = 0

    def located(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the messages of a batch of lines. Raises InputError for a file that holds none."""
        paths, blocks = batch.column(1), batch.column(3)
        edges = _edges(paths, blocks)
        values = self._first_lines(batch.column(0), paths, blocks, edges)
        sizes = pc.binary_length(values).to_numpy().astype(np.int64)
        ends = np.cumsum(sizes + 1)
        offsets = ends - sizes - 1
        for start, end in zip(edges, [*edges[1:], len(batch)], strict=True):
            split = paths[start].as_py(), blocks[start].as_py()
            if split != self._split:
                self._split, self._next = split, self._starts.get(split, 0)
            first = int(offsets[start])
            offsets[start:end] += self._next - first
            self._next += int(ends[end - 1]) - first
        columns = [values, _decoded(paths), pa.array(offsets), batch.column(2)]
        result = pa.RecordBatch.from_arrays(columns, BATCH_NAMES)
        blank = _blank(values, sizes)
        return result.filter(pa.array(~blank)) if blank.any() else result

    def _first_lines(self, values: pa.Array, paths: pa.Array, blocks: pa.Array, edges: list[int]) -> pa.Array:
        """Return ``values`` with the byte order marks that were dropped; the first line of a file tells its kind."""
        for row in edges:
            path, block = paths[row].as_py(), blocks[row].as_py()
            if block or (path, block) == self._split:
                continue
            _check_kind(path, values[row].as_py()[:MAGIC_BYTES])
            if path in self._marked:
                first = pa.array([BYTE_ORDER_MARK + values[row].as_py()], values.type)
                values = pa.concat_arrays([values[:row], first, values[row + 1 :]])
        return values


def _check_kind(address: str, head: bytes) -> None:
    """Raise InputError for a large file whose first bytes are not those of lines."""
    path = shown_path(decoded(address))
    name = PurePosixPath(path).name
    if uncompressed_name(name) == name and (compression := message_compression(path, head)):
        suffix = {"gzip": ".gz", "zstd": ".zst"}[compression]
        raise InputError(
            f"{path} is a {compression} file, and a large one is decompressed by its name",
            fix=f"name it {name}{suffix}",
        )


def _decoded(paths: pa.Array) -> pa.Array:
    encoded = paths.dictionary_encode()
    addresses = pa.array([decoded(path) for path in encoded.dictionary.to_pylist()], pa.string())
    return addresses.take(encoded.indices)


def _edges(paths: pa.Array, blocks: pa.Array) -> list[int]:
    """Return the rows at which a split begins or goes on."""
    ends = {0}
    for column in (paths, blocks):
        ends.update(pc.run_end_encode(column).run_ends.to_pylist()[:-1])
    return sorted(ends)


def _blank(values: pa.Array, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which lines are empty or ASCII white space alone. Few begin with it, and only those are looked at."""
    blank = sizes == 0
    begins = np.frombuffer(values.buffers()[1], np.int32)[values.offset : values.offset + len(values)]
    content = np.frombuffer(values.buffers()[2] or b"", np.uint8)
    filled = np.flatnonzero(~blank)
    for row in filled[_WHITE[content[begins[filled]]]].tolist():
        blank[row] = values[row].as_py().isspace()
    result: NDArray[np.bool_] = blank
    return result


def _divided(batch: pa.RecordBatch, divide: Divide | None) -> pa.RecordBatch:
    """Return a batch in which each message has a row of its own."""
    if divide is None or not any(value[:1] in MAY_BEGIN_BATCH for value in batch.column(0).to_pylist()):
        return batch
    rows = [
        (body, path, offset + at, modified)
        for value, path, offset, modified in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        for body, at in divide(value)
    ]
    columns = list(zip(*rows, strict=True)) or [()] * batch.num_columns
    arrays = [pa.array(values, field.type) for values, field in zip(columns, batch.schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
