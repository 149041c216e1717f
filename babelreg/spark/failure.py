"""What Spark reports when a task fails, as an error that says what to do."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelreg.errors import InputError, UsageError

__all__ = ["disk_errors", "translated"]

_OURS = re.compile(r"babelreg\.errors\.InputError: (.+?)(?:\n  fix: (.+?))?\n")
_NO_SPACE = "No space left on device"
_DENIED = re.compile(r"Permission denied|AccessDeniedException|Mkdirs failed")


@contextmanager
def translated(output: Path) -> Iterator[None]:
    """Turn failures of Spark jobs that the user can mend into our errors; others pass through as they are.

    Raises InputError, UsageError.
    """
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        yield  # session.start is about to say so
        return
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    try:
        with disk_errors(output):
            yield
    except (PySparkException, Py4JError) as err:
        told = str(err)
        if ours := _OURS.search(told):
            raise InputError(ours[1], fix=ours[2]) from err
        if _NO_SPACE in told:
            raise UsageError(f"the disk of {output} is full; nothing was written to the tables", fix=_SPACE) from err
        if _DENIED.search(told):
            raise UsageError(f"cannot write below {output}", fix=_WRITABLE) from err
        raise


@contextmanager
def disk_errors(output: Path) -> Iterator[None]:
    """Turn what the disk refuses into an error that says so. Raises UsageError."""
    try:
        yield
    except OSError as err:
        fix = _SPACE if err.errno in (errno.ENOSPC, errno.EDQUOT) else _WRITABLE
        raise UsageError(f"cannot write to {output}: {err.strerror or err}", fix=fix) from err


_SPACE = "make room, then run the same command again: it begins where this run did"
_WRITABLE = "name a folder you may write to"
