"""Input of an import, whatever its format: schemas, the roots that become messages, and the facts known about each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target
from babelreg.exchange.schemas.resolution import ResolvedReferences
from babelreg.finding import Finding, Place


@dataclass(frozen=True, slots=True)
class SourceExample:
    """A document that may be an example of a message."""

    data: Any
    place: Place


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A schema that becomes a message.

    ``key`` names it in a plan: a path, with ``#/pointer`` for a part. ``context`` and ``words`` are what a URN is made
    of where ``urn`` is not known. ``certain`` is False for a message that its source does not use.
    """

    key: str
    target: Target
    context: str
    words: str
    certain: bool = True
    urn: str | None = None
    kind: str | None = None
    status: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Members of the message file: description, owner, queue, producers, consumers."""
    examples: tuple[SourceExample, ...] = ()
    former_keys: tuple[str, ...] = ()
    """Keys of older revisions from which an earlier import may have created the message."""


@dataclass
class ImportSources:
    """All sources of one import. ``origin`` tells it from other imports into the same registry."""

    origin: str
    root: Path
    index: IdentifierIndex
    resolved: ResolvedReferences
    messages: list[SourceMessage]
    findings: list[Finding] = field(default_factory=list)
    folders: tuple[Path, ...] = ()
    """The folders that were read as a whole: a source that is missing there is gone."""
    services: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The files of services, by name."""
    files: frozenset[str] = frozenset()
    """Paths of files that were read as a whole: a part that is missing there is gone."""
    leftovers: Callable[[Collection[str]], Iterable[Finding]] = lambda _: ()
    """Returns findings about what the messages with the given keys, those that are imported, leave out."""

    def key_of(self, target: Target) -> str:
        """Return the name of a schema in a plan: the path of its file, with ``#/pointer`` for a part.

        A file with schemas of several dialects is indexed once for each; the name of the dialect tells them apart.
        """
        file = self.index.files[target[0]]
        path = file.document.path
        key = f"{path}#{target[1]}" if target[1] else path
        first = next(other for other in self.index.files if other.document.path == path)
        return key if first is file else f"{key} {file.dialect.name}"
