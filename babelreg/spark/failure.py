"""What Spark reports when a task fails, as an error that says what to do."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelreg.errors import InputError, UsageError

__all__ = ["disk_errors", "translated"]

_OURS = re.compile(r"babelreg\.errors\.(Input|Usage)Error: (.+?)(?:\n  fix: (.+?))?\n")
_OTHER_PYTHON = re.compile(r"Python in worker has different version: ([\d.]+) than that in driver: ([\d.]+)")
_LACKING = re.compile(r"No module named '(\w+)|(\w+) >= [\w.]+ must be installed; however, it was not found")
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
            raise (InputError if ours[1] == "Input" else UsageError)(ours[2], fix=ours[3]) from err
        if (lacking := _worker_lacks(told)) is not None:
            raise lacking from err
        if _NO_SPACE in told:
            raise UsageError(f"the disk of {output} is full; nothing was written to the tables", fix=_SPACE) from err
        if _DENIED.search(told):
            raise UsageError(f"cannot write below {output}", fix=_WRITABLE) from err
        raise


def _worker_lacks(told: str) -> UsageError | None:
    """What is wrong with the Python of a worker, where Spark tells that."""
    if other := _OTHER_PYTHON.search(told):
        message = f"the workers run Python {other[1]} and this is {other[2]}; Spark wants them to be the same"
        return UsageError(message, fix="set spark.pyspark.python (or PYSPARK_PYTHON) to the same Python on both sides")
    if missing := _LACKING.search(told):
        name = (missing[1] or missing[2]).lower()
        packed = " --arrow" if name in ("pyarrow", "pandas", "numpy") else ""
        fix = f"`babelreg spark pack{packed}`, and give the workers what it writes: --archives babelreg.tar.gz#babelreg"
        return UsageError(f"a worker's Python has no {name}", fix=fix)
    return None


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
