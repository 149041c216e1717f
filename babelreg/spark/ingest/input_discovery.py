"""Which bytes below the input folder no batch has read yet.

Files only ever grow or appear. One that was ingested and did not change is skipped; of one that grew, what was added
is read; so it is when it was moved meanwhile (see ``moved``). One that no longer holds what was read of it is set aside
and named, since neither skipping nor reading it would be right, and all others are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from babelreg.errors import InputError, UsageError
from babelreg.spark.lake.log.batch_record import Consumed, SetAside
from babelreg.spark.lake.log.replay import History
from babelreg.spark.lake.log.source_log import name_key
from babelreg.spark.sources.compression import compression_of
from babelreg.spark.sources.frames import borders, cut_off, is_framed
from babelreg.spark.sources.message_files import FileRange
from babelreg.spark.sources.moved_files import FileMatcher, same_state
from babelreg.spark.sources.set_aside import (
    GREW_PACKED,
    LINE_WENT_ON,
    REPLACED,
    TRUNCATED,
)

__all__ = ["InputBacklog", "find", "listed", "names", "state"]

_SAMPLE = 64 * 1024
_BINARY_FORMATS = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
}


@dataclass(frozen=True, slots=True)
class InputBacklog:
    """What is to be read. ``files`` counts all files found, ``size`` the bytes to read.

    ``consumed`` also has files that moved and of which nothing is to be read; ``moved`` counts those that moved.
    ``set_aside`` are all files that are, ``newly`` those of them that were not before, ``resumed`` those that no longer
    are, by input and name.
    """

    files: int
    ranges: tuple[FileRange, ...]
    consumed: tuple[Consumed, ...]
    moved: int = 0
    set_aside: tuple[SetAside, ...] = ()
    newly: tuple[SetAside, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(one.end - one.start for one in self.ranges)

    @property
    def news(self) -> bool:
        """True when there is something to record, though it may be nothing to read."""
        return bool(self.ranges or self.moved or self.newly or self.resumed)


class State(NamedTuple):
    """What tells whether a file has changed."""

    size: int
    mtime_ns: int
    compression: str


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
    """The size, the time of the last change and the compression of every file; without those that just went away.

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
    return State(status.st_size, status.st_mtime_ns, compression_of(head))


@dataclass
class _Discovery:
    """What was found so far, by name: ranges, where reading ends, and from where files moved."""

    ranges: dict[str, FileRange] = field(default_factory=dict)
    ends: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    set_aside: list[SetAside] = field(default_factory=list)
    moved: dict[str, Consumed] = field(default_factory=dict)


def find(folder: Path, names: Sequence[str], so_far: History, *, growing: bool = False) -> InputBacklog:
    """Return what stands in the files ``names`` of ``folder``, less what was read ``so_far``.

    ``growing`` says that somebody may be writing now: a last line without a line feed, and a frame that is not whole,
    are left until they are.

    Raises InputError for a file that cannot be read, or is no text.
    """
    root = str(folder.resolve())
    keys = {name: name_key(root, name) for name in names} if so_far.sources else {}
    records = so_far.sources.records(keys.values())
    known = {name: records[key] for name, key in keys.items() if key in records}
    changed = [name for name in names if name not in known or not same_state(f"{folder}/{name}", known[name])]
    matcher, found = FileMatcher(folder, root, so_far.sources, known), _Discovery()
    matcher.prepare(changed)
    for name in changed:
        _look(matcher, name, growing, found)
    consumed = _consumed(matcher, found, growing)
    read = {file.name for file in consumed}
    left = (file for file in found.moved.values() if file.input != root or file.name not in read)
    gone = [replace(file, start=file.end, moved=True) for file in left]
    before = so_far.set_aside.get(root, {})
    looked, aside = set(names), {file.name: file for file in found.set_aside}
    return InputBacklog(
        len(names),
        tuple(found.ranges.values()),
        (*consumed, *gone),
        len(found.moved),
        tuple(found.set_aside),
        tuple(file for file in found.set_aside if before.get(file.name) != file),
        tuple((root, name) for name in before if name not in aside and (name in looked or not _exists(folder, name))),
    )


