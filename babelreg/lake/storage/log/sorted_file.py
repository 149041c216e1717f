"""Sorted files of keys and texts: never changed, searched by blocks, each with a check sum of its own.

::

    blocks   of about 16 KiB: lines of key, space, text; sorted by key
    index    for each block its first key, where it begins, its length and check sum
    trailer  where the index begins, how many rows there are, the check sum of both and of the index

Keys are digests in hex. To look up a key takes one block; what is read is checked.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from pathlib import Path

from babelreg.lake.durable_files import make_folder, replace_whole, temporary_path

KEY_CHARACTERS = 32
_BLOCK_BYTES = 16 * 1024
_ENTRY = struct.Struct(f">{KEY_CHARACTERS}sQII")
_TRAILER = struct.Struct(">8sQQ")
_CHECK = struct.Struct(">I")
_MAGIC = b"babelkv1"
_OPENED = 64

Row = tuple[bytes, bytes]


class DamagedFile(Exception):
    """A sorted file that is missing, cut off or not what was written."""


def write(path: Path, rows: Iterable[Row]) -> int:
    """Write ``rows``, which are sorted by key, each key once, to ``path``; return how many there were."""
    make_folder(path.parent)
    temporary, index, count, at = temporary_path(path), bytearray(), 0, 0
    with temporary.open("wb") as file:
        for block, first, block_rows in _blocks(rows):
            file.write(block)
            index += _ENTRY.pack(first, at, len(block), zlib.crc32(block))
            at += len(block)
            count += block_rows
        trailer = _TRAILER.pack(_MAGIC, at, count)
        file.write(bytes(index) + trailer + _CHECK.pack(zlib.crc32(bytes(index) + trailer)))
    replace_whole(temporary, path)
    return count


def _blocks(rows: Iterable[Row]) -> Iterator[tuple[bytes, bytes, int]]:
    """Return the blocks, the first key of each, and how many rows it has."""
    lines: list[bytes] = []
    first, size = b"", 0
    for key, text in rows:
        first = first if lines else key
        lines.append(b"%s %s\n" % (key, text))
        size += len(lines[-1])
        if size >= _BLOCK_BYTES:
            yield b"".join(lines), first, len(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines), first, len(lines)


class SortedFile:
    """A sorted file, of which the index is in memory. Raises DamagedFile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                end = file.seek(0, 2) - _TRAILER.size - _CHECK.size
                file.seek(max(0, end))
                trailer = file.read(_TRAILER.size)
                (check,) = _CHECK.unpack(file.read(_CHECK.size))
                magic, start, self.rows = _TRAILER.unpack(trailer)
                if magic != _MAGIC or not 0 <= start <= end:
                    raise DamagedFile(f"{path} was changed after it was written")
                file.seek(start)
                index = file.read(end - start)
        except (OSError, struct.error) as err:
            raise DamagedFile(f"{path}: {err}") from err
        if zlib.crc32(index + trailer) != check or len(index) % _ENTRY.size:
            raise DamagedFile(f"{path} was changed after it was written")
        self._entries = list(_ENTRY.iter_unpack(index))
        self._firsts = [entry[0] for entry in self._entries]

    def find(self, keys: Iterable[bytes]) -> Iterator[Row]:
        """Return the rows of ``keys``, which are sorted. Raises DamagedFile."""
        number, rows = -1, dict[bytes, bytes]()
        with self.path.open("rb") as file:
            for key in keys:
                block = bisect_right(self._firsts, key) - 1
                if block < 0:
                    continue
                if block != number:
                    file.seek(self._entries[block][1])
                    number, rows = block, dict(self._rows(file.read(self._entries[block][2]), block))
                if key in rows:
                    yield key, rows[key]

    def among(self, keys: Set[bytes]) -> Iterator[Row]:
        """Return the rows of many ``keys``: the whole file is read. Raises DamagedFile."""
        with self.path.open("rb") as file:
            for number, entry in enumerate(self._entries):
                for line in self._lines(file.read(entry[2]), number):
                    if (key := line[:KEY_CHARACTERS]) in keys:
                        yield key, line[KEY_CHARACTERS + 1 :]

    def __iter__(self) -> Iterator[Row]:
        with self.path.open("rb") as file:
            for number, entry in enumerate(self._entries):
                yield from self._rows(file.read(entry[2]), number)

    def _rows(self, block: bytes, number: int) -> Iterator[Row]:
        for line in self._lines(block, number):
            yield line[:KEY_CHARACTERS], line[KEY_CHARACTERS + 1 :]

    def _lines(self, block: bytes, number: int) -> list[bytes]:
        if zlib.crc32(block) != self._entries[number][3]:
            raise DamagedFile(f"{self.path} was changed after it was written")
        return block.splitlines()


def opened(path: Path) -> SortedFile:
    """Return the sorted file ``path``, whose index is read once by a process. Raises DamagedFile."""
    try:
        status = path.stat()
    except OSError as err:
        raise DamagedFile(f"{path}: {err.strerror}") from err
    return _opened(path, status.st_mtime_ns, status.st_ctime_ns, status.st_size)


@lru_cache(_OPENED)
def _opened(path: Path, mtime_ns: int, ctime_ns: int, size: int) -> SortedFile:
    return SortedFile(path)
