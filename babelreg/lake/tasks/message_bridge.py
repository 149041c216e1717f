"""Bridge of foreign messages to envelopes, before they are validated. This runs on the workers, without a session.

The same message of the same file gives the same envelope, whichever run or task makes it: ids that a message lacks are
made of its bytes, the file's fingerprint and its position (see ``wire.bridge``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import orjson

from babelreg.lake.arrow.number_scan import certainly_exact
from babelreg.lake.message_source import Origin
from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.wire.format import CONTROL_MESSAGE, CanonicalFields, Frame, Receipt, WireError
from babelreg.wire.formats import find
from babelreg.wire.mapping import UNMAPPED, Key, UrnMapping

_SMALL_BYTES, _LARGE_BYTES = 2_000, 1024 * 1024
_SHALLOW = 900
"""Brackets of a message whose envelope certainly nests less deep than JSON may. A small one cannot have as many."""

_KAFKA_POSITION = re.compile(r"([A-Za-z0-9._-]+)/\d+/\d+(?:/|\Z)")
_NO_ENVELOPE_DETAIL = "the message controls a queue and has no payload, so it has no row in a table"


class MessageBridge:
    """Makes envelopes of messages. ``mappings`` are the URNs of foreign names, by wire format."""

    def __init__(self, mappings: Mapping[str, Mapping[Key, str]]) -> None:
        self._mappings = {wire: UrnMapping(urns) for wire, urns in mappings.items()}

    def envelope(self, raw: bytes, offset: int, file: str, origin: Origin) -> bytes | RefusedRow:
        """Return the message as an envelope, or the row of its refusal, whose bytes have no secrets."""
        source = _source(file, origin)
        body = self._body(raw, offset, source, origin)
        if isinstance(body, bytes):
            return body
        public = masked(raw, origin)
        again = body if public == raw else self._body(public, offset, source, origin)
        error = body if isinstance(again, bytes) else again  # as a redrive finds it, which has no other bytes
        return RefusedRow(file, offset, error.code, error.pointer, error.detail, None, None, None, None, public)

    def converted(
        self,
        messages: Sequence[bytes],
        offsets: Sequence[int],
        origins: Sequence[Origin],
        file: str,
        exact: Sequence[bool] | None = None,
    ) -> Iterator[tuple[int, CanonicalFields, int]]:
        """Yield the members of the envelopes that :meth:`envelope` would make, and ``created_at``.

        They are those of messages of whose envelopes it is certain that they read as they were written: no number in
        them is inexact, and no value nests deep. Each has its number. ``exact`` as in ``MessageChunk``.
        """
        if exact is None:
            has_numbers = any(find(wire).json_values for wire in {origin.wire for origin in origins})
            exact = certainly_exact(messages) if has_numbers else [True] * len(messages)
        last = None
        for number, (raw, offset, origin) in enumerate(zip(messages, offsets, origins, strict=True)):
            if origin is not last:  # a row of a frame has an origin of its own
                if last is None or origin.wire != last.wire:
                    wire = find(origin.wire)
                    is_json, convert = wire.json_values, wire.canonical_fields
                    mapping = self._mappings.get(origin.wire, UNMAPPED)
                source, last, place = _source(file, origin), origin, f"{origin.fingerprint}:"
                received_at, clock = origin.received_at, origin.clock
            if not exact[number] or not (len(raw) < _SMALL_BYTES or _is_shallow(raw)):
                continue
            receipt = Receipt(f"{place}{offset}", received_at, clock, source)
            try:
                value = orjson.loads(raw) if is_json and raw[:1] == b"{" else wire.decode(raw)
                fields = convert(Frame(value, raw, offset), receipt, mapping=mapping)
            except (WireError, orjson.JSONDecodeError):
                continue
            if fields is not None:
                yield number, fields, fields.instant(receipt)[0]

    def _body(self, raw: bytes, offset: int, source: str, origin: Origin) -> bytes | WireError:
        wire = find(origin.wire)
        receipt = Receipt(f"{origin.fingerprint}:{offset}", origin.received_at, origin.clock, source)
        try:
            frame = Frame(wire.decode(raw), raw, offset)
            body = wire.to_canonical(frame, receipt, mapping=self._mappings.get(origin.wire, UNMAPPED)).body
        except WireError as err:
            return err
        return WireError(CONTROL_MESSAGE, _NO_ENVELOPE_DETAIL) if body is None else body


def _is_shallow(raw: bytes) -> bool:
    """Return True if neither nesting nor size of the envelope of ``raw`` can be beyond the limits."""
    return len(raw) < _LARGE_BYTES and raw.count(b"{") + raw.count(b"[") < _SHALLOW


def _source(file: str, origin: Origin) -> str:
    """Return the file below the input folder, whose staged name is ``file``; else the topic or file of a row.

    A row has its position in place of a fingerprint: topic, partition and offset of a Kafka record, or file and offset.
    """
    if file:
        return file.partition("/")[2]
    record = _KAFKA_POSITION.match(origin.fingerprint)
    return record[1] if record else origin.fingerprint.rpartition("/")[0] or origin.fingerprint


def masked(raw: bytes, origin: Origin | None) -> bytes:
    """Return a message as it may be stored in quarantine: without secrets."""
    return raw if origin is None else find(origin.wire).mask(raw)
