"""What Spark reports when a task fails, as an error that says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelreg.errors import InputError, UsageError

__all__ = ["translated"]

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
        yield
    except (PySparkException, Py4JError) as err:
        told = str(err)
        if ours := _OURS.search(told):
            raise InputError(ours[1], fix=ours[2]) from err
        if _NO_SPACE in told:
            raise UsageError(f"the disk of {output} is full; nothing was written to the tables", fix=_SPACE) from err
        if _DENIED.search(told):
            raise UsageError(f"cannot write below {output}", fix="name a folder you may write to") from err
        raise
    except OSError as err:
        raise UsageError(f"cannot write to {output}: {err.strerror}", fix=_SPACE) from err


_SPACE = "make room, then run the same command again: it begins where this run did"
