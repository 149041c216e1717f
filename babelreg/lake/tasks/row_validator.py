"""Validation of one message in a Spark worker: raw bytes in, one table row or one quarantine row out.

``contract.verdict`` decides whether the message is valid. The second stage decides whether the columns of its table can
hold it: a valid message may carry an integer beyond 64 bits, which no BIGINT takes. Reasons of this stage begin with
``unstorable_``. Messages are validated one by one and typed in bulk (see ``arrow.struct``), which finds what cannot be
stored. No session is needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from babelreg.contract import Contract, Envelope
from babelreg.contract.parse import deep
from babelreg.lake.arrow.canonical_json import canonical, canonical_from
from babelreg.lake.arrow.joint_reader import JointReader, joint_readers
from babelreg.lake.arrow.struct import Columns
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA, table_schema
from babelreg.lake.tasks.admission import FIRST_INSTANT, LAST_INSTANT, Admission, Row
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark.storable import detail, members
from babelreg.typemap.spark.whole_floats import floats_as_integers

_LONGEST_DETAIL = 500
_LONG_INTEGER = re.compile(rb"[0-9]{19}").search
"""What may be an integer that no BIGINT holds. It would send all documents that are typed with it the slow way."""

_MANY = 64
_NO_NAME = -1


class ValidRow(NamedTuple):
    """A valid message. ``name_id`` is the number of the name it was sent under, ``created_at`` is in milliseconds.

    ``written`` is the canonical JSON of its data; ``data`` is the parsed data, None where parsing ``written`` by
    orjson gives the same.
    """

    name_id: int
    source_offset: int
    body: bytes
    message_id: str | None
    trace_id: str | None
    lang: str | None
    queue: str | None
    created_at: int | None
    attempts: int | None
    written: bytes
    data: Any


class RefusedRow(NamedTuple):
    """A message for quarantine, with the columns of the envelope as far as they could be read."""

    source_file: str
    source_offset: int
    reason: str
    pointer: str
    detail: str
    urn: str | None
    message_id: str | None
    trace_id: str | None
    lang: str | None
    body: bytes


class TableSchema(NamedTuple):
    """Columns and file schema of one URN's table. ``aliased`` says that it has the column ``sent_urn``."""

    table_id: int
    urn: str
    aliased: bool
    columns: Columns
    schema: pa.Schema


