"""Files of messages: one message a line, split at LF bytes only, or length-framed (see ``frames``); also compressed.

Workers read byte ranges of the files themselves. So every byte of a message arrives unchanged (a text reader would drop
a byte order mark and a CR), and a position is an offset in the file. Lines of ASCII white space only are separators.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from babelreg.errors import InputError
from babelreg.lake.arrow.number_scan import certainly_exact_in
from babelreg.lake.message_source import SPLIT_BYTES, MessageChunk, Origin, staged_name
from babelreg.lake.storage.parquet_rows import cut
from babelreg.sources import frames, packet_stream
from babelreg.sources.compression import compression_of, opened
from babelreg.sources.frames import MAX_LINE_BYTES, is_framed
from babelreg.wire.format import NATIVE
from babelreg.wire.formats import find

if TYPE_CHECKING:
    import pyarrow as pa

_COMPRESSION_RATIO = 8
ENDLESS = 2**62
"""The end of a file whose size is unknown."""

_CHUNK_ROWS = 8_000
_BLOCK_BYTES = 4 * 1024 * 1024


class FileRange(NamedTuple):
    """The lines of one file that begin in ``[start, end)``. ``name`` is the path below the input folder.

    Nothing at or after ``limit`` is read: that is the file's size when it was listed, and the file may grow meanwhile.
    A compressed file is read as a whole, and the numbers count its compressed bytes. A file of frames or of
    ``packets`` is split only at ``borders``, where messages begin. Foreign messages have an ``origin``. Of a compressed
    file, the first ``skip`` bytes of the content are not read.
    """

    name: str
    start: int
    end: int
    limit: int
    compression: str = ""
    borders: tuple[int, ...] = ()
    packets: bool = False
    origin: Origin | None = None
    skip: int = 0


@dataclass(frozen=True, slots=True)
class FileSource:
    """The file ranges below ``root`` that batch number ``batch`` reads."""

    root: str
    ranges: tuple[FileRange, ...]
    batch: int
    wire: str = NATIVE

    @property
    def size(self) -> int:
        return sum(_size(item) * (_COMPRESSION_RATIO if item.compression else 1) for item in self.ranges)

    def splits(self, tasks: int) -> list[tuple[FileRange, ...]]:
        """Return input splits of about equal size: long files are cut, small ones are combined.

        Each split is a range of the input in its order, so that the order of rows does not depend on ``tasks``.
        """
        total = sum(map(_size, self.ranges))
        rounds = max(1, -(-total // (SPLIT_BYTES * tasks)))
        ordered = sorted(self.ranges, key=lambda item: item.name)
        splits = _cut_ranges(ordered, -(-total // (rounds * tasks)))
        return sorted(splits, key=lambda split: -sum(map(_size, split)))

    def chunks(self, split: Sequence[FileRange]) -> Iterator[MessageChunk]:
        """Yield the lines of each range of ``split``, in chunks that bound memory."""
        for part in split:
            yield from _read(Path(self.root), part, staged_name(self.batch, part.name))

    def with_bodies(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Yield ``rows`` with their bytes; each file is read forward once."""
        import pyarrow as pa

        mask = find(self.wire).mask
        with ExitStack() as stack:
            name, file = "", None
            for part in cut(rows, "source_bytes"):
                bodies = []
                for row in part.select(["source_file", "source_offset", "source_bytes"]).to_pylist():
                    if file is None or row["source_file"] != name:
                        stack.close()
                        name = row["source_file"]
                        path = Path(self.root) / name.partition("/")[2]
                        file = stack.enter_context(_reader(path))
                    bodies.append(mask(_message_at(file, path, row["source_offset"], row["source_bytes"])))
                yield part.append_column("body", pa.array(bodies, pa.binary()))


def _reader(path: Path) -> AbstractContextManager[BinaryIO]:
    try:
        with path.open("rb") as file:
            compression = compression_of(file.read(4))
    except OSError as err:
        raise InputError(f"cannot read {path} again: {err.strerror}") from err
    return opened(path, compression)


def _message_at(file: BinaryIO, path: Path, offset: int, length: int) -> bytes:
    file.seek(offset)
    body = file.read(length)
    if len(body) != length:
        raise _truncated(path)
    return body


def _truncated(path: Path) -> InputError:
    return InputError(
        f"{path} became shorter while it was read",
        fix="do not truncate files in the input folder, then run the same command again",
    )


def _cut_ranges(ranges: Sequence[FileRange], size: int) -> Iterator[tuple[FileRange, ...]]:
    """Yield ``ranges`` in order, cut into splits of ``size`` bytes where they can be cut."""
    split: list[FileRange] = []
    room = size
    for item in ranges:
        if split and _is_unsplittable(item) and _size(item) > room:
            yield tuple(split)
            split, room = [], size
        start = item.start
        while start < item.end:
            end = _cut(item, start + room)
            whole = (start, end, ()) == (item.start, item.end, item.borders)
            split.append(item if whole else item._replace(start=start, end=end, borders=()))
            room -= end - start
            start = end
            if room <= 0:
                yield tuple(split)
                split, room = [], size
    if split:
        yield tuple(split)


def _size(item: FileRange) -> int:
    return item.end - item.start


def _cut(item: FileRange, wanted: int) -> int:
    """Return where to cut a range that should end at ``wanted``: in files of frames, only at a frame."""
    if item.compression:
        return item.end
    if item.packets or is_framed(item.name):
        following = bisect_left(item.borders, wanted)
        return item.borders[following] if following < len(item.borders) else item.end
    return min(item.end, wanted)


def _is_unsplittable(item: FileRange) -> bool:
    """Return whether one task must read the file: it is compressed, or has frames without borders."""
    return bool(item.compression) or ((item.packets or is_framed(item.name)) and not item.borders)


