"""Streams of messages without separators, so a file is divided by walking the headers of its messages.

Nothing in the bytes marks the start of a message. After the first wrong header the rest of a file cannot be divided: it
is held from the start of that message on. A position is that of the message's first byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from babelreg.errors import InputError
from babelreg.sources.frames import BORDER_BYTES
from babelreg.wire.format import Spans, WireError

_READ_BYTES = 256 * 1024


class Borders(NamedTuple):
    """The end of the last whole message, places where messages begin, and the code of the error there, if any."""

    end: int
    cuts: tuple[int, ...]
    error: str | None = None


def borders(spans: Spans, path: Path, start: int, size: int, step: int = BORDER_BYTES) -> Borders:
    """Return where ``path`` can be cut between ``start`` and ``size``, about every ``step`` bytes. Raises OSError.

    Of each message only the headers are looked at.
    """
    at = start
    cuts: list[int] = []
    with path.open("rb", buffering=_READ_BYTES) as file:
        for span in spans(_reader(file), size, start):
            if isinstance(span, WireError):
                return Borders(at, tuple(cuts), span.code)
            _, at = span
            if at - (cuts[-1] if cuts else start) >= step:
                cuts.append(at)
    return Borders(at, tuple(cuts))


def read(spans: Spans, file: BinaryIO, path: Path, start: int, end: int) -> Iterator[tuple[bytes, int]]:
    """Yield the messages in ``[start, end)`` of ``file`` with their positions; both are borders of messages.

    Raises InputError where the file changed since they were found.
    """
    for span in spans(_reader(file), end, start):
        if isinstance(span, WireError):
            raise InputError(
                f"{path} changed while it was read",
                fix="write files elsewhere, and rename them into the input when complete",
            )
        first, after = span
        file.seek(first)
        yield file.read(after - first), first


def _reader(file: BinaryIO) -> Callable[[int, int], bytes]:
    def read_at(offset: int, length: int) -> bytes:
        file.seek(offset)  # within what is buffered, this reads nothing
        return file.read(length)

    return read_at
