"""The files below an input folder, or one file of it, and the facts by which a change of one is detected."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
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
_HIDDEN = (".", "_")
_BEING_COPIED = "._COPYING_"


def folder_of(path: Path) -> Path:
    """Return the folder in which an input is looked for: that of a single file."""
    return path.parent if path.is_file() else path


def names(path: Path) -> tuple[str, ...]:
    """Return the files in the folder ``path`` and its subfolders, as relative paths in sorted order.

    Names that :func:`is_ignored` says are left out. Links to folders are followed. Of a single file, return its name.
    Raises UsageError if there is no input or no file, InputError if one cannot be listed.
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


def is_ignored(name: str) -> bool:
    """Return whether a file is ignored by its relative path, as usual for data folders.

    Names are, that begin with a dot or an underscore, and those that Hadoop gives files while it copies them.
    """
    return name.startswith(_HIDDEN) or "/." in name or "/_" in name or name.endswith(_BEING_COPIED)


def check_regular(path: str) -> None:
    """Raise InputError for a path that is no readable file with a name in UTF-8; a pipe is not opened."""
    try:
        path.encode()
        status = os.stat(path)  # noqa: PTH116 -- see above
    except OSError as err:
        raise unreadable(path, err) from err
    except UnicodeEncodeError as err:
        raise name_not_utf8(path) from err
    if not stat.S_ISREG(status.st_mode):
        raise not_regular(path)
    if not os.access(path, os.R_OK):
        raise unreadable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def unreadable(path: str, err: OSError) -> InputError:
    """Return the error for a file that cannot be opened."""
    return InputError(f"cannot read {path}: {err.strerror}", fix="make it readable, or move it out of the input folder")


def not_regular(path: str) -> InputError:
    """Return the error for a pipe, socket or device."""
    return InputError(f"{path} is not a regular file", fix="move it out of the input folder")


def name_not_utf8(path: str) -> InputError:
    """Return the error for a file whose name is not text."""
    return InputError(f"the name of {Path(path)!r} is not UTF-8", fix="rename the file")


def _names(folder: Path) -> Iterator[str]:
    def stop(err: OSError) -> None:
        raise InputError(f"cannot list {err.filename}: {err.strerror}") from err

    linked = _LinkedFolders(str(folder))
    for base, folders, files in os.walk(folder, onerror=stop, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(_HIDDEN)]
        linked.enter(base, folders)
        below = Path(base).relative_to(folder).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in files if not name.startswith(_HIDDEN) and not name.endswith(_BEING_COPIED))


class _LinkedFolders:
    """The folders above those that are walked through links, so that a link to one of them does not run in circles."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._above: dict[str, frozenset[str]] = {}

    def enter(self, base: str, folders: Iterable[str]) -> None:
        """Look at the subfolders of ``base`` before they are walked. Raises InputError for a link to one above."""
        above = self._above.pop(base, None)
        for name in folders:
            path = f"{base}/{name}"
            if above is None and not os.path.islink(path):  # noqa: PTH114 -- as many calls as folders
                continue
            real = os.path.realpath(path)
            passed = above or _real_parents(self._folder, base)
            if real in passed:
                raise InputError(
                    f"{path} leads to a folder that contains it", fix="remove the link that closes the circle"
                )
            self._above[path] = passed | {real}


def _real_parents(folder: str, base: str) -> frozenset[str]:
    """Return the real paths of ``base`` and of the folders between it and ``folder``, which no link is among."""
    real, first = os.path.realpath(base), os.path.realpath(folder)
    parents = [real]
    while parents[-1] != first:
        parents.append(os.path.dirname(parents[-1]))  # noqa: PTH120
    return frozenset(parents)
