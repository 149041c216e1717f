"""Length-framed messages: a length of four bytes, big-endian, then the message, with nothing between.

Where the highest bit of the length is set, which no message is long enough for, headers come before the message, as
``message_headers`` packs them. A file may hold frames of both versions.

Recordings are written in this format and ingested from it. Unlike a line, a frame holds any bytes unchanged: damaged
messages, and those with line ends.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from babelreg.wire.message_headers import PackedMessage, body_of

SUFFIX = ".frames"
"""The end of the name of every file of frames; their bytes cannot be told apart from lines."""

LENGTH_BYTES = 4
_NAMES = (SUFFIX, f"{SUFFIX}.gz", f"{SUFFIX}.zst")
_HAS_HEADERS = 1 << 31


def is_framed(name: str) -> bool:
    """Return whether the file ``name`` holds frames, also where it is compressed."""
    return name.endswith(_NAMES)


def frame(body: bytes) -> bytes:
    """Return the frame of a message, or of one with headers that ``message_headers.pack`` packed.

    Raises OverflowError for a message of 2 GiB or more.
    """
    if len(body) >= _HAS_HEADERS:
        raise OverflowError("a message in a frame must be shorter than 2 GiB")
    length = len(body) | (_HAS_HEADERS if isinstance(body, PackedMessage) else 0)
    return length.to_bytes(LENGTH_BYTES, "big") + body


def parse_length(head: bytes) -> tuple[int, bool]:
    """Return the number of bytes after the length, and whether headers come first."""
    number = int.from_bytes(head, "big")
    return number & ~_HAS_HEADERS, bool(number & _HAS_HEADERS)


def ends(file: BinaryIO, start: int, size: int) -> Iterator[int]:
    """Yield the end of each complete frame in ``[start, size)`` of ``file``. Only the lengths are read."""
    position = start
    file.seek(start)
    while position + LENGTH_BYTES <= size and len(head := file.read(LENGTH_BYTES)) == LENGTH_BYTES:
        length, _ = parse_length(head)
        position += LENGTH_BYTES + length
        if position > size:
            return
        yield position
        file.seek(length, io.SEEK_CUR)  # reads nothing within the buffer


def bodies(file: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of ``file``, without headers, and without an incomplete last one."""
    for framed in whole_frames(file):
        content, (_, with_headers) = framed[LENGTH_BYTES:], parse_length(framed[:LENGTH_BYTES])
        yield body_of(content) if with_headers else content


def whole_frames(file: BinaryIO) -> Iterator[bytes]:
    """Yield the frames of ``file`` with their lengths, without an incomplete last one."""
    while len(head := file.read(LENGTH_BYTES)) == LENGTH_BYTES:
        length, _ = parse_length(head)
        content = file.read(length)
        if len(content) < length:
            return
        yield head + content