def _read(root: Path, part: FileRange, name: str) -> Iterator[MessageChunk]:
    path = root / part.name
    with opened(path, part.compression) as file:
        if part.compression:
            part = part._replace(start=part.skip, end=ENDLESS, limit=ENDLESS)
        if part.packets or is_framed(part.name):
            if part.packets:
                messages = _packets(file, path, part)
            else:
                headers = part.origin is not None and find(part.origin.wire).reads_headers
                framed = frames.read(file, path, part.start, part.end, MAX_LINE_BYTES, headers=headers)
                messages = _divided(framed, part.origin)
            yield from _framed(messages, name, part.origin)
            if not part.compression and path.stat().st_size < part.end:
                raise _truncated(path)
            return
        offset = _first_line(file, part)
        for block in line_blocks(file, path, part, offset):
            yield from _chunks(name, block, offset, part.origin)
            offset += len(block)
        if offset < part.end and not part.compression:
            raise _truncated(path)


def line_blocks(file: BinaryIO, path: Path, part: FileRange, offset: int = 0) -> Iterator[bytes]:
    """Yield blocks of complete lines that begin in ``part``, from ``offset`` on, where ``file`` stands.

    Raises InputError for a line that is too long.
    """
    while offset < part.end and (block := _block(file, path, offset, part)):
        yield block
        offset += len(block)


def _packets(file: BinaryIO, path: Path, part: FileRange) -> Iterator[tuple[bytes, int]]:
    spans = find(part.origin.wire).spans if part.origin else None
    assert spans is not None, "only a format with spans has packets"
    return packet_stream.read(spans, file, path, part.start, part.end)


def _framed(messages: Iterator[tuple[bytes, int]], name: str, origin: Origin | None) -> Iterator[MessageChunk]:
    bodies: list[bytes] = []
    offsets: list[int] = []
    size = 0
    for body, offset in messages:
        bodies.append(body)
        offsets.append(offset)
        size += len(body)
        if size > _BLOCK_BYTES or len(bodies) >= _CHUNK_ROWS:
            yield MessageChunk(name, bodies, offsets, origin)
            bodies, offsets, size = [], [], 0
    if bodies:
        yield MessageChunk(name, bodies, offsets, origin)


def _block(file: BinaryIO, path: Path, offset: int, part: FileRange) -> bytes:
    """Return the next complete lines that begin in ``part``; empty at its end."""
    block = file.read(min(_BLOCK_BYTES, part.end - offset))
    if block and not block.endswith(b"\n"):
        start = block.rfind(b"\n") + 1
        allowed = MAX_LINE_BYTES + 1 - (len(block) - start)
        block += file.readline(max(0, min(allowed, part.limit - offset - len(block))))
        if len(block) - start > MAX_LINE_BYTES:
            raise _line_too_long(path, offset + start)
    return block


def _chunks(name: str, block: bytes, offset: int, origin: Origin | None) -> Iterator[MessageChunk]:
    divide = find(origin.wire).divide if origin is not None else None
    if divide is not None and _has_batch(block):
        yield from _framed(_divided(_lines(block, offset), origin), name, origin)
        return
    lines = block.removesuffix(b"\n").split(b"\n")
    ends = np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)) + 1)
    offsets = [offset, *(ends[:-1] + offset).tolist()]
    # Searched here, where the messages still are one text: to join them again costs more than the search.
    has_numbers = origin is None or find(origin.wire).json_values
    exact = certainly_exact_in(block, ends) if has_numbers else None
    for start in range(0, len(lines), _CHUNK_ROWS):
        rows = slice(start, start + _CHUNK_ROWS)
        chunk = MessageChunk(name, lines[rows], offsets[rows], origin, exact and exact[rows])
        yield from _without_blank(chunk)


def _has_batch(block: bytes) -> bool:
    """Return True for lines one of which may be an array: it begins with a bracket, or with white space."""
    return block[:1] in b"[ \t\r" or any(start in block for start in (b"\n[", b"\n ", b"\n\t", b"\n\r"))


def _lines(block: bytes, offset: int) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of ``block`` that are not blank, with their positions."""
    for line in block.removesuffix(b"\n").split(b"\n"):
        if line and not line.isspace():
            yield line, offset
        offset += len(line) + 1


def _divided(messages: Iterator[tuple[bytes, int]], origin: Origin | None) -> Iterator[tuple[bytes, int]]:
    """Yield the messages that lines or frames hold, with their positions."""
    divide = find(origin.wire).divide if origin is not None else None
    if divide is None:
        yield from messages
        return
    for recorded, position in messages:
        for body, at in divide(recorded):
            yield body, position + at


def _without_blank(chunk: MessageChunk) -> Iterator[MessageChunk]:
    """Yield ``chunk`` without lines of white space, if it has others."""
    present = [bool(body) and not body.isspace() for body in chunk.bodies]
    if all(present):
        yield chunk
    elif any(present):
        bodies, offsets = list(compress(chunk.bodies, present)), list(compress(chunk.offsets, present))
        exact = None if chunk.exact is None else list(compress(chunk.exact, present))
        yield MessageChunk(chunk.name, bodies, offsets, chunk.origin, exact)


def _first_line(file: BinaryIO, part: FileRange) -> int:
    """Seek to the first line that begins in ``part``: a line across its start belongs to the previous range."""
    if part.start == 0:
        return 0
    file.seek(part.start - 1)
    offset = part.start - 1
    while chunk := file.readline(_BLOCK_BYTES):
        offset += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return offset


def _line_too_long(path: Path, offset: int) -> InputError:
    return InputError(
        f"{path}: the line at byte {offset} is longer than {MAX_LINE_BYTES // 1024 // 1024} MiB",
        fix="check that the file has one message per line",
    )
