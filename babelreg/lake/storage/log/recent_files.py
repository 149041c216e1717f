"""Input files that the batches after the last checkpoint read, by name and by content, in memory.

There may be a million. Most runs ask only by name, so the digests are indexed when a new file is first compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from babelreg.lake.storage.log.batch_record import Consumed
from babelreg.sources.digests import head_length

Content = tuple[int, str]
"""The length of the beginning of a file, and the digest of these bytes."""


class RecentFiles:
    """The records ``files`` of these batches, the oldest first. A file that several batches read has several."""

    def __init__(self, files: Sequence[Consumed] = ()) -> None:
        self.files = tuple(files)

    @cached_property
    def by_input(self) -> Mapping[str, Mapping[str, Consumed]]:
        """The last record of each file, by input and name."""
        by_input: dict[str, dict[str, Consumed]] = {}
        for file in self.files:
            by_input.setdefault(file.input, {})[file.name] = file
        return by_input

    def holding(self, content: Content) -> Sequence[Consumed]:
        """Return the records of files that are found under ``content``, the oldest first."""
        records = self._by_digest.get(content[1], ())
        found = (records,) if isinstance(records, Consumed) else records
        return [file for file in found if content in contents_of(file)]

    @cached_property
    def _by_digest(self) -> Mapping[str, Consumed | list[Consumed]]:
        """The records by digest; a list only where there are several, which is rare."""
        by_digest: dict[str, Consumed | list[Consumed]] = {}
        for file in self.files:
            for _, digest in contents_of(file):
                records = by_digest.setdefault(digest, file)
                if isinstance(records, list):
                    records.append(file)
                elif records is not file:
                    by_digest[digest] = [records, file]
        return by_digest


def contents_of(file: Consumed) -> list[Content]:
    """Return the contents under which ``file`` is found: all that was read, its head, and the same decompressed.

    There are none of a file that moved: another one holds its bytes.
    """
    if file.moved:
        return []
    contents = _with_head(file.end, file.fingerprint, file.head)
    return contents + _with_head(file.content_end, file.content, file.content_head) if file.content else contents


def _with_head(end: int, digest: str, head_digest: str) -> list[Content]:
    head = head_length(end)
    return [(end, digest), (head, head_digest)] if head != end else [(end, digest)]
