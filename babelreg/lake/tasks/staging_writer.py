"""Writer of one task: validates messages one by one, buffers them as Arrow, types and writes them in bulk.

The buffer (``_BUFFERED``) has a row a valid message: envelope and canonical JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
import pyarrow as pa

from babelreg.lake.arrow.table_schema import ENVELOPE, SENT_URN
from babelreg.lake.message_source import SPLIT_BYTES, MessageChunk, Origin
from babelreg.lake.tasks.batch_ids import IdDigests, IdWriter
from babelreg.lake.tasks.message_batch import (
    MANY_TOGETHER,
    PARSED_TOGETHER,
    TableTexts,
    ordered,
    read_all,
    read_bridged,
    typed_tables,
)
from babelreg.lake.tasks.message_bridge import masked
from babelreg.lake.tasks.row_validator import RefusedRow, TableSchema, ValidRow, refused_batch, unstorable
from babelreg.lake.tasks.staged_segments import REFUSED, StagedSegment
from babelreg.lake.tasks.validation_spec import ValidationSpec

_GATHERED_BYTES = 32 * 1024 * 1024
"""Bytes of messages of many URNs that are validated together at most."""

_BODY, _MESSAGE_ID = (ValidRow._fields.index(name) for name in ("body", "message_id"))
_FLUSH_BYTES = 2 * SPLIT_BYTES
"""Bytes of messages and of their data that are buffered: a whole split, so that each URN gets one segment. With a
thousand URNs, a segment costs more than its rows.
"""

_BUFFERED = pa.schema(
    [
        ("name_id", pa.int32()),
        ("source_offset", pa.int64()),
        ("size", pa.int64()),
        *((name, pa.string()) for name in ("message_id", "trace_id", "lang", "queue")),
        ("created_at", pa.timestamp("ms", "UTC")),
        ("attempts", pa.int64()),
        ("source_file", pa.string()),
    ]
)
"""Columns of ``ValidRow`` without ``written`` and ``data``; the body is replaced by its size, the file is added.

