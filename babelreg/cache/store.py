"""Entries of the cache: JSON values by key, one small file each. Code that caches names a key and a value, no file.

An entry is named by a digest of its key, which holds all that the value depends on, so an entry is never outdated, only
unused. A file that is damaged, too large, a link or not a regular file is a miss, and so is a value that the reader
refuses. A value that cannot be written is not cached: everything here can be computed again, so nothing is an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from babelreg.atomic_write import UNFINISHED, write_whole
from babelreg.cache.folder import cache_folder

Value = TypeVar("Value")

_CHECKSUM_LENGTH = 40
_FLAGS = sum((getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC")), os.O_RDONLY)
_NOT_AS_WRITTEN = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class CacheLimits(NamedTuple):
    """Largest entry, and the most entries and bytes of one kind; those used longest ago are removed first."""

    entry_bytes: int = 8 << 20
    entries: int = 256
    total_bytes: int = 64 << 20


class CacheStore:
    """The entries of one ``kind`` in ``folder``; without a folder nothing is found and nothing is written."""

    def __init__(self, folder: Path | None, kind: str, limits: CacheLimits | None = None) -> None:
        self.folder = folder
        self._suffix = f".{kind}"
        self._limits = limits or CacheLimits()

    @classmethod
    def of(cls, part: str, kind: str, limits: CacheLimits | None = None) -> CacheStore:
        """Return the store in the folder ``part`` of this user's cache."""
        return cls(cache_folder(part), kind, limits)

    def get(self, key: Sequence[Any], read: Callable[[Any], Value]) -> Value | None:
        """Return what ``read`` makes of the value stored for ``key`` (JSON), None where there is none.

        ``read`` may raise ValueError, LookupError, TypeError or AttributeError for a value that it did not expect.
        """
        file = self._file(key)
        body = _content(file, self._limits.entry_bytes) if file is not None else None
        if body is None:
            return None
        try:
            return read(json.loads(body))
        except _NOT_AS_WRITTEN:
            return None

    def put(self, key: Sequence[Any], value: Any) -> None:
        """Store ``value`` (JSON) for ``key``, completely or not at all; a concurrent reader sees the old or the new."""
        file = self._file(key)
        if file is None:
            return
        with contextlib.suppress(*_NOT_AS_WRITTEN):
            body = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
            if len(body) > self._limits.entry_bytes:
                return
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(file, _checksum(body) + body)
            self._prune(file.parent)

    def _file(self, key: Sequence[Any]) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.blake2b(json.dumps(key).encode("ascii"), digest_size=20).hexdigest()
        return self.folder / f"{digest}{self._suffix}"

    def _prune(self, folder: Path) -> None:
        with os.scandir(folder) as files:
            stats = ((file.stat(), file.path) for file in files if file.name.endswith((self._suffix, UNFINISHED)))
            entries = [(stat.st_mtime_ns, stat.st_size, path) for stat, path in stats]
        total = 0
        for count, (_, size, path) in enumerate(sorted(entries, reverse=True)):
            total += size
            if count >= self._limits.entries or total > self._limits.total_bytes:
                with contextlib.suppress(OSError):
                    Path(path).unlink()


def _content(file: Path, most_bytes: int) -> bytes | None:
    """Return the value's bytes as they were written, else None."""
    try:
        with os.fdopen(os.open(file, _FLAGS), "rb") as stream:
            content = stream.read(_CHECKSUM_LENGTH + most_bytes + 1)
    except (OSError, ValueError):
        return None
    body = content[_CHECKSUM_LENGTH:]
    if content[:_CHECKSUM_LENGTH] != _checksum(body):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # recently used entries are kept
    return body


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM_LENGTH // 2).hexdigest().encode("ascii")
