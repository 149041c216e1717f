"""Files of messages: one a line, split at LF bytes and nowhere else, or in frames (see ``frames``); packed or not.

Workers read the files themselves, in ranges of bytes: so every byte of a message arrives as it was written (a text
reader would drop a byte order mark and a CR), and a position is the offset in the file, which holds for any engine.
Lines that hold nothing but ASCII white space separate messages; they are none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from babelreg.errors import InputError
from babelreg.spark.sources import frames
from babelreg.spark.sources.compression import compression_of, opened
from babelreg.spark.sources.frames import is_framed
from babelreg.spark.sources.message_source import SPLIT_BYTES, MessageChunk, staged_name

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["MAX_LINE_BYTES", "FileRange", "FileSource"]

MAX_LINE_BYTES = 256 * 1024 * 1024
"""The longest line that is still taken for a message, good or bad; a longer one ends the run before it is in memory."""

_UNKNOWN = 2**62
_CHUNK_ROWS = 8_000
_BLOCK_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileRange:
    """The lines of one file that begin in ``[start, end)``. ``name`` is the path below the input folder.

    Nothing at or after ``limit`` is read: that is the file's size when it was listed, and the file may grow meanwhile.
    A compressed file is read from beginning to end, and the numbers count its compressed bytes. A file of frames is
    split only at ``borders``, where frames begin.
    """

    name: str
    start: int
    end: int
    limit: int
    compression: str = ""
    borders: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FileSource:
    """The ranges of files below ``root`` that batch number ``batch`` reads."""

    root: str
    ranges: tuple[FileRange, ...]
    batch: int

    def splits(self, tasks: int) -> list[tuple[FileRange, ...]]:
        """As many for each task at work, all of one size: long files are cut, small ones are put together."""
        total = sum(map(_size, self.ranges))
        rounds = max(1, -(-total // (SPLIT_BYTES * tasks)))
        ordered = sorted(self.ranges, key=lambda one: -_size(one) if _is_whole(one) else 0)
        found = _filled(ordered, -(-total // (rounds * tasks)))
        return sorted(found, key=lambda split: -sum(map(_size, split)))

    def chunks(self, split: Sequence[FileRange]) -> Iterator[MessageChunk]:
        """The lines of every range in ``split``, in chunks that bound memory."""
        for part in split:
            yield from _read(Path(self.root), part, staged_name(self.batch, part.name))

    def with_bodies(self, rows: DataFrame) -> DataFrame:
        """``rows`` with their bytes, each file read forward once."""
        ordered = rows.repartition("source_file").sortWithinPartitions("source_file", "source_offset")
        return ordered.mapInArrow(self._read_again, rows.schema.add("body", "binary"))

    def _read_again(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with ExitStack() as held:
            name, file = "", None
            for batch in batches:
                bodies = []
                for row in batch.select(["source_file", "source_offset", "source_bytes"]).to_pylist():
                    if file is None or row["source_file"] != name:
                        held.close()
                        name = row["source_file"]
                        path = Path(self.root) / name.partition("/")[2]
                        file = held.enter_context(_reader(path))
                    bodies.append(_again(file, path, row["source_offset"], row["source_bytes"]))
                yield batch.append_column("body", pa.array(bodies, pa.binary()))


def _reader(path: Path) -> AbstractContextManager[BinaryIO]:
    try:
        with path.open("rb") as file:
            compression = compression_of(file.read(4))
    except OSError as err:
        raise InputError(f"cannot read {path} again: {err.strerror}") from err
    return opened(path, compression)


def _again(file: BinaryIO, path: Path, offset: int, length: int) -> bytes:
    file.seek(offset)
    found = file.read(length)
    if len(found) != length:
        raise _shorter(path)
    return found


def _shorter(path: Path) -> InputError:
    return InputError(
        f"{path} became shorter while it was read",
        fix="let nobody cut files in the input folder, then run the same command again",
    )


def _filled(ranges: Sequence[FileRange], size: int) -> Iterator[tuple[FileRange, ...]]:
    """``ranges`` one after the other, cut into splits of ``size`` where they can be cut."""
    taken: list[FileRange] = []
    room = size
    for one in ranges:
        start = one.start
        while start < one.end:
            end = _cut(one, start + room)
            taken.append(replace(one, start=start, end=end, borders=()))
            room -= end - start
            start = end
            if room <= 0:
                yield tuple(taken)
                taken, room = [], size
    if taken:
        yield tuple(taken)


def _size(one: FileRange) -> int:
    return one.end - one.start


def _cut(one: FileRange, wanted: int) -> int:
    """Return where a range is cut that would best end at ``wanted``: only reading says where a frame begins."""
    if one.compression:
        return one.end
    if is_framed(one.name):
        following = bisect_left(one.borders, wanted)
        return one.borders[following] if following < len(one.borders) else one.end
    return min(one.end, wanted)


def _is_whole(one: FileRange) -> bool:
    """True for a file that cannot be cut: a packed one, and one of frames without borders."""
    return bool(one.compression) or (is_framed(one.name) and not one.borders)


def _read(root: Path, part: FileRange, name: str) -> Iterator[MessageChunk]:
    path = root / part.name
    with opened(path, part.compression) as file:
        if part.compression:
            part = replace(part, end=_UNKNOWN, limit=_UNKNOWN)
        if is_framed(part.name):
            yield from _framed(frames.read(file, path, part.start, part.end, MAX_LINE_BYTES), name)
            if not part.compression and path.stat().st_size < part.end:
                raise _shorter(path)
            return
        offset = _first_line(file, part)
        while offset < part.end and (block := _block(file, path, offset, part)):
            yield from _chunks(name, block, offset)
            offset += len(block)
        if offset < part.end and not part.compression:
            raise _shorter(path)


def _framed(messages: Iterator[tuple[bytes, int]], name: str) -> Iterator[MessageChunk]:
    bodies: list[bytes] = []
    offsets: list[int] = []
    held = 0
    for body, offset in messages:
        bodies.append(body)
        offsets.append(offset)
        held += len(body)
        if held > _BLOCK_BYTES or len(bodies) >= _CHUNK_ROWS:
            yield MessageChunk(name, bodies, offsets)
            bodies, offsets, held = [], [], 0
    if bodies:
        yield MessageChunk(name, bodies, offsets)


def _block(file: BinaryIO, path: Path, offset: int, part: FileRange) -> bytes:
    """The next lines that begin in ``part``, whole; empty at its end."""
    block = file.read(min(_BLOCK_BYTES, part.end - offset))
    if block and not block.endswith(b"\n"):
        start = block.rfind(b"\n") + 1
        allowed = MAX_LINE_BYTES + 1 - (len(block) - start)
        block += file.readline(max(0, min(allowed, part.limit - offset - len(block))))
        if len(block) - start > MAX_LINE_BYTES:
            raise _endless(path, offset + start)
    return block


def _chunks(name: str, block: bytes, offset: int) -> Iterator[MessageChunk]:
    lines = block.removesuffix(b"\n").split(b"\n")
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=offset))
    for start in range(0, len(lines), _CHUNK_ROWS):
        rows = slice(start, start + _CHUNK_ROWS)
        told = [(body, at) for body, at in zip(lines[rows], offsets[rows], strict=False) if body and not body.isspace()]
        if told:
            yield MessageChunk(name, [body for body, _ in told], [at for _, at in told])


def _first_line(file: BinaryIO, part: FileRange) -> int:
    """Move to the first line that begins in ``part``: a line across the edge belongs to the part before."""
    if part.start == 0:
        return 0
    file.seek(part.start - 1)
    offset = part.start - 1
    while chunk := file.readline(_BLOCK_BYTES):
        offset += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return offset


def _endless(path: Path, offset: int) -> InputError:
    return InputError(
        f"{path}: the line at byte {offset} is longer than {MAX_LINE_BYTES // 1024 // 1024} MiB",
        fix="check that the file holds one message a line",
    )
