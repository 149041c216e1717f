"""Codec of BabelQueue's own format: a message is one JSON object, the envelope.

A stream is JSON lines, or objects printed over several lines as ``jq`` does, one after the other. The rules of the
envelope are those of ``contract``. Source: BabelQueue, "The Envelope"; facts 1.2 to 1.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from babelreg.contract import Envelope
from babelreg.contract.emit import EmitError
from babelreg.contract.emit import encode as encode_document
from babelreg.contract.envelope import decoded, has_common_shape, type_fault
from babelreg.contract.parse import MAX_BYTES, ParseError, document
from babelreg.wire.compact_json import wire_error
from babelreg.wire.format import Frame, Limits, Profile, WireError
from babelreg.wire.lines import Lines

limits = Limits(MAX_BYTES)

# a string ends with its line, for no JSON string holds a raw line break
_TOKENS = re.compile(rb'"(?:[^"\\\n]|\\.)*+"?|[\[\]{}]')
_PERHAPS_INCOMPLETE = frozenset({"invalid_json", "invalid_utf8", "too_large"})


def decode(raw: bytes, *, profile: Profile | None = None) -> Envelope:
    """Return the envelope of one message, valid or not: alias folded, forbidden keys dropped with a warning (E5, E35).

    Both profiles decode alike. Raises WireError for a body that is poison (N9).
    """
    try:
        parsed = document(raw, MAX_BYTES)
    except ParseError as err:
        raise wire_error(err) from None
    if has_common_shape(parsed):
        return Envelope(parsed["job"], parsed)
    wrong = type_fault(parsed)
    if wrong is not None:
        raise WireError(wrong.reason, wrong.detail, offset=0, pointer=wrong.pointer)
    return decoded(parsed)


def encode(envelope: Envelope) -> bytes:
    """Return the envelope as it is passed on: known keys first, unknown ones unchanged, nothing trimmed (E2, N7).

    Raises WireError when it must not be on the wire.
    """
    try:
        return encode_document(envelope.document, first=False)
    except EmitError as err:
        raise WireError(err.fault.reason, err.fault.detail, pointer=err.fault.pointer) from err


class EnvelopeDecoder:
    """Envelopes on one line or several. A message ends with the line on which its brackets are balanced.

    A broken one ends where a line begins with ``{`` and no space before it, so it costs no message after it. Of a
    message beyond the limit only so much is read into memory that its error is ``too_large``.
    """

    needed = 1
    stopped = False

    def __init__(self, decode: Callable[[bytes], Envelope], limit: int) -> None:
        self._decode = decode
        self._limit = limit
        self._lines = Lines(limit)
        self._body = bytearray()
        self._start = (0, 0)
        self._depth = 0

    def feed(self, data: bytes) -> list[Frame | WireError]:
        events: list[Frame | WireError] = []
        for line, offset, number in self._lines.feed(data):
            self._add(line, offset, number, events)
        return events

    def close(self) -> list[Frame | WireError]:
        events: list[Frame | WireError] = []
        for line, offset, number in self._lines.close():
            self._add(line, offset, number, events)
        if self._body:
            self._end(events)
        return events

    def _add(self, line: bytes, offset: int, number: int, events: list[Frame | WireError]) -> None:
        if self._body and line.startswith(b"{"):
            self._end(events)
        if not self._body:
            if not line or line.isspace():
                return
            self._start = (offset, number)
            event = self._event(line)
            if isinstance(event, Frame) or event.code not in _PERHAPS_INCOMPLETE:
                events.append(event)
                return
        elif len(self._body) <= self._limit:
            self._body += b"\n"
        self._depth += _opened(line)
        if len(self._body) <= self._limit:
            self._body += line
        if self._depth <= 0:
            self._end(events)

    def _end(self, events: list[Frame | WireError]) -> None:
        events.append(self._event(bytes(self._body)))
        self._body.clear()
        self._depth = 0

    def _event(self, raw: bytes) -> Frame | WireError:
        offset, line = self._start
        try:
            return Frame(self._decode(raw), raw, offset, line)
        except WireError as err:
            return err.rebased(offset, line, raw)


def _opened(line: bytes) -> int:
    """Return how many more brackets the line opens than it closes, strings left out."""
    depth = 0
    for token in _TOKENS.finditer(line):
        if token[0] in b"[{":
            depth += 1
        elif token[0] in b"]}":
            depth -= 1
    return depth
