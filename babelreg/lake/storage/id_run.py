"""Sorted files of message ids: look up what was accepted under an id without reading the tables.

A run is a file of 32 bytes a message, sorted by the first half of its key::

    header   magic, rows, a checksum of each part, of the index and of the header itself
    high     rows x 8 bytes, ascending    the first half of the key
    low      rows x 8 bytes               the second half
    content  rows x 16 bytes              the digest of the message's URN and data
    index    for each block of 512 rows the first half of its first key, and the checksum of its rows

The key is the first 16 bytes of the SHA-256 of ``meta.id``. Files are memory-mapped: a lookup of n ids touches at most
n blocks of each run. All data read is checked. An id is in one run only.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

KEY_BYTES = 16
_MAGIC = b"babelid2"
_HEADER = struct.Struct("<8sQIIIII4x")
_PARTS = (8, 8, 16)
_BLOCK_ROWS = 512
_BLOCK = [("first", "<u8"), ("check", "<u4")]
_GROUP_BLOCKS = 2048
"""Blocks that a search holds in memory at once."""
_SLICE_ROWS = 1_000_000
"""Rows that a merge holds in memory at once."""


class DamagedIdRun(Exception):
    """A run that is missing, truncated or modified."""


def key(message_id: str) -> bytes:
    """Return the key of ``meta.id``."""
    return sha256(message_id.encode()).digest()[:KEY_BYTES]


@dataclass(frozen=True, slots=True)
class IdRecords:
    """Rows in memory: the halves of their keys as numbers, and their contents as 16 bytes each."""

    high: Numbers
    low: Numbers
    content: NDArray[np.void]

    @classmethod
    def of(cls, keys: bytes, contents: bytes) -> IdRecords:
        """Return rows from concatenated keys and contents of 16 bytes each."""
        import numpy as np

        halves = np.frombuffer(keys, ">u8").astype(np.uint64).reshape(-1, 2)
        return cls(halves[:, 0], halves[:, 1], np.frombuffer(contents, "V16"))

    def sorted(self) -> IdRecords:
        """Return the rows in order of their keys."""
        order = self.high.argsort(kind="stable")
        return IdRecords(self.high[order], self.low[order], self.content[order])

    def rows(self, start: int, end: int) -> IdRecords:
        """Return a slice of the rows."""
        return IdRecords(self.high[start:end], self.low[start:end], self.content[start:end])

    def __len__(self) -> int:
        return len(self.high)


class IdRun:
    """A memory-mapped run. Raises DamagedIdRun unless file size, checksums and ``rows`` (if given) match."""

    def __init__(self, path: Path, rows: int | None = None) -> None:
        import numpy as np

        self.path = path
        try:
            with path.open("rb") as file:
                header, size = file.read(_HEADER.size), os.fstat(file.fileno()).st_size
        except OSError as err:
            raise DamagedIdRun(f"{path}: {err.strerror}") from err
        if len(header) < _HEADER.size:
            raise DamagedIdRun(f"{path} is truncated")
        magic, self.rows, *self.sums, indexed, header_checksum = _HEADER.unpack(header)
        blocks, start = -(-self.rows // _BLOCK_ROWS), _HEADER.size + sum(_PARTS) * self.rows
        complete = size == start + blocks * np.dtype(_BLOCK).itemsize
        if magic != _MAGIC or header_checksum != _header_sum(header) or not complete or rows not in (None, self.rows):
            raise DamagedIdRun(f"{path} is corrupt")
        starts = [_HEADER.size + self.rows * width for width in (0, 8, 16)]
        self.high: Numbers = np.asarray(np.memmap(path, "<u8", "r", starts[0], self.rows))
        self.low: Numbers = np.asarray(np.memmap(path, "<u8", "r", starts[1], self.rows))
        self.content: NDArray[np.void] = np.asarray(np.memmap(path, "V16", "r", starts[2], self.rows))
        self._blocks = np.fromfile(path, _BLOCK, blocks, offset=start)
        if zlib.crc32(self._blocks.tobytes()) != indexed:
            raise DamagedIdRun(f"{path} is corrupt")

    def find(self, high: Numbers, low: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.void]]:
        """Return whether each key is in the run, and its content. Raises DamagedIdRun."""
        import numpy as np

        present, content = np.zeros(len(high), np.bool_), np.zeros(len(high), "V16")
        first, last = self._blocks_of(high)
        wanted = np.zeros(len(self._blocks) + 1, np.int64)
        np.add.at(wanted, first[first <= last], 1)
        np.add.at(wanted, last[first <= last] + 1, -1)
        numbers = np.flatnonzero(np.cumsum(wanted)[:-1])
        for at in range(0, len(numbers), _GROUP_BLOCKS):
            group = numbers[at : at + _GROUP_BLOCKS]
            candidates = np.flatnonzero((first <= group[-1]) & (last >= group[0]))
            records = self._checked(group)
            rows = _search(records, high[candidates], low[candidates])
            hits = rows >= 0
            present[candidates[hits]] = True
            content[candidates[hits]] = records.content[rows[hits]]
        return present, content

    def _blocks_of(self, high: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the first and last block that may hold each key; last < first if none does."""
        import numpy as np

        starts = self._blocks["first"]
        return np.maximum(np.searchsorted(starts, high, "left") - 1, 0), np.searchsorted(starts, high, "right") - 1

    def _checked(self, numbers: NDArray[np.intp]) -> IdRecords:
        """Read the blocks ``numbers`` once each and check them."""
        import numpy as np

        parts = [self._block(number) for number in numbers.tolist()]
        together = zip(*((part.high, part.low, part.content) for part in parts), strict=True)
        return IdRecords(*map(np.concatenate, together))

    def _block(self, number: int) -> IdRecords:
        part = self.part(number * _BLOCK_ROWS, (number + 1) * _BLOCK_ROWS)
        if _block_sum(part) != self._blocks["check"][number]:
            raise DamagedIdRun(f"{self.path} is corrupt")
        return part

    def part(self, start: int, end: int) -> IdRecords:
        """Read a slice of the rows."""
        rows = slice(start, end)
        return IdRecords(self.high[rows].copy(), self.low[rows].copy(), self.content[rows].copy())


