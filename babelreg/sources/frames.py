"""Files of length-framed messages as input (``wire.length_frames`` defines the format).

Files whose name ends in ``.frames`` (also ``.frames.gz``, ``.frames.zst``) are read as frames. The position of a
message is that of its first byte, after the length.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from babelreg.errors import InputError
from babelreg.wire.length_frames import LENGTH_BYTES, ends, is_framed, parse_length
from babelreg.wire.message_headers import HeadersError, body_of

__all__ = ["BORDER_BYTES", "MAX_LINE_BYTES", "borders", "incomplete", "is_framed", "read"]

_READ_BYTES = 256 * 1024

BORDER_BYTES = 1024 * 1024
"""Minimum distance of the positions at which a file of frames can be split."""


MAX_LINE_BYTES = 256 * 1024 * 1024
"""Maximum length of a line or frame. A longer one ends a run before it is in memory."""


def read(
    file: BinaryIO, path: Path, start: int, end: int, longest: int, *, headers: bool = False
) -> Iterator[tuple[bytes, int]]:
    """Yield the messages in ``[start, end)`` of ``file`` with their positions.

    ``longest`` is the maximum length of a message in bytes. With ``headers``, a message that has some comes with them,
    as ``message_headers`` packs both; else without.

    Raises InputError where a frame is truncated or too long.
    """
    file.seek(start)
    position = start
    while position < end and (head := file.read(LENGTH_BYTES)):
        size, packed = parse_length(head)
        if size > longest:
            raise _too_long(path, position, size, longest)
        body = file.read(size)
        if len(head) < LENGTH_BYTES or len(body) < size:
            raise _cut_off(path, position)
        yield _message(body, path, position, packed=packed, headers=headers)
        position += LENGTH_BYTES + size


def _message(content: bytes, path: Path, position: int, *, packed: bool, headers: bool) -> tuple[bytes, int]:
    """Return the message of a frame, and the position of its first byte."""
    first = position + LENGTH_BYTES
    if headers or not packed:
        return content, first
    try:
        body = body_of(content)
    except HeadersError as err:
        raise InputError(f"{path}: the frame at byte {position} is damaged: {err.message}") from err
    return body, first + len(content) - len(body)


def borders(path: Path, start: int, size: int, step: int = BORDER_BYTES) -> tuple[int, tuple[int, ...]]:
    """Return the end of the last complete frame of ``path``, and frame starts about ``step`` bytes apart.

    The first frame begins at ``start``. Only the lengths are read.
    """
    position = start
    cuts: list[int] = []
    with path.open("rb", buffering=_READ_BYTES) as file:
        for position in ends(file, start, size):
            if position - (cuts[-1] if cuts else start) >= step:
                cuts.append(position)
    return position, tuple(cuts)


def incomplete(path: Path, at: int, *, growing: bool = False) -> InputError | None:
    """Return the error for a file of frames whose frame at byte ``at`` is not there as a whole.

    A ``growing`` file has one only if its frame is too long to ever be read. Raises OSError.
    """
    with path.open("rb") as file:
        file.seek(at)
        head = file.read(LENGTH_BYTES)
    size, _ = parse_length(head)
    if len(head) == LENGTH_BYTES and size > MAX_LINE_BYTES:
        return _too_long(path, at, size, MAX_LINE_BYTES)
    return None if growing else _cut_off(path, at)


def _too_long(path: Path, at: int, size: int, longest: int) -> InputError:
    return InputError(
        f"{path}: the frame at byte {at} is {size} bytes long, more than {longest // 1024 // 1024} MiB",
        fix=f"check that the file holds frames: {LENGTH_BYTES} bytes of length, big-endian, then the message",
    )


def _cut_off(path: Path, at: int) -> InputError:
    return InputError(
        f"{path} ends within the frame at byte {at}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
