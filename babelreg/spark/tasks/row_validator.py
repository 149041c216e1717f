"""The Arrow pass: raw bytes in, one judged row a message out, and batches of rows as Arrow.

``contract.verdict`` says whether the message is valid; what comes after it is ``storable``: whether the columns of its
table can hold it, for a valid message may carry an integer beyond 64 bits, which no BIGINT takes. Reasons of this
second stage begin with ``unstorable_``. Messages are read one by one and typed many at once (see ``columns``), which
is where what cannot be stored turns up. This runs on the workers, without a session.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson
import pyarrow as pa

from babelreg.contract import Contract, Envelope
from babelreg.contract.parse import deep
from babelreg.spark.arrow.canonical_json import canonical, whole
from babelreg.spark.arrow.struct import Columns
from babelreg.spark.arrow.table_schema import REFUSED_SCHEMA, table_schema
from babelreg.spark.lake import id_run
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark.storable import detail, members

__all__ = ["RefusedRow", "Row", "RowValidator", "TableSchema", "ValidRow", "refused_batch", "unstorable"]

_FIRST, _LAST = -62_135_596_800_000, 253_402_300_799_999
"""Milliseconds since 1970 of the years 1 to 9999: what a TIMESTAMP is for every engine."""

_LONGEST_DETAIL = 500
_MANY = 64

Row = tuple[Any, ...]
"""A valid message: the members of :class:`ValidRow`, in that order, as a bare tuple, since there are masses of them."""


class ValidRow(NamedTuple):
    """A valid message. ``table_id`` is the number of its URN, ``created_at`` in milliseconds.

    ``key`` is that of its id (see ``ids``), ``content`` the digest of URN and data, where duplicates are looked for.
    ``written`` is the JSON of its data (see ``canonical``); ``data`` is the data as it was parsed, None where
    ``written`` says the same to orjson.
    """

    table_id: int
    source_offset: int
    body: bytes
    message_id: str | None
    trace_id: str | None
    lang: str | None
    queue: str | None
    created_at: int | None
    attempts: int | None
    key: bytes | None
    content: bytes | None
    written: bytes
    data: Any


class RefusedRow(NamedTuple):
    """A message for quarantine. Columns of the envelope as far as they were read."""

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
    """What is known of one URN's table: ``schema`` is that of its files."""

    urn: str
    columns: Columns
    schema: pa.Schema


