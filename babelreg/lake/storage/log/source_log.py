"""The log of sources: the range read of every input file, by its name and by its first bytes.

There may be millions, and a batch needs few. So the records before the last checkpoint are in sorted files,
``OUTPUT/manifest/sources/*.files``, which are searched and not loaded. Each checkpoint adds one; four of about one size
become one, as in any log-structured merge tree, so that a row is written again once for each order of magnitude.

A row is the last record of a file, under the digest of its input folder and name; or the files of one content, under
the digest of its length and content, or of its head (see ``digests``).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import orjson

from babelreg.errors import InputError
from babelreg.lake.storage.log import sorted_file
from babelreg.lake.storage.log.batch_record import RESTORE, Batch, Consumed, SortedFileRecord, consumed_of
from babelreg.lake.storage.log.recent_files import Content, RecentFiles, contents_of
from babelreg.lake.storage.log.sorted_file import DamagedFile, Row
from babelreg.typed_json import typed

FOLDER = "sources"
"""Folder of the sorted files below the manifests."""

_FANOUT = 4
_SMALLEST_TIER_ROWS = 1024
_LARGEST_ROWS = 1_000_000
"""A sorted file of this size is left as it is: merging it would take too long for one batch."""

_SEARCHED = 8
"""From one key for so many rows on, a sorted file is read as a whole, which takes less than searching it."""

_MOST_ALIKE = 1000
"""Number of files recorded under one content or head: the newest ones."""


def name_key(root: str, name: str) -> bytes:
    """Return the key of the record of the file ``name`` below ``root``."""
    return _key(f"name\0{root}\0{name}")


def content_key(length: int, digest: str) -> bytes:
    """Return the key of the files whose first ``length`` bytes have this digest."""
    return _key(f"content\0{length}\0{digest}")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest().encode()


@dataclass(frozen=True, slots=True)
class SourceLog:
    """The log: ``runs`` are sorted files below ``root``, the oldest first; ``recent`` are files of later batches."""

    root: Path = Path()
    runs: tuple[SortedFileRecord, ...] = ()
    recent: RecentFiles = field(default_factory=RecentFiles)

    def __bool__(self) -> bool:
        return bool(self.runs or self.recent.files)

    def followed(self, batches: Iterable[Batch]) -> SourceLog:
        """Return the log with what ``batches`` read as well."""
        consumed = [file for batch in batches for file in batch.consumed]
        if not consumed:
            return self
        return SourceLog(self.root, self.runs, RecentFiles((*self.recent.files, *consumed)))

    def of_names(self, root: str, names: Sequence[str]) -> Iterator[tuple[str, Consumed | None]]:
        """Yield each of ``names`` below ``root`` with its record, if there is one. Raises InputError.

        Of recent files this is the record itself, since there may be a million: its ``start`` is that of its batch.
        """
        recent = self.recent.by_input.get(root, {})
        if not self.runs:
            yield from ((name, recent.get(name)) for name in names)
            return
        keys = [b"" if name in recent else name_key(root, name) for name in names]
        texts = self._texts(keys)
        for name, key in zip(names, keys, strict=True):
            text = texts.pop(key, b"")
            yield name, _record(text) if text else recent.get(name)

    def records(self, keys: Iterable[bytes]) -> dict[bytes, Consumed]:
        """Return the records with ``keys`` that there are (see :func:`name_key`). Raises InputError."""
        searched = set(keys)
        records = {key: _record(text) for key, text in self._texts(searched).items()}
        for files in self.recent.by_input.values() if searched else ():
            for file in files.values():
                if (key := name_key(file.input, file.name)) in searched:
                    records[key] = _read_up_to_end(file)
        return records

    def alike(self, contents: Iterable[Content]) -> dict[Content, list[bytes]]:
        """Return the keys of the records of files by what they begin with (see :func:`name_key`), the newest last.

        A file that was found so may have changed since: its record says. Raises InputError.
        """
        searched = set(contents)
        keys = {content_key(*content): content for content in searched} if self.runs else {}
        alike = {keys[key]: text.split(b" ") for key, text in self._texts(keys).items()}
        for content in searched if self.recent.files else ():
            if recent := self.recent.holding(content)[-_MOST_ALIKE:]:
                newer = [name_key(file.input, file.name) for file in recent]
                alike[content] = _newest([*alike.get(content, ()), *newer])
        return alike

    def __iter__(self) -> Iterator[Consumed]:
        """Yield all records. This reads all files."""
        files = [sorted_file.opened(self.root / run.file) for run in self.runs]
        recent = self.recent.by_input
        for _, text in _merged(files):
            if text.startswith(b"[") and (file := _record(text)).name not in recent.get(file.input, {}):
                yield file
        yield from (_read_up_to_end(file) for records in recent.values() for file in records.values())

    def _texts(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return what the sorted files say of ``keys``."""
        searched = set(keys)
        if not searched or not self.runs:
            return {}
        ordered = sorted(searched)
        texts: dict[bytes, bytes] = {}
        try:
            for run in self.runs:
                file = sorted_file.opened(self.root / run.file)
                reads_all = _SEARCHED * len(ordered) > file.rows
                for key, text in file.among(searched) if reads_all else file.find(ordered):
                    texts[key] = _joined([texts[key], text]) if key in texts else text
        except DamagedFile as err:
            raise InputError(f"the log of what was read is damaged: {err}", fix=RESTORE) from err
        return texts


