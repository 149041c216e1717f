"""Digests of the beginnings of files: of all bytes that were read, and of a short head that finds candidates.

A compressed file also has digests of its content, by which it is recognised as the file that was compressed.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babelreg.sources.compression import compression_at, opened

DIGEST_BYTES = 16
_BLOCK_BYTES = 1024 * 1024
_HEAD_BYTES = 64 * 1024
_ALL = 2**62


@dataclass
class FileDigests:
    """Digests of the beginnings of files, by length; each is computed once."""

    _stored: dict[Path, dict[int, str]] = field(default_factory=dict)
    _content: dict[Path, dict[int, str]] = field(default_factory=dict)
    _lengths: dict[Path, int] = field(default_factory=dict)
    _compression: dict[Path, str] = field(default_factory=dict)

    def stored(self, path: Path, lengths: Iterable[int] = ()) -> dict[int, str]:
        """Return the known digests of the bytes of ``path``, with those of ``lengths`` that it has. Raises OSError."""
        return self._updated(self._stored, path, lengths, "")

    def content(self, path: Path, lengths: Iterable[int] = ()) -> dict[int, str]:
        """Return the same of the decompressed bytes. Raises OSError; InputError for a damaged file."""
        compression = self.compression(path)
        return self._updated(self._content, path, lengths, compression) if compression else self.stored(path, lengths)

    def length(self, path: Path) -> int:
        """Return the number of decompressed bytes. Raises OSError; InputError for a damaged file."""
        compression = self.compression(path)
        if not compression:
            return path.stat().st_size
        if path not in self._lengths:
            known = self._content.setdefault(path, {})
            *heads, (length, digest) = _digests(path, [*head_lengths(_HEAD_BYTES), _ALL], compression)
            known.update([*heads, (length, digest)])
            self._lengths[path] = length
        return self._lengths[path]

    def compression(self, path: Path) -> str:
        """Return how ``path`` is compressed; empty for no regular file. Raises OSError."""
        if path not in self._compression:
            regular = stat.S_ISREG(path.stat().st_mode)  # opening a pipe would block
            self._compression[path] = compression_at(path) if regular else ""
        return self._compression[path]

    def _updated(
        self, digests: dict[Path, dict[int, str]], path: Path, lengths: Iterable[int], compression: str
    ) -> dict[int, str]:
        known = digests.setdefault(path, {})
        missing = [length for length in lengths if length not in known]
        if missing and stat.S_ISREG(path.stat().st_mode):
            known.update(
                (length, digest) for length, digest in _digests(path, missing, compression) if length in missing
            )
        return known


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
    head = 1
    while head <= head_length(length):
        yield head
        head *= 2
