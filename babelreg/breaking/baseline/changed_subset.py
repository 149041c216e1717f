"""Two registries, read only as far as they differ: what is equal on both sides cannot break anything.

A message differs where its file does, or a file that it leads to. Beside these are read those that share a URN with one
of them or supersede it, so that every question about a message that differs is answered as if all had been read. A file
that was never found to be sound is read in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from babelreg import load
from babelreg.breaking.baseline.blob_trees import BlobTree
from babelreg.breaking.baseline.registry_cache import CachedMessage, Closure, ParsedYaml, RegistryCache
from babelreg.load.files.partial_tree import PartialTree
from babelreg.load.files.registry_paths import well_placed
from babelreg.model import Message, Registry

__all__ = ["ChangedSubset", "changed_subset"]

_CONTEXT = "/_context.yaml"
_SERVICES = "_services/"


@dataclass(frozen=True, slots=True)
class ChangedSubset:
    """The parts of both registries that matter; ``messages`` and ``files`` are those of the whole new one."""

    old: Registry
    new: Registry
    messages: int
    files: frozenset[str]


def changed_subset(old: BlobTree, new: BlobTree, root: str, kept: RegistryCache) -> ChangedSubset:
    """What ``old`` and ``new`` differ in. ``root`` is the folder of the new one, as the user named it.

    Where the new one has defects, it is read whole, to be refused. Sizes are linear in what differs, but for the names.
    """
    known = ParsedYaml()
    now, before = _Side(new, kept, root, known), _Side(old, kept, "", known)
    now.learn(now.messages)
    before.learn([path for path in before.messages if before.key(path) != now.key(path)])
    differing = now.differing(before), before.differing(now)
    urns = now.urns(differing[0]) | before.urns(differing[1])
    registry = now.read(now.about(urns, differing[0], before))
    if registry.defects:
        whole = load.from_tree(new, root)
        return ChangedSubset(load.from_tree(old), whole, now.count, whole.files)
    published = before.read(before.about(urns, differing[1], now), but=now)
    unsound = {urn for m in published.messages for urn in (m.urn, m.supersedes) if urn is not None} - urns
    if unsound:
        # Files that are not sound, so that only reading them told what they declare: others may declare it too.
        urns |= unsound
        registry = now.read(now.about(urns, differing[0], before))
        published = before.read(before.about(urns, differing[1], now), but=now)
    kept.save()
    return ChangedSubset(before.with_services(published, registry, now), registry, now.count, now.files(registry))


class _Side:
    """One of the two trees, with what is known of its files."""

    def __init__(self, tree: BlobTree, kept: RegistryCache, root: str, parsed: ParsedYaml) -> None:
        self.tree = tree
        self._parsed = parsed
        self._kept = kept
        self._root = root
        paths = tree.paths()
        self._declared = {path.removesuffix(_CONTEXT) for path in paths if path.endswith(_CONTEXT)}
        self.messages = {path: None for path in paths if _may_be_message(path)}
        self._fragments = {path: None for path in paths if path.startswith("_common/")}
        self._always = [p for p in paths if p not in self.messages and not p.startswith("_common/")]
        self._keys: dict[str, str | None] = {}
        self._known: dict[str, tuple[CachedMessage, Closure] | None] = {}

    def key(self, path: str) -> str | None:
        """What the entry of ``path`` is kept under; None where there is no such file."""
        if path not in self._keys:
            sha = self.tree.id_of(path)
            declared = int(path.partition("/")[0] in self._declared)
            self._keys[path] = f"{sha} {declared} {path}" if sha is not None else None
        return self._keys[path]

    def known(self, path: str) -> tuple[CachedMessage, Closure] | None:
        """What is known of a message's file, and of the files it depends on as they are here."""
        if path not in self._known:
            key = self.key(path)
            entry = self._kept.get(key) if key is not None else None
            fitting = [closure for closure in entry.closures if self.has(closure)] if entry else []
            self._known[path] = (entry, fitting[0]) if entry and fitting else None
        return self._known[path]

    def learn(self, paths: Iterable[str]) -> None:
        """Read those of ``paths`` of which nothing is known, and the shared fragments, and keep what they say."""
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
                urn, supersedes = (message.urn, message.supersedes) if message else (None, None)
                self._kept.put(key, urn, supersedes, closure)
                del self._known[path]

    def _closure(self, message: Message) -> Closure | None:
        """The files that a message depends on; None where it could not be bundled."""
        if message.schema is None and message.data is not None:
            return None
        paths = {source.path for source in message.origins.values()}
        paths |= {example.source.path for example in message.examples} - {message.source.path}
        ids = [(path, self.tree.id_of(path)) for path in sorted(paths)]
        return tuple((path, sha) for path, sha in ids if sha is not None)

    def differing(self, other: _Side) -> set[str]:
        """The messages here that are not the same there, and those that are not sound."""
        found = set()
        for path in self.messages:
            here = self.known(path)
            if here is None or self.key(path) != other.key(path) or not other.has(here[1]):
                found.add(path)
        return found

    def has(self, closure: Closure) -> bool:
        """True where all these files are the same here."""
        return all(self.tree.id_of(path) == sha for path, sha in closure)

    def urns(self, paths: Iterable[str]) -> set[str]:
        """The URNs that the files ``paths`` declare or supersede."""
        entries = [known[0] for path in paths if (known := self.known(path)) is not None]
        return {urn for entry in entries for urn in (entry.urn, entry.supersedes) if urn is not None}

    def files(self, registry: Registry) -> frozenset[str]:
        """The paths of all files of the registry, of which ``registry`` has been read."""
        declaring = {path for path in self.messages if (known := self.known(path)) and known[0].urn is not None}
        placed = {path for path in (*self._always, *self._fragments) if well_placed(path)}
        return registry.files.union(declaring, placed, self._referred)

    @property
    def _referred(self) -> set[str]:
        """The files that the messages known here depend on."""
        every = (known for path in self.messages if (known := self.known(path)))
        return {needed for _, closure in every for needed, _ in closure}

    def about(self, urns: set[str], paths: set[str], other: _Side) -> list[str]:
        """``paths``, the messages that declare or supersede one of ``urns``, and the fragments that play a part."""
        chosen = set(paths)
        fragments = {f for f in self._fragments if self.key(f) != other.key(f) or self.known(f) is None}
        for path in self.messages:
            known = self.known(path)
            if known is not None and (path in chosen or known[0].urn in urns or known[0].supersedes in urns):
                chosen.add(path)
                fragments |= {needed for needed, _ in known[1] if needed in self._fragments}
        return sorted(chosen | fragments)

    def read(self, paths: Sequence[str], but: _Side | None = None) -> Registry:
        """The registry of these files and all that is no message, without the services that are the same in ``but``."""
        left = self._shared(but) if but else set()
        services = [path for path in self._always if path.startswith(_SERVICES)] if not paths else left
        paths = [*(path for path in self._always if path not in services), *paths]
        referred = self._referred
        others = [path for path in self.tree.others() if path not in referred] if but is None else ()
        return self._loaded(paths, others)

    def with_services(self, registry: Registry, from_other: Registry, other: _Side) -> Registry:
        """``registry`` with the services that were left out as they are the same in ``other``."""
        names = {PurePosixPath(path).stem for path in self._shared(other)}
        services = {**{n: s for n, s in from_other.services.items() if n in names}, **registry.services}
        return replace(registry, services=dict(sorted(services.items())))

    def _shared(self, other: _Side) -> set[str]:
        return {path for path in self._always if path.startswith(_SERVICES) and self.key(path) == other.key(path)}

    def _loaded(self, paths: Iterable[str], others: Sequence[str] = ()) -> Registry:
        return load.from_tree(PartialTree(self.tree, sorted(set(paths)), others), self._root, self._parsed)

    @property
    def count(self) -> int:
        """How many messages there are."""
        return sum(1 for path in self.messages if (known := self.known(path)) is not None and known[0].urn is not None)


def _may_be_message(path: str) -> bool:
    folder, slash, name = path.partition("/")
    return bool(slash) and not folder.startswith("_") and not name.startswith("_") and well_placed(path)
