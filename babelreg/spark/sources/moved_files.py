"""Files that were read before, found again under the same name or another one.

The first N bytes identify a file: those of one that was read up to N are that file, grown since. Under another name
they are that file, moved, if no file holds them under the name it had; if one does, this is a copy, which is another
file. So a rename, a rotation, copytruncate and another mount point read nothing twice.

Some cases cannot be distinguished. A file that begins with all that was ever read of one that is gone is taken for that
one, though it may be new. A copy whose original was removed before the next run is taken for the original, moved. One
that was changed and kept size and time of change is not looked into. What was read of a file that was packed, cut or
rewritten under a new name is new bytes, which are read.
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

__all__ = ["FileMatcher", "same_state"]

T = TypeVar("T")

_AT_ONCE = 8


def same_state(path: Path | str, before: Consumed) -> bool:
    """True when a file has the size and the time of change that it had: most have, so that nothing else is asked."""
    try:
        status = os.stat(path)  # noqa: PTH116 -- there may be a million, and a Path takes longer
    except (OSError, ValueError):
        return False
    return (before.end, before.mtime_ns) == (status.st_size, status.st_mtime_ns)


@dataclass
class FileMatcher:
    """Finds what was read of the files below ``folder``, which the log knows as ``root``.

    ``known`` are the records of files by their names. Each file that was read is found once.
    """

    folder: Path
    root: str
    log: SourceLog
    known: Mapping[str, Consumed]
    _digests: dict[Path, dict[int, str]] = field(default_factory=dict)
    _alike: dict[str, list[Consumed]] = field(default_factory=dict)
    _claimed: set[bytes] = field(default_factory=set)

    def prepare(self, names: Sequence[str]) -> None:
        """Read what is needed of the files ``names``, several at a time, and ask the log once for all of them."""
        _at_once(self._prepared, names)
        if not self.log:
            return
        strangers = [name for name in names if not self._is_own(name)]
        _at_once(self._heads, strangers)
        begun = {name: self._keys(name) for name in strangers}
        pointers = self.log.alike(key for keys in begun.values() for key in keys)
        hits = [name for name in strangers if any(key in pointers for key in begun[name])]
        _at_once(self._whole, hits)
        whole = {name: self._keys(name) for name in hits}
        pointers.update(self.log.alike(key for keys in whole.values() for key in keys))
        found = {name: [one for key in whole[name] for one in pointers.get(key, ())] for name in hits}
        records = self.log.records(key for keys in found.values() for key in keys)
        for name, keys in found.items():
            alike = [records[key] for key in dict.fromkeys(keys) if key in records]
            self._alike[name] = sorted(alike, key=lambda one: (-one.end, one.input, one.name))

    def own(self, name: str) -> Consumed | None:
        """Return the record of the file ``name`` where it still holds what was read of it."""
        return self.known[name] if self._is_own(name) else None

    def moved_from(self, name: str) -> Consumed | None:
        """Return the record of the file that ``name`` holds now and that is no longer where it was, once."""
        path, size = self.folder / name, _size(self.folder / name)
        for record in self._alike.get(name, ()):
            key = name_key(record.input, record.name)
            another = (record.input, record.name) != (self.root, name) and is_framed(record.name) == is_framed(name)
            if not another or record.moved or key in self._claimed or record.end > size:
                continue
            if self._digest(path, [record.end]).get(record.end) == record.fingerprint and not self._there(record):
                self._claimed.add(key)
                return record
        return None

    def digest(self, name: str, end: int) -> tuple[str, str]:
        """Return the digest of the first ``end`` bytes of ``name`` and that of their head. Raises OSError."""
        lengths = [end, head_length(end)]
        found = self._digest(self.folder / name, lengths)
        if any(length not in found for length in lengths):
            raise FileNotFoundError(2, "it became shorter while it was read", name)
        return found[end], found[lengths[1]]

    def read_at_once(self, ends: Iterable[tuple[str, int]]) -> None:
        """Read files for :meth:`digest`, several at a time."""
        _at_once(lambda file: self._digest(self.folder / file[0], [file[1], head_length(file[1])]), list(ends))

    def _is_own(self, name: str) -> bool:
        record = self.known.get(name)
        return record is not None and self._holds(self.folder / name, record)

    def _there(self, record: Consumed) -> bool:
        """True when the file of ``record`` still holds what was read of it, or may hold it: nobody can look."""
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
        """True when ``path`` begins with the bytes of ``record``. Raises OSError. The head tells most others apart."""
        if _size(path) < record.end:
            return False
        head = head_length(record.end)
        return (not record.head or self._digest(path, [head]).get(head) == record.head) and self._digest(
            path, [record.end]
        ).get(record.end) == record.fingerprint

    def _prepared(self, name: str) -> None:
        if name in self.known:
            self._is_own(name)

    def _heads(self, name: str) -> None:
        path = self.folder / name
        self._digest(path, head_lengths(_size(path)))

    def _whole(self, name: str) -> None:
        path = self.folder / name
        self._digest(path, [_size(path)])

    def _keys(self, name: str) -> list[bytes]:
        return [content_key(length, digest) for length, digest in self._digests.get(self.folder / name, {}).items()]

    def _digest(self, path: Path, lengths: Iterable[int]) -> dict[int, str]:
        found = self._digests.setdefault(path, {})
        wanted = [length for length in lengths if length not in found]
        if wanted and stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for its writer
            found.update(digests(path, wanted))
        return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _at_once(work: Callable[[T], object], items: Sequence[T]) -> None:
    """Do ``work`` on all ``items``, several at a time. What fails is done again where somebody asks for it."""
    if items:
        with ThreadPoolExecutor(min(len(items), _AT_ONCE)) as threads:
            list(threads.map(partial(_tried, work), items))


def _tried(work: Callable[[T], object], item: T) -> None:
    with suppress(OSError, ValueError):
        work(item)
