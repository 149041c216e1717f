"""The Arrow pass: raw bytes in, one judged row a message out, and batches of rows as Arrow.

``contract.verdict`` says whether the message is valid; what comes after it is ``storable``: whether the columns of its
table can hold it, for a valid message may carry an integer beyond 64 bits, which no BIGINT takes. Reasons of this
second stage begin with ``unstorable_``. Messages are read one by one and typed many at once (see ``columns``), which
is where what cannot be stored turns up. This runs on the workers, without a session.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import compute

from babelreg.contract import Contract, Envelope
from babelreg.contract.parse import MAX_DEPTH
from babelreg.spark.canonical import canonical, whole
from babelreg.spark.columns import Columns
from babelreg.spark.layout import REFUSED_SCHEMA, table_schema
from babelreg.typemap import spark as typemap

__all__ = ["Bench", "Good", "Refused", "deep", "refused_batch"]

_INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""Milliseconds since 1970 of the years 1 to 9999: what a TIMESTAMP is for every engine."""

_LONGEST_DETAIL = 500

_REFUSED_BY_ARROW = (pa.ArrowException, typemap.Unstorable, UnicodeEncodeError)


class Good(NamedTuple):
    """An accepted message. ``place`` is the number of its URN.

    ``created_at`` is in milliseconds. ``data`` is as it was parsed, ``written`` its JSON (see ``canonical``),
    ``content`` the digest of URN and data where duplicates are looked for.
    """

    place: int
    source_file: str
    source_offset: int
    body: bytes
    message_id: str | None
    trace_id: str | None
    lang: str | None
    queue: str | None
    created_at: int | None
    attempts: int | None
    content: bytes | None
    data: Mapping[str, Any]
    written: bytes


class Refused(NamedTuple):
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


class _Table(NamedTuple):
    place: int
    urn: str
    columns: Columns
    schema: pa.Schema


