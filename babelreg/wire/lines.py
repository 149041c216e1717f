"""Incremental decoders for JSON formats: one message a line, or one message a file.

Blank lines are skipped. A line beyond the limit is cut there, so that memory stays bounded; its error is ``too_large``,
and the next line is read as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.wire.format import Divide, Frame, WireError


class Lines:
    """The lines of a stream, each with its offset and number, cut one byte beyond the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._length = 0  # of the pending line, with what was cut off
        self._offset = 0
        self._number = 0

    def feed(self, data: bytes) -> list[tuple[bytes, int, int]]:
        """Return the lines that ``data`` ends, without their line feeds."""
        parts = data.split(b"\n")
        rest = parts.pop()
        lines = []
        for part in parts:
            if self._length:
                part = self._joined(part)
                length, self._length = self._length, 0
            else:
                length = len(part)
            self._number += 1
            lines.append((part if length <= self._limit else part[: self._limit + 1], self._offset, self._number))
            self._offset += length + 1
        if rest:
            self._keep(rest)
        return lines

    def close(self) -> list[tuple[bytes, int, int]]:
        """Return the last line, where it has no line feed."""
        if not self._length:
            return []
        last = (bytes(self._pending), self._offset, self._number + 1)
        self._pending.clear()
        self._length = 0
        return [last]

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        room = self._limit + 1 - len(self._pending)
        if room > 0:
            self._pending += part[:room]

    def _joined(self, part: bytes) -> bytes:
        self._keep(part)
        line = bytes(self._pending)
        self._pending.clear()
        return line


class LineDecoder:
    """One message a line. ``decode`` returns the value of one message or raises WireError.

    ``divide`` yields the messages of a line that may hold several.
    """

    needed = 1
    stopped = False

    def __init__(self, decode: Callable[[bytes], Any], limit: int, divide: Divide | None = None) -> None:
        self._decode = decode
        self._divide = divide
        self._lines = Lines(limit)

    def feed(self, data: bytes) -> list[Frame | WireError]:
        return self._decoded(self._lines.feed(data))

    def close(self) -> list[Frame | WireError]:
        return self._decoded(self._lines.close())

    def _decoded(self, lines: list[tuple[bytes, int, int]]) -> list[Frame | WireError]:
        decode = self._decode
        events: list[Frame | WireError] = []
        for raw, offset, number in lines:
            if not raw or raw.isspace():
                continue
            if self._divide is not None:
                events += [_event(decode, part, offset + at, number) for part, at in self._divide(raw)]
                continue
            try:
                events.append(Frame(decode(raw), raw, offset, number))
            except WireError as err:
                events.append(err.rebased(offset, number, raw))
        return events


class WholeDecoder:
    """One message in the whole stream, or those that ``divide`` yields.

    An empty or blank stream has none, unless ``skip_blank`` is False.
    """

    needed = 1
    stopped = False

    def __init__(
        self, decode: Callable[[bytes], Any], limit: int, divide: Divide | None = None, *, skip_blank: bool = True
    ) -> None:
        self._decode = decode
        self._divide = divide
        self._skip_blank = skip_blank
        self._limit = limit
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[Frame | WireError]:
        """See Decoder. Nothing is complete before the end."""
        room = self._limit + 1 - len(self._pending)
        if room > 0:
            self._pending += data[:room]
        return []

    def close(self) -> list[Frame | WireError]:
        raw = bytes(self._pending)
        self._pending.clear()
        if self._skip_blank and (not raw or raw.isspace()):
            return []
        parts = [(raw, 0)] if self._divide is None else self._divide(raw)
        return [_event(self._decode, part, at, 1 + raw.count(b"\n", 0, at)) for part, at in parts]


def _event(decode: Callable[[bytes], Any], raw: bytes, offset: int, line: int) -> Frame | WireError:
    try:
        return Frame(decode(raw), raw, offset, line)
    except WireError as err:
        return err.rebased(offset, line, raw)