def added(
    root: Path, folder: str, runs: Sequence[SortedFileRecord], batches: Sequence[Batch]
) -> tuple[SortedFileRecord, ...]:
    """Return ``runs`` and a new one of what ``batches`` read, those of about one size merged.

    Files are written to ``folder`` below ``root``, under names that follow from the number of the newest batch: who was
    stopped here writes the same files again. Raises OSError, DamagedFile.
    """
    texts: dict[bytes, list[bytes]] = {}
    for key, text in _rows(file for batch in batches for file in batch.consumed):
        texts.setdefault(key, []).append(text)
    if not texts:
        return tuple(runs)
    rows = ((key, _joined(texts[key])) for key in sorted(texts))
    name = f"{folder}/{batches[-1].number:06d}"
    written = sorted_file.write(root / f"{name}-0.files", rows)
    result, merges = [*runs, SortedFileRecord(f"{name}-0.files", written)], 0
    while due := _due(result):
        merges += 1
        path = f"{name}-{merges}.files"
        files = [sorted_file.opened(root / run.file) for run in due]
        together = SortedFileRecord(path, sorted_file.write(root / path, _merged(files)))
        result = [*result[: -len(due)], together]
    return tuple(result)


def _due(runs: Sequence[SortedFileRecord]) -> Sequence[SortedFileRecord]:
    """Return the newest runs up to one size, when enough of them are of that size: later runs hold newer rows."""
    for tier in sorted({_tier(run) for run in runs}):
        start = len(runs)
        while start and _tier(runs[start - 1]) <= tier and runs[start - 1].rows < _LARGEST_ROWS:
            start -= 1
        if sum(_tier(run) == tier for run in runs[start:]) >= _FANOUT:
            return runs[start:]
    return ()


def _tier(run: SortedFileRecord) -> int:
    return (run.rows // _SMALLEST_TIER_ROWS).bit_length() // 2


def _rows(consumed: Iterable[Consumed]) -> Iterator[Row]:
    for file in consumed:
        key = name_key(file.input, file.name)
        members = (file.input, file.name, file.end, file.mtime_ns, file.terminated, file.fingerprint, file.head)
        content = (file.content_end, file.content, file.content_head) if file.content else ()
        # A copy, since there may be a million: orjson's text keeps the 4 KB that it was written into.
        yield key, memoryview(orjson.dumps((*members, file.moved, *content))).tobytes()
        for length, digest in contents_of(file):
            yield content_key(length, digest), key


def _merged(sources: Sequence[Iterable[Row]]) -> Iterator[Row]:
    """Return the rows of all ``sources`` by key, later sources over earlier ones."""
    for key, rows in groupby(heapq.merge(*sources, key=itemgetter(0)), itemgetter(0)):
        yield key, _joined([text for _, text in rows])  # of equal keys, merge yields those of earlier sources first


def _joined(texts: Sequence[bytes]) -> bytes:
    """Return what several texts of one key say together, the newest last."""
    if len(texts) == 1 or texts[-1].startswith(b"["):
        return texts[-1]
    return b" ".join(_newest([key for text in texts for key in text.split(b" ")]))


def _newest(keys: Sequence[bytes]) -> list[bytes]:
    """Return the last of ``keys``, each once: not more than are recorded under one content."""
    return list(dict.fromkeys(reversed(keys)))[:_MOST_ALIKE][::-1]


def _read_up_to_end(file: Consumed) -> Consumed:
    """Return the record as sorted files have it: they do not say where the last batch began to read."""
    return file._replace(start=file.end)


def _record(text: bytes) -> Consumed:
    try:
        root, name, end, *others = orjson.loads(text)
        return consumed_of(typed(str, root), typed(str, name), (end, end, *others))
    except (ValueError, TypeError) as err:
        raise InputError(f"the log of what was read is damaged: {err}", fix=RESTORE) from err
