"""Validation of Arrow arrays of messages: an array of bodies in, an array of structs out, row for row.

::

    urn, envelope {message_id, trace_id, created_at, lang, queue, attempts}
    sent_urn                           the name that was sent; only where the registry has aliases
    data_json                          canonical JSON of data; null where the message was refused
    reason, pointer, detail, body      null where the message was accepted
    <URN> [...]                        typed data, for each URN that the caller asks for

A refused message has the members of the envelope that the quarantine keeps: urn, message_id, trace_id and lang. A null
body, as a Kafka tombstone has, is not a message: its struct is null.

The typed data of a URN is a list of one struct in the rows of that URN's accepted messages, and null in all others.
A column of nullable structs would carry eight bytes a row for each number of each URN; a list carries four bytes a row
and URN, and its structs are those of the messages, in order, without gaps. Its first element is the struct
(``F.get(column, 0)`` in Spark).

A message is refused for its columns (``unstorable_...``) whether or not its URN is asked for. No session is needed, and
the same body gives the same row in every batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from babelreg.contract.parse import deep
from babelreg.lake.arrow.table_schema import SENT_URN
from babelreg.lake.message_source import Origin
from babelreg.lake.tasks.admission import Row
from babelreg.lake.tasks.message_batch import joined, read_all, read_bridged, typed, typing_problems
from babelreg.lake.tasks.message_bridge import masked
from babelreg.lake.tasks.row_validator import RefusedRow, TableSchema, ValidRow, unstorable
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.typemap.spark import Unstorable

ENVELOPE_TYPE = pa.struct(
    [
        ("message_id", pa.string()),
        ("trace_id", pa.string()),
        ("created_at", pa.timestamp("us", "UTC")),
        ("lang", pa.string()),
        ("queue", pa.string()),
        ("attempts", pa.int64()),
    ]
)

MEMBERS = (
    pa.field("urn", pa.string()),
    pa.field("envelope", ENVELOPE_TYPE),
    *(pa.field(name, pa.string()) for name in ("data_json", "reason", "pointer", "detail")),
    pa.field("body", pa.binary()),
)
"""Members of the struct that every validated message has."""

_NAME_ID, _WRITTEN, _DATA = (ValidRow._fields.index(name) for name in ("name_id", "written", "data"))
_IDENTIFIERS = ("message_id", "trace_id", "lang")
_OF_REFUSED = ("reason", "pointer", "detail", "body")
_ABSENT = -1
"""The number of the name of a row without accepted data."""

_NOTHING: Row = tuple({"name_id": _ABSENT, "written": b""}.get(name) for name in ValidRow._fields)


class ValidatedBatches:
    """Validates arrays of messages. Make one per task and keep it.

    ``urns`` are those whose data is typed; those without columns, which the result omits, are not in ``typed_urns``.
    ``type`` is the Arrow type of the results.
    """

    def __init__(self, spec: ValidationSpec, urns: Iterable[str] = ()) -> None:
        self._validator, self._bridge = spec.row_validator(), spec.bridge()
        self._aliased = bool(spec.aliases)
        numbers = {urn: number for number, urn in enumerate(spec.urns)}
        tables = {numbers[urn]: self._validator.table(numbers[urn]) for urn in urns}
        self._tables = {number: table for number, table in tables.items() if len(table.columns.type)}
        self._list_types = {number: _list_of(table) for number, table in self._tables.items()}
        self.typed_urns = tuple(table.urn for table in self._tables.values())
        members = [pa.field(table.urn, self._list_types[number]) for number, table in self._tables.items()]
        sent = [pa.field(SENT_URN, pa.string())] if self._aliased else []
        self.type = pa.struct([*MEMBERS, *sent, *members])

    def validated(self, bodies: pa.Array, origins: Sequence[Origin] | None = None) -> pa.StructArray:
        """Return a struct for each of ``bodies``, an array of binary or string.

        Messages of a foreign wire format have ``origins``, one each; their refused bodies have no secrets.
        """
        raw = _bytes(bodies)
        present = [number for number, body in enumerate(raw) if body is not None]
        messages = [body for body in raw if body is not None]
        offsets = [0] * len(messages)
        with deep():
            if origins is None:
                results = read_all(self._validator, messages, offsets)
            else:
                taken = [origins[number] for number in present]
                results = read_bridged(self._validator, self._bridge, messages, offsets, taken)
            rows = _Rows(len(raw), present, results)
            lists = self._typed(rows, origins)
            return self._struct(rows, lists, pa.array([body is None for body in raw], pa.bool_()))

    def _typed(self, rows: _Rows, origins: Sequence[Origin] | None) -> Mapping[int, pa.Array]:
        """Return typed data by table id, and turn the rows that no column can hold into refused ones."""
        table_ids = self._validator.table_ids(rows.name_ids)
        order = table_ids.argsort(kind="stable")
        edges = np.flatnonzero(np.diff(table_ids[order], prepend=_ABSENT - 1, append=_ABSENT - 2)).tolist()
        values: dict[int, tuple[pa.Array, NDArray[np.int64]]] = {}
        for start, end in pairwise(edges):
            table_id, numbers = int(table_ids[order[start]]), order[start:end]
            columns = None if table_id == _ABSENT else self._validator.table(table_id).columns
            if columns is None or not len(columns.type):
                continue
            positions = numbers.tolist()
            texts = [rows.written(number) for number in positions]
            if table_id in self._tables:
                data, problems = typed(columns, texts, positions, rows.unusual)
                values[table_id] = data, np.delete(numbers, list(problems))
            else:
                problems = typing_problems(columns, texts, positions, rows.unusual)
            for index, problem in problems.items():
                origin = None if origins is None else origins[positions[index]]
                rows.refuse(positions[index], self._validator.urns[table_id], problem, origin)
        return {
            number: _lists(type_, len(table_ids), *values.get(number, ())) for number, type_ in self._list_types.items()
        }

    def _struct(self, rows: _Rows, lists: Mapping[int, pa.Array], absent: pa.Array) -> pa.StructArray:
        sent = [self._validator.sent_names(rows.name_ids)] if self._aliased else []
        arrays = [*rows.arrays(self._validator.urns), *sent, *lists.values()]
        return pa.StructArray.from_arrays(arrays, fields=list(self.type), mask=absent if absent.true_count else None)


class _Rows:
    """Rows of one array: those of accepted messages, with an empty row in place of all others, and the refused ones.

    ``unusual`` are documents that differ from what orjson parses of their JSON, by row number.
    """

    def __init__(self, count: int, present: Sequence[int], results: Sequence[Row | RefusedRow]) -> None:
        self._rows: list[Row] = [_NOTHING] * count
        self._refused: dict[int, RefusedRow] = {}
        self.unusual: dict[int, Any] = {}
        for number, result in zip(present, results, strict=True):
            if isinstance(result, RefusedRow):
                self._refused[number] = result
            else:
                self._rows[number] = result
                if result[_DATA] is not None:
                    self.unusual[number] = result[_DATA]

    @property
    def name_ids(self) -> NDArray[np.int32]:
        return np.fromiter((row[_NAME_ID] for row in self._rows), np.int32, len(self._rows))

    def written(self, number: int) -> bytes:
        """Return the canonical JSON of the data of an accepted message."""
        text: bytes = self._rows[number][_WRITTEN]
        return text

    def refuse(self, number: int, urn: str, problem: Unstorable, origin: Origin | None) -> None:
        """Turn a row into a refused one."""
        row = ValidRow._make(self._rows[number])
        members = {**row._asdict(), "body": masked(row.body, origin)}
        self._refused[number] = unstorable("", 0, urn, members, problem)
        self._rows[number] = _NOTHING

    def arrays(self, urns: Sequence[str]) -> list[pa.Array]:
        """Return the columns of ``MEMBERS``. ``urns`` are those of the names, by number."""
        members_of_rows = map(list, zip(*self._rows, strict=True)) if self._rows else [[] for _ in ValidRow._fields]
        columns = dict(zip(ValidRow._fields, members_of_rows, strict=True))
        refused: dict[str, list[Any]] = {name: [None] * len(self._rows) for name in _OF_REFUSED}
        for number, row in self._refused.items():
            for name in _IDENTIFIERS:
                columns[name][number] = getattr(row, name)
            for name in _OF_REFUSED:
                refused[name][number] = getattr(row, name)
        created_at = pa.array(columns["created_at"], pa.timestamp("ms", "UTC"))
        members = {name: pa.array(columns[name], pa.string()) for name in ("message_id", "trace_id", "lang", "queue")}
        members |= {"created_at": created_at.cast(ENVELOPE_TYPE.field("created_at").type)}
        members |= {"attempts": pa.array(columns["attempts"], pa.int64())}
        return [
            self._urns(urns),
            pa.StructArray.from_arrays([members[field.name] for field in ENVELOPE_TYPE], fields=list(ENVELOPE_TYPE)),
            joined(columns["written"], pa.string(), self.name_ids != _ABSENT),
            *(pa.array(refused[name], field.type) for name, field in zip(_OF_REFUSED, MEMBERS[3:], strict=True)),
        ]

    def _urns(self, urns: Sequence[str]) -> pa.Array:
        codes, names = self.name_ids.copy(), list(urns)
        for number, row in self._refused.items():
            if row.urn is not None:
                codes[number] = len(names)
                names.append(row.urn)
        return pa.array(names, pa.string()).take(pa.array(codes, mask=codes == _ABSENT))


def _bytes(bodies: pa.Array) -> list[bytes | None]:
    large = pa.types.is_large_string(bodies.type) or pa.types.is_large_binary(bodies.type)
    values: list[bytes | None] = bodies.cast(pa.large_binary() if large else pa.binary()).to_pylist()
    return values


def _list_of(table: TableSchema) -> pa.ListType:
    return pa.list_(pa.field("element", table.columns.type))


def _lists(
    type_: pa.ListType, count: int, values: pa.Array | None = None, numbers: NDArray[np.int64] | None = None
) -> pa.Array:
    """Return ``count`` lists: of one value in the rows ``numbers``, which ascend, and null in all others."""
    if values is None or numbers is None:
        return pa.nulls(count, type_)
    ends, null = np.zeros(count + 1, np.int32), np.ones(count, bool)
    ends[numbers + 1], null[numbers] = 1, False
    return pa.ListArray.from_arrays(pa.array(np.cumsum(ends, dtype=np.int32)), values, type=type_, mask=pa.array(null))
