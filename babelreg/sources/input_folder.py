"""The files below an input folder, or one file of it, and the facts by which a change of one is detected."""

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


def folder_of(path: Path) -> Path:
    """Return the folder in which an input is looked for: that of a single file."""
    return path.parent if path.is_file() else path


def names(path: Path) -> tuple[str, ...]:
    """Return the files in the folder ``path`` and its subfolders, as relative paths in sorted order.

    Names that begin with a dot or an underscore are ignored, as usual for data folders. Of a single file, return its
    name. Raises UsageError if there is no input or no file, InputError if one cannot be listed.
    """
    result = list_files(path)
    if not result:
        raise UsageError(
            f"the input folder {path} contains no files", fix="put files of JSON lines there, one message per line"
        )
    return result


def list_files(path: Path) -> tuple[str, ...]:
    """Return the same, possibly empty. Raises UsageError if there is no input, InputError if it cannot be listed."""
    if path.is_file():
        return (path.name,)
    if not path.is_dir():
        missing = "is neither a folder nor a file" if path.exists() else "does not exist"
        fix = "name a folder of files of messages, a file of them, or - for standard input"
        raise UsageError(f"the input {path} {missing}", fix=fix)
    return tuple(sorted(_names(path)))


def state(path: Path, before: Mapping[str, FileState] = _UNKNOWN) -> dict[str, FileState]:
    """Return size, modification time and compression of every file, without those that were just removed.

    ``before`` is the previous result: files that did not change since are not opened.
    """
    states = {}
    folder = folder_of(path)
    for name in list_files(path):
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
