"""Sorted files of message ids, which tell what was accepted under an id without reading the tables.

A run is a file of 32 bytes a message, sorted by the first half of its key::

    header   magic, rows, a check sum of each part and of the header itself
    high     rows x 8 bytes, ascending    the first half of the key
    low      rows x 8 bytes               the second half
    content  rows x 16 bytes              the digest of the message's URN and data

The key is the first 16 bytes of the SHA-256 of ``meta.id``. Files are mapped, not read: to look up n ids costs n
searches in each run, whatever stands in it, and no memory of its own. An id stands in one run only.
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

__all__ = ["KEY_BYTES", "Damaged", "Numbers", "Records", "Run", "key", "known", "merge", "write"]

KEY_BYTES = 16
_MAGIC = b"babelid1"
_HEADER = struct.Struct("<8sQIIII")
_PARTS = (8, 8, 16)
_SLICE_ROWS = 1_000_000
"""How many rows a merge holds at once."""


class Damaged(Exception):
    """A run that is missing, cut off or not what was written."""


def key(message_id: str) -> bytes:
    """The key of ``meta.id``."""
    return sha256(message_id.encode()).digest()[:KEY_BYTES]


@dataclass(frozen=True, slots=True)
class Records:
    """Rows in memory: the halves of their keys as numbers, and their contents as 16 bytes each."""

    high: Numbers
    low: Numbers
    content: NDArray[np.void]

    @classmethod
    def of(cls, keys: bytes, contents: bytes) -> Records:
        """Rows of 16 bytes of key and 16 of content, one after the other."""
        import numpy as np

        halves = np.frombuffer(keys, ">u8").astype(np.uint64).reshape(-1, 2)
        return cls(halves[:, 0], halves[:, 1], np.frombuffer(contents, "V16"))

    def sorted(self) -> Records:
        """The same by key."""
        order = self.high.argsort(kind="stable")
        return Records(self.high[order], self.low[order], self.content[order])

    def __len__(self) -> int:
        return len(self.high)


class Run:
    """A run, mapped. Damaged unless it is there, whole by its size, and of ``rows`` rows where these are given."""

    def __init__(self, path: Path, rows: int | None = None) -> None:
        import numpy as np

        self.path = path
        try:
            with path.open("rb") as file:
                header, size = file.read(_HEADER.size), os.fstat(file.fileno()).st_size
        except OSError as err:
            raise Damaged(f"{path}: {err.strerror}") from err
        if len(header) < _HEADER.size:
            raise Damaged(f"{path} is cut off")
        magic, self.rows, *self.sums, own = _HEADER.unpack(header)
        whole = size == _HEADER.size + sum(_PARTS) * self.rows
        if magic != _MAGIC or own != zlib.crc32(header[:-4]) or not whole or rows not in (None, self.rows):
            raise Damaged(f"{path} is not what was written")
        starts = [_HEADER.size + self.rows * before for before in (0, 8, 16)]
        self.high: Numbers = np.memmap(path, "<u8", "r", starts[0], self.rows)
        self.low: Numbers = np.memmap(path, "<u8", "r", starts[1], self.rows)
        self.content: NDArray[np.void] = np.memmap(path, "V16", "r", starts[2], self.rows)

    def find(self, high: Numbers, low: Numbers) -> NDArray[np.intp]:
        """For each key the row that has it, else -1."""
        import numpy as np

        found = np.full(len(high), -1, np.intp)
        wanted, at = np.arange(len(high)), np.searchsorted(self.high, high)
        while wanted.size:  # once, and again where keys agree in their first half
            inside = at < self.rows
            wanted, at = wanted[inside], at[inside]
            same = self.high[at] == high[wanted]
            wanted, at = wanted[same], at[same]
            hit = self.low[at] == low[wanted]
            found[wanted[hit]] = at[hit]
            wanted, at = wanted[~hit], at[~hit] + 1
        return found

    def part(self, start: int, end: int) -> Records:
        """Some rows, read."""
        rows = slice(start, end)
        return Records(self.high[rows].copy(), self.low[rows].copy(), self.content[rows].copy())


def known(runs: Sequence[Path], high: Numbers, low: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.void]]:
    """Whether each key is in a run, and the content there. Quick where the keys are sorted. Raises Damaged."""
    import numpy as np

    there, content = np.zeros(len(high), np.bool_), np.zeros(len(high), "V16")
    for path in runs:
        run = Run(path)
        rows = run.find(high, low)
        hits = rows >= 0
        there |= hits
        content[hits] = run.content[rows[hits]]
    return there, content


def write(path: Path, records: Records) -> int:
    """Write ``records``, in any order, as a run; how many there were."""
    return _write(path, len(records), [records.sorted()])


def merge(path: Path, runs: Sequence[Run]) -> int:
    """Write the rows of all ``runs`` as one run, a slice of the keys at a time; how many there were.

    Every byte of ``runs`` is checked. Raises Damaged.
    """
    return _write(path, sum(run.rows for run in runs), _slices(runs))


def _slices(runs: Sequence[Run]) -> Iterator[Records]:
    """The rows of ``runs`` by key. Keys are digests, so equal slices of their range hold about as many rows each."""
    import numpy as np

    total = sum(run.rows for run in runs)
    count = -(-total // _SLICE_ROWS)
    edges = [np.uint64(n * (2**64 // count)) for n in range(1, count)]
    starts, sums = [0] * len(runs), [[0, 0, 0] for _ in runs]
    for edge in [*edges, None]:
        taken = []
        for n, run in enumerate(runs):
            end = run.rows if edge is None else int(np.searchsorted(run.high, edge))
            part = run.part(starts[n], end)
            sums[n] = _added(sums[n], part)
            starts[n] = end
            taken.append(part)
        together = zip(*((part.high, part.low, part.content) for part in taken), strict=True)
        yield Records(*map(np.concatenate, together)).sorted()
    for run, found in zip(runs, sums, strict=True):
        if found != run.sums:
            raise Damaged(f"{run.path} is not what was written")


def _added(sums: Sequence[int], part: Records) -> list[int]:
    return [zlib.crc32(text, before) for text, before in zip(_texts(part), sums, strict=True)]


def _texts(part: Records) -> tuple[bytes, bytes, bytes]:
    return part.high.astype("<u8").tobytes(), part.low.astype("<u8").tobytes(), part.content.tobytes()


def _write(path: Path, rows: int, parts: Sequence[Records] | Iterator[Records]) -> int:
    sums, at = [0, 0, 0], [_HEADER.size + rows * before for before in (0, 8, 16)]
    with path.open("wb") as file:
        for part in parts:
            sums = _added(sums, part)
            at = [_put(file, place, text) for place, text in zip(at, _texts(part), strict=True)]
        header = _HEADER.pack(_MAGIC, rows, *sums, 0)[:-4]
        _put(file, 0, header + zlib.crc32(header).to_bytes(4, "little"))
    return rows


def _put(file: BinaryIO, place: int, text: bytes) -> int:
    file.seek(place)
    file.write(text)
    return place + len(text)
