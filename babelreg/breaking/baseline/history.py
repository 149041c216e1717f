"""File history of a registry along the first parents of a commit, through moves of its folder.

A position counts commits backwards: 0 is the tree of the commit itself, n + 1 the tree before commit number n. Where
the registry folder was moved, by its ``babelreg.yaml``, the history continues in the old folder, with relative paths.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from babelreg.breaking.baseline.repository import Repository
from babelreg.load.files.registry_paths import SETTINGS

_MAX_MOVES = 20
_OPTIONS = ("--first-parent", "-m", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-notes", "--no-color",
            "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none")  # fmt: skip
_MARK = b"\x01"
_SUFFIXES = (".yaml", ".json")


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A change of a file by commit number ``at``: blob ids before and after, None for no file."""

    at: int
    old: str | None
    new: str | None


@dataclass
class FileHistory:
    """The changes of every file, newest first. ``now`` are the files at position 0, ``commits`` the ids by number.

    ``end`` is the commit before the oldest one, where the history is limited.
    """

    now: Mapping[str, str]
    commits: list[str] = field(default_factory=list)
    events: dict[str, list[FileEvent]] = field(default_factory=dict)
    end: str | None = None

    def id_at(self, path: str, position: int) -> str | None:
        """Return the blob id of ``path`` at ``position``; None where there was no such file."""
        events = self.events.get(path)
        if not events:
            return self.now.get(path)
        older = bisect_left(events, position, key=lambda event: event.at)
        return events[older].new if older < len(events) else events[-1].old

    def next_change(self, paths: Iterable[str], position: int) -> int | None:
        """Return the number of the newest commit at or before ``position`` that changed one of ``paths``, or None."""
        changes = (self._next(path, position) for path in paths)
        return min((at for at in changes if at is not None), default=None)

    def _next(self, path: str, position: int) -> int | None:
        events = self.events.get(path, ())
        older = bisect_left(events, position, key=lambda event: event.at)
        return events[older].at if older < len(events) else None

    def added(self, path: str, at: int) -> bool:
        """Return True where commit number ``at`` added the file."""
        return any(event.at == at and event.old is None for event in self.events.get(path, ()))

    def removed(self, at: int) -> Sequence[str]:
        """Return the files that commit number ``at`` removed."""
        return self._removed.get(at, ())

    @cached_property
    def _removed(self) -> Mapping[int, list[str]]:
        removed: dict[int, list[str]] = {}
        for path, events in self.events.items():
            for event in events:
                if event.new is None:
                    removed.setdefault(event.at, []).append(path)
        return removed

    def add(self, path: str, old: str | None, new: str | None) -> None:
        """Add a change to the last commit."""
        if old != new:
            self.events.setdefault(path, []).append(FileEvent(len(self.commits) - 1, old, new))


def read_history(git: Repository, commit: str, prefix: str, now: Mapping[str, str], since: str | None) -> FileHistory:
    """Read the first parents from ``commit`` back to ``since``, or to the first commit. Raises GitError."""
    history = FileHistory(now, end=since)
    tip: str | None = commit
    for _ in range(_MAX_MOVES):
        if tip is None:
            break
        tip, prefix = _segment(git, history, tip, prefix, since)
    return history


def _segment(git: Repository, history: FileHistory, tip: str, prefix: str, since: str | None) -> tuple[str | None, str]:
    """Add the changes below ``prefix``. Return the parent and the folder that the registry was moved from, if any."""
    for sha, changes in _commits(git, tip, prefix, since):
        history.commits.append(sha)
        moved = _move_origin(git, sha, prefix, changes) if _appeared(changes) else None
        for path, old, new in moved.joined(changes) if moved else changes:
            history.add(path, old, new)
        if moved:
            return moved.parent, moved.prefix
    return None, prefix


_Change = tuple[str, str | None, str | None]


def _commits(git: Repository, tip: str, prefix: str, since: str | None) -> Iterator[tuple[str, list[_Change]]]:
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
            if path.endswith(_SUFFIXES):  # a registry at the top may share the repository with a code base
                changes.append((path.removeprefix(prefix), *_ids(token)))
    if sha:
        yield sha, changes


def _ids(token: bytes) -> tuple[str | None, str | None]:
    """Return the two ids of ``:100644 100644 <id> <id> M``; None for anything but a regular file."""
    old_mode, new_mode, old, new, _ = token.decode().strip("\n:").split(" ")
    return (old if old_mode.startswith("100") else None, new if new_mode.startswith("100") else None)


def _appeared(changes: Iterable[_Change]) -> bool:
    return any(path == SETTINGS and old is None and new is not None for path, old, new in changes)


@dataclass(frozen=True)
class _Origin:
    """Folder of a registry before a commit moved it. ``files`` are the removed ones, by relative path."""

    parent: str
    prefix: str
    files: Mapping[str, str]

    def joined(self, changes: Iterable[_Change]) -> Iterator[_Change]:
        """Yield the changes of that commit, with each moved file as a changed one."""
        moved = dict(self.files)
        for path, old, new in changes:
            yield path, moved.pop(path, None) if old is None else old, new
        for path, old in moved.items():
            yield path, old, None


def _move_origin(git: Repository, sha: str, prefix: str, changes: Sequence[_Change]) -> _Origin | None:
    parent = git.commit(f"{sha}^1")
    if parent is None:
        return None
    removed: dict[str, str] = {}
    fields = git.fields("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--diff-filter=D", parent, sha)
    for token in fields:
        path = next(fields, b"").decode("utf-8", "surrogateescape")
        old = _ids(token)[0]
        if old is not None:
            removed[path] = old
    places = [p.removesuffix(SETTINGS) for p in removed if p == SETTINGS or p.endswith(f"/{SETTINGS}")]
    origins = [_origin(parent, place, removed) for place in places if place != prefix]
    new = {(path, to) for path, _, to in changes}
    # The folder with most files in common: a commit may move two registries.
    return max(origins, key=lambda origin: len(new & set(origin.files.items())), default=None)


def _origin(parent: str, place: str, removed: Mapping[str, str]) -> _Origin:
    return _Origin(parent, place, {p.removeprefix(place): sha for p, sha in removed.items() if p.startswith(place)})
