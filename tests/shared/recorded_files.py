"""Messages in recorded files, read as ``babelreg lake ingest`` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from babelreg.sources import frames

__all__ = ["bodies", "visible"]

LONGEST = 1 << 28


def visible(folder: Path) -> list[Path]:
    """The files that ingestion would read."""
    return sorted(path for path in folder.iterdir() if path.name[0] not in "._")


def bodies(files: Iterable[Path]) -> list[bytes]:
    """The messages of ``files``, in order. Raises InputError for a file that ends within a frame."""
    found: list[bytes] = []
    for file in files:
        assert frames.is_framed(file.name)
        with file.open("rb") as stream:
            found += [body for body, _ in frames.read(stream, file, 0, file.stat().st_size, LONGEST)]
    return found
