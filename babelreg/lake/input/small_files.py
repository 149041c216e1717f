"""New files that one read settles: small, uncompressed files of lines, of which there may be a million.

Such a file is recorded at once; nothing else of it stays in memory. All other files (large or compressed ones, those of
frames, those that were read before or begin like one that was, those that cannot be read) need more than their first
block, and a ``FileMatcher`` examines them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from babelreg.lake.input.in_portions import in_portions
from babelreg.lake.storage.log.batch_record import Consumed
from babelreg.lake.storage.log.recent_files import Content
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.sources.compression import is_other_format
from babelreg.sources.digests import digest, first_block, head_digests, head_length
from babelreg.sources.frames import is_framed

_AT_ONCE = 200_000
"""Number of files whose heads are looked up at once: each has up to 17, which take 2 KB."""


class SmallFiles(NamedTuple):
    """Records of new files that are settled, by name, and the ``others``; empty files are in neither."""

    records: Mapping[str, Consumed]
    others: Sequence[str]

    def without_ranges_of(self, copies: set[str]) -> list[Consumed]:
        """Return the records; those of ``copies`` say that nothing is read."""
        if copies.isdisjoint(self.records):
            return list(self.records.values())
        return [file._replace(start=file.end) if file.name in copies else file for file in self.records.values()]


@dataclass(frozen=True, slots=True)
class SmallFileReader:
    """Reads the first blocks of files below ``folder``, known as ``root`` in the ``log``.

    ``growing``: an incomplete last line is left for later.
    """

    folder: Path
    root: str
    log: SourceLog
    growing: bool

    def read(self, names: Sequence[str], known: Mapping[str, Consumed]) -> SmallFiles:
        """Return what one read says of the files ``names``; ``known`` ones are among the others. Raises InputError."""
        records: dict[str, Consumed] = {}
        others: list[str] = []
        size = _AT_ONCE if self.log else max(1, len(names))
        for start in range(0, len(names), size):
            heads: dict[str, list[Content]] = {}
            portion = names[start : start + size]
            for settled, rest in in_portions(partial(self._portion, known, heads), portion):
                records.update((record.name, record) for record in settled)
                others += rest
            if heads:
                related = self._related(heads)
                others += related
                for name in related:
                    records.pop(name, None)
        return SmallFiles(records, _in_order(others, names))

    def _portion(
        self, known: Mapping[str, Consumed], heads: dict[str, list[Content]], names: Sequence[str]
    ) -> tuple[list[Consumed], list[str]]:
        """Return the records of those of ``names`` that are settled, and the others; add what the log is asked for."""
        settled, others, has_log = [], [], bool(self.log)
        for name in names:
            block = None if name in known or is_framed(name) else self._block(name)
            if block is None:
                others.append(name)
                continue
            mtime_ns, content = block
            if has_log and content:
                heads[name] = head_digests(content)
            if content and (record := self._record(name, mtime_ns, content)) is not None:
                settled.append(record)
        return settled, others

    def _block(self, name: str) -> tuple[int, bytes] | None:
        """Return the time of change and the whole content of a small file of lines; None for any other."""
        try:
            if not name.isascii():
                name.encode()
            start, block = first_block(f"{self.folder}/{name}")
        except (OSError, ValueError):
            return None
        if not start.is_regular or start.compression or is_other_format(start.magic):
            return None
        return (start.mtime_ns, block) if start.last or not start.size else None

    def _record(self, name: str, mtime_ns: int, content: bytes) -> Consumed | None:
        """Return the record of the complete lines of ``content``, or None if there are none."""
        if self.growing and not content.endswith(b"\n"):
            content = content[: content.rfind(b"\n") + 1]
            if not content:
                return None
        end = len(content)
        whole, head = digest(content), head_length(end)
        first = digest(content[:head]) if head != end else whole
        return Consumed(self.root, name, 0, end, mtime_ns, content.endswith(b"\n"), whole, first)

    def _related(self, heads: Mapping[str, Sequence[Content]]) -> list[str]:
        """Return the files that begin like a file of the log."""
        alike = self.log.alike(content for contents in heads.values() for content in contents)
        return [name for name, contents in heads.items() if any(content in alike for content in contents)]


def _in_order(some: Sequence[str], names: Sequence[str]) -> Sequence[str]:
    """Return ``some`` in the order of ``names``."""
    if not some or len(some) == len(names):
        return names if some else ()
    chosen = frozenset(some)
    return [name for name in names if name in chosen]


def heads_of(folder: Path, names: Sequence[str], lengths: frozenset[int]) -> dict[str, list[Content]]:
    """Return the digests of the heads of ``lengths`` of small files; of those that cannot be read now, nothing."""

    def portion(some: Sequence[str]) -> list[tuple[str, list[Content]]]:
        return list(_heads(folder, some, lengths))

    return {name: heads for part in in_portions(portion, names) for name, heads in part}


def _heads(folder: Path, names: Sequence[str], lengths: frozenset[int]) -> Iterator[tuple[str, list[Content]]]:
    for name in names:
        try:
            _, block = first_block(f"{folder}/{name}")
        except OSError:
            continue
        yield name, [(length, digest(block[:length])) for length in lengths if length <= len(block)]
