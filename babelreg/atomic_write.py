"""Atomic writes: readers see the old content or the new, and so does the disk whenever we are stopped.

The content goes into a temporary file in the same folder, which is then renamed. The disk is not waited for:
:mod:`babelreg.lake.durable_files` does that where a power failure must lose nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

UNFINISHED = ".part"
"""Suffix of every temporary file."""


# Never through a link that waits there. Windows translates line ends otherwise.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_whole(path: Path, body: bytes, mode: int | None = None) -> None:
    """Write ``body`` to ``path`` with the permissions ``mode``; by default those of the file it replaces.

    Raises OSError.
    """
    write_all({path: body}, mode)


def write_all(files: Mapping[Path, bytes], mode: int | None = None) -> None:
    """Write each body to its path with the permissions ``mode``; by default those of the file it replaces.

    All bodies are written before the first file changes, so that a full disk changes none. Raises OSError, whose
    ``filename`` is the path that could not be written.
    """
    parts: list[tuple[Path, Path]] = []
    try:
        for path, body in files.items():
            with _named(path):
                part = temporary(path)
                descriptor = os.open(part, _NEW_FILE, 0o666)
                parts.append((part, path))
                try:
                    _write(descriptor, body)
                finally:
                    os.close(descriptor)
                if mode is not None:
                    part.chmod(mode)
                elif (old := _mode(path)) is not None:
                    part.chmod(old)
        for part, path in parts:
            with _named(path):
                part.replace(path)
        parts.clear()
    finally:
        for part, _ in parts:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """Return the permissions of a file; None where there is none."""
    try:
        found = path.stat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _write(descriptor: int, body: bytes) -> None:
    rest = memoryview(body)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which is renamed to ``path`` at the end, or removed after an exception."""
    part = temporary(path)
    try:
        yield part
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def temporary(path: Path) -> Path:
    """Return a hidden path beside ``path`` that no other process or thread writes to."""
    return path.with_name(f".babelreg-{os.urandom(16).hex()}{UNFINISHED}")


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        err.filename = str(path)
        raise