class RowValidator:
    """Judges messages. One in each worker process: validators and columns are built once, when they are needed.

    ``digests`` says whether rows get their ``key`` and ``content``, which only the removal of duplicates needs.
    ``many`` says that there are so many URNs that it is well to give it the messages of each together.
    """

    def __init__(
        self,
        schemas: Mapping[str, Any],
        columns: Sequence[typemap.Struct],
        strict: Collection[str] = (),
        *,
        digests: bool = True,
    ) -> None:
        contract = Contract(schemas, strict=strict)
        self._admit, self._verdict = contract.admit, contract.verdict
        self._digests = digests
        self._structs = tuple(columns)
        self._known = {urn: (table_id, urn.encode() + b"\0") for table_id, urn in enumerate(schemas)}
        self._urns = tuple(schemas)
        self._tables: dict[int, TableSchema] = {}
        self.many = len(self._urns) > _MANY

    def read(self, body: bytes, offset: int = 0, file: str = "") -> Row | RefusedRow:
        """A valid message. Whether the columns of its table can hold its data is not asked yet, unless it is odd."""
        admitted = self._admit(body)
        if admitted is None:
            return self._slowly(body, offset, file)
        document, written = admitted
        meta = document["meta"]
        created_at, identity = meta["created_at"], meta["id"]
        if not _FIRST <= created_at <= _LAST:
            return self._slowly(body, offset, file)
        table_id, salt = self._known[document["job"]]
        try:
            written = whole(document["data"], written)
        except typemap.Unstorable:
            return self._slowly(body, offset, file)
        key, content = self._digested(identity, salt, written)
        return (
            table_id,
            offset,
            body,
            identity,
            document["trace_id"],
            meta["lang"],
            meta["queue"],
            created_at,
            document["attempts"],
            key,
            content,
            written,
            None,
        )

    def validate(self, body: bytes, offset: int = 0, file: str = "") -> ValidRow | RefusedRow:
        """What becomes of one message; a good one has its ``data``."""
        with deep():
            row = self.read(body, offset, file)
            if isinstance(row, RefusedRow):
                return row
            good = ValidRow._make(row)
            good = good if good.data is not None else good._replace(data=orjson.loads(good.written))
            problem = self._problem(good.table_id, good.data)
            return (
                good if problem is None else unstorable(file, offset, self.urn(good.table_id), good._asdict(), problem)
            )

    def table(self, table_id: int) -> TableSchema:
        """The table of the URN that is number ``table_id``."""
        if table_id not in self._tables:
            struct = self._structs[table_id]
            self._tables[table_id] = TableSchema(self._urns[table_id], Columns(struct), table_schema(struct))
        return self._tables[table_id]

    def urn(self, table_id: int) -> str:
        """The URN that is number ``table_id``."""
        return self._urns[table_id]

    def _slowly(self, body: bytes, offset: int, file: str) -> Row | RefusedRow:
        """The same for any message, whatever is odd about it."""
        verdict = self._verdict(body)
        envelope = verdict.envelope
        if verdict.reason is not None or envelope is None:
            reason = verdict.reason or "poison"
            return _refused(file, offset, body, reason, verdict.pointer, verdict.detail, envelope)
        table_id, salt = self._known[envelope.urn]
        try:
            written = canonical(envelope.data)
        except typemap.Unstorable as problem:
            return _unstorable(file, offset, body, problem.within("data"), envelope)
        # Here already, so that it is not for its sake that many others are looked at one by one.
        if unfit := self.table(table_id).columns.misfit(envelope.data):
            return _unstorable(file, offset, body, unfit.within("data"), envelope)
        if wrong := members(envelope):
            return _unstorable(file, offset, body, self._problem(table_id, envelope.data) or wrong, envelope)
        key, content = self._digested(envelope.id, salt, written)
        return (
            table_id,
            offset,
            body,
            envelope.id,
            envelope.trace_id,
            envelope.lang,
            envelope.queue,
            envelope.created_at,
            envelope.attempts,
            key,
            content,
            written,
            envelope.data,
        )

    def _problem(self, table_id: int, data: Any) -> typemap.Unstorable | None:
        _, problems = self.table(table_id).columns.typed([data])
        return problems[0].within("data") if problems else None

    def _digested(self, identity: str | None, salt: bytes, written: bytes) -> tuple[bytes | None, bytes | None]:
        """The ``key`` and the ``content`` of a row, where duplicates are looked for."""
        if not self._digests:
            return None, None
        return None if identity is None else id_run.key(identity), blake2b(salt + written, digest_size=16).digest()


def refused_batch(rows: Sequence[RefusedRow]) -> pa.RecordBatch:
    """Refused messages as Arrow."""
    members = dict(zip(RefusedRow._fields, zip(*rows, strict=True), strict=True))
    columns = [pa.array(members[field.name], field.type) for field in REFUSED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=REFUSED_SCHEMA)


def unstorable(file: str, offset: int, urn: str, row: Mapping[str, Any], problem: typemap.Unstorable) -> RefusedRow:
    """A valid message that its table cannot hold. ``row`` has its body, message_id, trace_id and lang."""
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
    said: str | None,
    envelope: Envelope | None,
) -> RefusedRow:
    known = (envelope.urn, envelope.id, envelope.trace_id, envelope.lang) if envelope else (None,) * 4
    urn, identity, trace_id, lang = (None if text is None else _written(text) for text in known)
    told = _written(said or "")[:_LONGEST_DETAIL]
    return RefusedRow(file, offset, reason, pointer or "", told, urn, identity, trace_id, lang, body)


def _written(text: str) -> str:
    """``text`` without halves of surrogate pairs, which no column holds."""
    return text if text.isascii() else text.encode(errors="replace").decode()
