"""Validation of the messages of a batch of ``Tables`` into segments (see ``segment_format``).

Messages come in beside the columns that their rows had before; out come, in one frame, the segments and the counts by
table, reason and day. The rows of a segment are in the order of its messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from babelreg.contract.parse import deep
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA, SENT_URN
from babelreg.lake.message_source import SPLIT_BYTES, Origin
from babelreg.lake.tasks.admission import Row
from babelreg.lake.tasks.column_functions import origins_of
from babelreg.lake.tasks.message_batch import (
    MANY_TOGETHER,
    TableTexts,
    ordered,
    read_all,
    read_bridged,
    typed_tables,
)
from babelreg.lake.tasks.message_bridge import masked
from babelreg.lake.tasks.row_validator import RefusedRow, TableSchema, ValidRow, unstorable
from babelreg.lake.tasks.segment_format import (
    DIGEST,
    MESSAGE,
    REFUSED_TABLE,
    SEGMENT_SCHEMA,
    SegmentColumns,
    segments_of,
)
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.wire.format import NATIVE

PLAUSIBLE_DAYS = date(2000, 1, 1), date(2099, 12, 31)
"""Days of messages outside of which digests share one partition, 1970-01-01."""

_FLUSH_BYTES = SPLIT_BYTES
_AT_ONCE = 2_000
_ENVELOPE = {
    **{name: pa.string() for name in ("message_id", "trace_id", "lang", "queue")},
    "created_at": pa.timestamp("ms", "UTC"),
    "attempts": pa.int64(),
}
_REFUSED = ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body")
_BODY, _WRITTEN, _DATA = (ValidRow._fields.index(name) for name in ("body", "written", "data"))
_DAY_MILLISECONDS = 86_400_000
_PLAUSIBLE = tuple((day - date(1970, 1, 1)).days for day in PLAUSIBLE_DAYS)


@dataclass(frozen=True)
class SegmentPass:
    """From the messages of a task to segments and counts. Plain data, so that it can be sent to the workers."""

    spec: ValidationSpec
    columns: SegmentColumns

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield rows of ``SEGMENT_SCHEMA``."""
        segments = MessageSegments(self.spec, self.columns)
        for batch in batches:
            yield from segments.add(batch)
        yield from segments.finish()


