"""Errors of the file system below a lake folder, with a fix."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.lake.engine.engine import NOTHING_LOST, EngineFailure

SPACE = "free some space, then run the same command again: it reads the same messages"
WRITABLE = "use a folder that you can write to"
TOO_MANY_FILES = "too many files are open at once"
MORE_FILES = "raise the limit with `ulimit -n 65536`, then run the same command again"

_FILE_SYSTEM_ERRORS = frozenset(
    getattr(errno, name)
    for name in (
        *("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO", "ENAMETOOLONG", "ENOENT", "ENOTDIR"),
        *("EISDIR", "EEXIST", "ENOTEMPTY", "EXDEV", "ESTALE", "ELOOP", "EBUSY", "ENODEV", "ENXIO", "EMLINK"),
        *("EINVAL", "EOPNOTSUPP", "ETXTBSY"),
    )
    if hasattr(errno, name)
)
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


@contextmanager
def disk_errors(output: Path) -> Iterator[None]:
    """Turn errors of the file system into a UsageError."""
    try:
        yield
    except OSError as err:
        if err.errno in _TOO_MANY_FILES:
            raise EngineFailure(TOO_MANY_FILES, meaning=NOTHING_LOST, fix=MORE_FILES) from err
        if err.errno not in _FILE_SYSTEM_ERRORS:
            raise
        fix = SPACE if err.errno in (errno.ENOSPC, errno.EDQUOT) else WRITABLE
        elsewhere = err.filename is not None and output.resolve() not in Path(str(err.filename)).resolve().parents
        where = f" ({err.filename})" if elsewhere else ""
        raise UsageError(f"cannot write to {output}: {err.strerror or err}{where}", fix=fix) from err
