"""Writing files of the user's: all of them or nothing, whoever reads meanwhile and whatever stops us."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["write_all", "write_whole"]


def write_whole(path: Path, body: bytes) -> None:
    """Put ``body`` at ``path``, with the permissions of the file that stands there. Raises OSError."""
    write_all({path: body})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Put each body at its path, with the permissions of the file that stands there.

    All bodies are on the disk before the first file changes, so that a full disk changes none. Raises OSError, whose
    ``filename`` is the path that could not be written.
    """
    parts: list[tuple[Path, Path]] = []
    try:
        for path, body in files.items():
            with _named(path):
                part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
                with part.open("xb") as file:  # never through a link that waits there
                    parts.append((part, path))
                    file.write(body)
                if path.is_file():
                    part.chmod(path.stat().st_mode & 0o7777)
        for part, path in parts:
            with _named(path):
                part.replace(path)
    finally:
        for part, _ in parts:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        err.filename = str(path)
        raise
