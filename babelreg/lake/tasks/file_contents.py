"""Messages of files whose bytes Spark read, by the rules of a lake: the same messages, offsets and errors.

A file's compression and kind are told by its first bytes, and lines are split at LF alone: Spark's text reader drops a
byte order mark, decompresses by name, and takes plain lines in a file named ``.bz2`` for an empty file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, compress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from babelreg.errors import InputError
from babelreg.lake.input.message_files import ENDLESS, FileRange, line_blocks
from babelreg.lake.input.set_aside import explained, held
from babelreg.lake.input.unread_range import undividable
from babelreg.lake.storage.log.batch_record import SetAside
from babelreg.sources import frames
from babelreg.sources.compression import message_compression, opened
from babelreg.sources.frames import MAX_LINE_BYTES, is_framed
from babelreg.sources.input_folder import is_ignored
from babelreg.wire.format import NATIVE, Divide, Format, WireError
from babelreg.wire.formats import find

_BATCH_ROWS = 8_000
_BATCH_BYTES = 4 * 1024 * 1024
MAGIC_BYTES = 6
_LOCAL = "file:/"
_SLASHES = re.compile("^file:/+")  # Spark writes one slash or three

BATCH_NAMES = ("value", "source_file", "source_offset", "source_modified")

MAY_BEGIN_BATCH = (b"[", b" ", b"\t", b"\r")
"""First bytes of a line that may hold several messages."""


def decoded(address: str) -> str:
    """Return the address of a file as Spark's metadata spell it, without percent-encoding: the order of names."""
    return unquote(address)


def shown_path(address: str) -> Path | str:
    """Return the file of a decoded address as a lake names it in errors."""
    return Path(_SLASHES.sub("/", address)) if address.startswith(_LOCAL) else address


def is_message_file(root: str, address: str) -> bool:
    """Return False for a file below ``root`` that a lake ignores by its name, but not Spark. Both are decoded."""
    folder, file = (_SLASHES.sub(_LOCAL, place) for place in (root, address))
    return not (file.startswith(folder) and is_ignored(file.removeprefix(folder).lstrip("/")))


@dataclass(frozen=True)
class ContentMessages:
    """From ``value, source_file, modified`` of files to ``value, source_file, source_offset, modified`` of messages.

    ``root`` is the address of the folder, decoded. In a ``wire`` that has several messages on a line, these are
    divided, and messages of frames have their headers where it reads them. Plain data, so that it can be sent to the
    workers.
    """

    root: str
    wire: str = NATIVE

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield messages in the order of files, without lines of white space. Raises InputError."""
        rows, size = _MessageRows(), 0
        for batch in batches:
            for row in range(len(batch)):
                address = decoded(batch.column(1)[row].as_py())
                if not is_message_file(self.root, address):
                    continue
                modified = batch.column(2)[row].as_py()
                for chunk in messages_in(batch.column(0)[row].as_py(), address, self.wire):
                    rows.add(chunk, address, modified)
                    size += sum(map(len, chunk.bodies))
                    if len(rows.bodies) >= _BATCH_ROWS or size >= _BATCH_BYTES:
                        yield rows.batch()
                        rows, size = _MessageRows(), 0
        if rows.bodies:
            yield rows.batch()


class Chunk(NamedTuple):
    """Messages of a file with their offsets in its decompressed content."""

    bodies: list[bytes]
    offsets: list[int]


class _MessageRows:
    """Rows of a batch that is being collected: there may be many small files."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self._offsets: list[int] = []
        self._addresses: list[str] = []
        self._modified: list[datetime | None] = []

    def add(self, chunk: Chunk, address: str, modified: datetime | None) -> None:
        count = len(chunk.bodies)
        self.bodies += chunk.bodies
        self._offsets += chunk.offsets
        self._addresses += [address] * count
        self._modified += [modified] * count

    def batch(self) -> pa.RecordBatch:
        columns = [
            pa.array(self.bodies, pa.binary()),
            pa.array(self._addresses, pa.string()),
            pa.array(self._offsets, pa.int64()),
            pa.array(self._modified, pa.timestamp("us", "UTC")),
        ]
        return pa.RecordBatch.from_arrays(columns, BATCH_NAMES)


def messages_in(content: bytes, address: str, wire_name: str) -> Iterator[Chunk]:
    """Yield the messages of a file as they are in a lake. Raises InputError."""
    wire, path = find(wire_name), shown_path(address)
    compression = message_compression(path, content[:MAGIC_BYTES])
    file_path = Path(path)
    framed = is_framed(file_path.name)
    divide = None if wire_name == NATIVE else wire.divide
    if wire.spans is not None and not framed:
        yield from _chunks(_packets(wire, content, path, compression))
        return
    with opened(file_path, compression, io.BytesIO(content)) as file:
        if framed:
            headers = wire_name != NATIVE and wire.reads_headers
            recorded = frames.read(file, file_path, 0, ENDLESS, MAX_LINE_BYTES, headers=headers)
            yield from _chunks(_divided(divide, recorded) if divide else recorded)
            return
        size = ENDLESS if compression else len(content)
        lines = _lines(line_blocks(file, file_path, FileRange(file_path.name, 0, size, size)))
        yield from lines if divide is None else (_divided_lines(divide, chunk) for chunk in lines)


def _lines(blocks: Iterable[bytes]) -> Iterator[Chunk]:
    offset = 0
    for block in blocks:
        lines = block.removesuffix(b"\n").split(b"\n")
        offsets = list(accumulate(map(len, lines), lambda at, length: at + length + 1, initial=offset))
        present = [bool(line) and not line.isspace() for line in lines]
        yield Chunk(list(compress(lines, present)), list(compress(offsets, present)))
        offset += len(block)


def _divided_lines(divide: Divide, chunk: Chunk) -> Chunk:
    if not any(body[:1] in MAY_BEGIN_BATCH for body in chunk.bodies):
        return chunk
    divided = list(_divided(divide, zip(*chunk, strict=True)))
    return Chunk([body for body, _ in divided], [offset for _, offset in divided])


def _divided(divide: Divide, recorded: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, int]]:
    for body, offset in recorded:
        for part, at in divide(body):
            yield part, offset + at


def _chunks(messages: Iterator[tuple[bytes, int]]) -> Iterator[Chunk]:
    chunk, size = Chunk([], []), 0
    for body, offset in messages:
        chunk.bodies.append(body)
        chunk.offsets.append(offset)
        size += len(body)
        if len(chunk.bodies) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield chunk
            chunk, size = Chunk([], []), 0
    yield chunk


def _packets(wire: Format, content: bytes, path: Path | str, compression: str) -> Iterator[tuple[bytes, int]]:
    if compression:
        raise undividable(wire, path, compression)
    assert wire.spans is not None
    at = 0
    for span in wire.spans(lambda offset, length: content[offset : offset + length], len(content), 0):
        if isinstance(span, WireError):
            name = str(path)
            raise InputError(f"{name}: {explained(SetAside('', name, held(span.code), at))}")
        first, at = span
        yield content[first:at], first
