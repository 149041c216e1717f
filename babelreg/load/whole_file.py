"""Writing a file of the user's: all of it or nothing, whoever reads meanwhile and whatever stops us."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, body: bytes) -> None:
    """Put ``body`` at ``path``, with the permissions of the file that stands there. Raises OSError."""
    beside = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:  # never through a link that waits there
            file.write(body)
        if path.is_file():
            beside.chmod(path.stat().st_mode & 0o7777)
        beside.replace(path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
