"""Length-framed messages: a length of four bytes, big-endian, then the message.

Files whose name ends in ``.frames`` (also ``.frames.gz``, ``.frames.zst``) are read as frames; their bytes cannot be
told apart from lines. The position of a message is that of its first byte, after the length.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from babelreg.errors import InputError

__all__ = ["BORDER_BYTES", "SUFFIX", "borders", "cut_off", "is_framed", "read"]

SUFFIX = ".frames"
_COMPRESSED = (".gz", ".zst")
_LENGTH_BYTES = 4
_READ_BYTES = 256 * 1024

BORDER_BYTES = 1024 * 1024
"""Minimum distance of the positions at which a file of frames can be split."""


def is_framed(name: str) -> bool:
    """Return whether the file ``name`` holds frames."""
    uncompressed = next((name.removesuffix(end) for end in _COMPRESSED if name.endswith(end)), name)
    return uncompressed.endswith(SUFFIX)


def read(file: BinaryIO, path: Path, start: int, end: int, longest: int) -> Iterator[tuple[bytes, int]]:
    """Yield the messages in ``[start, end)`` of ``file`` with their positions.

    ``longest`` is the maximum length of a message in bytes.

    Raises InputError where a frame is truncated or too long.
    """
    file.seek(start)
    position = start
    while position < end and (head := file.read(_LENGTH_BYTES)):
        size = int.from_bytes(head, "big")
        if size > longest:
            raise InputError(
                f"{path}: the frame at byte {position} is {size} bytes long, more than {longest // 1024 // 1024} MiB",
                fix=f"check that the file holds frames: {_LENGTH_BYTES} bytes of length, big-endian, then the message",
            )
        body = file.read(size)
        if len(head) < _LENGTH_BYTES or len(body) < size:
            raise cut_off(path, position)
        yield body, position + _LENGTH_BYTES
        position += _LENGTH_BYTES + size


def borders(path: Path, start: int, size: int, step: int = BORDER_BYTES) -> tuple[int, tuple[int, ...]]:
    """Return the end of the last complete frame of ``path``, and frame starts about ``step`` bytes apart.

    The first frame begins at ``start``. Only the lengths are read.
    """
    position = start
    cuts: list[int] = []
    with path.open("rb", buffering=_READ_BYTES) as file:
        file.seek(start)
        while position + _LENGTH_BYTES <= size and len(head := file.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
            length = int.from_bytes(head, "big")
            if position + _LENGTH_BYTES + length > size:
                break
            position += _LENGTH_BYTES + length
            if position - (cuts[-1] if cuts else start) >= step:
                cuts.append(position)
            file.seek(length, os.SEEK_CUR)  # reads nothing within the buffer
    return position, tuple(cuts)


def cut_off(path: Path, at: int) -> InputError:
    """Return the error for a file that ends within the frame at byte ``at``."""
    return InputError(
        f"{path} ends within the frame at byte {at}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
