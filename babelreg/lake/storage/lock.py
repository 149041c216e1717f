"""Lock of one writer at a time: a system lock released when its holder ends, else a file that names the holder."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from babelreg.errors import UsageError

WRITER = ".writer"
"""The file that names who writes, where there are no locks."""

_HELD = (errno.EAGAIN, errno.EACCES)


@contextmanager
def locked(file: BinaryIO, output: Path) -> Iterator[None]:
    """Hold ``output`` by a lock on the open ``file`` in it. Raises UsageError when another run does."""
    if _flocked(file, output):
        yield
        return
    path = output / WRITER
    try:
        with path.open("x", encoding="utf-8") as writer:
            writer.write(f"process {os.getpid()} on {socket.gethostname()}")
    except FileExistsError as err:
        raise _locked_error(path, output) from err
    except OSError as err:
        raise UsageError(f"cannot write to {output}: {err.strerror}", fix="use a folder that you can write to") from err
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _flocked(file: BinaryIO, output: Path) -> bool:
    """Take the system lock; return False on a file system without locks."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        if err.errno not in _HELD:
            return False
        raise UsageError(
            f"another run is writing to {output}", fix="wait until it is done, then run this again"
        ) from err
    return True


def _locked_error(path: Path, output: Path) -> UsageError:
    holder = "another run"
    with suppress(OSError, UnicodeDecodeError):
        holder = path.read_text("utf-8") or holder
    return UsageError(
        f"{holder} is writing to {output}, whose file system has no locks",
        fix=f"wait until it is done; if that run no longer exists, remove {path}",
    )
