"""Writer of one task: validates messages one by one, buffers them as Arrow, types and writes them in bulk.

The buffer (``_BUFFERED``) has a row a valid message: envelope and canonical JSON. To type the rows, that JSON is parsed
once more, a few hundred messages of one URN at a time: values created together are in the processor's cache, which
outweighs the second parse several times (measured).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
import orjson
import pyarrow as pa

from babelreg.spark.sources.message_source import SPLIT_BYTES, MessageChunk, Origin
from babelreg.spark.tasks.batch_ids import IdWriter
from babelreg.spark.tasks.message_bridge import masked
from babelreg.spark.tasks.row_validator import RefusedRow, refused_batch, unstorable
from babelreg.spark.tasks.staged_segments import REFUSED, StagedSegment
from babelreg.spark.tasks.validation_spec import ValidationSpec

__all__ = ["TaskWriter"]

_TOGETHER = 500
_MANY_TOGETHER = 20_000
_BODY = 2
_FLUSH_BYTES = 2 * SPLIT_BYTES
"""Bytes of messages and of their data that are buffered: a whole split, so that each URN gets one segment. With a
thousand URNs, a segment costs more than its rows.
"""

_BUFFERED = pa.schema(
    [
        ("table_id", pa.int32()),
        ("source_offset", pa.int64()),
        ("size", pa.int64()),
        *((name, pa.string()) for name in ("message_id", "trace_id", "lang", "queue")),
        ("created_at", pa.timestamp("ms", "UTC")),
        ("attempts", pa.int64()),
        ("key", pa.binary(16)),
        ("content", pa.binary(16)),
        ("source_file", pa.string()),
    ]
)
"""Columns of ``ValidRow`` without ``written`` and ``data``; the body is replaced by its size, the file is added."""


class TaskWriter:
    """Validates message chunks and writes a staging file below ``folder``; leaving the context flushes the rest.

    ``segments`` are the written ones with their table ids, ``ids`` the files of ids, ``messages`` their number.
    """

    def __init__(self, spec: ValidationSpec, folder: Path) -> None:
        self._validator, self._folder = spec.row_validator(), folder
        self._bridge = spec.bridge()
        self._identities = IdWriter(folder) if spec.digests else None
        self._path = folder / f"{uuid4().hex}.arrow"
        self._file: BinaryIO | None = None
        self._clear()
        self.segments: list[tuple[int, StagedSegment]] = []
        self.messages = 0

    def _clear(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._unusual: dict[int, Any] = {}
        self._refused: list[RefusedRow] = []
        self._bodies: list[bytes] = []
        self._origins: list[Origin | None] = []
        self._written: list[bytes] = []
        self._lengths: list[int] = []
        self._bytes = 0

    @property
    def ids(self) -> list[Path]:
        """The files of ids (see ``batch_ids``)."""
        return self._identities.written if self._identities else []

    def __enter__(self) -> TaskWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                if self._identities:
                    self._identities.flush()
        finally:
            if self._file:
                self._file.close()

    def add(self, chunk: MessageChunk) -> None:
        """Validate the messages of ``chunk``."""
        step = _MANY_TOGETHER if self._validator.many else 4 * _TOGETHER
        for start in range(0, len(chunk.bodies), step):
            end = start + step
            self._add_messages(chunk.name, chunk.bodies[start:end], chunk.offsets[start:end], chunk.origin)
        self.messages += len(chunk.bodies)
        if self._bytes > _FLUSH_BYTES:
            self._flush()

    def _add_messages(self, name: str, bodies: Sequence[bytes], offsets: Sequence[int], origin: Origin | None) -> None:
        rows = []
        validated = self._validated if origin is None else partial(self._bridged, origin)
        for row in validated(name, bodies, offsets):
            if type(row) is tuple:
                rows.append(row)
            else:
                self._refused.append(row)
        self._bytes += sum(map(len, bodies))
        if rows:
            columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
            data, written = columns.pop(), columns.pop()
            self._bodies += columns[_BODY]
            self._origins += [origin] * len(rows)
            # Joined at once: each text alone sits in a buffer that orjson allocated far too large.
            self._written.append(b"".join(written))
            self._lengths += map(len, written)
            self._bytes += len(self._written[-1])
            columns[_BODY] = [len(body) for body in columns[_BODY]]
            arrays = [pa.array(column, field.type) for column, field in zip(columns, _BUFFERED, strict=False)]
            self._batches.append(pa.RecordBatch.from_arrays([*arrays, pa.repeat(name, len(rows))], schema=_BUFFERED))
            if data.count(None) < len(data):
                first = len(self._bodies) - len(rows)
                self._unusual.update({first + n: document for n, document in enumerate(data) if document is not None})

    def _validated(self, name: str, bodies: Sequence[bytes], offsets: Sequence[int]) -> list[Any]:
        """Return the rows of envelopes, good or refused."""
        read = self._validator.read
        results: list[Any] = [None] * len(bodies)
        for number in _grouped_by_urn(bodies) if self._validator.many else range(len(bodies)):
            results[number] = read(bodies[number], offsets[number], name)
        return results

    def _bridged(self, origin: Origin, name: str, bodies: Sequence[bytes], offsets: Sequence[int]) -> list[Any]:
        """Return the rows of foreign messages; their size is that of the bytes that were read."""
        envelope = self._bridge.envelope
        results: list[Any] = [envelope(raw, at, name, origin) for raw, at in zip(bodies, offsets, strict=True)]
        numbers = [number for number, result in enumerate(results) if type(result) is bytes]
        envelopes, positions = [results[number] for number in numbers], [offsets[number] for number in numbers]
        for number, row in zip(numbers, self._validated(name, envelopes, positions), strict=True):
            raw = bodies[number]
            if type(row) is tuple:
                results[number] = (*row[:_BODY], raw, *row[_BODY + 1 :])
            else:
                results[number] = row._replace(body=masked(raw, origin))
        return results

    def _flush(self) -> None:
        if self._batches:
            self._write_valid()
        if self._refused:
            self._refused.sort(key=lambda row: (row.source_file, row.source_offset))
            self._write(REFUSED, refused_batch(self._refused))
        self._clear()

    def _write_valid(self) -> None:
        rows = pa.Table.from_batches(self._batches)
        table_ids = rows["table_id"].to_numpy()
        order = table_ids.argsort(kind="stable")
        edges = np.flatnonzero(np.diff(table_ids[order], prepend=-1, append=-1)).tolist()
        sorted_rows = rows.take(pa.array(order)).combine_chunks()
        written, stored = b"".join(self._written), []
        ends = list(accumulate(self._lengths))
        starts = [0, *ends]
        for start, end in pairwise(edges):
            table_rows = sorted_rows.slice(start, end - start)
            table_id, numbers = int(table_ids[order[start]]), order[start:end].tolist()
            texts = [written[starts[number] : ends[number]] for number in numbers]
            data, problems = self._typed(table_id, texts, numbers)
            if problems:
                self._refuse_unstorable(rows, numbers, problems)
                table_rows = table_rows.filter(pa.array([n not in problems for n in range(len(table_rows))]))
                texts = [text for n, text in enumerate(texts) if n not in problems]
            if texts:
                stored.append(table_rows)
                self._write(table_id, self._stored(table_id, table_rows, data, texts))
        if self._identities and stored:
            self._identities.add(pa.concat_tables(stored))

    def _typed(
        self, table_id: int, texts: Sequence[bytes], numbers: Sequence[int]
    ) -> tuple[pa.Array, Mapping[int, Any]]:
        """Return the typed ``data`` of the rows, and by row number the problems of those that cannot be stored."""
        columns = self._validator.table(table_id).columns
        typed = columns.read(_joined(texts, pa.binary()))
        if typed is not None:
            return typed, {}
        arrays, problems = [], {}
        for start, documents in self._documents(texts, numbers):
            array, unstorable_rows = columns.typed(documents)
            arrays.append(array)
            problems.update({start + n: problem.within("data") for n, problem in unstorable_rows.items()})
        return pa.concat_arrays(arrays), problems

    def _documents(self, texts: Sequence[bytes], numbers: Sequence[int]) -> Iterator[tuple[int, list[Any]]]:
        # These orjson would parse differently: digits beyond 64 bits, nesting beyond its limit.
        unusual = self._unusual
        for start in range(0, len(texts), _TOGETHER):
            pairs = zip(numbers[start : start + _TOGETHER], texts[start : start + _TOGETHER], strict=True)
            yield start, [unusual[number] if number in unusual else orjson.loads(text) for number, text in pairs]

    def _refuse_unstorable(self, rows: pa.Table, numbers: Sequence[int], problems: Mapping[int, Any]) -> None:
        for number, problem in problems.items():
            position = numbers[number]
            row = {
                **rows.slice(position, 1).to_pylist()[0],
                "body": masked(self._bodies[position], self._origins[position]),
            }
            name, offset, urn = row["source_file"], row["source_offset"], self._validator.urn(row["table_id"])
            self._refused.append(unstorable(name, offset, urn, row, problem))

    def _stored(self, table_id: int, rows: pa.Table, data: pa.Array, texts: Sequence[bytes]) -> pa.RecordBatch:
        table = self._validator.table(table_id)
        columns = {
            "urn": pa.repeat(table.urn, len(rows)),
            "created_at": rows["created_at"].cast(pa.timestamp("us", "UTC")).combine_chunks(),
            "data": data,
            "data_json": _joined(texts, pa.string()),
        }
        arrays = [columns[name] if name in columns else rows[name].combine_chunks() for name in table.schema.names]
        return pa.RecordBatch.from_arrays(arrays, schema=table.schema)

    def _write(self, table_id: int, batch: pa.RecordBatch) -> None:
        if self._file is None:
            self._file = self._path.open("xb")
        start = self._file.tell()
        self._file.write(batch.serialize())
        first = batch["source_file"][0].as_py(), batch["source_offset"][0].as_py()
        length = self._file.tell() - start
        self.segments.append(
            (table_id, StagedSegment(str(self._path), start, length, batch.num_rows, batch.nbytes, *first))
        )


def _grouped_by_urn(bodies: Sequence[bytes]) -> Iterator[int]:
    """Yield the indexes of ``bodies``, grouped by their apparent URN.

    The validators of a thousand URNs do not fit into the processor's cache together. The guess affects speed only.
    """
    groups: dict[bytes, list[int]] = {}
    for number, body in enumerate(bodies):
        start = body.find(b'"job"')
        groups.setdefault(body[start : body.find(b'"', start + 10)], []).append(number)
    for numbers in groups.values():
        yield from numbers


def _joined(texts: Sequence[bytes], type_: pa.DataType) -> pa.Array:
    """Return ``texts`` as an array of binary or string, copied once and not decoded: they were written as UTF-8."""
    ends = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=ends[1:])
    return pa.Array.from_buffers(type_, len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])