def known(runs: Sequence[Path], high: Numbers, low: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.void]]:
    """Return whether each key is in a run, and its content; fast for sorted keys. Raises DamagedIdRun."""
    import numpy as np

    present, content = np.zeros(len(high), np.bool_), np.zeros(len(high), "V16")
    for path in runs:
        hits, contents = IdRun(path).find(high, low)
        present |= hits
        content[hits] = contents[hits]
    return present, content


def _search(records: IdRecords, high: Numbers, low: Numbers) -> NDArray[np.intp]:
    """Return for each key its row in the sorted ``records``, else -1."""
    import numpy as np

    rows = np.full(len(high), -1, np.intp)
    pending, row = np.arange(len(high)), np.searchsorted(records.high, high)
    while pending.size:  # once, and again where keys agree in their first half
        inside = row < len(records)
        pending, row = pending[inside], row[inside]
        same = records.high[row] == high[pending]
        pending, row = pending[same], row[same]
        hit = records.low[row] == low[pending]
        rows[pending[hit]] = row[hit]
        pending, row = pending[~hit], row[~hit] + 1
    return rows


def write(path: Path, records: IdRecords) -> int:
    """Write ``records``, in any order, as a run; return their number."""
    return _write(path, len(records), [records.sorted()])


def merge(path: Path, runs: Sequence[IdRun]) -> int:
    """Write the rows of all ``runs`` as one run, a slice of the keys at a time; return their number.

    Every byte of ``runs`` is checked. Raises DamagedIdRun.
    """
    return _write(path, sum(run.rows for run in runs), _slices(runs))


