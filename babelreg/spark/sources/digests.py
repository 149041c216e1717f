"""Digests of file prefixes: of all bytes that were read, and of a short head that finds candidates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["digests", "head_length", "head_lengths"]

_DIGEST_BYTES = 16
_BLOCK_BYTES = 1024 * 1024
_HEAD_BYTES = 64 * 1024


def digests(path: Path, lengths: Iterable[int]) -> dict[int, str]:
    """Return the digest of the first n bytes of ``path``, for each n of ``lengths`` that the file has. Raises OSError.

    The file is read once.
    """
    result: dict[int, str] = {}
    hasher, position = hashlib.blake2b(digest_size=_DIGEST_BYTES), 0
    with path.open("rb", buffering=0) as file:
        for length in sorted(set(lengths)):
            while position < length and (block := file.read(min(_BLOCK_BYTES, length - position))):
                hasher.update(block)
                position += len(block)
            if position < length:
                break
            result[length] = hasher.copy().hexdigest()
    return result


def head_length(length: int) -> int:
    """Return the length of the head of a file of ``length`` bytes: a power of two, 64 KiB at most."""
    return 1 << (min(length, _HEAD_BYTES).bit_length() - 1) if length else 0


def head_lengths(length: int) -> Iterator[int]:
    """Yield the lengths of all heads that a file may have had before it grew to ``length`` bytes."""
    head = 1
    while head <= head_length(length):
        yield head
        head *= 2
