"""The part of one input file that no batch has read yet: lines, frames or packets."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from babelreg.errors import InputError
from babelreg.lake.input.message_files import FileRange
from babelreg.lake.input.set_aside import GREW_PACKED, LINE_WENT_ON, held
from babelreg.lake.storage.log.batch_record import Consumed
from babelreg.sources import packet_stream
from babelreg.sources.compression import message_compression, opened
from babelreg.sources.digests import FileStart
from babelreg.sources.frames import borders, incomplete, is_framed
from babelreg.wire.format import Format

_SAMPLE = 64 * 1024


class UnreadRange(NamedTuple):
    """The part of a file to read. ``terminated``: its last byte ends a message. ``why``: why the rest is set aside."""

    part: FileRange | None
    terminated: bool = False
    why: str = ""


def unread_range(
    path: str, name: str, before: Consumed | None, start: FileStart, *, growing: bool, stream: Format | None
) -> UnreadRange:
    """Return the unread range of a file in the state ``start``, of which ``before`` is what was read.

    ``stream`` is the format of a stream without separators, which the file is if its name does not say that it holds
    frames. ``growing``: an incomplete last message is left for later. Raises InputError, OSError.
    """
    packets = stream is not None and not is_framed(name)
    if why := _obstacle(path, name, start, before, packets):
        return UnreadRange(None, why=why)
    if stream is None or not packets:
        return _messages(path, name, before, start, growing)
    return _packets(stream, Path(path), name, before, start, growing)


def unread_content(
    path: str, name: str, before: Consumed, start: FileStart, length: int, *, stream: Format | None
) -> UnreadRange:
    """Return the unread range of a compressed file in the state ``start``, whose content has ``length`` bytes.

    The file begins with the content that ``before`` says was read under another name. Raises InputError.
    """
    if length == before.end:
        return UnreadRange(None, terminated=True)
    compression, size = message_compression(path, start.magic), start.size
    if stream is not None and not is_framed(name):
        raise undividable(stream, path, compression)
    with opened(Path(path), compression) as file:
        file.seek(before.end)
        if not (is_framed(name) or before.terminated or file.read(1) == b"\n"):
            return UnreadRange(None, why=LINE_WENT_ON)
    return UnreadRange(FileRange(name, 0, size, size, compression, skip=before.end), terminated=True)


def _obstacle(path: str, name: str, start: FileStart, before: Consumed | None, stream: bool) -> str:
    """Return why a file that grew cannot be read on from its last position; empty if it can."""
    if before is None or start.size == before.end:
        return ""
    if start.compression:
        return GREW_PACKED
    ended = stream or is_framed(name) or before.terminated or before.end == 0 or _bytes(path, before.end, 1) == b"\n"
    return "" if ended else LINE_WENT_ON


def _messages(path: str, name: str, before: Consumed | None, file: FileStart, growing: bool) -> UnreadRange:
    """Return the unread lines or frames."""
    start, size = before.end if before else 0, file.size
    if size == start:
        return UnreadRange(None, bool(before and before.terminated))
    if compression := message_compression(path, file.magic):
        return UnreadRange(FileRange(name, 0, size, size, compression), True)
    cuts: tuple[int, ...] = ()
    if is_framed(name):
        end, cuts = borders(Path(path), start, size)
        if end < size and (error := incomplete(Path(path), end, growing=growing)):
            raise error
    else:
        end = _last_line(path, start, size) if growing else size
    if end == start:
        return UnreadRange(None, bool(before and before.terminated))
    last = file.last if end == size and file.last else b""
    terminated = is_framed(name) or (last or _bytes(path, end - 1, 1)) == b"\n"
    return UnreadRange(FileRange(name, start, end, end, borders=cuts), terminated)


def _packets(
    wire: Format, path: Path, name: str, before: Consumed | None, file: FileStart, growing: bool
) -> UnreadRange:
    """Return the unread packets, and why the rest is held."""
    if compression := message_compression(path, file.magic):
        raise undividable(wire, path, compression)
    start, size = before.end if before else 0, file.size
    assert wire.spans is not None
    end, cuts, error = packet_stream.borders(wire.spans, path, start, size)
    why = "" if error is None or (error == "truncated" and growing) else held(error)
    part = FileRange(name, start, end, end, borders=cuts, packets=True) if end > start else None
    return UnreadRange(part, True, why)


def undividable(wire: Format, path: Path | str, compression: str) -> InputError:
    """Return the error for a compressed file of packets."""
    return InputError(
        f"{path} is a {compression} file, and a stream of {wire.name} cannot be split within it",
        fix="decompress it",
    )


def _last_line(path: str, start: int, size: int) -> int:
    """Return the end of the last complete line in ``[start, size)``; ``start`` if there is none."""
    position = size
    while position > start:
        block = min(_SAMPLE, position - start)
        if (newline := _bytes(path, position - block, block).rfind(b"\n")) >= 0:
            return position - block + newline + 1
        position -= block
    return start


def _bytes(path: str, offset: int, length: int) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(offset)
        return file.read(length)