def _slices(runs: Sequence[IdRun]) -> Iterator[IdRecords]:
    """Yield the rows of ``runs`` by key, in slices of about equal size, since keys are digests."""
    import numpy as np

    total = sum(run.rows for run in runs)
    count = -(-total // _SLICE_ROWS)
    edges = [np.uint64(n * (2**64 // count)) for n in range(1, count)]
    starts, sums = [0] * len(runs), [[0, 0, 0] for _ in runs]
    for edge in [*edges, None]:
        parts = []
        for n, run in enumerate(runs):
            end = run.rows if edge is None else int(np.searchsorted(run.high, edge))
            part = run.part(starts[n], end)
            sums[n] = _added(sums[n], part)
            starts[n] = end
            parts.append(part)
        together = zip(*((part.high, part.low, part.content) for part in parts), strict=True)
        yield IdRecords(*map(np.concatenate, together)).sorted()
    for run, computed in zip(runs, sums, strict=True):
        if computed != run.sums:
            raise DamagedIdRun(f"{run.path} is corrupt")


def _added(sums: Sequence[int], part: IdRecords) -> list[int]:
    return [zlib.crc32(text, checksum) for text, checksum in zip(_texts(part), sums, strict=True)]


def _texts(part: IdRecords) -> tuple[memoryview, memoryview, memoryview]:
    return part.high.astype("<u8", copy=False).data, part.low.astype("<u8", copy=False).data, part.content.data


class _Blocks:
    """The index of the blocks of a run, made of its rows as they come."""

    def __init__(self) -> None:
        self._entries: list[bytes] = []
        self._rest: IdRecords | None = None

    def add(self, part: IdRecords) -> None:
        """Take the next rows."""
        import numpy as np

        if self._rest is not None:
            pieces = (self._rest, part)
            joined = zip(*((piece.high, piece.low, piece.content) for piece in pieces), strict=True)
            part = IdRecords(*map(np.concatenate, joined))
        full_rows = len(part) // _BLOCK_ROWS * _BLOCK_ROWS
        for start in range(0, full_rows, _BLOCK_ROWS):
            self._entry(part.rows(start, start + _BLOCK_ROWS))
        self._rest = part.rows(full_rows, len(part)) if full_rows < len(part) else None

    def text(self) -> bytes:
        """Return the index, after all rows were added."""
        if self._rest is not None:
            self._entry(self._rest)
            self._rest = None
        return b"".join(self._entries)

    def _entry(self, block: IdRecords) -> None:
        self._entries.append(struct.pack("<QI", int(block.high[0]), _block_sum(block)))


def _block_sum(part: IdRecords) -> int:
    check = 0
    for text in _texts(part):
        check = zlib.crc32(text, check)
    return check


def _header_sum(header: bytes) -> int:
    """Return the check sum of all of the header but the sum itself, which is the last number before the padding."""
    return zlib.crc32(header[:-8] + header[-4:])


def _write(path: Path, rows: int, parts: Sequence[IdRecords] | Iterator[IdRecords]) -> int:
    sums, at, blocks = [0, 0, 0], [_HEADER.size + rows * width for width in (0, 8, 16)], _Blocks()
    with path.open("wb") as file:
        for part in parts:
            sums = _added(sums, part)
            at = [_write_at(file, place, text) for place, text in zip(at, _texts(part), strict=True)]
            blocks.add(part)
        index = blocks.text()
        _write_at(file, _HEADER.size + rows * sum(_PARTS), index)
        header = [_MAGIC, rows, *sums, zlib.crc32(index)]
        _write_at(file, 0, _HEADER.pack(*header, _header_sum(_HEADER.pack(*header, 0))))
    return rows


def _write_at(file: BinaryIO, place: int, text: bytes | memoryview) -> int:
    file.seek(place)
    return place + file.write(text)
