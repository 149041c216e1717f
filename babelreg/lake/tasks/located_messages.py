"""Messages of files that Spark read, with their offsets: the bytes of lines come in, or of whole files of frames.

Spark's text reader yields the lines of a split in order, without offsets. An offset is that of the first line of the
split plus the bytes of the lines before, each with the LF that ended it. Only the first line of a file's first split is
known to begin at 0; ``starts`` has the others. Offsets are those of the decompressed content, as in a lake.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from babelreg.sources import frames
from babelreg.sources.compression import compression_of
from babelreg.wire.format import NATIVE, Divide
from babelreg.wire.formats import find

Split = tuple[str, int]
"""A file and the position at which the split begins, of the compressed bytes where there are any."""

_MAY_BEGIN_BATCH = (b"[", b" ", b"\t", b"\r")
_WHITE: NDArray[np.bool_] = np.isin(np.arange(256), list(b" \t\r\n\x0b\x0c"))
"""By byte, whether it is ASCII white space."""


@dataclass(frozen=True)
class LocatedMessages:
    """From ``value, source_file, modified, block, is_framed`` to ``value, source_file, source_offset, modified``.

    ``starts`` are the offsets of the first lines of splits. In a ``wire`` that has several messages on a line, these
    are divided, and messages of frames have their headers where it reads them. Plain data, so that it can be sent to
    the workers.
    """

    starts: Mapping[Split, int]
    wire: str = NATIVE

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield messages in the order of rows, without lines of white space."""
        for batch in self._located(batches):
            yield batch if self.wire == NATIVE else _divided(batch, find(self.wire).divide)

    def _located(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        lines = _LineOffsets(self.starts)
        headers = self.wire != NATIVE and find(self.wire).reads_headers
        for batch in batches:
            if not len(batch):
                continue
            framed = batch.column(4)
            if not framed.true_count:
                yield lines.located(batch)
                continue
            for row in range(len(batch)):
                one = batch.slice(row, 1)
                yield _of_frames(one, headers) if framed[row].as_py() else lines.located(one)


class _LineOffsets:
    """Offsets of the lines of one task, which come split by split."""

    def __init__(self, starts: Mapping[Split, int]) -> None:
        self._starts = starts
        self._split: Split | None = None
        self._next = 0

    def located(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the messages of a batch of lines."""
        values, paths, blocks = batch.column(0), batch.column(1), batch.column(3)
        sizes = pc.binary_length(values).to_numpy().astype(np.int64)
        ends = np.cumsum(sizes + 1)
        offsets = ends - sizes - 1
        edges = _edges(paths, blocks)
        for start, end in zip(edges, [*edges[1:], len(batch)], strict=True):
            split = paths[start].as_py(), blocks[start].as_py()
            if split != self._split:
                self._split, self._next = split, self._starts.get(split, 0)
            first = int(offsets[start])
            offsets[start:end] += self._next - first
            self._next += int(ends[end - 1]) - first
        result = _batch(values, paths, pa.array(offsets), batch.column(2))
        blank = _blank(values, sizes)
        return result.filter(pa.array(~blank)) if blank.any() else result


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
    if divide is None or not any(value[:1] in _MAY_BEGIN_BATCH for value in batch.column(0).to_pylist()):
        return batch
    rows = [
        (body, path, offset + at, modified)
        for value, path, offset, modified in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        for body, at in divide(value)
    ]
    columns = list(zip(*rows, strict=True)) or [()] * batch.num_columns
    arrays = [pa.array(values, field.type) for values, field in zip(columns, batch.schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def _of_frames(file: pa.RecordBatch, headers: bool) -> pa.RecordBatch:
    """Return the messages of a file of frames. Raises InputError for a truncated one."""
    content, path = file.column(0)[0].as_py(), file.column(1)[0]
    if compression := compression_of(content):
        content = pa.input_stream(pa.BufferReader(content), compression=compression).read()
    size = len(content)
    messages = list(frames.read(io.BytesIO(content), Path(path.as_py()), 0, size, size, headers=headers))
    bodies, offsets = [body for body, _ in messages], [offset for _, offset in messages]
    repeated = (pa.repeat(value, len(messages)) for value in (path, file.column(2)[0]))
    paths, modified = repeated
    return _batch(pa.array(bodies, pa.binary()), paths, pa.array(offsets, pa.int64()), modified)


def _batch(values: pa.Array, paths: pa.Array, offsets: pa.Array, modified: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [values, paths, offsets, modified], ["value", "source_file", "source_offset", "source_modified"]
    )