def _consumed(matcher: FileMatcher, found: _Discovery, growing: bool) -> list[Consumed]:
    """Return the records of the files in ``found``, with their digests. One that is gone by now is not read."""
    matcher.read_at_once((name, end) for name, (end, _, _) in found.ends.items())
    consumed = []
    for name, (end, mtime_ns, terminated) in found.ends.items():
        try:
            whole, head = matcher.digest(name, end)
        except OSError as err:
            if growing and isinstance(err, FileNotFoundError):
                found.ranges.pop(name, None)
                found.moved.pop(name, None)
                continue
            raise _unreadable(matcher.folder / name, err) from err
        start = found.ranges[name].start if name in found.ranges else end
        consumed.append(Consumed(matcher.root, name, start, end, mtime_ns, terminated, whole, head))
    return consumed


def _exists(folder: Path, name: str) -> bool:
    return os.path.lexists(f"{folder}/{name}")


def _names(folder: Path) -> Iterator[str]:
    def stop(err: OSError) -> None:
        raise InputError(f"cannot list {err.filename}: {err.strerror}") from err

    for base, folders, files in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        below = Path(base).relative_to(folder).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in files if not name.startswith((".", "_")))


def _look(matcher: FileMatcher, name: str, growing: bool, found: _Discovery) -> None:
    """Add to ``found`` what there is to do with the file ``name``. Raises InputError."""
    path = matcher.folder / name
    try:
        name.encode()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is no regular file", fix="move it out of the input folder")
        size, own = status.st_size, matcher.own(name)
        moved = None if own or not size else matcher.moved_from(name)
        before = own or moved
        if before is None and (record := matcher.known.get(name)):
            why = TRUNCATED if size < record.end else REPLACED
            found.set_aside.append(SetAside(matcher.root, name, why, record.end))
            return
        if why := _stuck(path, name, size, before):
            found.set_aside.append(SetAside(matcher.root, name, why, before.end if before else 0))
            return
        part, terminated = _part(path, name, before, size, growing)
    except OSError as err:
        if growing and isinstance(err, FileNotFoundError):
            return  # who writes there renames and removes as well
        raise _unreadable(path, err) from err
    except UnicodeEncodeError as err:
        raise InputError(f"the name of {path!r} is not UTF-8", fix="rename the file") from err
    if part:
        found.ranges[name] = part
    if moved:
        found.moved[name] = moved
    if part or before:  # also one that was only touched: when a batch is written, it says so
        end = part.end if part else before.end if before else 0
        found.ends[name] = end, status.st_mtime_ns, terminated


def _unreadable(path: Path, err: OSError) -> InputError:
    return InputError(f"cannot read {path}: {err.strerror}", fix="make it readable, or move it away")


def _stuck(path: Path, name: str, size: int, before: Consumed | None) -> str:
    """Return why a file that grew cannot be read on from where it was; the empty text where it can."""
    if before is None or size == before.end:
        return ""
    if compression_of(_bytes(path, 0, 6)):
        return GREW_PACKED
    ended = is_framed(name) or before.terminated or before.end == 0 or _bytes(path, before.end, 1) == b"\n"
    return "" if ended else LINE_WENT_ON


def _part(path: Path, name: str, before: Consumed | None, size: int, growing: bool) -> tuple[FileRange | None, bool]:
    """Return what is to be read of a file, and whether its last byte ends a message. Raises InputError, OSError."""
    start = before.end if before else 0
    if size == start:
        return None, bool(before and before.terminated)
    if compression := _packing_or_stop(path):
        return FileRange(name, 0, size, size, compression), True
    cuts: tuple[int, ...] = ()
    if is_framed(name):
        end, cuts = borders(path, start, size)
        if end < size and not growing:
            raise cut_off(path, end)
    else:
        end = _last_line(path, start, size) if growing else size
    if end == start:
        return None, bool(before and before.terminated)
    terminated = is_framed(name) or _bytes(path, end - 1, 1) == b"\n"
    return FileRange(name, start, end, end, borders=cuts), terminated


def _last_line(path: Path, start: int, size: int) -> int:
    """The end of the last line in ``[start, size)`` that has a line feed; ``start`` where none has."""
    at = size
    while at > start:
        block = min(_SAMPLE, at - start)
        if (found := _bytes(path, at - block, block).rfind(b"\n")) >= 0:
            return at - block + found + 1
        at -= block
    return start


def _packing_or_stop(path: Path) -> str:
    head = _bytes(path, 0, 6)
    if kind := next((kind for magic, kind in _BINARY_FORMATS.items() if head.startswith(magic)), None):
        raise InputError(
            f"{path} is a {kind} file, not JSON lines", fix="unpack it, or move it out of the input folder"
        )
    return compression_of(head)


def _bytes(path: Path, offset: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)
