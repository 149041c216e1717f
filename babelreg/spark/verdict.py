"""The Arrow pass: raw bytes in, one judged row a message out.

``contract.verdict`` says whether the message is valid; what comes after it is ``storable``: whether the columns of its
table can hold it, for a valid message may carry an integer beyond 64 bits, which no BIGINT takes. Reasons of this
second stage begin with ``unstorable_``. This runs on the workers, without a session.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from babelreg.contract import Contract, Envelope
from babelreg.contract.parse import MAX_DEPTH
from babelreg.schema.dialects import DEFAULT
from babelreg.spark.canonical import canonical, check_names
from babelreg.spark.landing import REFUSED, arrow_schema
from babelreg.spark.sources import Piece
from babelreg.typemap import spark as typemap

__all__ = ["Bench"]

_INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""Milliseconds since 1970 of the years 1 to 9999: what a TIMESTAMP is for every engine."""

_LONGEST_DETAIL = 500

_PLACE = itemgetter(0)

_WRITTEN = frozenset(["data", "typed"])
"""Columns that come as UTF-8 bytes."""


class Good(NamedTuple):
    """An accepted message. The fields are columns of the landing."""

    place: int
    source_offset: int
    source_bytes: int
    message_id: str | None
    trace_id: str | None
    lang: str | None
    queue: str | None
    created_at: int | None
    attempts: int | None
    content: bytes | None
    data: bytes
    typed: bytes | None


class Refused(NamedTuple):
    """A message for quarantine. The fields are columns of the landing; envelope columns as far as they were read."""

    source_offset: int
    source_bytes: int
    body: bytes
    reason: str
    pointer: str
    detail: str
    urn: str | None
    message_id: str | None
    trace_id: str | None
    lang: str | None


class Bench:
    """Judges pieces of input. One in each worker process: validators and fitters are built once.

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
        self._digests = digests
        self._verdict = Contract(schemas, strict=strict).verdict
        self._tables = {
            urn: (place, _plain(struct), typemap.fitter(struct), urn.encode() + b"\0")
            for place, (urn, struct) in enumerate(zip(schemas, columns, strict=True))
        }
        self._schema = arrow_schema()

    def judged(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The landing rows of ``piece``: the good ones by place, then the refused."""
        good: list[Good] = []
        refused: list[Refused] = []
        for body, offset in zip(piece.bodies, piece.offsets, strict=True):
            row = self.judge(body, offset)
            if isinstance(row, Good):
                good.append(row)
            else:
                refused.append(row)
        if good:
            good.sort(key=_PLACE)  # here, where a row is one pointer; in Arrow every text would be copied
            yield self._batch(piece.name, Good._fields, good)
        if refused:
            yield self._batch(piece.name, Refused._fields, refused, place=REFUSED)

    def judge(self, body: bytes, offset: int = 0) -> Good | Refused:
        """The row of one message."""
        verdict = self._verdict(body)
        envelope = verdict.envelope
        if verdict.reason is not None or envelope is None:
            return _refused(body, offset, verdict.reason or "poison", verdict.pointer, verdict.detail, envelope)
        try:
            return self._storable(envelope, offset, len(body))
        except typemap.Unstorable as problem:
            if problem.code == "unstorable_depth":
                return self._deep(envelope, body, offset)
            return _unstorable(body, offset, problem, envelope)

    def _deep(self, envelope: Envelope, body: bytes, offset: int) -> Good | Refused:
        """The row of a message that nests deeper than the interpreter writes by itself; the parser has a bound."""
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, 8 * MAX_DEPTH))
            return self._storable(envelope, offset, len(body))
        except typemap.Unstorable as problem:
            return _unstorable(body, offset, problem, envelope)
        finally:
            sys.setrecursionlimit(limit)

    def _storable(self, envelope: Envelope, offset: int, size: int) -> Good:
        place, plain, fit, salt = self._tables[envelope.urn]
        document = envelope.document
        meta, data = document["meta"], document["data"]
        try:
            written = canonical(data)
            fitted = data if plain(data) else fit(data)
            typed = None if fitted is data else canonical(fitted)
            check_names(fitted, len(written if typed is None else typed))
        except typemap.Unstorable as problem:
            raise problem.within("data") from None
        return Good(
            place,
            offset,
            size,
            _text(meta.get("id"), "meta", "id"),
            _text(document["trace_id"], "trace_id"),
            _text(meta.get("lang"), "meta", "lang"),
            _text(meta.get("queue"), "meta", "queue"),
            _instant(meta.get("created_at")),
            document["attempts"],
            blake2b(salt + written, digest_size=16).digest() if self._digests else None,
            written,
            None if typed == written else typed,
        )

    def _batch(
        self, name: str, fields: Sequence[str], rows: Sequence[tuple[Any, ...]], place: int | None = None
    ) -> pa.RecordBatch:
        given: dict[str, Any] = dict(zip(fields, zip(*rows, strict=True), strict=True))
        constant = {"source_file": name} if place is None else {"source_file": name, "place": place}
        columns = []
        for field in self._schema:
            if field.name in constant:
                columns.append(pa.repeat(pa.scalar(constant[field.name], field.type), len(rows)))
            elif field.name not in given:
                columns.append(pa.nulls(len(rows), field.type))
            elif field.name in _WRITTEN:
                # Straight from bytes to text takes 30 times as long.
                columns.append(pa.array(given[field.name], pa.binary()).cast(field.type))
            else:
                columns.append(pa.array(given[field.name], field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


def _plain(struct: typemap.Struct) -> Callable[[Any], bool]:
    """Whether data surely goes into the columns as it stands; that it does not says nothing."""
    schema = typemap.plain(struct)
    return _never if schema is None else DEFAULT.validator_for(schema).is_valid


def _never(data: Any) -> bool:
    return False


def _unstorable(body: bytes, offset: int, problem: typemap.Unstorable, envelope: Envelope) -> Refused:
    detail = f"the message is valid, but its table cannot hold this {problem.code.removeprefix('unstorable_')}"
    return _refused(body, offset, problem.code, problem.pointer, detail, envelope)


def _refused(
    body: bytes, offset: int, reason: str, pointer: str | None, detail: str | None, envelope: Envelope | None
) -> Refused:
    known = (envelope.urn, envelope.id, envelope.trace_id, envelope.lang) if envelope else (None,) * 4
    return Refused(
        offset,
        len(body),
        body,
        reason,
        pointer or "",
        _written(detail or "")[:_LONGEST_DETAIL],
        *(None if text is None else _written(text) for text in known),
    )


def _text(value: str | None, *pointer: str) -> str | None:
    """``value``, when a column can hold it: JSON's grammar admits half a surrogate pair, UTF-8 does not."""
    if value is None or value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        problem = typemap.Unstorable("unstorable_string")
        for step in reversed(pointer):
            problem.within(step)
        raise problem from None
    return value


def _written(text: str) -> str:
    """``text`` without halves of surrogate pairs, which no column holds."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _instant(milliseconds: int | None) -> int | None:
    """Microseconds since 1970."""
    if milliseconds is None:
        return None
    if milliseconds not in _INSTANTS:
        raise typemap.Unstorable("unstorable_timestamp").within("created_at").within("meta")
    return milliseconds * 1000
