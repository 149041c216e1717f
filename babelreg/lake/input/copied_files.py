"""New files that hold only what was read of another file, or is read now of another file of their rotated log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babelreg.lake.input.moved_files import FileMatcher
from babelreg.lake.input.small_files import heads_of
from babelreg.lake.storage.log.batch_record import Consumed
from babelreg.lake.storage.log.recent_files import Content
from babelreg.sources.digests import head_length


@dataclass(frozen=True, slots=True)
class CopyFinder:
    """Finds copies among new files: ``ends`` are the lengths of their contents, ``small`` the records of small ones.

    ``logs`` are the names of rotated logs (see ``rotated_logs``). ``read`` is how far known files are read by now.
    """

    matcher: FileMatcher
    ends: Mapping[str, int]
    small: Mapping[str, Consumed]
    logs: Mapping[str, set[str]]
    read: Mapping[str, int]

    def copies(self) -> set[str]:
        """Return the names of the copies. Of two equal files of a log, the later name is one. Raises OSError."""
        copies = {name for name, end in self.ends.items() if self.matcher.is_copy(name, end, self.read)}
        for members in self.logs.values():
            new = [name for name in members if (name in self.small or name in self.ends) and name not in copies]
            if len(new) > 1:
                self._add_copies_in_log(new, copies)
        return copies

    def _add_copies_in_log(self, names: Sequence[str], copies: set[str]) -> None:
        """Add the copies among the new files ``names`` of one log: the longest one is read first."""
        ends = {name: self._end(name) for name in names}
        own = {name: self._own_head(name, end) for name, end in ends.items()}
        holders: dict[Content, list[str]] = {}
        for name, head in own.items():
            holders.setdefault(head, []).append(name)
        for name, heads in self._heads(own).items():
            for head in heads:
                if head in holders and head != own[name]:
                    holders[head].append(name)
        ordered = sorted(names, key=lambda name: (-ends[name], name))
        position = {name: number for number, name in enumerate(ordered)}
        for name in ordered:
            earlier = (other for other in holders[own[name]] if position[other] < position[name])
            if any(other not in copies and self._begins(name, other, ends) for other in earlier):
                copies.add(name)

    def _end(self, name: str) -> int:
        return self.small[name].end if name in self.small else self.ends[name]

    def _own_head(self, name: str, end: int) -> Content:
        if name in self.small:
            return head_length(end), self.small[name].head
        length = head_length(end)
        return length, self.matcher.heads(name, [length]).get(length, "")

    def _heads(self, own: Mapping[str, Content]) -> Mapping[str, Sequence[Content]]:
        """Return the heads of the files as long as the own head of a shorter file: most have their own length only."""
        lengths = frozenset(length for length, _ in own.values())
        shortest = min(lengths)
        longer = [name for name, (length, _) in own.items() if length > shortest]
        small = [name for name in longer if name in self.small]
        heads: dict[str, Sequence[Content]] = dict(heads_of(self.matcher.folder, small, lengths)) if small else {}
        for name in longer:
            if name not in self.small:
                shorter = [length for length in lengths if length < own[name][0]]
                heads[name] = list(self.matcher.heads(name, shorter).items())
        return heads

    def _begins(self, name: str, other: str, ends: Mapping[str, int]) -> bool:
        try:
            return self.matcher.begins(name, ends[name], other, ends[other])
        except OSError:  # it was removed just now, and is reported where it is read
            return False