class MessageSegments:
    """Validates the messages of one task. ``add`` and ``finish`` yield rows of :data:`SEGMENT_SCHEMA`."""

    def __init__(self, spec: ValidationSpec, columns: SegmentColumns) -> None:
        self._validator, self._bridge, self._columns = spec.row_validator(), spec.bridge(), columns
        self._numbers = {urn: number for number, urn in enumerate(spec.urns)}
        self._counts: dict[tuple[int | None, str | None, int | None], list[int]] = {}
        self._clear()

    def _clear(self) -> None:
        self._refused: list[tuple[int, RefusedRow]] = []
        self._inputs: list[pa.RecordBatch] = []
        self._digests: list[NDArray[np.int64]] = []
        self._arrays: list[pa.RecordBatch] = []
        self._written: list[bytes] = []
        self._lengths: list[int] = []
        self._unusual: dict[int, Any] = {}
        self._origins: dict[int, Origin] = {}
        self._bodies: list[bytes] = []
        self._empty: list[int] = []
        self._messages: list[NDArray[np.int64]] = []
        self._count = self._bytes = 0

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Validate the messages of ``batch``."""
        step = MANY_TOGETHER if self._validator.many else _AT_ONCE
        for start in range(0, batch.num_rows, step):
            with deep():
                self._add(batch.slice(start, step))
            if self._bytes > _FLUSH_BYTES:
                yield from self._flush()

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Yield the rest, and the counts."""
        yield from self._flush()
        if not self._counts:
            return
        tables, reasons, days = zip(*self._counts, strict=True)
        rows, digests, ids = zip(*self._counts.values(), strict=True)
        none = [None] * len(rows)
        arrays = [
            pa.array(values, field.type)
            for values, field in zip(
                (tables, reasons, rows, digests, days, ids, [0] * len(rows), none), SEGMENT_SCHEMA, strict=True
            )
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=SEGMENT_SCHEMA)

    def _add(self, batch: pa.RecordBatch) -> None:
        raw: list[bytes | None] = batch.column(0).cast(pa.binary()).to_pylist()
        present = [number for number, body in enumerate(raw) if body is not None]
        bodies = [body for body in raw if body is not None]
        results, origins = self._read(batch, bodies, present)
        forbidden, attempts = self._of_headers(batch)
        first, valid, numbers = self._count, [], []
        for number, result in zip(present, results, strict=True):
            if forbidden is not None and (body := forbidden[number]) is not None:
                result = self._forbid(result, body)
            if isinstance(result, RefusedRow):
                self._refused.append((first + number, result))
            else:
                valid.append(result)
                numbers.append(number)
        if origins is not None:
            self._origins |= {first + number: origin for number, origin in zip(present, origins, strict=True)}
        if valid:
            self._keep(valid, first, numbers, attempts)
        self._digests.append(batch.column(1).to_numpy())
        position = batch.columns[self._columns.first_of_position :]
        self._inputs.append(pa.RecordBatch.from_arrays(position, list(self._columns.position)))
        if self._columns.numbered:
            self._messages.append(batch.column(2).to_numpy())
        if len(present) < len(raw):
            self._empty += (first + np.setdiff1d(np.arange(len(raw)), present)).tolist()
        self._count += batch.num_rows
        self._bytes += sum(map(len, bodies))

    def _read(
        self, batch: pa.RecordBatch, bodies: Sequence[bytes], present: Sequence[int]
    ) -> tuple[list[Any], Sequence[Origin] | None]:
        offsets = [0] * len(bodies)
        if self._columns.wire == NATIVE:
            return read_all(self._validator, bodies, offsets), None
        first = 2 + self._columns.numbered
        every = origins_of(self._columns.wire, batch.column(first), batch.column(first + 1))
        origins = [every[number] for number in present]
        return read_bridged(self._validator, self._bridge, bodies, offsets, origins), origins

    def _of_headers(self, batch: pa.RecordBatch) -> tuple[list[bytes | None] | None, pa.Array | None]:
        """Return the bodies of messages that must not be decoded, and the attempts of all, as headers say them."""
        if self._columns.headers is None:
            return None, None
        first = self._columns.first_of_position
        attempts, forbidden = batch.column(first - 2), batch.column(first - 1)
        return (forbidden.to_pylist() if forbidden.null_count < len(forbidden) else None), attempts

    def _forbid(self, result: Row | RefusedRow, body: bytes) -> RefusedRow:
        reason, detail = self._columns.forbidden
        if isinstance(result, RefusedRow):
            return result._replace(reason=reason, pointer="", detail=detail, body=body)
        row = ValidRow._make(result)
        urn = self._validator.urns[row.name_id]
        return RefusedRow("", 0, reason, "", detail, urn, row.message_id, row.trace_id, row.lang, body)

    def _keep(self, rows: Sequence[Row], first: int, numbers: Sequence[int], attempts: pa.Array | None) -> None:
        members = dict(zip(ValidRow._fields, zip(*rows, strict=True), strict=True))
        arrays = {name: pa.array(members[name], type_) for name, type_ in _ENVELOPE.items()}
        if attempts is not None:
            arrays["attempts"] = pc.coalesce(attempts.take(pa.array(numbers)), arrays["attempts"])
        arrays["name_id"] = pa.array(members["name_id"], pa.int32())
        arrays["number"] = pa.array(np.asarray(numbers, np.int64) + first)
        self._arrays.append(pa.RecordBatch.from_pydict(arrays))
        # Joined at once: each text alone sits in a buffer that orjson allocated far too large.
        written = members["written"]
        self._written.append(b"".join(written))
        self._lengths += map(len, written)
        self._bytes += len(self._written[-1])
        start = len(self._bodies)
        self._bodies += members["body"]
        self._unusual |= {start + n: data for n, data in enumerate(members["data"]) if data is not None}

    def _flush(self) -> Iterator[pa.RecordBatch]:
        if not self._count:
            return
        digests = np.concatenate(self._digests)
        position = pa.Table.from_batches(self._inputs).combine_chunks() if self._columns.position else None
        if self._arrays:
            yield from self._flush_valid(digests, position)
        if self._refused:
            yield from self._flush_refused(digests, position)
        if self._empty:
            self._tally(None, None, digests[self._empty])
        self._clear()

    def _flush_valid(self, digests: NDArray[np.int64], position: pa.Table | None) -> Iterator[pa.RecordBatch]:
        rows = pa.Table.from_batches(self._arrays)
        tables = self._validator.table_ids(rows["name_id"].to_numpy())
        order = tables.argsort(kind="stable")
        edges = np.flatnonzero(np.diff(tables[order], prepend=-1, append=-1)).tolist()
        sorted_rows = rows.take(pa.array(order)).combine_chunks()
        documents = ordered(self._written, self._lengths, order)
        of_tables = [self._validator.table(int(tables[order[start]])) for start in edges[:-1]]
        texts_of_tables = [
            TableTexts(table.table_id, table.columns, documents.slice(start, end - start), order[start:end].tolist())
            for table, (start, end) in zip(of_tables, pairwise(edges), strict=True)
        ]
        with deep():
            typed_rows = list(typed_tables(texts_of_tables, self._validator.readers, self._unusual))
        for table, part, start, (data, problems) in zip(of_tables, texts_of_tables, edges, typed_rows, strict=False):
            texts, numbers = part.texts, part.numbers
            table_rows = sorted_rows.slice(start, len(texts))
            if problems:
                self._refuse_unstorable(table.urn, table_rows, numbers, problems)
                kept = pa.array([n not in problems for n in range(len(texts))])
                table_rows, texts = table_rows.filter(kept), texts.filter(kept)
            if len(texts):
                self._tally_accepted(table.table_id, table_rows, digests)
                accepted = self._accepted(table, table_rows, data, texts, position)
                if self._columns.numbered:
                    index = table_rows["number"].to_numpy()
                    accepted = accepted.append_column(MESSAGE, pa.array(np.concatenate(self._messages)[index]))
                    accepted = accepted.append_column(DIGEST, pa.array(digests[index]))
                    accepted = accepted.append_column("body", self._masked_bodies(numbers, index, problems))
                yield from segments_of(table.table_id, accepted)

    def _accepted(
        self, table: TableSchema, rows: pa.Table, data: pa.Array, texts: pa.Array, position: pa.Table | None
    ) -> pa.Table:
        columns: dict[str, Any] = {name: rows[name] for name in _ENVELOPE}
        columns["urn"] = pa.repeat(table.urn, len(rows))
        if table.aliased:
            columns[SENT_URN] = self._validator.sent_names(rows["name_id"].to_numpy())
        columns["created_at"] = rows["created_at"].cast(pa.timestamp("us", "UTC"))
        if len(data.type):
            columns["data"] = data
        columns["data_json"] = texts.view(pa.string())
        if position is not None:
            taken = position.take(rows["number"].combine_chunks())
            for name in taken.column_names:
                is_headers = name == self._columns.headers
                columns[name] = pa.nulls(len(rows), taken[name].type) if is_headers else taken[name]
        return pa.table(columns)

    def _masked_bodies(self, numbers: Sequence[int], index: NDArray[np.int64], problems: Mapping[int, Any]) -> pa.Array:
        kept = [number for n, number in enumerate(numbers) if n not in problems]
        pairs = zip(kept, index.tolist(), strict=True)
        return pa.array([masked(self._bodies[number], self._origins.get(at)) for number, at in pairs], pa.binary())

    def _refuse_unstorable(self, urn: str, rows: pa.Table, numbers: Sequence[int], problems: Mapping[int, Any]) -> None:
        for index, problem in problems.items():
            row = rows.slice(index, 1).to_pylist()[0]
            body = masked(self._bodies[numbers[index]], self._origins.get(row["number"]))
            refused = unstorable("", 0, urn, {**row, "body": body}, problem)
            self._refused.append((row["number"], refused))

    def _flush_refused(self, digests: NDArray[np.int64], position: pa.Table | None) -> Iterator[pa.RecordBatch]:
        self._refused.sort(key=lambda pair: pair[0])
        groups: dict[tuple[int | None, str], list[int]] = {}
        for number, row in self._refused:
            groups.setdefault((self._numbers.get(row.urn or ""), row.reason), []).append(number)
        for (table, reason), numbers in groups.items():
            self._tally(table, reason, digests[numbers])
        columns: dict[str, Any] = {
            name: pa.array([getattr(row, name) for _, row in self._refused], REFUSED_SCHEMA.field(name).type)
            for name in _REFUSED
        }
        if position is not None:
            taken = position.take(pa.array([number for number, _ in self._refused]))
            columns |= {name: taken[name] for name in taken.column_names}
        yield from segments_of(REFUSED_TABLE, pa.table(columns))

    def _tally_accepted(self, table: int, rows: pa.Table, digests: NDArray[np.int64]) -> None:
        of_rows = digests[rows["number"].to_numpy()]
        if not self._columns.numbered:
            self._tally(table, None, of_rows)
            return
        has_id = rows["message_id"].is_valid().to_numpy()
        self._tally(table, None, of_rows[~has_id])
        instants = rows["created_at"].cast(pa.int64()).fill_null(0).to_numpy()
        days = instants // _DAY_MILLISECONDS
        days[(days < _PLAUSIBLE[0]) | (days > _PLAUSIBLE[1])] = 0
        for day in np.unique(days[has_id]).tolist():
            self._tally(table, None, of_rows[has_id & (days == day)], day)

    def _tally(self, table: int | None, reason: str | None, digests: NDArray[np.int64], day: int | None = None) -> None:
        if not len(digests):
            return
        count = self._counts.setdefault((table, reason, day), [0, 0, 0])
        count[0] += len(digests)
        count[1] ^= int(np.bitwise_xor.reduce(digests))
        count[2] += 0 if day is None else len(digests)
