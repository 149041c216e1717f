"""Resolution of the references of all source documents, among themselves and nowhere else.

In this order: by ``$id``, by the path of a file, by a folder that the ``$id``s of its files show to stand for a URI, by
the one file of that name. What is found by its name alone is reported, since another schema might be meant.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from babelreg.errors import SchemaError
from babelreg.exchange.schemas.identifiers import (
    IdentifierIndex,
    ReferenceSite,
    SchemaFile,
    Target,
    declared_prefixes,
    joined,
    retrieval_uri,
)
from babelreg.exchange.sources.document_place import target_paths
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import DIALECTS

MARKER = "babelreg-import:"
"""What begins the value of every ``$ref`` after resolution; the number of its target follows."""
_METASCHEMAS = {DIALECTS[name].uri.rstrip("#"): name for name in ("draft4", "draft6", "draft7")}


@dataclass(frozen=True, slots=True)
class UnresolvedReference:
    """A reference that leads nowhere, and the reason. ``remote`` is the address of a document that is not there."""

    site: ReferenceSite
    reference: str
    reason: str
    remote: str | None = None


@dataclass
class ResolvedReferences:
    """Targets by number, as the markers name them.

    ``guessed`` are the references resolved by a file name alone; ``links`` the file of each reference and its number.
    """

    targets: list[Target] = field(default_factory=list)
    faults: dict[int, UnresolvedReference] = field(default_factory=dict)
    guessed: list[tuple[ReferenceSite, str, str]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)


def resolve(index: IdentifierIndex) -> ResolvedReferences:
    """Replace every reference by a ``$ref`` with a marker, and remove the identifiers. The documents change."""
    return _Resolution(index).run()


class _Unresolved(Exception):
    def __init__(self, reason: str, remote: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remote = remote


class _Resolution:
    def __init__(self, index: IdentifierIndex) -> None:
        self.index = index
        self.result = ResolvedReferences()
        self.numbers: dict[Target, int] = {}
        declared = [
            (uri, index.files[number].document.path)
            for uri, targets in index.resources.items()
            for number, pointer in targets
            if not pointer
        ]
        self.prefixes = declared_prefixes(declared)
        self.by_name: dict[str, list[int]] = {}
        for path, number in index.by_path.items():
            self.by_name.setdefault(posixpath.basename(path), []).append(number)

    def run(self) -> ResolvedReferences:
        done = 0
        marked: list[tuple[ReferenceSite, int]] = []
        while done < len(self.index.sites):  # a target may be a place where no schema was looked for
            site = self.index.sites[done]
            done += 1
            try:
                target = self.target(site)
                number = self.numbers.setdefault(target, len(self.result.targets))
                if number == len(self.result.targets):
                    self.result.targets.append(target)
                    self.visit(target)
            except _Unresolved as err:
                number = len(self.result.targets)
                self.result.targets.append((site.file, pointers.text(site.pointer)))
                fault = UnresolvedReference(site, str(site.reference)[:300], err.reason, err.remote)
                self.result.faults[number] = fault
            marked.append((site, number))
            self.result.links.append((site.file, number))
        for _, schema in self.index.schemas:
            _remove_identifiers(schema)
        for site, number in marked:
            if site.keyword != "$ref":
                del site.schema[site.keyword]
            site.schema["$ref"] = f"{MARKER}{number}"
        return self.result

    def visit(self, target: Target) -> None:
        if target not in self.index.bases:
            number, pointer = target
            steps = pointers.parse(pointer)
            value = pointers.find(self.index.files[number].value, steps)
            try:
                self.index.visit(number, steps, value, self.index.base_of(target))
            except SchemaError as err:
                raise _Unresolved(err.message) from err

    def target(self, site: ReferenceSite) -> Target:
        """Return the target of a reference. Raises _Unresolved."""
        if not isinstance(site.reference, str):
            raise _Unresolved(f"{site.keyword} is not a string")
        if site.keyword != "$ref":
            if "$ref" in site.schema:
                raise _Unresolved(f"{site.keyword} is next to $ref")
            return self.dynamic(site)
        return self.static(site)

    def static(self, site: ReferenceSite) -> Target:
        uri, _, fragment = joined(site.base, site.reference).partition("#")
        number, root = self.resource(site, uri)
        if fragment and not fragment.startswith("/"):
            return self.anchor(uri, fragment, (number, root))
        steps = pointers.unquoted(fragment)
        for start in dict.fromkeys((root, "")):
            value = self.find(number, start + steps)
            if isinstance(value, (dict, bool)):
                return number, start + steps
        raise _Unresolved(f"{self.index.files[number].document.shown} has no schema at '#{steps[:200]}'")

    def find(self, number: int, pointer: str) -> Any:
        try:
            return pointers.find(self.index.files[number].value, pointers.parse(pointer))
        except (KeyError, ValueError):
            return None

    def anchor(self, uri: str, name: str, resource: Target) -> Target:
        known = self.index.anchors.get((self.index.base_of(resource), name)) or self.index.anchors.get((uri, name), [])
        if not known:
            raise _Unresolved(f"there is no anchor '{name[:100]}'")
        if len(set(known)) > 1:
            raise _Unresolved(f"several schemas have the anchor '{name[:100]}'")
        return known[0]

    def resource(self, site: ReferenceSite, uri: str) -> Target:
        """Return the root of the document, or of the part with an ``$id`` of its own, that ``uri`` names."""
        own = self.index.files[site.file].document.path
        paths = list(target_paths(own, str(site.reference).partition("#")[0], self.index.root))
        # RFC 3986, 5.2.4 drops "../" at the top, where the file above the folder is meant.
        climbs = site.base == retrieval_uri(own) and uri.startswith("file:") and paths[0].startswith("../")
        known = self.index.resources.get(uri) or self.index.resources.get(uri.rstrip("/"))
        if known and not climbs:
            return self.only(site, uri, known)
        ways: tuple[Callable[[], int | None], ...] = (
            lambda: next((self.index.by_path[path] for path in paths if path in self.index.by_path), None),
            lambda: self.by_prefix(uri),
            lambda: self.metaschema(uri),
            lambda: self.by_file_name(site, uri),
        )
        for way in ways:
            number = way()
            if number is not None:
                return number, ""
        raise _Unresolved("the document is not in the source folder", paths[0] if uri.startswith("file:") else uri)

    def only(self, site: ReferenceSite, uri: str, known: list[Target]) -> Target:
        own = [target for target in known if target[0] == site.file]
        candidates = own or known
        values = [self.find(*target) for target in candidates]
        if any(value != values[0] for value in values[1:]):
            places = ", ".join(sorted({self.index.files[number].document.shown for number, _ in candidates}))
            raise _Unresolved(f"several schemas have the $id '{uri[:200]}': {places}")
        return candidates[0]

    def by_prefix(self, uri: str) -> int | None:
        for prefix, folder in self.prefixes.items():
            if uri.startswith(f"{prefix}/"):
                number = self.index.by_path.get(posixpath.join(folder, unquote(uri[len(prefix) + 1 :])))
                if number is not None:
                    return number
        return None

    def by_file_name(self, site: ReferenceSite, uri: str) -> int | None:
        named = self.by_name.get(posixpath.basename(unquote(uri)), [])
        if len(named) != 1 or (uri.startswith("file:") and not str(site.reference).startswith("file:")):
            return None
        self.result.guessed.append((site, str(site.reference)[:300], self.index.files[named[0]].document.shown))
        return named[0]

    def metaschema(self, uri: str) -> int | None:
        """Return the schema of schemas that ``uri`` names, of the dialects that need no dynamic references."""
        name = _METASCHEMAS.get(uri)
        if name is None:
            return None
        import json

        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

        body = json.dumps(REGISTRY.contents(DIALECTS[name].uri)).encode()
        document = SourceDocument(f"json-schema.org/{name}.json", DIALECTS[name].uri, body)
        return self.index.add(SchemaFile(document, DIALECTS[name]))

    def dynamic(self, site: ReferenceSite) -> Target:
        """Return the target of ``$dynamicRef`` or ``$recursiveRef`` where it is the same on every path."""
        if site.keyword == "$recursiveRef":
            number, root = self.resource(site, site.base)
            dynamic = self.index.recursive_anchors
            if dynamic.get(site.base) == (number, root) and len(set(dynamic.values())) > 1:
                raise _Unresolved("$recursiveRef resolves to different schemas on different paths")
            return number, root
        fragment = joined(site.base, site.reference).partition("#")[2]
        target = self.static(site)
        known = self.index.dynamic_anchors.get(fragment, [])
        if any(place == target for _, place in known) and len({place for _, place in known}) > 1:
            raise _Unresolved("$dynamicRef resolves to different schemas on different paths")
        return target


def _remove_identifiers(schema: dict[str, Any]) -> None:
    for keyword in ("$id", "id", "$anchor", "$dynamicAnchor", "$vocabulary"):
        if isinstance(schema.get(keyword), (str, dict)):
            del schema[keyword]
    schema.pop("$recursiveAnchor", None)
