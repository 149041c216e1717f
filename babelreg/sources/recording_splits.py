"""Splits of recordings: parts of files that are read independently, as the input of parallel tasks.

A file of lines is split at any byte, one of frames between two frames. A packed file and a pipe are one split each.
"""

from __future__ import annotations

import stat
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from babelreg.contract.parse import MAX_BYTES
from babelreg.errors import InputError
from babelreg.sources import frames
from babelreg.sources.compression import compression_of
from babelreg.sources.message_input import is_stdin
from babelreg.sources.recorded_messages import lines, recorded_messages
from babelreg.wire.length_frames import is_framed

_COMPRESSION_RATIO = 8
_MIN_SPLIT_BYTES = 16 * 1024 * 1024
_SPLITS_PER_TASK = 4
"""Tasks end together although some messages take longer than others."""


@dataclass(frozen=True, slots=True)
class RecordingSplit:
    """The messages of ``path`` that begin in ``[start, end)``; all of them where ``end`` is None.

    ``size`` is the approximate number of bytes that are read. A pipe can be read once, and by this process only.
    """

    path: Path
    start: int = 0
    end: int | None = None
    size: int = 0
    is_pipe: bool = False

    def messages(self, headers: bool = False) -> Iterator[bytes]:
        """Yield the messages, with ``headers`` if asked.

        Raises InputError, UsageError as ``recorded_messages`` does.
        """
        if self.end is None:
            yield from recorded_messages(self.path, headers=headers)
            return
        try:
            with self.path.open("rb") as file:
                if is_framed(self.path.name):
                    framed = frames.read(file, self.path, self.start, self.end, frames.MAX_LINE_BYTES, headers=headers)
                    yield from (body for body, _ in framed)
                else:
                    yield from _lines_between(file, self.start, self.end)
        except OSError as err:
            raise _unreadable(self.path, err) from err


def recording_splits(paths: Iterable[Path], tasks: int) -> list[RecordingSplit]:
    """Return the splits of files, in their order; ``tasks`` are read at a time. Raises InputError.

    Standard input is one split. With 0 ``tasks`` each file is.
    """
    files = [_file(path) for path in paths]
    whole = sum(file.size for file in files)
    size = max(_MIN_SPLIT_BYTES, -(-whole // (tasks * _SPLITS_PER_TASK)) if tasks else whole)
    return [split for file in files for split in _cut(file, size)]


def _file(path: Path) -> RecordingSplit:
    """Return the whole file; ``end`` is its size where it can be split."""
    if is_stdin(path):
        return RecordingSplit(path, is_pipe=True)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return RecordingSplit(path, is_pipe=True)
        with path.open("rb") as file:
            packed = compression_of(file.read(4))
    except OSError as err:
        raise _unreadable(path, err) from err
    if packed:
        return RecordingSplit(path, size=status.st_size * _COMPRESSION_RATIO)
    return RecordingSplit(path, 0, status.st_size, status.st_size)


def _cut(file: RecordingSplit, size: int) -> Iterator[RecordingSplit]:
    """Yield parts of ``file`` of about ``size`` bytes, or ``file`` where it is not split."""
    if file.end is None or file.end <= size:
        yield RecordingSplit(file.path, size=file.size, is_pipe=file.is_pipe)  # to its end, also if it grew meanwhile
        return
    start = 0
    cuts = list(range(size, file.end, size))
    if is_framed(file.path.name):
        try:
            complete, borders = frames.borders(file.path, 0, file.end, min(size, frames.BORDER_BYTES))
        except OSError as err:
            raise _unreadable(file.path, err) from err
        cuts = _nearest(borders, cuts) if complete == file.end else []  # its last task reports a frame that is cut off
    for end in (*cuts, file.end):
        yield RecordingSplit(file.path, start, end, end - start)
        start = end


def _nearest(borders: Sequence[int], cuts: Iterable[int]) -> list[int]:
    """Return the first of ``borders`` behind each of ``cuts``."""
    indexes = dict.fromkeys(bisect_left(borders, cut) for cut in cuts)
    return [borders[index] for index in indexes if index < len(borders)]


def _lines_between(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """Yield the lines that begin in ``[start, end)``: a line across ``start`` belongs to the split before."""
    at = 0
    if start:
        at = file.seek(start - 1)
        while piece := file.readline(MAX_BYTES):
            at += len(piece)
            if piece.endswith(b"\n"):
                break
    yield from (line for line, _ in lines(file, end - at))


def _unreadable(path: Path, err: OSError) -> InputError:
    return InputError(f"cannot read {path}: {err.strerror}", fix="name a file that can be read")