class Bench:
    """Judges messages. One in each worker process: validators and columns are built once, when they are needed.

    ``digests`` says whether rows get their ``content``, which only the removal of duplicates needs.
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
        self._known = {urn: (place, urn.encode() + b"\0") for place, urn in enumerate(schemas)}
        self._urns = tuple(schemas)
        self._tables: dict[int, _Table] = {}

    def read(self, body: bytes, offset: int = 0, file: str = "") -> tuple[Any, ...] | Refused:
        """The members of :class:`Good` for a valid message; whether its table can hold it, :meth:`batch` finds out."""
        admitted = self._admit(body)
        if admitted is not None:  # nearly every message: no call and no object that is not needed
            document, written = admitted
            written = whole(document["data"], written)
        else:
            verdict = self._verdict(body)
            envelope = verdict.envelope
            if verdict.reason is not None or envelope is None:
                reason = verdict.reason or "poison"
                return _refused(file, offset, body, reason, verdict.pointer, verdict.detail, envelope)
            document = envelope.document
            try:
                written = canonical(document["data"])
            except typemap.Unstorable as problem:
                return _unstorable(file, offset, body, problem.within("data"), envelope)
        meta = document["meta"]
        place, salt = self._known[document["job"]]
        return (
            place,
            file,
            offset,
            body,
            meta.get("id"),
            document["trace_id"],
            meta.get("lang"),
            meta.get("queue"),
            meta.get("created_at"),
            document["attempts"],
            blake2b(salt + written, digest_size=16).digest() if self._digests else None,
            document["data"],
            written,
        )

    def judge(self, body: bytes, offset: int = 0, file: str = "") -> Good | Refused:
        """What becomes of one message."""
        with deep():
            row = self.read(body, offset, file)
            if not isinstance(row, Refused):
                _, refused = self.batch(row[0], [row])
                return refused[0] if refused else Good._make(row)
            return row

    def table(self, place: int) -> _Table:
        """The table of the URN that is number ``place``."""
        if place not in self._tables:
            urn, struct = self._urns[place], self._structs[place]
            self._tables[place] = _Table(place, urn, Columns(struct), table_schema(struct))
        return self._tables[place]

    def batch(self, place: int, rows: Sequence[tuple[Any, ...]]) -> tuple[pa.RecordBatch | None, list[Refused]]:
        """Rows of :meth:`read`, all of one place, as Arrow; and those that cannot be stored."""
        if not rows:
            return None, []
        table = self.table(place)
        members = Good._make(zip(*rows, strict=True))
        data, found = table.columns.typed(members.data)  # type: ignore[arg-type]
        problems = {number: problem.within("data") for number, problem in found.items()}
        if not problems:
            try:
                return _batch(table, members, data, len(rows)), []
            except _REFUSED_BY_ARROW:
                problems = {n: problem for n, row in enumerate(rows) if (problem := _misfit(Good._make(row)))}
        kept, refused = self.batch(place, [row for n, row in enumerate(rows) if n not in problems])
        told = [_unstorable_row(Good._make(rows[n]), table.urn, problem) for n, problem in problems.items()]
        return kept, [*told, *refused]


def refused_batch(rows: Sequence[Refused]) -> pa.RecordBatch:
    """Refused messages as Arrow."""
    members = dict(zip(Refused._fields, zip(*rows, strict=True), strict=True))
    columns = [pa.array(members[field.name], field.type) for field in REFUSED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=REFUSED_SCHEMA)


@contextmanager
def deep() -> Iterator[None]:
    """As many levels of nesting as the parser has a bound for: more than the interpreter allows by itself."""
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(max(limit, 8 * MAX_DEPTH))
        yield
    finally:
        sys.setrecursionlimit(limit)


def _batch(table: _Table, members: Any, data: pa.Array, rows: int) -> pa.RecordBatch:
    instants = pa.array(members.created_at, pa.int64())
    ends = compute.min_max(instants).as_py()
    if ends["min"] is not None and (ends["min"] not in _INSTANTS or ends["max"] not in _INSTANTS):
        raise typemap.Unstorable("unstorable_timestamp")
    columns = {
        "urn": pa.repeat(table.urn, rows),
        "message_id": pa.array(members.message_id, pa.string()),
        "trace_id": pa.array(members.trace_id, pa.string()),
        "created_at": instants.cast(pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC")),
        "lang": pa.array(members.lang, pa.string()),
        "queue": pa.array(members.queue, pa.string()),
        "attempts": pa.array(members.attempts, pa.int64()),
        "source_file": pa.array(members.source_file, pa.string()),
        "source_offset": pa.array(members.source_offset, pa.int64()),
        "data": data,
        # Straight from bytes to text takes 30 times as long.
        "data_json": pa.array(members.written, pa.binary()).cast(pa.string()),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in table.schema.names], schema=table.schema)


def _misfit(row: Good) -> typemap.Unstorable | None:
    """The first member of the envelope that no column can hold."""
    meta = [("id", row.message_id), ("lang", row.lang), ("queue", row.queue)]
    for pointer, value in [(("meta", name), value) for name, value in meta] + [(("trace_id",), row.trace_id)]:
        if value is not None and not value.isascii() and not _is_text(value):
            return _at("unstorable_string", *pointer)
    if row.created_at is not None and row.created_at not in _INSTANTS:
        return _at("unstorable_timestamp", "meta", "created_at")
    return None


def _at(code: str, *pointer: str) -> typemap.Unstorable:
    problem = typemap.Unstorable(code)
    for step in reversed(pointer):
        problem.within(step)
    return problem


def _is_text(value: str) -> bool:
    """False for half of a surrogate pair, which JSON's grammar admits and UTF-8 does not."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unstorable_row(row: Good, urn: str, problem: typemap.Unstorable) -> Refused:
    meta = {"id": row.message_id, "lang": row.lang}
    envelope = Envelope(urn, {"job": urn, "trace_id": row.trace_id, "meta": meta})
    return _unstorable(row.source_file, row.source_offset, row.body, problem, envelope)


def _unstorable(file: str, offset: int, body: bytes, problem: typemap.Unstorable, envelope: Envelope) -> Refused:
    detail = f"the message is valid, but its table cannot hold this {problem.code.removeprefix('unstorable_')}"
    return _refused(file, offset, body, problem.code, problem.pointer, detail, envelope)


def _refused(
    file: str,
    offset: int,
    body: bytes,
    reason: str,
    pointer: str | None,
    detail: str | None,
    envelope: Envelope | None,
) -> Refused:
    known = (envelope.urn, envelope.id, envelope.trace_id, envelope.lang) if envelope else (None,) * 4
    urn, identity, trace_id, lang = (None if text is None else _written(text) for text in known)
    told = _written(detail or "")[:_LONGEST_DETAIL]
    return Refused(file, offset, reason, pointer or "", told, urn, identity, trace_id, lang, body)


def _written(text: str) -> str:
    """``text`` without halves of surrogate pairs, which no column holds."""
    return text if text.isascii() else text.encode(errors="replace").decode()
