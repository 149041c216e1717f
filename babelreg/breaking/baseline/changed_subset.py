"""The part of two registries that differs: messages that are equal on both sides cannot break and are not read.

A message differs where its file does, or a file it depends on. Messages that share a URN with one of these or supersede
it are read, too, so that everything reported of a differing message is the same as with complete registries. A file
without a valid cache entry is always read.

Gain (1,000 messages, 50 changed): 37 % of the CPU time of the first ``breaking``, 53 % of a repeated one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple

from babelreg import load
from babelreg.breaking.baseline.blob_trees import BlobTree
from babelreg.breaking.baseline.registry_cache import CachedMessage, Closure, RegistryCache
from babelreg.load.files.partial_tree import PartialTree
from babelreg.load.files.registry_paths import well_placed
from babelreg.load.registry.builder import from_documents
from babelreg.load.registry.document import Document
from babelreg.model import Message, Registry

_CONTEXT = "/_context.yaml"
_SERVICES = "_services/"
_UNREADABLE = "unreadable"


class ComparedState(NamedTuple):
    """A present message, and what of it is published.

    ``state``: ``compared`` where there is a published version, else ``drafts`` where that version, or a message without
    one, is a draft; ``new`` where there is none; ``unreadable`` where it cannot be read.
    """

    path: str
    urn: str
    state: str


@dataclass(frozen=True, slots=True)
class ChangedSubset:
    """The differing parts of both registries. ``messages`` and ``files`` are of the complete new one."""

    old: Registry
    new: Registry
    messages: tuple[ComparedState, ...]
    files: frozenset[str]


def changed_subset(old: BlobTree, new: BlobTree, root: str, cache: RegistryCache) -> ChangedSubset:
    """Read the parts of ``old`` and ``new`` that differ. ``root`` is the folder of the new one, as the user named it.

    A new registry with defects is read completely. The work is linear in the differences, except for listing files.
    """
    now, before = _IndexedTree(new, cache, root), _IndexedTree(old, cache, "")
    now.update_cache(now.messages)
    before.update_cache([path for path in before.messages if before.key(path) != now.key(path)])
    differing = now.differing(before), before.differing(now)
    urns = now.urns(differing[0]) | before.urns(differing[1])
    registry = now.read(now.selection(urns, differing[0], before))
    if registry.defects:
        complete = load.from_tree(new, root)
        return ChangedSubset(load.from_tree(old), complete, (), complete.files)
    published = before.read(before.selection(urns, differing[1], now), but=now)
    with_defects = {urn for m in published.messages for urn in (m.urn, m.supersedes) if urn is not None} - urns
    if with_defects:
        # Their files have defects, so their URNs are known only now; other files may declare them, too.
        urns |= with_defects
        registry = now.read(now.selection(urns, differing[0], before))
        published = before.read(before.selection(urns, differing[1], now), but=now)
    cache.save()
    states = tuple(now.states(before.published_statuses(published)))
    return ChangedSubset(before.with_services(published, registry, now), registry, states, now.files(registry))


class _IndexedTree:
    """One of the two trees, with the cache entries of its files."""

    def __init__(self, tree: BlobTree, cache: RegistryCache, root: str) -> None:
        self.tree = tree
        self._cache = cache
        self._root = root
        paths = tree.paths()
        self._declared = {path.removesuffix(_CONTEXT) for path in paths if path.endswith(_CONTEXT)}
        self.messages = {path: None for path in paths if _may_be_message(path)}
        self._fragments = {path: None for path in paths if path.startswith("_common/")}
        self._always = [p for p in paths if p not in self.messages and not p.startswith("_common/")]
        self._keys: dict[str, str | None] = {}
        self._known: dict[str, tuple[CachedMessage, Closure] | None] = {}
        self._read: dict[str, Document] = {}

    def key(self, path: str) -> str | None:
        """Return the cache key of ``path``; None where there is no such file."""
        if path not in self._keys:
            sha = self.tree.id_of(path)
            declared = int(path.partition("/")[0] in self._declared)
            self._keys[path] = f"{sha} {declared} {path}" if sha is not None else None
        return self._keys[path]

    def known(self, path: str) -> tuple[CachedMessage, Closure] | None:
        """Return the cache entry of a message's file, with the dependencies that match this tree."""
        if path not in self._known:
            key = self.key(path)
            entry = self._cache.get(key) if key is not None else None
            fitting = [closure for closure in entry.closures if self.has(closure)] if entry else []
            self._known[path] = (entry, fitting[0]) if entry and fitting else None
        return self._known[path]

    def update_cache(self, paths: Iterable[str]) -> None:
        """Read those of ``paths`` without a cache entry, and the shared fragments, and cache them."""
        unknown = [path for path in paths if self.known(path) is None]
        fragments = [path for path in self._fragments if self.known(path) is None]
        if not unknown and not fragments:
            return
        registry = self._loaded([*self._always, *unknown, *fragments])
        defective = {found.place.path for found in registry.defects}
        said = {message.source.path: message for message in registry.messages}
        for path in unknown + fragments:
            closure = self._closure(said[path]) if path in said else ()
            if path in defective or closure is None or any(other in defective for other, _ in closure):
                continue
            message, key = said.get(path), self.key(path)
            if key is not None:
                self._cache.put(key, message, closure)
                del self._known[path]

    def _closure(self, message: Message) -> Closure | None:
        """Return the files that a message depends on; None where it could not be bundled."""
        if message.schema is None and message.data is not None:
            return None
        paths = {source.path for source in message.origins.values()}
        paths |= {example.source.path for example in message.examples} - {message.source.path}
        ids = [(path, self.tree.id_of(path)) for path in sorted(paths)]
        return tuple((path, sha) for path, sha in ids if sha is not None)

    def differing(self, other: _IndexedTree) -> set[str]:
        """Return the messages that differ from ``other``, and those with defects."""
        differing = set()
        for path in self.messages:
            known = self.known(path)
            if known is None or self.key(path) != other.key(path) or not other.has(known[1]):
                differing.add(path)
        return differing

    def has(self, closure: Closure) -> bool:
        """Return True where all these files are equal in this tree."""
        return all(self.tree.id_of(path) == sha for path, sha in closure)

    def urns(self, paths: Iterable[str]) -> set[str]:
        """Return the URNs that the files ``paths`` declare or supersede."""
        entries = [known[0] for path in paths if (known := self.known(path)) is not None]
        return {urn for entry in entries for urn in (entry.urn, entry.supersedes) if urn is not None}

    def files(self, registry: Registry) -> frozenset[str]:
        """Return the paths of all files of the registry, of which ``registry`` is the part that was read."""
        declaring = {path for path in self.messages if (known := self.known(path)) and known[0].urn is not None}
        placed = {path for path in (*self._always, *self._fragments) if well_placed(path)}
        return registry.files.union(declaring, placed, self._referred)

    @property
    def _referred(self) -> set[str]:
        """Files that messages with a cache entry depend on."""
        entries = (known for path in self.messages if (known := self.known(path)))
        return {needed for _, closure in entries for needed, _ in closure}

    def selection(self, urns: set[str], paths: set[str], other: _IndexedTree) -> list[str]:
        """Return ``paths``, messages that declare or supersede one of ``urns``, and the fragments they depend on."""
        chosen = set(paths)
        fragments = {f for f in self._fragments if self.key(f) != other.key(f) or self.known(f) is None}
        for path in self.messages:
            known = self.known(path)
            if known is not None and (path in chosen or known[0].urn in urns or known[0].supersedes in urns):
                chosen.add(path)
                fragments |= {needed for needed, _ in known[1] if needed in self._fragments}
        return sorted(chosen | fragments)

    def read(self, paths: Sequence[str], but: _IndexedTree | None = None) -> Registry:
        """Read these files and all that are not messages, without the services that are equal in ``but``."""
        skipped = self._shared(but) if but else set()
        services = [path for path in self._always if path.startswith(_SERVICES)] if not paths else skipped
        paths = [*(path for path in self._always if path not in services), *paths]
        referred = self._referred
        others = [path for path in self.tree.others() if path not in referred] if but is None else ()
        return self._loaded(paths, others)

    def with_services(self, registry: Registry, from_other: Registry, other: _IndexedTree) -> Registry:
        """Return ``registry`` with the services that were skipped because they are equal in ``other``."""
        names = {PurePosixPath(path).stem for path in self._shared(other)}
        services = {**{n: s for n, s in from_other.services.items() if n in names}, **registry.services}
        return replace(registry, services=dict(sorted(services.items())))

    def _shared(self, other: _IndexedTree) -> set[str]:
        return {path for path in self._always if path.startswith(_SERVICES) and self.key(path) == other.key(path)}

    def _loaded(self, paths: Iterable[str], others: Sequence[str] = ()) -> Registry:
        return from_documents(PartialTree(self.tree, sorted(set(paths)), others), self._root, self._read)

    def published_statuses(self, read: Registry) -> Mapping[str, str | None]:
        """Return the status of each message by URN, and by path that of a file without a readable one: ``unreadable``.

        ``read`` is the part of the registry that was read.
        """
        declared: dict[str, tuple[str, str | None]] = {path: (path, _UNREADABLE) for path in self.messages}
        for message in read.messages:
            without_schema = message.published and message.data is not None and message.schema is None
            declared[message.source.path] = message.urn, _UNREADABLE if without_schema else message.status
        for path in self.messages:
            if known := self.known(path):
                declared[path] = known[0].urn or path, known[0].status
        # Where two files declare one URN, the first counts.
        return dict(declared[path] for path in sorted(declared, reverse=True))

    def states(self, published: Mapping[str, str | None]) -> Iterator[ComparedState]:
        """Yield the state of each message; ``published`` are the statuses of the other tree."""
        for path in self.messages:
            known = self.known(path)
            if known is None or known[0].urn is None:
                continue
            urn = known[0].urn
            status = published.get(urn) or published.get(path)
            if status == "draft" or (status is None and known[0].status == "draft"):
                yield ComparedState(path, urn, "drafts")
            else:
                yield ComparedState(path, urn, status if status == _UNREADABLE else "compared" if status else "new")


def _may_be_message(path: str) -> bool:
    folder, slash, name = path.partition("/")
    return bool(slash) and not folder.startswith("_") and not name.startswith("_") and well_placed(path)