class RowValidator:
    """Validates messages. One in each worker process; validators and columns are built once, on first use.

    Names under which messages are sent have numbers: first the URNs, whose numbers are those of their tables, then
    ``aliases``. So a row has no column for the name that was sent.

    ``contract`` is that of ``schemas``, where it is built already. ``many`` is True for so many URNs that messages
    should be grouped by URN.
    """

    def __init__(
        self,
        schemas: Mapping[str, Any],
        columns: Sequence[typemap.Struct],
        strict: Collection[str] = (),
        aliases: Mapping[str, str] | None = None,
        *,
        contract: Contract | None = None,
    ) -> None:
        contract = contract or Contract(schemas, strict=strict, aliases=aliases)
        self._admit, self._verdict = contract.admit, contract.verdict
        self._structs = tuple(columns)
        names = {**{urn: urn for urn in schemas}, **(aliases or {})}
        self._name_ids = {name: name_id for name_id, name in enumerate(names)}
        self.admission = Admission(contract, self._name_ids)
        self.urns = tuple(names.values())
        """The URN of each name, by number."""
        self._names = pa.array(list(names), pa.string())
        self._table_ids = np.array([*(self._name_ids[urn] for urn in self.urns), _NO_NAME], np.int32)
        self._aliased = frozenset((aliases or {}).values())
        self._tables: dict[int, TableSchema] = {}
        self.many = len(schemas) > _MANY

    def read_all(
        self, bodies: Sequence[bytes], offsets: Sequence[int], file: str, exact: Sequence[bool], order: Sequence[int]
    ) -> list[Any]:
        """Return :meth:`read` of each message. They are read in this ``order``."""
        results: list[Any] = [None] * len(bodies)
        numbers = order if all(exact) else [number for number in order if exact[number]]
        self.admission.envelopes(bodies, offsets, numbers, results)
        for number in order:
            if results[number] is None:
                results[number] = self.read(bodies[number], offsets[number], file, exact[number])
        return results

    def read(self, body: bytes, offset: int = 0, file: str = "", exact: bool = False) -> Row | RefusedRow:
        """Validate one message. Whether the columns can hold its data is checked later, except in unusual cases.

        ``exact`` as in ``Contract.admit``.
        """
        admitted = self._admit(body, exact)
        if admitted is None or (not exact and _LONG_INTEGER(body) is not None):
            return self._read_unusual(body, offset, file)
        document, written = admitted
        meta = document["meta"]
        created_at, identity = meta["created_at"], meta["id"]
        if not FIRST_INSTANT <= created_at <= LAST_INSTANT:
            return self._read_unusual(body, offset, file)
        try:
            written = canonical_from(document["data"], written)
        except typemap.Unstorable:
            return self._read_unusual(body, offset, file)
        return (
            self._name_ids[document["job"]],
            offset,
            body,
            identity,
            document["trace_id"],
            meta["lang"],
            meta["queue"],
            created_at,
            document["attempts"],
            written,
            None,
        )

    def validate(self, body: bytes, offset: int = 0, file: str = "") -> ValidRow | RefusedRow:
        """Validate one message completely; a valid row has its ``data``."""
        with deep():
            row = self.read(body, offset, file)
            if isinstance(row, RefusedRow):
                return row
            good = ValidRow._make(row)
            good = good if good.data is not None else good._replace(data=orjson.loads(good.written))
            problem = self._problem(good.name_id, good.data)
            return (
                good if problem is None else unstorable(file, offset, self.urns[good.name_id], good._asdict(), problem)
            )

    def table(self, name_id: int) -> TableSchema:
        """Return the table of the messages that are sent under the name with number ``name_id``."""
        table_id = int(self._table_ids[name_id])
        if table_id not in self._tables:
            struct, urn = self._structs[table_id], self.urns[table_id]
            aliased = urn in self._aliased
            schema = table_schema(struct, aliased=aliased)
            self._tables[table_id] = TableSchema(table_id, urn, aliased, Columns(struct), schema)
        return self._tables[table_id]

    @cached_property
    def readers(self) -> list[JointReader | None]:
        """The readers that small tables share with others, by table id."""
        return joint_readers(self._structs)

    def table_ids(self, name_ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the numbers of the tables of names; -1 stays."""
        return self._table_ids[name_ids] if self._aliased else name_ids

    def sent_names(self, name_ids: NDArray[np.int32]) -> pa.Array:
        """Return names by their numbers, null for -1."""
        return self._names.take(pa.array(name_ids, mask=name_ids == _NO_NAME))

    def _read_unusual(self, body: bytes, offset: int, file: str) -> Row | RefusedRow:
        """Validate any message, however unusual."""
        verdict = self._verdict(body)
        envelope = verdict.envelope
        if verdict.reason is not None or envelope is None:
            reason = verdict.reason or "poison"
            return _refused(file, offset, body, reason, verdict.pointer, verdict.detail, envelope)
        name_id = self._name_ids[envelope.sent_urn]
        try:
            written, data = canonical(envelope.data), floats_as_integers(envelope.data)
        except typemap.Unstorable as problem:
            return _unstorable(file, offset, body, problem.within("data"), envelope)
        # Checked here, so that one such message does not send a whole column to the row-by-row path.
        if unfit := self.table(name_id).columns.misfit(data):
            return _unstorable(file, offset, body, unfit.within("data"), envelope)
        if wrong := members(envelope):
            return _unstorable(file, offset, body, self._problem(name_id, data) or wrong, envelope)
        return (
            name_id,
            offset,
            body,
            envelope.id,
            envelope.trace_id,
            envelope.lang,
            envelope.queue,
            envelope.created_at,
            envelope.attempts,
            written,
            data,
        )

    def _problem(self, name_id: int, data: Any) -> typemap.Unstorable | None:
        _, problems = self.table(name_id).columns.typed([data])
        return problems[0].within("data") if problems else None


def refused_batch(rows: Sequence[RefusedRow]) -> pa.RecordBatch:
    """Return refused messages as an Arrow batch."""
    members = dict(zip(RefusedRow._fields, zip(*rows, strict=True), strict=True))
    columns = [pa.array(members[field.name], field.type) for field in REFUSED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=REFUSED_SCHEMA)


def unstorable(file: str, offset: int, urn: str, row: Mapping[str, Any], problem: typemap.Unstorable) -> RefusedRow:
    """Return the quarantine row of a valid message that its table cannot hold.

    ``row`` has its body, message_id, trace_id and lang.
    """
    meta = {"id": row["message_id"], "lang": row["lang"]}
    envelope = Envelope(urn, {"job": urn, "trace_id": row["trace_id"], "meta": meta})
    return _unstorable(file, offset, row["body"], problem, envelope)


def _unstorable(file: str, offset: int, body: bytes, problem: typemap.Unstorable, envelope: Envelope) -> RefusedRow:
    return _refused(file, offset, body, problem.code, problem.pointer, detail(problem.code), envelope)


def _refused(
    file: str,
    offset: int,
    body: bytes,
    reason: str,
    pointer: str | None,
    detail: str | None,
    envelope: Envelope | None,
) -> RefusedRow:
    identifiers = (envelope.urn, envelope.id, envelope.trace_id, envelope.lang) if envelope else (None,) * 4
    urn, identity, trace_id, lang = (None if text is None else _without_surrogates(text) for text in identifiers)
    shortened = _without_surrogates(detail or "")[:_LONGEST_DETAIL]
    return RefusedRow(file, offset, reason, pointer or "", shortened, urn, identity, trace_id, lang, body)


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates in ``text``, which no column can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()
