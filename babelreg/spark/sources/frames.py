"""Length-framed messages: four bytes of length, big-endian, then the message; one after the other.

Files whose name ends in ``.frames`` (also ``.frames.gz``, ``.frames.zst``) are read so: nothing in the bytes tells them
apart from lines. A position is that of the message's first byte.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from babelreg.errors import InputError

__all__ = ["BORDER_BYTES", "SUFFIX", "borders", "cut_off", "is_framed", "read"]

SUFFIX = ".frames"
_PACKED = (".gz", ".zst")
_LENGTH_BYTES = 4
_READ_BYTES = 256 * 1024

BORDER_BYTES = 1024 * 1024
"""How far apart the places are at which a file of frames can be cut, where no frame is longer."""


def is_framed(name: str) -> bool:
    """Whether the file ``name`` holds frames."""
    bare = next((name.removesuffix(end) for end in _PACKED if name.endswith(end)), name)
    return bare.endswith(SUFFIX)


def read(file: BinaryIO, path: Path, start: int, end: int, longest: int) -> Iterator[tuple[bytes, int]]:
    """The messages in ``[start, end)`` of ``file`` with their positions. ``longest`` is the most bytes one may have.

    Raises InputError where a frame is cut off or too long.
    """
    file.seek(start)
    at = start
    while at < end and (head := file.read(_LENGTH_BYTES)):
        size = int.from_bytes(head, "big")
        if size > longest:
            raise InputError(
                f"{path}: the frame at byte {at} is {size} bytes long, more than {longest // 1024 // 1024} MiB",
                fix=f"check that the file holds frames: {_LENGTH_BYTES} bytes of length, big-endian, then the message",
            )
        body = file.read(size)
        if len(head) < _LENGTH_BYTES or len(body) < size:
            raise cut_off(path, at)
        yield body, at + _LENGTH_BYTES
        at += _LENGTH_BYTES + size


def borders(path: Path, start: int, size: int, step: int = BORDER_BYTES) -> tuple[int, tuple[int, ...]]:
    """Return where the last whole frame of ``path`` ends, and where frames begin about every ``step`` bytes.

    The first frame begins at ``start``. Lengths alone are looked at.
    """
    at = start
    cuts: list[int] = []
    with path.open("rb", buffering=_READ_BYTES) as file:
        file.seek(start)
        while at + _LENGTH_BYTES <= size and len(head := file.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
            length = int.from_bytes(head, "big")
            if at + _LENGTH_BYTES + length > size:
                break
            at += _LENGTH_BYTES + length
            if at - (cuts[-1] if cuts else start) >= step:
                cuts.append(at)
            file.seek(length, os.SEEK_CUR)  # within what is buffered, this reads nothing
    return at, tuple(cuts)


def cut_off(path: Path, at: int) -> InputError:
    """The error of a file that ends within the frame at byte ``at``."""
    return InputError(
        f"{path} ends within the frame at byte {at}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
