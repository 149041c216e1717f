"""Input discovery: which bytes below the input folder no batch has read yet.

Files only grow, appear, or move. An unchanged file is skipped; of one that grew, the added bytes are read, even if it
was moved or compressed meanwhile; a copy of what was read is reported and not read again (see ``moved_files``). A file
that no longer holds what was read of it is set aside and reported, since neither skipping nor reading it would be
right; all other files are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from babelreg.errors import InputError, UsageError
from babelreg.lake.input.copied_files import CopyFinder
from babelreg.lake.input.listing import compare, same_state
from babelreg.lake.input.message_files import FileRange
from babelreg.lake.input.moved_files import FileMatcher, KnownPart
from babelreg.lake.input.rotation import Rotation, rotated_logs
from babelreg.lake.input.set_aside import REPLACED, TRUNCATED
from babelreg.lake.input.small_files import SmallFileReader, SmallFiles
from babelreg.lake.input.unread_range import UnreadRange, unread_content, unread_range
from babelreg.lake.message_source import Origin
from babelreg.lake.paused_collection import collection_paused
from babelreg.lake.storage.log.batch_record import STREAMS, Consumed, SetAside
from babelreg.lake.storage.log.replay import LakeState
from babelreg.sources import input_folder
from babelreg.sources.compression import uncompressed_name
from babelreg.sources.digests import FileDigests, FileStart, head_length
from babelreg.wire.format import NATIVE, Clock, Format
from babelreg.wire.formats import find as format_of

Named = TypeVar("Named", Consumed, FileRange)


@dataclass(frozen=True, slots=True)
class InputBacklog:
    """Input to be read. ``files`` counts all files, ``size`` the bytes to read.

    ``unfilled`` counts the files of which nothing was ever read: empty ones, or such that are not complete yet.
    ``consumed`` also has moved files without new bytes; ``moved`` counts the moved ones. ``copies`` are new files that
    hold only what was read. ``set_aside`` are all files that are set aside, ``newly`` those that were not before,
    ``resumed`` those that no longer are, by input and name.
    """

    files: int
    ranges: tuple[FileRange, ...]
    consumed: tuple[Consumed, ...]
    moved: int = 0
    copies: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    newly: tuple[SetAside, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()
    unfilled: int = 0

    @property
    def known_files(self) -> int:
        """Number of files that earlier runs read and that did not change."""
        others = {part.name for part in self.ranges} | {file.name for file in self.set_aside}
        return self.files - len(others) - self.unfilled

    @property
    def size(self) -> int:
        """Number of bytes to read."""
        return sum(part.end - part.start for part in self.ranges)

    @property
    def has_changes(self) -> bool:
        """True when there is something to record, even if there is nothing to read."""
        return bool(self.ranges or self.moved or self.copies or self.newly or self.resumed)


@dataclass
class _Discovery:
    """Intermediate result by name: ranges, ends of reading, records of moved files, and new files.

    ``small`` are records of new files that one read settled. ``logs`` has the names of each log that is rotated,
    ``unsettled`` those one of whose files is being written.
    """

    small: Mapping[str, Consumed]
    logs: Mapping[str, set[str]]
    unsettled: set[str]
    stream: Format | None
    ranges: dict[str, FileRange] = field(default_factory=dict)
    ends: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    set_aside: list[SetAside] = field(default_factory=list)
    moved: dict[str, Consumed] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    copies: set[str] = field(default_factory=set)


@collection_paused()
def find(
    folder: Path,
    names: Sequence[str],
    so_far: LakeState,
    *,
    growing: bool = False,
    unsettled: Sequence[str] = (),
    wire: str = NATIVE,
    received_at: int | None = None,
    root: str | None = None,
) -> InputBacklog:
    """Return what the files ``names`` of ``folder`` hold beyond what was read ``so_far``.

    ``growing`` means that files may be written now: an incomplete last line, frame or packet is left for later.
    ``unsettled`` are other files of ``folder``, which are being written. Foreign messages were received at
    ``received_at``, in Unix milliseconds, or when their file was last changed. The log has the files under ``root``, by
    default the path of ``folder``.

    Raises InputError for a file that cannot be read or is not text; UsageError where messages of another wire format
    were read from ``folder``.
    """
    root = str(folder.resolve()) if root is None else root
    listing = compare(folder, root, names, so_far.sources)
    _check_wire(folder, wire, so_far.wires.get(root, NATIVE if listing.has_known else wire))
    stream = format_of(wire) if format_of(wire).spans else None
    small = SmallFiles({}, listing.changed)
    if stream is None:
        small = SmallFileReader(folder, root, so_far.sources, growing).read(listing.changed, listing.known)
    unsettled_bases = {Rotation.of(name).base for name in unsettled}
    discovery = _Discovery(small.records, rotated_logs(names, listing.changed), unsettled_bases, stream)
    matcher = FileMatcher(folder, root, so_far.sources, listing.known, wire, so_far.wires)
    matcher.prepare(small.others)
    for name, match in [(name, _match(matcher, name, growing, discovery)) for name in small.others]:
        if match:
            _examine(matcher, name, match, growing, discovery)
    with_content = {*listing.known, *discovery.ends, *(file.name for file in discovery.set_aside)}
    empty = len(listing.changed) - len(small.records) - len(small.others)
    unfilled = empty + sum(name not in with_content for name in small.others)
    _drop_copies(matcher, discovery)
    consumed = _consumed(matcher, discovery, growing)
    read = {file.name for file in consumed}
    moved_away = (file for file in discovery.moved.values() if file.input != root or file.name not in read)
    removed = [file._replace(start=file.end, moved=True) for file in moved_away]
    records = small.without_ranges_of(discovery.copies)
    ranges = _by_name([*_whole(records), *discovery.ranges.values()])
    consumed = _by_name([*records, *consumed])
    if wire != NATIVE:
        origins = {file.name: origin(file, wire, received_at) for file in consumed}
        ranges = [part._replace(origin=origins[part.name]) for part in ranges]
    set_aside, before = {file.name: file for file in discovery.set_aside}, so_far.set_aside.get(root, {})
    listed = frozenset(names) if before else frozenset()
    return InputBacklog(
        len(names),
        tuple(ranges),
        (*consumed, *removed),
        len(discovery.moved),
        tuple(sorted(discovery.copies)),
        tuple(discovery.set_aside),
        tuple(file for file in discovery.set_aside if before.get(file.name) != file),
        tuple(
            (root, name) for name in before if name not in set_aside and (name in listed or not _exists(folder, name))
        ),
        unfilled,
    )


def _whole(small: Iterable[Consumed]) -> list[FileRange]:
    """Return the ranges of small files, which are read from their beginning, except copies."""
    return [FileRange(file.name, 0, file.end, file.end) for file in small if not file.start]


def _by_name(files: list[Named]) -> list[Named]:
    files.sort(key=attrgetter("name"))
    return files


def changed(folder: Path, backlog: InputBacklog) -> str | None:
    """Return a file that was to be read and no longer begins with the bytes that were found, if there is one.

    Files that were not written to meanwhile are not read for that.
    """
    ranges = {part.name for part in backlog.ranges}
    digests = FileDigests()
    for file in backlog.consumed:
        if file.name in ranges and not file.moved and not same_state(f"{folder}/{file.name}", file):
            try:
                if digests.stored(f"{folder}/{file.name}", [file.end]).get(file.end) != file.fingerprint:
                    return file.name
            except OSError:
                return file.name
    return None


def origin(file: Consumed, wire: str, received_at: int | None) -> Origin:
    """Return the circumstances of the foreign messages of ``file``, the same for each run that asks."""
    if received_at is not None:
        return Origin(wire, file.fingerprint, received_at, "argument")
    clock: Clock = "now" if file.input.startswith(STREAMS) else "mtime"
    return Origin(wire, file.fingerprint, file.mtime_ns // 1_000_000, clock)


def _check_wire(folder: Path, wire: str, former_name: str) -> None:
    if wire != former_name:
        raise UsageError(
            f"messages of the wire format {former_name} were ingested from {folder} so far, not messages of {wire}",
            fix=f"add --wire {former_name}, or put messages of {wire} into a separate folder",
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
            raise input_folder.unreadable(matcher.path(name), err) from err
        start = discovery.ranges[name].start if name in discovery.ranges else end
        record = Consumed(matcher.root, name, start, end, mtime_ns, terminated, digest, head)
        consumed.append(_with_content(matcher, record))
    return consumed


def _with_content(matcher: FileMatcher, record: Consumed) -> Consumed:
    """Return ``record`` with the digests of its content if the file is compressed."""
    path = matcher.path(record.name)
    if not record.end or not matcher.digests.compression(path):
        return record
    length = matcher.digests.length(path)
    head = head_length(length)
    content = matcher.digests.content(path, [length, head])
    return record._replace(content_end=length, content=content[length], content_head=content.get(head, ""))


def _exists(folder: Path, name: str) -> bool:
    return os.path.lexists(f"{folder}/{name}")


class _Match(NamedTuple):
    """A regular file, and what it has in common with files that were read: its own record, or that of a moved one."""

    start: FileStart
    own: Consumed | None
    moved: KnownPart | None


def _match(matcher: FileMatcher, name: str, growing: bool, discovery: _Discovery) -> _Match | None:
    """Match the file ``name`` with what was read; None for one that is not there or not complete yet."""
    path = matcher.path(name)
    try:
        name.encode()
        start = matcher.digests.start(path)
        if not start.is_regular:
            raise input_folder.not_regular(path)
        own = matcher.own(name)
        if start.compression and not own and _is_being_compressed(matcher, name, discovery):
            return None
        return _Match(start, own, matcher.moved_from(name) if start.size else None)
    except OSError as err:
        if growing and isinstance(err, FileNotFoundError):
            return None  # the writer may rename or remove files meanwhile
        raise input_folder.unreadable(path, err) from err
    except UnicodeEncodeError as err:
        raise input_folder.name_not_utf8(path) from err


def _is_being_compressed(matcher: FileMatcher, name: str, discovery: _Discovery) -> bool:
    """Return whether ``name`` is an incomplete compressed file while the file that it is made of is still there."""
    try:
        matcher.digests.length(matcher.path(name))
    except InputError:
        if uncompressed_name(name) in discovery.logs.get(Rotation.of(name).base, ()):
            return True
        raise
    return False


def _examine(matcher: FileMatcher, name: str, match: _Match, growing: bool, discovery: _Discovery) -> None:
    """Add the file ``name`` to ``discovery``: what to read, or why it is set aside. Raises InputError."""
    record, is_known = matcher.known.get(name), bool(match.own or match.moved)
    if record and not is_known and not matcher.is_displaced(name):
        base, takes_turns = Rotation.of(name)
        if base in discovery.unsettled:
            return  # its old bytes may be in the file that is being written
        if not (takes_turns and base in discovery.logs):
            why = TRUNCATED if match.start.size < record.end else REPLACED
            discovery.set_aside.append(SetAside(matcher.root, name, why, record.end))
            return
    try:
        end, (part, terminated, why) = _unread(matcher, name, match, growing, discovery.stream)
    except OSError as err:
        if growing and isinstance(err, FileNotFoundError):
            return
        raise input_folder.unreadable(matcher.path(name), err) from err
    if part:
        end = part.end
        discovery.ranges[name] = part
    if why:
        discovery.set_aside.append(SetAside(matcher.root, name, why, end))
        if part is None:
            return
    if match.moved:
        discovery.moved[name] = match.moved.record
    if not is_known:
        discovery.new.append(name)
    if part or is_known or record:  # also a file that was only touched, so that the next run need not examine it
        discovery.ends[name] = end, match.start.mtime_ns, terminated


def _unread(
    matcher: FileMatcher, name: str, match: _Match, growing: bool, stream: Format | None
) -> tuple[int, UnreadRange]:
    """Return the end of what was read of the file ``name``, and its unread range. Raises InputError, OSError."""
    path, before = matcher.path(name), match.own
    if match.moved:
        before = match.moved.record._replace(end=match.moved.end)
        if matcher.digests.compression(path):
            length = matcher.digests.length(path)
            return match.start.size, unread_content(path, name, before, match.start, length, stream=stream)
    part = unread_range(path, name, before, match.start, growing=growing, stream=stream)
    return before.end if before else 0, part


def _drop_copies(matcher: FileMatcher, discovery: _Discovery) -> None:
    """Leave out new files that hold only what was read of another file, or is read now of another file of their log."""
    ends = {name: _content_end(matcher, name, end) for name, (end, _, _) in discovery.ends.items()}
    new = {name: ends[name] for name in discovery.new if name in discovery.ranges}
    added = frozenset(discovery.new)
    read = {name: end for name, end in ends.items() if name not in added}
    copies = CopyFinder(matcher, new, discovery.small, discovery.logs, read).copies()
    discovery.ranges = {name: part for name, part in discovery.ranges.items() if name not in copies}
    discovery.copies = copies


def _content_end(matcher: FileMatcher, name: str, end: int) -> int:
    path = matcher.path(name)
    return matcher.digests.length(path) if matcher.digests.compression(path) else end
