"""Input discovery: which bytes below the input folder no batch has read yet.

Files only grow or appear. An unchanged file is skipped; of one that grew, the added bytes are read, even if it was
moved meanwhile (see ``moved_files``). A file that no longer holds what was read of it is set aside and reported, since
neither skipping nor reading it would be right; all other files are read.
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
from babelreg.spark.ingest.unread_range import compression_at, unread_range
from babelreg.spark.lake.log.batch_record import Consumed, SetAside
from babelreg.spark.lake.log.replay import LakeState
from babelreg.spark.lake.log.source_log import name_key
from babelreg.spark.sources import phpmq_stream as packets
from babelreg.spark.sources.message_files import FileRange
from babelreg.spark.sources.message_source import BABELQUEUE, Origin
from babelreg.spark.sources.moved_files import FileMatcher, same_state
from babelreg.spark.sources.set_aside import REPLACED, TRUNCATED

__all__ = ["InputBacklog", "find", "list_files", "names", "origin", "state"]


@dataclass(frozen=True, slots=True)
class InputBacklog:
    """Input to be read. ``files`` counts all files, ``size`` the bytes to read.

    ``consumed`` also has moved files without new bytes; ``moved`` counts the moved ones. ``set_aside`` are all files
    that are set aside, ``newly`` those that were not before, ``resumed`` those that no longer are, by input and name.
    """

    files: int
    ranges: tuple[FileRange, ...]
    consumed: tuple[Consumed, ...]
    moved: int = 0
    set_aside: tuple[SetAside, ...] = ()
    newly: tuple[SetAside, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()

    @property
    def known_files(self) -> int:
        """Number of files that earlier runs read and that did not change."""
        return self.files - len({part.name for part in self.ranges} | {file.name for file in self.set_aside})

    @property
    def size(self) -> int:
        """Number of bytes to read."""
        return sum(part.end - part.start for part in self.ranges)

    @property
    def has_changes(self) -> bool:
        """True when there is something to record, even if there is nothing to read."""
        return bool(self.ranges or self.moved or self.newly or self.resumed)


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


@dataclass
class _Discovery:
    """Intermediate result by name: ranges, ends of reading, and the records of moved files."""

    ranges: dict[str, FileRange] = field(default_factory=dict)
    ends: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    set_aside: list[SetAside] = field(default_factory=list)
    moved: dict[str, Consumed] = field(default_factory=dict)
    packets: bool = False


def find(
    folder: Path,
    names: Sequence[str],
    so_far: LakeState,
    *,
    growing: bool = False,
    wire: str = BABELQUEUE,
    received_at: int | None = None,
) -> InputBacklog:
    """Return what the files ``names`` of ``folder`` hold beyond what was read ``so_far``.

    ``growing`` means that files may be written now: an incomplete last line, frame or packet is left for later. Foreign
    messages were received at ``received_at``, in Unix milliseconds, or when their file was last changed.

    Raises InputError for a file that cannot be read or is not text; UsageError where messages of another wire format
    were read from ``folder``.
    """
    root = str(folder.resolve())
    keys = {name: name_key(root, name) for name in names} if so_far.sources else {}
    records = so_far.sources.records(keys.values())
    known = {name: records[key] for name, key in keys.items() if key in records}
    _check_wire(folder, wire, so_far.wires.get(root, BABELQUEUE if known else wire))
    changed = [name for name in names if name not in known or not same_state(f"{folder}/{name}", known[name])]
    matcher = FileMatcher(folder, root, so_far.sources, known, wire, so_far.wires)
    discovery = _Discovery(packets=wire == packets.WIRE)
    matcher.prepare(changed)
    for name in changed:
        _examine(matcher, name, growing, discovery)
    consumed = _consumed(matcher, discovery, growing)
    read = {file.name for file in consumed}
    moved_away = (file for file in discovery.moved.values() if file.input != root or file.name not in read)
    removed = [replace(file, start=file.end, moved=True) for file in moved_away]
    before = so_far.set_aside.get(root, {})
    listed, set_aside = set(names), {file.name: file for file in discovery.set_aside}
    ranges = discovery.ranges
    if wire != BABELQUEUE:
        origins = {file.name: origin(file, wire, received_at) for file in consumed}
        ranges = {name: replace(part, origin=origins[name]) for name, part in ranges.items()}
    return InputBacklog(
        len(names),
        tuple(ranges.values()),
        (*consumed, *removed),
        len(discovery.moved),
        tuple(discovery.set_aside),
        tuple(file for file in discovery.set_aside if before.get(file.name) != file),
        tuple(
            (root, name) for name in before if name not in set_aside and (name in listed or not _exists(folder, name))
        ),
    )


def origin(file: Consumed, wire: str, received_at: int | None) -> Origin:
    """Return the circumstances of the foreign messages of ``file``, the same for each run that asks."""
    if received_at is not None:
        return Origin(wire, file.fingerprint, received_at, "argument")
    return Origin(wire, file.fingerprint, file.mtime_ns // 1_000_000, "mtime")


def _check_wire(folder: Path, wire: str, former_name: str) -> None:
    if wire != former_name:
        raise UsageError(
            f"messages of the wire format {former_name} were ingested from {folder} so far, not of {wire}",
            fix=f"add --wire {former_name}, or put messages of {wire} into a folder of their own",
        )


def _consumed(matcher: FileMatcher, discovery: _Discovery, growing: bool) -> list[Consumed]:
    """Return the records of the files in ``discovery``, with their digests, without files that were just removed."""
    matcher.read_digests((name, end) for name, (end, _, _) in discovery.ends.items())
    consumed = []
    for name, (end, mtime_ns, terminated) in discovery.ends.items():
        try:
            digest, head = matcher.digest(name, end)
        except OSError as err:
            if growing and isinstance(err, FileNotFoundError):
                discovery.ranges.pop(name, None)
                discovery.moved.pop(name, None)
                continue
            raise _unreadable(matcher.folder / name, err) from err
        start = discovery.ranges[name].start if name in discovery.ranges else end
        consumed.append(Consumed(matcher.root, name, start, end, mtime_ns, terminated, digest, head))
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


def _examine(matcher: FileMatcher, name: str, growing: bool, discovery: _Discovery) -> None:
    """Add the file ``name`` to ``discovery``: what to read, or why it is set aside. Raises InputError."""
    path = matcher.folder / name
    try:
        name.encode()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is not a regular file", fix="move it out of the input folder")
        size, unchanged = status.st_size, matcher.own(name)
        moved = None if unchanged or not size else matcher.moved_from(name)
        before = unchanged or moved
        if before is None and (record := matcher.known.get(name)):
            why = TRUNCATED if size < record.end else REPLACED
            discovery.set_aside.append(SetAside(matcher.root, name, why, record.end))
            return
        part, terminated, why = unread_range(path, name, before, size, growing=growing, stream=discovery.packets)
        end = part.end if part else before.end if before else 0
        if why:
            discovery.set_aside.append(SetAside(matcher.root, name, why, end))
            if part is None:
                return
    except OSError as err:
        if growing and isinstance(err, FileNotFoundError):
            return  # the writer may rename or remove files meanwhile
        raise _unreadable(path, err) from err
    except UnicodeEncodeError as err:
        raise InputError(f"the name of {path!r} is not UTF-8", fix="rename the file") from err
    if part:
        discovery.ranges[name] = part
    if moved:
        discovery.moved[name] = moved
    if part or before:  # also a file that was only touched, so that the next run need not examine it
        discovery.ends[name] = end, status.st_mtime_ns, terminated


def _unreadable(path: Path, err: OSError) -> InputError:
    return InputError(f"cannot read {path}: {err.strerror}", fix="make it readable, or move it out of the input folder")
