"""Input files that were read before, recognised by their content under the same name or another.

The first N bytes identify a file: a file that begins with the N bytes that were read is the same file, possibly grown.
Under another name it is that file, moved, unless a file under the old name still holds them; then it is a copy, which
is a new file. So a rename, a log rotation, copytruncate or another mount point reads nothing twice.

Some cases cannot be distinguished. A new file that begins with all that was ever read of a removed one is taken for
that one. A copy whose original was removed before the next run is taken for the original, moved. A file that was
changed without a change of its size and modification time is not examined. A file that was read compressed, truncated
or rewritten and now has another name counts as new.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from babelreg.spark.lake.log.batch_record import Consumed
from babelreg.spark.lake.log.source_log import SourceLog, content_key, name_key
from babelreg.spark.sources.digests import digests, head_length, head_lengths
from babelreg.spark.sources.frames import is_framed
from babelreg.spark.sources.message_source import BABELQUEUE

__all__ = ["FileMatcher", "same_state"]

T = TypeVar("T")

_AT_ONCE = 8


def same_state(path: Path | str, before: Consumed) -> bool:
    """Return whether a file still has the recorded size and modification time; most have, and need no other check."""
    try:
        status = os.stat(path)  # noqa: PTH116 -- there may be a million, and a Path takes longer
    except (OSError, ValueError):
        return False
    return (before.end, before.mtime_ns) == (status.st_size, status.st_mtime_ns)


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
    wire: str = BABELQUEUE
    wires: Mapping[str, str] = field(default_factory=dict)
    _digests: dict[Path, dict[int, str]] = field(default_factory=dict)
    _alike: dict[str, list[Consumed]] = field(default_factory=dict)
    _claimed: set[bytes] = field(default_factory=set)

    def prepare(self, names: Sequence[str]) -> None:
        """Compute the digests needed of the files ``names``, in parallel, and query the log once for all of them."""
        _in_parallel(self._prepare_one, names)
        if not self.log:
            return
        unknown = [name for name in names if not self._is_unchanged(name)]
        _in_parallel(self._heads, unknown)
        head_keys = {name: self._keys(name) for name in unknown}
        pointers = self.log.alike(key for keys in head_keys.values() for key in keys)
        candidates = [name for name in unknown if any(key in pointers for key in head_keys[name])]
        _in_parallel(self._whole, candidates)
        full_keys = {name: self._keys(name) for name in candidates}
        pointers.update(self.log.alike(key for keys in full_keys.values() for key in keys))
        candidate_keys = {
            name: [record for key in full_keys[name] for record in pointers.get(key, ())] for name in candidates
        }
        records = self.log.records(key for keys in candidate_keys.values() for key in keys)
        for name, keys in candidate_keys.items():
            alike = [records[key] for key in dict.fromkeys(keys) if key in records]
            self._alike[name] = sorted(alike, key=lambda record: (-record.end, record.input, record.name))

    def own(self, name: str) -> Consumed | None:
        """Return the record of the file ``name`` if it still holds what was read of it."""
        return self.known[name] if self._is_unchanged(name) else None

    def moved_from(self, name: str) -> Consumed | None:
        """Return the record of a file that is no longer at its old place and that ``name`` now holds, else None."""
        path, size = self.folder / name, _size(self.folder / name)
        for record in self._alike.get(name, ()):
            key = name_key(record.input, record.name)
            another = (record.input, record.name) != (self.root, name) and is_framed(record.name) == is_framed(name)
            another = another and self.wires.get(record.input, BABELQUEUE) == self.wire
            if not another or record.moved or key in self._claimed or record.end > size:
                continue
            if self._digest(path, [record.end]).get(record.end) == record.fingerprint and not self._still_there(record):
                self._claimed.add(key)
                return record
        return None

    def digest(self, name: str, end: int) -> tuple[str, str]:
        """Return the digest of the first ``end`` bytes of ``name`` and that of their head. Raises OSError."""
        lengths = [end, head_length(end)]
        result = self._digest(self.folder / name, lengths)
        if any(length not in result for length in lengths):
            raise FileNotFoundError(2, "it became shorter while it was read", name)
        return result[end], result[lengths[1]]

    def read_digests(self, ends: Iterable[tuple[str, int]]) -> None:
        """Compute the digests for :meth:`digest` in parallel."""
        _in_parallel(lambda file: self._digest(self.folder / file[0], [file[1], head_length(file[1])]), list(ends))

    def _is_unchanged(self, name: str) -> bool:
        record = self.known.get(name)
        return record is not None and self._holds(self.folder / name, record)

    def _still_there(self, record: Consumed) -> bool:
        """Return whether the file of ``record`` still holds what was read of it; True if it cannot be examined."""
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
            return same_state(path, record) or self._holds(path, record)
        except OSError:
            return True

    def _holds(self, path: Path, record: Consumed) -> bool:
        """Return whether ``path`` begins with the bytes of ``record``. Raises OSError."""
        if _size(path) < record.end:
            return False
        head = head_length(record.end)
        return (not record.head or self._digest(path, [head]).get(head) == record.head) and self._digest(
            path, [record.end]
        ).get(record.end) == record.fingerprint

    def _prepare_one(self, name: str) -> None:
        if name in self.known:
            self._is_unchanged(name)

    def _heads(self, name: str) -> None:
        path = self.folder / name
        self._digest(path, head_lengths(_size(path)))

    def _whole(self, name: str) -> None:
        path = self.folder / name
        self._digest(path, [_size(path)])

    def _keys(self, name: str) -> list[bytes]:
        return [content_key(length, digest) for length, digest in self._digests.get(self.folder / name, {}).items()]

    def _digest(self, path: Path, lengths: Iterable[int]) -> dict[int, str]:
        known = self._digests.setdefault(path, {})
        missing = [length for length in lengths if length not in known]
        if missing and stat.S_ISREG(path.stat().st_mode):  # opening a pipe would block
            known.update(digests(path, missing))
        return known


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _in_parallel(work: Callable[[T], object], items: Sequence[T]) -> None:
    """Call ``work`` on all ``items``, several at a time. A failure is repeated where the result is needed."""
    if items:
        with ThreadPoolExecutor(min(len(items), _AT_ONCE)) as threads:
            list(threads.map(partial(_try, work), items))


def _try(work: Callable[[T], object], item: T) -> None:
    with suppress(OSError, ValueError):
        work(item)
