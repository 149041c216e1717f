"""The files below an input folder, and the facts by which a change of one is detected."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from babelreg.errors import InputError, UsageError
from babelreg.sources.compression import compression_at


class FileState(NamedTuple):
    """Facts by which a change of a file is detected."""

    size: int
    mtime_ns: int
    compression: str


_UNKNOWN: Mapping[str, FileState] = MappingProxyType({})


def names(folder: Path) -> tuple[str, ...]:
    """Return the files in ``folder`` and its subfolders, as relative paths in sorted order.

    Names that begin with a dot or an underscore are ignored, as usual for data folders. Raises UsageError if there is
    no folder or no file, InputError if one cannot be listed.
    """
    result = list_files(folder)
    if not result:
        raise UsageError(
            f"the input folder {folder} holds no files", fix="put files of JSON lines there, one message a line"
        )
    return result


def list_files(folder: Path) -> tuple[str, ...]:
    """Return the same, possibly empty. Raises UsageError if there is no folder, InputError if it cannot be listed."""
    if not folder.is_dir():
        missing = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"the input {folder} {missing}", fix="name the folder that holds the files of messages")
    return tuple(sorted(_names(folder)))


def state(folder: Path, before: Mapping[str, FileState] = _UNKNOWN) -> dict[str, FileState]:
    """Return size, modification time and compression of every file, without those that were just removed.

    ``before`` is the previous result: files that did not change since are not opened.
    """
    states = {}
    for name in list_files(folder):
        with suppress(FileNotFoundError):
            states[name] = _state(folder, name, before.get(name))
    return states


def _state(folder: Path, name: str, before: FileState | None) -> FileState:
    status = os.stat(f"{folder}/{name}")  # noqa: PTH116 -- there may be a million, and a Path takes longer
    if before is not None and before[:2] == (status.st_size, status.st_mtime_ns):
        return before
    compression = ""
    if stat.S_ISREG(status.st_mode):  # opening a pipe would block
        with suppress(PermissionError):  # reported when the file is read
            compression = compression_at(folder / name)
    return FileState(status.st_size, status.st_mtime_ns, compression)


def _names(folder: Path) -> Iterator[str]:
    def stop(err: OSError) -> None:
        raise InputError(f"cannot list {err.filename}: {err.strerror}") from err

    for base, folders, files in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        below = Path(base).relative_to(folder).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in files if not name.startswith((".", "_")))
