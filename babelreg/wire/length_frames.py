"""Length-framed messages: a length of four bytes, big-endian, then the message, with nothing between.

Recordings are written in this format and ingested from it. Unlike a line, a frame holds any bytes unchanged: damaged
messages, and those with line ends.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["LENGTH_BYTES", "SUFFIX", "bodies", "ends", "frame", "is_framed"]

SUFFIX = ".frames"
"""The end of the name of every file of frames; their bytes cannot be told apart from lines."""

LENGTH_BYTES = 4
_COMPRESSED = (".gz", ".zst")


def is_framed(name: str) -> bool:
    """Return whether the file ``name`` holds frames, also where it is compressed."""
    uncompressed = next((name.removesuffix(end) for end in _COMPRESSED if name.endswith(end)), name)
    return uncompressed.endswith(SUFFIX)


def frame(body: bytes) -> bytes:
    """Return the frame of a message. Raises OverflowError for a message of 4 GiB or more."""
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def ends(file: BinaryIO, start: int, size: int) -> Iterator[int]:
    """Yield the end of each complete frame in ``[start, size)`` of ``file``. Only the lengths are read."""
    position = start
    file.seek(start)
    while position + LENGTH_BYTES <= size and len(head := file.read(LENGTH_BYTES)) == LENGTH_BYTES:
        length = int.from_bytes(head, "big")
        position += LENGTH_BYTES + length
        if position > size:
            return
        yield position
        file.seek(length, io.SEEK_CUR)  # reads nothing within the buffer


def bodies(file: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of ``file``, without an incomplete last one."""
    while len(head := file.read(LENGTH_BYTES)) == LENGTH_BYTES:
        body = file.read(length := int.from_bytes(head, "big"))
        if len(body) < length:
            return
        yield body
