"""What was published of a message before: each distinct schema that it had on the way to the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.history import FileHistory, read_history
from babelreg.breaking.baseline.repository import UNSHALLOW
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.load.files.defect import Defect
from babelreg.load.registry import file_schema
from babelreg.load.registry.bundle import Bundler, RefDefect
from babelreg.load.registry.document import Document, decode
from babelreg.model import Message, Source, Urn, UrnError
from babelreg.schema.simplify import without_annotations

__all__ = ["Notes", "PublishedVersions", "Version", "message_of"]

_MOST_NAMED = 3
_Ids = tuple[str | None, ...]
_Unread = tuple[tuple[str, str], str]
Notes = tuple[Sequence[str], Sequence[_Unread]]
"""The commits of the versions of one URN, and the versions that cannot be read, each with what to call it."""


@dataclass(frozen=True, slots=True)
class Version:
    """A message as ``commit`` published it. ``judged`` is its schema without annotations."""

    message: Message
    commit: str
    judged: Any


class PublishedVersions:
    """Every version that was published up to the tree of a commit; read only of the messages that are asked for."""

    def __init__(self, tree: CommitTree) -> None:
        self._tree = tree
        self._timelines: dict[str | None, FileHistory] = {}
        # By file, by the paths of the files that it depends on, by their ids.
        self._read: dict[tuple[str, str], dict[tuple[str, ...], dict[_Ids, Message | None]]] = {}
        self._documents: dict[tuple[str, str], Document | None] = {}
        self._gone: dict[tuple[int, int], Mapping[str, str]] = {}
        self.compared: dict[str, Sequence[str]] = {}
        """The commits of the versions that were compared, by URN."""
        self.unreadable: dict[tuple[str, str], str] = {}
        """What to call the versions that cannot be read, by path and id."""

    def before(self, message: Message, since: str | None, *, newest: bool = False) -> Sequence[Version]:
        """The distinct schemas of ``message``, the newest first, while it was active or deprecated, since ``since``.

        ``message`` tells the URN, and the file that it had at the end; what it says itself counts only where it is
        the ``newest`` version, as the tree has it: that is not read again. Raises UsageError where history is not
        there.
        """
        timeline = self._timeline(since)
        if newest and message.schema is not None:
            self._know(timeline, message)
        found: dict[str, Version] = {}
        for version in self._walked(timeline, message.urn, message.source.path, 0, set()):
            found.setdefault(repr(version.judged), version)
        self.compared[message.urn] = tuple(version.commit for version in found.values())
        return list(found.values())

    def notes(self, urn: str, known: int) -> Notes:
        """What :attr:`told` needs to know of ``urn``, but for what it was told first: ``known`` of ``unreadable``."""
        return self.compared.get(urn, ()), tuple(self.unreadable.items())[known:]

    def note(self, every: Iterable[tuple[str, Notes]]) -> None:
        """Tell of these URNs, in this order, wherever they were looked at."""
        self.compared.clear()
        found: dict[tuple[str, str], str] = {}
        for urn, (commits, unreadable) in every:
            self.compared[urn] = commits
            for version, name in unreadable:
                found.setdefault(version, name)
        self.unreadable = {v: name for v, name in self.unreadable.items() if v not in found} | found

    @property
    def told(self) -> Sequence[str]:
        """Sentences on which versions were compared, and which could not be; none where nothing had to be."""
        compared = [commits for commits in self.compared.values() if commits]
        said = []
        if compared:
            every = [commit[:8] for commits in compared for commit in commits]
            changed, published = _counted(len(compared), "message"), _counted(len(every), "published version")
            said.append(f"{changed} changed; compared with {published}, of {_listed(every)}")
        if self.unreadable:
            unread = _counted(len(self.unreadable), "older version")
            said.append(f"{unread} cannot be read: {_listed(self.unreadable.values())}")
        return said

    def _timeline(self, since: str | None) -> FileHistory:
        if since not in self._timelines:
            git, commit = self._tree.git, self._tree.commit
            first = git.commit(since) if since is not None else None
            if since is not None and first is None:
                fix = UNSHALLOW if git.shallow else "git fetch --tags, or mend compatibility.since in babelreg.yaml"
                raise UsageError(f"git knows no revision {since!r}, which compatibility.since names", fix=fix)
            try:
                line = FileHistory({})
                if commit:
                    line = read_history(git, commit, self._tree.prefix, self._tree.ids, first)
            except GitError as err:
                raise git.unreadable(err) from err
            self._timelines[since] = line
        return self._timelines[since]

    def _walked(self, line: FileHistory, urn: str, path: str, position: int, visited: set[str]) -> Iterator[Version]:
        visited.add(path)
        while True:
            message, closure = self._message(line, path, position)
            at = line.next_change(closure, position)
            if message is not None and message.urn == urn and message.published and message.schema is not None:
                commit = line.end or self._tree.commit or "" if at is None else line.commits[at]
                yield Version(message, commit, without_annotations(message.schema, formats=True))
            if at is None:
                return
            if line.added(path, at):
                self._check_cut(path, line.commits[at])
                moved_from = self._removed(line, at).get(urn)
                if moved_from is not None and moved_from not in visited:
                    yield from self._walked(line, urn, moved_from, at + 1, visited)
            position = at + 1

    def _check_cut(self, path: str, commit: str) -> None:
        if commit in self._tree.git.cut_at:
            raise UsageError(
                f"what was published of {path} before {commit[:8]} is not in this shallow clone",
                fix=f"{UNSHALLOW}; or let history start there: compatibility: {{since: {commit[:8]}}}",
            )

    def _removed(self, line: FileHistory, at: int) -> Mapping[str, str]:
        """The messages whose files commit number ``at`` took away, by URN: one that came back elsewhere was moved."""
        if (id(line), at) not in self._gone:
            paths = [path for path in line.removed(at) if path.endswith(".yaml") and path.count("/") == 1]
            messages = [(path, self._message(line, path, at + 1)[0]) for path in paths]
            self._gone[id(line), at] = {message.urn: path for path, message in messages if message is not None}
        return self._gone[id(line), at]

    def _message(self, line: FileHistory, path: str, position: int) -> tuple[Message | None, Sequence[str]]:
        """The message that a file declared, and the files that this depends on."""
        sha = line.id_at(path, position)
        if sha is None:
            return None, (path,)
        known = self._read.setdefault((path, sha), {})
        for closure, by_ids in known.items():
            ids = tuple(line.id_at(other, position) for other in closure)
            if ids in by_ids:
                return by_ids[ids], closure
        asked: dict[str, str | None] = {path: sha}

        def opened(other: str) -> Document | None:
            asked[other] = line.id_at(other, position)
            return self._document(other, asked[other])

        message = message_of(self._document(path, sha), opened)
        if message is None or (message.schema is None and message.data is not None):
            commit = (line.commits[position:] or [self._tree.commit or ""])[0]
            self.unreadable.setdefault((path, sha), f"{path} of {commit[:8]}")
        known.setdefault(tuple(asked), {})[tuple(asked.values())] = message
        return message, tuple(asked)

    def _know(self, line: FileHistory, message: Message) -> None:
        """Take ``message`` for what its file declares at the end."""
        files = tuple(dict.fromkeys([message.source.path, *(source.path for source in message.origins.values())]))
        ids = tuple(line.id_at(path, 0) for path in files)
        if None not in ids:
            self._read.setdefault((files[0], str(ids[0])), {}).setdefault(files, {}).setdefault(ids, message)

    def _document(self, path: str, sha: str | None) -> Document | None:
        """The file as it once was; None where there was none that can be read."""
        if sha is not None and (path, sha) not in self._documents:
            try:
                self._documents[path, sha] = Document(path, decode(self._tree.objects.read(sha)))
            except Defect:
                self._documents[path, sha] = None
        return self._documents[path, sha] if sha is not None else None


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _listed(names: Iterable[str]) -> str:
    every = list(dict.fromkeys(names))
    return ", ".join(every[:_MOST_NAMED]) + (", …" if len(every) > _MOST_NAMED else "")


def message_of(document: Document | None, opened: Callable[[str], Document | None]) -> Message | None:
    """The message that ``document`` declares, None where it declares none that is sound in itself.

    ``opened`` gives the other files of that time by path. Where one of them is missing, the schema is.
    """
    if document is None or file_schema.check(document, "message"):
        return None
    value = document.value
    schema, origins = _bundled(document, opened)
    return Message(
        urn=value["urn"],
        parsed=_parsed(value["urn"]),
        source=document,
        kind=value.get("kind"),
        status=value.get("status", "active"),
        description=value.get("description"),
        supersedes=value.get("supersedes"),
        producers=tuple(value.get("producers", ())),
        declared_consumers=tuple(value.get("consumers", ())),
        sunset=value.get("sunset"),
        data=value.get("data"),
        schema=schema,
        origins=origins,
    )


def _bundled(
    document: Document, opened: Callable[[str], Document | None]
) -> tuple[dict[str, Any] | None, dict[str, Source]]:
    def fragment(path: str) -> tuple[Source, Any]:
        found = opened(path)
        if found is None:
            raise KeyError(path)
        return found, found.value

    data = document.value.get("data")
    if not isinstance(data, dict):
        return (None if data is None else {} if data else {"not": {}}), {}
    try:
        bundle = Bundler(fragment).bundle(data, document, ("data",))
    except RefDefect:
        return None, {}
    return bundle.schema, dict(bundle.origins)


def _parsed(urn: str) -> Urn | None:
    try:
        return Urn.parse(urn)
    except UrnError:
        return None
