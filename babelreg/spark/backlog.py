"""Which bytes below the input folder no batch has read yet.

Files only ever grow or appear. One that was ingested and did not change is skipped; of one that grew, what was added
is read; one whose ingested part is no longer there is an error, since neither skipping nor reading it would be right.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from babelreg.errors import InputError, UsageError
from babelreg.spark.history import History, Met
from babelreg.spark.manifest import Consumed
from babelreg.spark.sources.files import Range
from babelreg.spark.sources.frames import cut_off, is_framed, whole_end
from babelreg.spark.sources.packing import packing_of

__all__ = ["Backlog", "find", "fingerprint", "listed", "names", "state"]

_SAMPLE = 64 * 1024
_NOT_TEXT = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
}


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is to be read. ``files`` counts all files found, ``size`` the bytes to read."""

    files: int
    ranges: tuple[Range, ...]
    consumed: tuple[Consumed, ...]

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(one.end - one.start for one in self.ranges)


class State(NamedTuple):
    """What tells whether a file has changed."""

    size: int
    mtime_ns: int
    packing: str


_UNKNOWN: Mapping[str, State] = MappingProxyType({})


def names(folder: Path) -> tuple[str, ...]:
    """The files in ``folder`` and its subfolders, as paths below it, in the order in which they count.

    Names that begin with a dot or an underscore are left alone, as everywhere in the field. Raises UsageError when
    there is no such folder or no file, InputError when one cannot be listed.
    """
    found = listed(folder)
    if not found:
        raise UsageError(
            f"the input folder {folder} holds no files", fix="put files of JSON lines there, one message a line"
        )
    return found


def listed(folder: Path) -> tuple[str, ...]:
    """The same, which may be none. Raises UsageError for no folder, InputError for one that cannot be listed."""
    if not folder.is_dir():
        missing = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"the input {folder} {missing}", fix="name the folder that holds the files of messages")
    return tuple(sorted(_names(folder)))


def state(folder: Path, before: Mapping[str, State] = _UNKNOWN) -> dict[str, State]:
    """The size, the time of the last change and the packing of every file; without those that just went away.

    ``before`` is what was found last: files that did not change since are not opened.
    """
    found = {}
    for name in listed(folder):
        with suppress(FileNotFoundError):
            found[name] = _state(folder, name, before.get(name))
    return found


def _state(folder: Path, name: str, before: State | None) -> State:
    status = os.stat(f"{folder}/{name}")  # noqa: PTH116 -- there may be a million, and a Path takes longer
    if before is not None and before[:2] == (status.st_size, status.st_mtime_ns):
        return before
    path, head = folder / name, b""
    if stat.S_ISREG(status.st_mode):  # to open a pipe would wait for its writer
        with suppress(PermissionError):  # which is told when the file is to be read
            head = _bytes(path, 0, 4)
    return State(status.st_size, status.st_mtime_ns, packing_of(head))


def find(folder: Path, names: Sequence[str], so_far: History, *, growing: bool = False) -> Backlog:
    """What stands in the files ``names`` of ``folder``, less what was read ``so_far``.

    ``growing`` says that somebody may be writing now: a last line without a line feed, and a frame that is not whole,
    are left until they are.

    Raises InputError for a file that cannot be read, is no text, or has changed.
    """
    root, found = str(folder.resolve()), len(names)
    names = [name for name in names if not _same(folder, name, so_far.met(root, name))]
    new = [one for name in names if (one := _unread(folder, root, name, so_far.met(root, name), growing))]
    return Backlog(found, tuple(part for part, _ in new), tuple(consumed for _, consumed in new))


def _same(folder: Path, name: str, before: Met | None) -> bool:
    """Whether a file was read and is as it was then: what most are, so that nothing else is asked of them."""
    if before is None:
        return False
    try:
        status = os.stat(f"{folder}/{name}")  # noqa: PTH116 -- there may be a million, and a Path takes longer
    except (OSError, ValueError):
        return False
    return (before.end, before.mtime_ns) == (status.st_size, status.st_mtime_ns)


def fingerprint(path: Path, end: int) -> str:
    """A digest of the first and the last 64 KiB before ``end``: enough to tell a file that grew from another one."""
    with path.open("rb") as file:
        head = file.read(min(end, _SAMPLE))
        file.seek(max(0, end - _SAMPLE))
        tail = file.read(min(end, _SAMPLE))
    return hashlib.blake2b(b"%d:" % end + head + tail, digest_size=16).hexdigest()


def _names(folder: Path) -> Iterator[str]:
    def stop(err: OSError) -> None:
        raise InputError(f"cannot list {err.filename}: {err.strerror}") from err

    for base, folders, files in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        below = Path(base).relative_to(folder).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in files if not name.startswith((".", "_")))


def _unread(folder: Path, root: str, name: str, before: Met | None, growing: bool) -> tuple[Range, Consumed] | None:
    path = folder / name
    try:
        name.encode()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is no regular file", fix="move it out of the input folder")
        size = status.st_size
        if before and (size < before.end or fingerprint(path, before.end) != before.fingerprint):
            raise _changed(path, before)
        if size == (before.end if before else 0):
            return None
        packing = _packing_or_stop(path)
        if packing and before:
            raise _changed(path, before)
        start = _resume(path, name, before) if before else 0
        end = size if packing else _end(path, name, start, size, growing)
        if end == start:
            return None
        terminated = bool(packing) or is_framed(name) or _bytes(path, end - 1, 1) == b"\n"
        consumed = Consumed(root, name, start, end, status.st_mtime_ns, terminated, fingerprint(path, end))
    except OSError as err:
        if growing and isinstance(err, FileNotFoundError):
            return None  # who writes there renames and removes as well
        raise InputError(f"cannot read {path}: {err.strerror}", fix="make it readable, or move it away") from err
    except UnicodeEncodeError as err:
        raise InputError(f"the name of {path!r} is not UTF-8", fix="rename the file") from err
    return Range(name, start, end, end, packing), consumed


def _end(path: Path, name: str, start: int, size: int, growing: bool) -> int:
    """Where what can be read now ends."""
    if is_framed(name):
        end = whole_end(path, start, size)
        if end < size and not growing:
            raise cut_off(path, end)
        return end
    return _last_line(path, start, size) if growing else size


def _last_line(path: Path, start: int, size: int) -> int:
    """The end of the last line in ``[start, size)`` that has a line feed; ``start`` where none has."""
    at = size
    while at > start:
        block = min(_SAMPLE, at - start)
        if (found := _bytes(path, at - block, block).rfind(b"\n")) >= 0:
            return at - block + found + 1
        at -= block
    return start


def _resume(path: Path, name: str, before: Met) -> int:
    if is_framed(name) or before.terminated or before.end == 0 or _bytes(path, before.end, 1) == b"\n":
        return before.end
    raise InputError(
        f"{path} ended within a line (at byte {before.end}) when it was ingested, and that line went on since",
        fix="move the new lines to a new file; write files elsewhere, and rename them into the input when complete",
    )


def _changed(path: Path, before: Met) -> InputError:
    return InputError(
        f"{path} was ingested with {before.end} bytes and has been overwritten since",
        fix="give the new content a new name: files that were ingested may only grow, and packed ones not even that",
    )


def _packing_or_stop(path: Path) -> str:
    head = _bytes(path, 0, 6)
    if kind := next((kind for magic, kind in _NOT_TEXT.items() if head.startswith(magic)), None):
        raise InputError(
            f"{path} is a {kind} file, not JSON lines", fix="unpack it, or move it out of the input folder"
        )
    return packing_of(head)


def _bytes(path: Path, offset: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)
