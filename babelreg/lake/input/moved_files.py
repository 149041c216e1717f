"""Input files that were read before, recognised by their content under the same name or another.

The bytes that were read identify a file: a file that begins with them is the same file, possibly grown. Under another
name it is that file, moved, unless a file under the old name still holds them; then it is a copy if it holds nothing
else, and a different file if it does. A compressed file is recognised by its decompressed content as well. So a rename,
a log rotation, copytruncate, compression or another mount point reads nothing twice.

The name of bytes that live under another name is free: what it holds now is a new file. So is what a file holds that
takes its turn in a rotation (``app.log``, ``app.log.1``), because rotation also deletes bytes. Any other name whose
bytes changed and cannot be found is ambiguous (see ``set_aside``).

Some cases cannot be distinguished. A new file that begins with all that was ever read of a removed one is taken for
that one. A file that was changed without a change of its size and modification time is not examined.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from babelreg.errors import InputError
from babelreg.lake.input.in_portions import in_portions
from babelreg.lake.input.listing import same_state
from babelreg.lake.input.rotation import Rotation
from babelreg.lake.storage.log.batch_record import STREAMS, Consumed
from babelreg.lake.storage.log.recent_files import Content
from babelreg.lake.storage.log.source_log import SourceLog, name_key
from babelreg.sources.digests import FileDigests, head_length, head_lengths
from babelreg.sources.frames import is_framed
from babelreg.wire.format import NATIVE

T = TypeVar("T")


class KnownPart(NamedTuple):
    """The first ``end`` bytes of the content of a file, which were read under ``record``."""

    record: Consumed
    end: int


@dataclass
class FileMatcher:
    """Matches the files below ``folder``, known as ``root`` in the source log, with records of files that were read.

    ``known`` are records by name. Each record is matched once. Files of another wire format are other files: ``wires``
    are the formats of input folders.
    """

    folder: Path
    root: str
    log: SourceLog
    known: Mapping[str, Consumed]
    wire: str = NATIVE
    wires: Mapping[str, str] = field(default_factory=dict)
    digests: FileDigests = field(default_factory=FileDigests)
    _alike: dict[str, list[Consumed]] = field(default_factory=dict)
    _homes: dict[bytes, list[Consumed]] = field(default_factory=dict)
    _claimed: dict[bytes, str] = field(default_factory=dict)

    def prepare(self, names: Sequence[str]) -> None:
        """Compute the digests needed of the files ``names``, in parallel, and query the log once for all of them."""
        _in_parallel(self._is_unchanged, [name for name in names if name in self.known])
        unknown = [name for name in names if not self._is_settled(name)]
        _in_parallel(lambda name: self.digests.length(self.path(name)), unknown)
        if not self.log:
            return
        _in_parallel(self._heads, unknown)
        heads = {name: self._contents(name) for name in unknown}
        displaced = {name: _recorded_contents(self.known[name]) for name in unknown if name in self.known}
        pointers = self.log.alike(content for some in (*heads.values(), *displaced.values()) for content in some)
        candidates = [name for name in unknown if any(content in pointers for content in heads[name])]
        _in_parallel(self._whole, candidates)
        contents = {name: self._contents(name) for name in candidates}
        pointers.update(self.log.alike(content for some in contents.values() for content in some))
        wanted = {name: [key for one in some for key in pointers.get(one, ())] for name, some in contents.items()}
        others = {name: [key for one in some for key in pointers.get(one, ())] for name, some in displaced.items()}
        records = self.log.records(key for keys in (*wanted.values(), *others.values()) for key in keys)
        for name, keys in wanted.items():
            alike = [records[key] for key in dict.fromkeys(keys) if key in records]
            self._alike[name] = sorted(alike, key=lambda record: (-record.end, record.input, record.name))
        _in_parallel(self._parts, list(self._alike))
        for name, keys in others.items():
            found = [records[key] for key in dict.fromkeys(keys) if key in records]
            self._homes[name_key(self.root, name)] = [one for one in found if self._is_another(one, name)]

    def path(self, name: str) -> str:
        """Return the path of the file ``name``, as a text: there may be a million, and a Path takes longer."""
        return f"{self.folder}/{name}"

    def own(self, name: str) -> Consumed | None:
        """Return the record of the file ``name`` if it still holds what was read of it."""
        return self.known[name] if self._is_unchanged(name) else None

    def moved_from(self, name: str) -> KnownPart | None:
        """Return the known part of a file that is no longer at its old place and that ``name`` now holds, else None.

        Of a file that holds what was read of it under its own name, only a longer part counts: it was a copy that was
        not complete yet.
        """
        own = self.own(name)
        for record in self._alike.get(name, ()):
            key = name_key(record.input, record.name)
            if not self._is_another(record, name) or record.moved or key in self._claimed:
                continue
            end = self._common(name, record)
            if end is None or (own is not None and end <= (own.content_end or own.end)) or self._still_there(record):
                continue
            self._claimed[key] = name
            return KnownPart(record, end)
        return None

    def is_copy(self, name: str, end: int, read: Mapping[str, int]) -> bool:
        """Return whether the first ``end`` bytes of the content of ``name`` were read from another file.

        ``read`` is how far files of this folder are read by now.
        """
        for record in self._alike.get(name, ()):
            if not self._is_another(record, name) or record.moved:
                continue
            if self._common(name, record) == end:
                return True
            home = self._claimed.get(name_key(record.input, record.name), record.name)
            if home != name and record.input == self.root and home in read and self.begins(name, end, home, read[home]):
                return True
            longer = (record.content_end or record.end) > end
            if longer and self._still_there(record) and self._equal(name, end, f"{record.input}/{record.name}"):
                return True
        return False

    def heads(self, name: str, lengths: Sequence[int]) -> dict[int, str]:
        """Return the digests of the heads of ``lengths`` of the content of ``name``. Raises OSError."""
        digests = self.digests.content(self.path(name), lengths)
        return {length: digests[length] for length in lengths if length in digests}

    def begins(self, name: str, end: int, other: str, other_end: int) -> bool:
        """Return whether the first ``end`` bytes of the content of both files are equal, of ``other_end`` of one."""
        return end <= other_end and self._equal(name, end, self.path(other))

    def is_displaced(self, name: str) -> bool:
        """Return whether what was read under ``name`` now lives under another name, so that its content is new."""
        record, key = self.known[name], name_key(self.root, name)
        if record.moved or not record.end or key in self._claimed:
            return True
        return any(
            name_key(other.input, other.name) in self._claimed or self._still_there(other)
            for other in self._homes.get(key, ())
            if not other.moved
        )

    def digest(self, name: str, end: int) -> tuple[str, str]:
        """Return the digest of the first ``end`` bytes of ``name`` and that of their head. Raises OSError."""
        head = head_length(end)
        result = self.digests.stored(self.path(name), (end, head))
        if end not in result or head not in result:
            raise FileNotFoundError(2, "it became shorter while it was read", name)
        return result[end], result[head]

    def read_digests(self, ends: Iterable[tuple[str, int]]) -> None:
        """Compute the digests for :meth:`digest` in parallel, of files that were not read as a whole yet."""
        large = [(name, end) for name, end in ends if not self.digests.start(self.path(name)).last]
        _in_parallel(lambda file: self.digest(*file), large)

    def _is_another(self, record: Consumed, name: str) -> bool:
        """Return whether ``record`` is of another name, and of messages in the form of those of ``name``."""
        another = (record.input, record.name) != (self.root, name) and is_framed(record.name) == is_framed(name)
        return another and self.wires.get(record.input, NATIVE) == self.wire

    def _common(self, name: str, record: Consumed) -> int | None:
        """Return the length of the content that was read under ``record`` if ``name`` begins with it, else None."""
        path = self.path(name)
        packed = bool(self.digests.compression(path))
        if packed and self._holds(path, record):
            length = self.digests.length(path)
            return length if _size(path) == record.end else None
        parts = ((record.end, record.fingerprint), (record.content_end, record.content))
        length = self.digests.length(path)
        for end, digest in parts:
            if 0 < end <= length and self.digests.content(path, [end]).get(end) == digest:
                return end
        return None

    def _equal(self, name: str, end: int, other: str) -> bool:
        mine = self.digests.content(self.path(name), [end]).get(end)
        with suppress(OSError, InputError):
            return mine is not None and self.digests.content(other, [end]).get(end) == mine
        return False

    def _is_settled(self, name: str) -> bool:
        """Return whether ``name`` holds what was read of it and may have nothing in common with another file."""
        if not self._is_unchanged(name):
            return False
        return self.known[name].end == _size(self.path(name)) or Rotation.of(name).base == name

    def _is_unchanged(self, name: str) -> bool:
        record = self.known.get(name)
        if record is None or record.moved:
            return False
        path = self.path(name)
        return self._holds(path, record) if record.end else not _size(path)

    def _still_there(self, record: Consumed) -> bool:
        """Return whether the file of ``record`` still holds what was read of it; True if it cannot be examined."""
        if record.input.startswith(STREAMS):
            return False
        path = Path(record.input) / record.name
        try:
            status = path.stat()
        except PermissionError:
            return True
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode):
            return False
        try:
            return same_state(path, record) or self._holds(str(path), record)
        except OSError:
            return True

    def _holds(self, path: str, record: Consumed) -> bool:
        """Return whether ``path`` begins with the bytes of ``record``. Raises OSError."""
        if _size(path) < record.end:
            return False
        head = head_length(record.end)
        return (not record.head or self.digests.stored(path, [head]).get(head) == record.head) and self.digests.stored(
            path, [record.end]
        ).get(record.end) == record.fingerprint

    def _heads(self, name: str) -> None:
        path = self.path(name)
        self.digests.stored(path, head_lengths(_size(path)))

    def _whole(self, name: str) -> None:
        path = self.path(name)
        self.digests.stored(path, [_size(path)])

    def _parts(self, name: str) -> None:
        """Compute all digests that :meth:`_common` needs, since each pass reads the file."""
        ends = {end for record in self._alike[name] for end in (record.end, record.content_end) if end}
        path = self.path(name)
        length = self.digests.length(path)
        self.digests.content(path, [end for end in ends if end <= length])

    def _contents(self, name: str) -> list[Content]:
        path = self.path(name)
        if not _size(path):
            return []
        return list(dict.fromkeys([*self.digests.stored(path).items(), *self.digests.content(path).items()]))


def _recorded_contents(record: Consumed) -> list[Content]:
    contents = [(record.end, record.fingerprint)]
    return [*contents, (record.content_end, record.content)] if record.content else contents


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 -- see FileMatcher.path
    except OSError:
        return 0


def _in_parallel(work: Callable[[T], object], items: Sequence[T]) -> None:
    """Call ``work`` on all ``items``, several at a time. A failure is repeated where the result is needed."""
    in_portions(partial(_try, work), items)


def _try(work: Callable[[T], object], items: Sequence[T]) -> None:
    for item in items:
        with suppress(OSError, ValueError, InputError):
            work(item)
