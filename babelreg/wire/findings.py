"""Findings about the messages of a file: their position, the reason, and a hex view of binary formats.

A finding of a text format has the line and column of the first wrong byte, one of a binary format its offset. The rule
and the code are the format's own. Neither text nor hex view shows what a message holds: the view has the characters of
PHPMQ's headers, white space, the marks of JSON and the one wrong byte; every other byte is hidden. Digits are shown
where they follow the flag of a header, and hidden elsewhere: a content may be the number of a card.
"""

from __future__ import annotations

import re
from dataclasses import replace

from babelreg.finding import Finding, Place
from babelreg.wire.format import Diagnostic, Frame, WireError

_SHOWN = frozenset(b'HP \t\r\n{}[]:,"-')
_HEADER = re.compile(rb"H[0-9]{7}|P0[1-9][0 \t]*[0-9]{0,8}|[HP][0-9]{1,2}")
_HEADER_BYTES = 32
"""Of a packet; that of a message is shorter. Content follows without a separator."""
_FLAG_DIGITS = 2
_ROW_BYTES = 16
_ROWS = 3


def error_finding(err: WireError, path: str) -> Finding:
    """Return the finding about bytes of the file ``path`` that are not a message."""
    diagnostic, offset = err.diagnostic(), err.offset
    if err.line is not None:
        before = err.raw[: max(0, (offset or 0) - err.start)]
        line, column = err.line + before.count(b"\n"), len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        return _coded(diagnostic.finding(Place(path, line, column)), offset)
    view = () if offset is None else hex_view(err.raw, err.start, offset)
    return replace(_at_byte(_coded(diagnostic.finding(Place(path)), offset)), excerpt=view)


def message_finding(diagnostic: Diagnostic, frame: Frame, path: str, urn: str | None = None) -> Finding:
    """Return the finding about one defect of a message of the file ``path``."""
    if diagnostic.code == "unknown_member":
        diagnostic = diagnostic._replace(detail=f"{diagnostic.detail}: {diagnostic.pointer}")
    return _placed(diagnostic.finding(frame_place(frame, path), urn), frame)


def loss_finding(diagnostic: Diagnostic, frame: Frame, path: str) -> Finding:
    """Return the finding about a member that a conversion of a message loses."""
    where = f"{diagnostic.pointer} is lost: " if diagnostic.pointer else ""
    return _placed(
        diagnostic._replace(detail=f"{where}{diagnostic.detail}").finding(frame_place(frame, path)),
        frame,
    )


def frame_place(frame: Frame, path: str) -> Place:
    """Return the place of a message: its first line, or the file where the format has no lines."""
    return Place(path) if frame.line is None else Place(path, frame.line, 1)


def hex_view(raw: bytes, start: int, offset: int) -> tuple[str, ...]:
    """Return up to three rows of 16 bytes around ``offset``, and a mark below the wrong byte.

    ``raw`` are bytes of a stream from its offset ``start`` on. Bytes that may be content are printed as ``**``; rows of
    nothing else are left out.
    """
    end = start + len(raw)
    shown = _shown(raw, offset - start)
    first = max(start - start % _ROW_BYTES, offset - offset % _ROW_BYTES - _ROW_BYTES)
    rows = []
    for at in range(first, first + _ROWS * _ROW_BYTES, _ROW_BYTES):
        marked = at <= offset < at + _ROW_BYTES
        if at < end and (marked or not shown.isdisjoint(range(at - start, at - start + _ROW_BYTES))):
            rows.append(_row(raw, start, at, shown))
        if marked:
            rows.append(" " * (10 + 3 * (offset - at)) + "^^")
    return tuple(rows)


def _shown(raw: bytes, wrong: int) -> frozenset[int]:
    """Return the positions in ``raw`` of the bytes to show: those of no content, and the byte at ``wrong``."""
    first = max(0, wrong - _ROWS * _ROW_BYTES)
    window = raw[first : wrong + _ROWS * _ROW_BYTES]
    shown = {first + at for at, octet in enumerate(window) if octet in _SHOWN}
    for header in _HEADER.finditer(window):
        shown.update(range(first + header.start(), first + min(header.end(), header.start() + _HEADER_BYTES)))
    flag = raw[wrong + 1 : wrong + 1 + _FLAG_DIGITS]  # of a header whose first byte is wrong
    return frozenset({*shown, wrong, *(wrong + 1 + at for at, octet in enumerate(flag) if octet in b"0123456789")})


def _row(raw: bytes, start: int, at: int, shown: frozenset[int]) -> str:
    digits, text = [], []
    for place in range(at, at + _ROW_BYTES):
        if not start <= place < start + len(raw):
            digits.append("  ")
            text.append(" ")
            continue
        octet = raw[place - start]
        visible = place - start in shown
        digits.append(f"{octet:02x}" if visible else "**")
        text.append("*" if not visible else chr(octet) if 0x20 <= octet < 0x7F else ".")
    return f"{at:08x}  {' '.join(digits)}  |{''.join(text).rstrip()}|"


def _placed(finding: Finding, frame: Frame) -> Finding:
    coded = _coded(finding, frame.offset)
    return coded if frame.line is not None else _at_byte(coded)


def _coded(finding: Finding, offset: int | None) -> Finding:
    return replace(finding, code=finding.rule, offset=offset)


def _at_byte(finding: Finding) -> Finding:
    return finding if finding.offset is None else replace(finding, message=f"byte {finding.offset}: {finding.message}")
