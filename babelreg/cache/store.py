"""One file of a cache folder: what was put there comes back whole and as it was written, or not at all.

Nothing that goes wrong here is an error: whatever is kept can be made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from babelreg.atomic_write import UNFINISHED, write_whole

__all__ = ["MAX_BYTES", "Bounds", "keep", "kept"]

MAX_BYTES = 8 << 20
MAX_FILES = 256
MAX_TOTAL_BYTES = 64 << 20
_SUM_LENGTH = 40
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Bounds(NamedTuple):
    """Of one file, and of all with its suffix in its folder."""

    file_bytes: int
    files: int
    total_bytes: int


def kept(file: Path, most_bytes: int | None = None) -> bytes | None:
    """What was put into ``file``; None for anything else that may stand there."""
    most_bytes = MAX_BYTES if most_bytes is None else most_bytes
    try:
        with os.fdopen(os.open(file, _READING), "rb") as stream:
            body = stream.read(_SUM_LENGTH + most_bytes + 1)
    except (OSError, ValueError):
        return None
    if body[:_SUM_LENGTH] != _sum(body[_SUM_LENGTH:]):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # what is used stays
    return body[_SUM_LENGTH:]


def keep(file: Path, body: bytes, bounds: Bounds | None = None) -> None:
    """Put ``body`` there, all of it or nothing: whoever reads meanwhile sees what was there before.

    Of the files with the same suffix in its folder, those used longest ago are dropped where they become too many.
    """
    bounds = bounds or Bounds(MAX_BYTES, MAX_FILES, MAX_TOTAL_BYTES)
    if len(body) > bounds.file_bytes:
        return
    with contextlib.suppress(OSError, ValueError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, _sum(body) + body)
        _prune(file.parent, file.suffix, bounds)


def _prune(folder: Path, suffix: str, bounds: Bounds) -> None:
    with os.scandir(folder) as entries:
        stats = ((e.stat(), e.path) for e in entries if e.name.endswith((suffix, UNFINISHED)))
        ours = [(stat.st_mtime_ns, stat.st_size, path) for stat, path in stats]
    total = 0
    for count, (_, size, path) in enumerate(sorted(ours, reverse=True)):
        total += size
        if count >= bounds.files or total > bounds.total_bytes:
            with contextlib.suppress(OSError):
                Path(path).unlink()


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_LENGTH // 2).hexdigest().encode()