Where duplicates are searched for, come those of ``IdDigests``.
"""


class TaskWriter:
    """Validates message chunks and writes a staging file below ``folder``; leaving the context flushes the rest.

    ``segments`` are the written ones with their table ids, ``ids`` the files of ids, ``messages`` their number.
    """

    def __init__(self, spec: ValidationSpec, folder: Path) -> None:
        self._validator, self._folder = spec.row_validator(), folder
        self._bridge = spec.bridge()
        self._identities = IdWriter(folder) if spec.digests else None
        self._digests = IdDigests(self._validator.urns) if spec.digests else None
        self._path = folder / f"{uuid4().hex}.arrow"
        self._file: BinaryIO | None = None
        self._gathered: list[MessageChunk] = []
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
        """Validate the messages of ``chunk``, or keep them to be validated together with the next ones."""
        self.messages += len(chunk.bodies)
        if self._validator.many:
            self._gather(chunk)
        else:
            self._validate(chunk, 4 * PARSED_TOGETHER)
        if self._bytes > _FLUSH_BYTES:
            self._flush()

    def _gather(self, chunk: MessageChunk) -> None:
        if self._gathered and (chunk.name, chunk.origin) != (self._gathered[0].name, self._gathered[0].origin):
            self._validate_gathered()
        self._gathered.append(chunk)
        messages = sum(len(chunk.bodies) for chunk in self._gathered)
        if messages >= MANY_TOGETHER or sum(sum(map(len, chunk.bodies)) for chunk in self._gathered) > _GATHERED_BYTES:
            self._validate_gathered()

    def _validate_gathered(self) -> None:
        chunks, self._gathered = self._gathered, []
        if chunks:
            bodies = [body for chunk in chunks for body in chunk.bodies]
            offsets = [offset for chunk in chunks for offset in chunk.offsets]
            exact = [certain for chunk in chunks for certain in chunk.exact or ()]
            known = exact if len(exact) == len(bodies) else None
            self._validate(replace(chunks[0], bodies=bodies, offsets=offsets, exact=known), len(bodies))

    def _validate(self, chunk: MessageChunk, step: int) -> None:
        for start in range(0, len(chunk.bodies), step):
            rows = slice(start, start + step)
            exact = chunk.exact and chunk.exact[rows]
            self._add_messages(chunk.name, chunk.bodies[rows], chunk.offsets[rows], chunk.origin, exact)

    def _add_messages(
        self,
        name: str,
        bodies: Sequence[bytes],
        offsets: Sequence[int],
        origin: Origin | None,
        exact: Sequence[bool] | None,
    ) -> None:
        rows = []
        if origin is None:
            validated = read_all(self._validator, bodies, offsets, name, exact)
        else:
            origins = [origin] * len(bodies)
            validated = read_bridged(self._validator, self._bridge, bodies, offsets, origins, name, exact)
        for row in validated:
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
            batch = pa.RecordBatch.from_arrays([*arrays, pa.repeat(name, len(rows))], schema=_BUFFERED)
            if self._digests:
                keys, contents = self._digests.of(columns[_MESSAGE_ID], columns[0], written)
                batch = batch.append_column("key", keys).append_column("content", contents)
            self._batches.append(batch)
            if data.count(None) < len(data):
                first = len(self._bodies) - len(rows)
                self._unusual.update({first + n: document for n, document in enumerate(data) if document is not None})

    def _flush(self) -> None:
        self._validate_gathered()
        if self._batches:
            self._write_valid()
        if self._refused:
            self._refused.sort(key=lambda row: (row.source_file, row.source_offset))
            self._write(REFUSED, refused_batch(self._refused))
        self._clear()

    def _write_valid(self) -> None:
        rows = pa.Table.from_batches(self._batches)
        table_ids = self._validator.table_ids(rows["name_id"].to_numpy())
        order = table_ids.argsort(kind="stable")
        edges = np.flatnonzero(np.diff(table_ids[order], prepend=-1, append=-1)).tolist()
        # Columns are made for all tables at once, and cut: for a thousand tables, calls cost more than rows.
        sorted_rows = rows.take(pa.array(order)).combine_chunks()
        documents = ordered(self._written, self._lengths, order)
        columns = self._shared_columns(sorted_rows, documents)
        kept = np.ones(len(order), np.bool_)
        tables = [self._validator.table(int(table_ids[order[start]])) for start in edges[:-1]]
        texts = (
            TableTexts(table.table_id, table.columns, documents.slice(start, end - start), order[start:end].tolist())
            for table, (start, end) in zip(tables, pairwise(edges), strict=True)
        )
        of_tables = typed_tables(texts, self._validator.readers, self._unusual)
        for table, (start, end), (data, problems) in zip(tables, pairwise(edges), of_tables, strict=True):
            table_rows = columns.slice(start, end - start)
            if problems:
                self._refuse_unstorable(rows, order[start:end].tolist(), problems)
                kept[[start + number for number in problems]] = False
                table_rows = table_rows.filter(pa.array(kept[start:end]))
            if len(table_rows):
                self._write(table.table_id, self._stored(table, table_rows, data))
        if self._identities and kept.any():
            identified = sorted_rows.append_column("table_id", pa.array(table_ids[order]))
            self._identities.add(identified if kept.all() else identified.filter(pa.array(kept)))

    @staticmethod
    def _shared_columns(rows: pa.Table, documents: pa.Array) -> pa.RecordBatch:
        """Return the columns that all tables have, less the URN, and the numbers of names."""
        columns = {name: rows[name] for name in ENVELOPE}
        columns["created_at"] = rows["created_at"].cast(pa.timestamp("us", "UTC"))
        columns["name_id"] = rows["name_id"]
        arrays = [column.chunk(0) for column in columns.values()]
        return pa.RecordBatch.from_arrays([*arrays, documents.view(pa.string())], [*columns, "data_json"])

    def _refuse_unstorable(self, rows: pa.Table, numbers: Sequence[int], problems: Mapping[int, Any]) -> None:
        for number, problem in problems.items():
            position = numbers[number]
            row = {
                **rows.slice(position, 1).to_pylist()[0],
                "body": masked(self._bodies[position], self._origins[position]),
            }
            name, offset, urn = row["source_file"], row["source_offset"], self._validator.urns[row["name_id"]]
            self._refused.append(unstorable(name, offset, urn, row, problem))

    def _stored(self, table: TableSchema, rows: pa.RecordBatch, data: pa.Array) -> pa.RecordBatch:
        columns = dict(zip(rows.schema.names, rows.columns, strict=True))
        columns |= {"urn": pa.repeat(table.urn, len(rows)), "data": data}
        if table.aliased:
            columns[SENT_URN] = self._validator.sent_names(columns["name_id"].to_numpy())
        return pa.RecordBatch.from_arrays([columns[name] for name in table.schema.names], schema=table.schema)

    def _write(self, table_id: int, batch: pa.RecordBatch) -> None:
        if self._file is None:
            self._file = self._path.open("xb")
        rows, start = batch.serialize(), self._file.tell()
        self._file.write(rows)
        first = batch["source_file"][0].as_py(), batch["source_offset"][0].as_py()
        self.segments.append((table_id, StagedSegment(str(self._path), start, rows.size, batch.num_rows, *first)))
