"""Length-framed messages: four bytes of length, big-endian, then the message; one after the other.

Files whose name ends in ``.frames`` (also ``.frames.gz``, ``.frames.zst``) are read so: nothing in the bytes tells them
apart from lines. A position is that of the message's first byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from babelreg.errors import InputError

__all__ = ["SUFFIX", "cut_off", "is_framed", "read", "whole_end"]

SUFFIX = ".frames"
_PACKED = (".gz", ".zst")
_LENGTH_BYTES = 4


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


def whole_end(path: Path, start: int, size: int) -> int:
    """Where the last whole frame of ``path`` ends that begins at ``start`` or later. Reads lengths alone."""
    at = start
    with path.open("rb") as file:
        while at + _LENGTH_BYTES <= size:
            file.seek(at)
            after = at + _LENGTH_BYTES + int.from_bytes(file.read(_LENGTH_BYTES), "big")
            if after > size:
                break
            at = after
    return at


def cut_off(path: Path, at: int) -> InputError:
    """The error of a file that ends within the frame at byte ``at``."""
    return InputError(
        f"{path} ends within the frame at byte {at}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
