"""Digests of the beginnings of files: of all bytes that were read, and of a short head that finds candidates.

A compressed file also has digests of its content, by which it is recognised as the file that was compressed.

There may be a million files, most of them small. So a file is opened once: its first block gives its state, its kind
and, of a small one, all digests. Paths are texts, since a Path takes longer than the digest.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from babelreg.sources.compression import compression_of, opened

DIGEST_BYTES = 16
_BLOCK_BYTES = 1024 * 1024
_HEAD_BYTES = 64 * 1024
_HEAD_LENGTHS = tuple(1 << number for number in range(_HEAD_BYTES.bit_length()))
_MAGIC_BYTES = 6
_ALL = 2**62


class FileStart(NamedTuple):
    """State of a file when it was first read, and its first bytes, which tell its kind and ``compression``.

    ``last`` is the last byte of a file that was read as a whole, otherwise empty.
    """

    size: int
    mtime_ns: int
    is_regular: bool
    magic: bytes = b""
    compression: str = ""
    last: bytes = b""


@dataclass
class FileDigests:
    """Digests of the beginnings of files, by length; each is computed once."""

    _starts: dict[str, FileStart] = field(default_factory=dict)
    _stored: dict[str, dict[int, str]] = field(default_factory=dict)
    _content: dict[str, dict[int, str]] = field(default_factory=dict)
    _lengths: dict[str, int] = field(default_factory=dict)

    def start(self, path: str) -> FileStart:
        """Return the state and the first bytes of ``path`` as they were at the first call. Raises OSError."""
        start = self._starts.get(path)
        if start is None:
            start, block = first_block(path)
            self._starts[path] = start
            if start.last:
                head, known = head_length(start.size), self._stored.setdefault(path, {})
                known[head], known[start.size] = digest(block[:head]), digest(block)
        return start

    def stored(self, path: str, lengths: Iterable[int] = ()) -> dict[int, str]:
        """Return the known digests of the bytes of ``path``, with those of ``lengths`` that it has. Raises OSError."""
        return self._updated(self._stored, path, lengths, "")

    def content(self, path: str, lengths: Iterable[int] = ()) -> dict[int, str]:
        """Return the same of the decompressed bytes. Raises OSError; InputError for a damaged file."""
        compression = self.compression(path)
        return self._updated(self._content, path, lengths, compression) if compression else self.stored(path, lengths)

    def length(self, path: str) -> int:
        """Return the number of decompressed bytes. Raises OSError; InputError for a damaged file."""
        compression = self.compression(path)
        if not compression:
            return self.start(path).size
        if path not in self._lengths:
            known = self._content.setdefault(path, {})
            *heads, (length, digest) = _digests(Path(path), [*head_lengths(_HEAD_BYTES), _ALL], compression)
            known.update([*heads, (length, digest)])
            self._lengths[path] = length
        return self._lengths[path]

    def compression(self, path: str) -> str:
        """Return how ``path`` is compressed; empty for no regular file. Raises OSError."""
        return self.start(path).compression

    def _updated(
        self, digests: dict[str, dict[int, str]], path: str, lengths: Iterable[int], compression: str
    ) -> dict[int, str]:
        start = self.start(path)
        known = digests.setdefault(path, {})
        missing = [length for length in lengths if length not in known]
        if missing and start.last and not compression:
            _, block = first_block(path)
            known.update((length, digest(block[:length])) for length in missing if length <= len(block))
        elif missing and start.is_regular:
            known.update(
                (length, digest) for length, digest in _digests(Path(path), missing, compression) if length in missing
            )
        return known


def first_block(path: str) -> tuple[FileStart, bytes]:
    """Return the state of ``path`` and its first block, which is the whole of a small file. Raises OSError."""
    status = os.stat(path)  # noqa: PTH116 -- see above
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
        return FileStart(status.st_size, status.st_mtime_ns, False), b""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # Before the bytes are read: who writes in between leaves a later time, which is noticed afterwards.
        status = os.fstat(descriptor)
        block = os.read(descriptor, _HEAD_BYTES)
    finally:
        os.close(descriptor)
    size = status.st_size
    magic, block = block[:_MAGIC_BYTES], block[:size]
    last = block[-1:] if len(block) == size else b""
    return FileStart(size, status.st_mtime_ns, True, magic, compression_of(magic), last), block


def digest(content: bytes) -> str:
    """Return the digest of these bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def _digests(path: Path, lengths: Iterable[int], compression: str) -> Iterator[tuple[int, str]]:
    """Yield the digests of the first n bytes of ``path``, for each n of ``lengths``; the last one of a shorter file.

    The file is read once.
    """
    hasher, position = hashlib.blake2b(digest_size=DIGEST_BYTES), 0
    with opened(path, compression) if compression else path.open("rb", buffering=0) as file:
        for length in sorted(set(lengths)):
            while position < length and (block := file.read(min(_BLOCK_BYTES, length - position))):
                hasher.update(block)
                position += len(block)
            yield position, hasher.copy().hexdigest()
            if position < length:
                break


def head_length(length: int) -> int:
    """Return the length of the head of a file of ``length`` bytes: a power of two, 64 KiB at most."""
    return 1 << (min(length, _HEAD_BYTES).bit_length() - 1) if length else 0


def head_lengths(length: int) -> Iterator[int]:
    """Yield the lengths of all heads that a file may have had before it grew to ``length`` bytes."""
    yield from _HEAD_LENGTHS[: min(length, _HEAD_BYTES).bit_length()]


def head_digests(content: bytes) -> list[tuple[int, str]]:
    """Return the lengths and digests of all heads that a file may have had before it grew to ``content``."""
    hasher, position, digests = hashlib.blake2b(digest_size=DIGEST_BYTES), 0, []
    for length in _HEAD_LENGTHS[: min(len(content), _HEAD_BYTES).bit_length()]:
        hasher.update(content[position:length])
        digests.append((length, hasher.copy().hexdigest()))
        position = length
    return digests
