"""A log of events, one a line, for a process that runs without end: it is appended to and rotated.

Clients of OpenLineage write their file in the same way, and a shipper that follows the file reads all events. The log
and the one before it are kept, so that the disk does not fill up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

LARGEST_BYTES = 10 * 1024 * 1024
"""Size that a log does not exceed, unless the events of a single call do."""


def append_events(path: Path, events: Iterable[str], largest_bytes: int = LARGEST_BYTES) -> None:
    """Append each of ``events`` as a line; a log that would grow too large is renamed to :func:`rotated` before.

    A line that a killed process left unfinished is ended first. Anything but a regular file (a pipe, /dev/stdout) is
    written in place. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    body = "".join(f"{event}\n" for event in events).encode(errors="backslashreplace")
    size = path.stat().st_size if path.is_file() else 0
    if size and size + len(body) > largest_bytes:
        path.replace(rotated(path))
    elif size and not _ends_with_line(path):
        body = b"\n" + body
    with path.open("ab") as file:
        file.write(body)


def rotated(path: Path) -> Path:
    """Return the file with the events before those of the log at ``path``."""
    return path.with_name(f"{path.name}.1")


def _ends_with_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"
