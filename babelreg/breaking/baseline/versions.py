"""Published versions of messages: each distinct schema that a message had in the history of the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.history import FileHistory, read_history
from babelreg.breaking.baseline.repository import UNSHALLOW
from babelreg.containment.bare_schema import bare
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.load.files.defect import Defect
from babelreg.load.registry import file_validation
from babelreg.load.registry.bundle import Bundler, RefDefect
from babelreg.load.registry.document import Document, decode
from babelreg.model import Message, Source, Urn, UrnError
from babelreg.plural import counted

_MAX_NAMED = 3
_Ids = tuple[str | None, ...]
_Unread = tuple[tuple[str, str], str]
Notes = tuple[Sequence[str], Sequence[_Unread]]
"""The commits of the compared versions of one URN, and the unreadable versions, each with a display name."""


@dataclass(frozen=True, slots=True)
class Version:
    """A message as published by ``commit``. ``bare_schema`` is its schema without annotations."""

    message: Message
    commit: str
    bare_schema: Any


class PublishedVersions:
    """All versions published up to the tree of a commit, read on demand, message by message."""

    def __init__(self, tree: CommitTree) -> None:
        self._tree = tree
        self._histories: dict[str | None, FileHistory] = {}
        # By file, then by the paths of its dependencies, then by their ids.
        self._messages: dict[tuple[str, str], dict[tuple[str, ...], dict[_Ids, Message | None]]] = {}
        self._documents: dict[tuple[str, str], Document | None] = {}
        self._removed_messages: dict[tuple[int, int], Mapping[str, str]] = {}
        self.compared: dict[str, Sequence[str]] = {}
        """Commits of the compared versions, by URN."""
        self.unreadable: dict[tuple[str, str], str] = {}
        """Display names of the versions that cannot be read, by path and id."""

    def before(self, message: Message, since: str | None, *, newest: bool = False) -> Sequence[Version]:
        """Return the distinct published versions of ``message`` since ``since``, the newest first.

        ``message`` gives the URN and the path. With ``newest`` it is the version in the tree itself, which is not read
        again. Raises UsageError where the history is not available.
        """
        history = self._history(since)
        if newest and message.schema is not None:
            self._cache_message(history, message)
        distinct: dict[str, Version] = {}
        for version in self._versions_from(history, message.urn, message.source.path, 0, set()):
            distinct.setdefault(repr(version.bare_schema), version)
        self.compared[message.urn] = tuple(version.commit for version in distinct.values())
        return list(distinct.values())

    def notes(self, urn: str, known: int) -> Notes:
        """Return the notes of ``urn``, without the first ``known`` entries of ``unreadable``."""
        return self.compared.get(urn, ()), tuple(self.unreadable.items())[known:]

    def note(self, notes_by_urn: Iterable[tuple[str, Notes]]) -> None:
        """Take over the notes of these URNs, in this order, from whichever process compared them."""
        self.compared.clear()
        names: dict[tuple[str, str], str] = {}
        for urn, (commits, unreadable) in notes_by_urn:
            self.compared[urn] = commits
            for version, name in unreadable:
                names.setdefault(version, name)
        self.unreadable = {v: name for v, name in self.unreadable.items() if v not in names} | names

    @property
    def summary(self) -> Sequence[str]:
        """Sentences on the versions that were compared, and on those that cannot be read."""
        compared = [commits for commits in self.compared.values() if commits]
        sentences = []
        if compared:
            commits_shown = [commit[:8] for commits in compared for commit in commits]
            changed, published = counted(len(compared), "message"), counted(len(commits_shown), "published version")
            sentences.append(f"{changed} changed; compared with {published}, of {_listed(commits_shown)}")
        if self.unreadable:
            unread = counted(len(self.unreadable), "older version")
            sentences.append(f"{unread} cannot be read: {_listed(self.unreadable.values())}")
        return sentences

    def _history(self, since: str | None) -> FileHistory:
        if since not in self._histories:
            git, commit = self._tree.git, self._tree.commit
            first = git.commit(since) if since is not None else None
            if since is not None and first is None:
                fix = UNSHALLOW if git.shallow else "git fetch --tags, or correct compatibility.since in babelreg.yaml"
                raise UsageError(f"git has no revision {since!r}, the value of compatibility.since", fix=fix)
            try:
                history = FileHistory({})
                if commit:
                    history = read_history(git, commit, self._tree.prefix, self._tree.ids, first)
            except GitError as err:
                raise git.unreadable(err) from err
            self._histories[since] = history
        return self._histories[since]

    def _versions_from(
        self, history: FileHistory, urn: str, path: str, position: int, visited: set[str]
    ) -> Iterator[Version]:
        visited.add(path)
        while True:
            message, closure = self._message(history, path, position)
            at = history.next_change(closure, position)
            if message is not None and message.urn == urn and message.published and message.schema is not None:
                commit = history.end or self._tree.commit or "" if at is None else history.commits[at]
                yield Version(message, commit, bare(message.schema))
            if at is None:
                return
            if history.added(path, at):
                self._check_cut(path, history.commits[at])
                moved_from = self._removed(history, at).get(urn)
                if moved_from is not None and moved_from not in visited:
                    yield from self._versions_from(history, urn, moved_from, at + 1, visited)
            position = at + 1

    def _check_cut(self, path: str, commit: str) -> None:
        if commit in self._tree.git.cut_at:
            raise UsageError(
                f"what was published of {path} before {commit[:8]} is not in this shallow clone",
                fix=f"{UNSHALLOW}; or start the history there: compatibility: {{since: {commit[:8]}}}",
            )

    def _removed(self, history: FileHistory, at: int) -> Mapping[str, str]:
        """Return the messages whose files commit number ``at`` removed, by URN: one that reappears was moved."""
        if (id(history), at) not in self._removed_messages:
            paths = [path for path in history.removed(at) if path.endswith(".yaml") and path.count("/") == 1]
            messages = [(path, self._message(history, path, at + 1)[0]) for path in paths]
            self._removed_messages[id(history), at] = {
                message.urn: path for path, message in messages if message is not None
            }
        return self._removed_messages[id(history), at]

    def _message(self, history: FileHistory, path: str, position: int) -> tuple[Message | None, Sequence[str]]:
        """Return the message that a file declared at ``position``, and the files it depended on."""
        sha = history.id_at(path, position)
        if sha is None:
            return None, (path,)
        known = self._messages.setdefault((path, sha), {})
        for closure, by_ids in known.items():
            ids = tuple(history.id_at(other, position) for other in closure)
            if ids in by_ids:
                return by_ids[ids], closure
        dependencies: dict[str, str | None] = {path: sha}

        def opened(other: str) -> Document | None:
            dependencies[other] = history.id_at(other, position)
            return self._document(other, dependencies[other])

        message = message_of(self._document(path, sha), opened)
        if message is None or (message.schema is None and message.data is not None):
            commit = (history.commits[position:] or [self._tree.commit or ""])[0]
            self.unreadable.setdefault((path, sha), f"{path} of {commit[:8]}")
        known.setdefault(tuple(dependencies), {})[tuple(dependencies.values())] = message
        return message, tuple(dependencies)

    def _cache_message(self, history: FileHistory, message: Message) -> None:
        """Cache ``message`` as the content of its file at position 0."""
        files = tuple(dict.fromkeys([message.source.path, *(source.path for source in message.origins.values())]))
        ids = tuple(history.id_at(path, 0) for path in files)
        if None not in ids:
            self._messages.setdefault((files[0], str(ids[0])), {}).setdefault(files, {}).setdefault(ids, message)

    def _document(self, path: str, sha: str | None) -> Document | None:
        """Return the file with the blob id ``sha``; None where it is missing or unreadable."""
        if sha is not None and (path, sha) not in self._documents:
            try:
                self._documents[path, sha] = Document(path, decode(self._tree.objects.read(sha)))
            except Defect:
                self._documents[path, sha] = None
        return self._documents[path, sha] if sha is not None else None


def _listed(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct[:_MAX_NAMED]) + (", …" if len(distinct) > _MAX_NAMED else "")


def message_of(document: Document | None, opened: Callable[[str], Document | None]) -> Message | None:
    """Return the message that ``document`` declares; None where it is missing or has defects.

    ``opened`` returns the other files of that commit by path. Where one of them is missing, the schema is None.
    """
    if document is None or file_validation.check(document, "message"):
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
        file = opened(path)
        if file is None:
            raise KeyError(path)
        return file, file.value

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
