"""What became of the files of a registry on the way to a commit: one line of first parents, followed through moves.

A position counts commits backwards: 0 is the tree of the commit itself, n + 1 the tree before commit number n. Where
the registry folder was moved, by its ``babelreg.yaml``, the line goes on at the old place; paths stay relative to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from babelreg.breaking.baseline.repository import Git
from babelreg.load.files.registry_paths import SETTINGS

__all__ = ["FileEvent", "FileHistory", "read_history"]

_MOST_MOVES = 20
_OPTIONS = ("--first-parent", "-m", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-notes", "--no-color",
            "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none")  # fmt: skip
_MARK = b"\x01"
_SUFFIXES = (".yaml", ".json")


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A file changed in commit number ``at``: ``old`` and ``new`` are the ids of what it held, None for no file."""

    at: int
    old: str | None
    new: str | None


@dataclass
class FileHistory:
    """The changes of every file, newest first. ``now`` are the files at position 0, ``commits`` the ids by number.

    ``end`` is the commit before the oldest one, where there is one that does not count.
    """

    now: Mapping[str, str]
    commits: list[str] = field(default_factory=list)
    events: dict[str, list[FileEvent]] = field(default_factory=dict)
    end: str | None = None

    def id_at(self, path: str, position: int) -> str | None:
        """The id of what ``path`` held at ``position``; None where there was no such file."""
        events = self.events.get(path)
        if not events:
            return self.now.get(path)
        older = bisect_left(events, position, key=lambda event: event.at)
        return events[older].new if older < len(events) else events[-1].old

    def next_change(self, paths: Iterable[str], position: int) -> int | None:
        """The number of the newest commit at or before ``position`` that changed one of ``paths``."""
        found = (self._next(path, position) for path in paths)
        return min((at for at in found if at is not None), default=None)

    def _next(self, path: str, position: int) -> int | None:
        events = self.events.get(path, ())
        older = bisect_left(events, position, key=lambda event: event.at)
        return events[older].at if older < len(events) else None

    def added(self, path: str, at: int) -> bool:
        """True where commit number ``at`` made the file."""
        return any(event.at == at and event.old is None for event in self.events.get(path, ()))

    def removed(self, at: int) -> Sequence[str]:
        """The files that commit number ``at`` took away."""
        return self._removed.get(at, ())

    @cached_property
    def _removed(self) -> Mapping[int, list[str]]:
        found: dict[int, list[str]] = {}
        for path, events in self.events.items():
            for event in events:
                if event.new is None:
                    found.setdefault(event.at, []).append(path)
        return found

    def add(self, path: str, old: str | None, new: str | None) -> None:
        """A change in the commit that was added last."""
        if old != new:
            self.events.setdefault(path, []).append(FileEvent(len(self.commits) - 1, old, new))


def read_history(git: Git, commit: str, prefix: str, now: Mapping[str, str], since: str | None) -> FileHistory:
    """The line of first parents from ``commit`` back to ``since``, a commit, or to the first. Raises GitError."""
    timeline = FileHistory(now, end=since)
    tip: str | None = commit
    for _ in range(_MOST_MOVES):
        if tip is None:
            break
        tip, prefix = _segment(git, timeline, tip, prefix, since)
    return timeline


def _segment(git: Git, timeline: FileHistory, tip: str, prefix: str, since: str | None) -> tuple[str | None, str]:
    """Adds what happened below ``prefix``. Where the registry came from elsewhere: the commit before, and whence."""
    for sha, changes in _commits(git, tip, prefix, since):
        timeline.commits.append(sha)
        came = _came_from(git, sha, prefix, changes) if _appeared(changes) else None
        for path, old, new in came.joined(changes) if came else changes:
            timeline.add(path, old, new)
        if came:
            return came.parent, came.prefix
    return None, prefix


_Change = tuple[str, str | None, str | None]


def _commits(git: Git, tip: str, prefix: str, since: str | None) -> Iterator[tuple[str, list[_Change]]]:
    revisions = [tip, f"^{since}"] if since else [tip]
    scope = ["--", f":(top,literal){prefix}"] if prefix else ["--"]
    fields = git.fields("log", *_OPTIONS, "--format=%x01%H", *revisions, *scope)
    sha = ""
    changes: list[_Change] = []
    for token in fields:
        if token.startswith(_MARK):
            if sha:
                yield sha, changes
            sha, changes = token[1:].decode(), []
        elif token.lstrip(b"\n").startswith(b":"):
            path = next(fields, b"").decode("utf-8", "surrogateescape")
            if path.endswith(_SUFFIXES):  # a registry at the top may have a whole code base beside it
                changes.append((path.removeprefix(prefix), *_ids(token)))
    if sha:
        yield sha, changes


def _ids(token: bytes) -> tuple[str | None, str | None]:
    """Of ``:100644 100644 <id> <id> M``, the two ids; None for what is no regular file."""
    old_mode, new_mode, old, new, _ = token.decode().strip("\n:").split(" ")
    return (old if old_mode.startswith("100") else None, new if new_mode.startswith("100") else None)


def _appeared(changes: Iterable[_Change]) -> bool:
    return any(path == SETTINGS and old is None and new is not None for path, old, new in changes)


@dataclass(frozen=True)
class _Origin:
    """Where a registry stood before a commit moved it. ``files`` are those that went away there, by relative path."""

    parent: str
    prefix: str
    files: Mapping[str, str]

    def joined(self, changes: Iterable[_Change]) -> Iterator[_Change]:
        """The changes of that commit with each file that came from there as one that was changed, if at all."""
        came = dict(self.files)
        for path, old, new in changes:
            yield path, came.pop(path, None) if old is None else old, new
        for path, old in came.items():
            yield path, old, None


def _came_from(git: Git, sha: str, prefix: str, changes: Sequence[_Change]) -> _Origin | None:
    parent = git.commit(f"{sha}^1")
    if parent is None:
        return None
    gone: dict[str, str] = {}
    fields = git.fields("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--diff-filter=D", parent, sha)
    for token in fields:
        path = next(fields, b"").decode("utf-8", "surrogateescape")
        old = _ids(token)[0]
        if old is not None:
            gone[path] = old
    places = [p.removesuffix(SETTINGS) for p in gone if p == SETTINGS or p.endswith(f"/{SETTINGS}")]
    origins = [_origin(parent, place, gone) for place in places if place != prefix]
    new = {(path, to) for path, _, to in changes}
    # The one that has most files in common: two registries may have been moved at once.
    return max(origins, key=lambda origin: len(new & set(origin.files.items())), default=None)


def _origin(parent: str, place: str, gone: Mapping[str, str]) -> _Origin:
    return _Origin(parent, place, {p.removeprefix(place): sha for p, sha in gone.items() if p.startswith(place)})
