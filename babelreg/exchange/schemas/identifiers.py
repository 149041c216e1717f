"""The subschemas of all source documents: their base URIs, ``$id``s, anchors and references.

A document is found by the URI of its path and by that of its ``$id``. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

from babelreg.errors import SchemaError
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import MAX_DEPTH, children

Target = tuple[int, str]
"""A subschema: the number of its document, and its pointer there as text."""


@dataclass
class SchemaFile:
    """A source document that holds schemas of one dialect. ``entries`` are the places where schemas begin."""

    document: SourceDocument
    dialect: Dialect
    entries: tuple[Pointer, ...] = ((),)

    @property
    def value(self) -> Any:
        """The whole document."""
        return self.document.value


@dataclass(frozen=True, slots=True)
class ReferenceSite:
    """A reference: the ``keyword`` of ``schema``, at ``pointer``, where ``base`` is the base URI."""

    file: int
    pointer: Pointer
    schema: dict[str, Any]
    keyword: str
    base: str

    @property
    def reference(self) -> Any:
        """The value of the keyword."""
        return self.schema[self.keyword]


@dataclass
class IdentifierIndex:
    """What the documents declare. ``resources`` and ``anchors`` have several targets where names are repeated.

    ``root`` is the folder of the sources, to which paths are relative.
    """

    files: list[SchemaFile]
    resources: dict[str, list[Target]] = field(default_factory=dict)
    anchors: dict[tuple[str, str], list[Target]] = field(default_factory=dict)
    dynamic_anchors: dict[str, list[tuple[str, Target]]] = field(default_factory=dict)
    recursive_anchors: dict[str, Target] = field(default_factory=dict)
    sites: list[ReferenceSite] = field(default_factory=list)
    bases: dict[Target, str] = field(default_factory=dict)
    schemas: list[tuple[Target, dict[str, Any]]] = field(default_factory=list)
    """The subschemas that were visited, by their place."""
    by_path: dict[str, int] = field(default_factory=dict)
    root: str = ""

    def add(self, file: SchemaFile) -> int:
        """Index the schemas of ``file``; return its number. Raises SchemaError where they nest too deeply."""
        number = len(self.files)
        self.files.append(file)
        self.by_path[file.document.path] = number
        uri = retrieval_uri(file.document.path)
        self.resources.setdefault(uri, []).append((number, ""))
        self.bases[number, ""] = uri
        try:
            for entry in file.entries:
                self.visit(number, entry, pointers.find(file.value, entry), uri)
        except SchemaError:
            self._forget(number)
            raise
        return number

    def _forget(self, number: int) -> None:
        """Let no reference lead to the file ``number``."""
        self.files[number].entries = ()
        del self.by_path[self.files[number].document.path]
        self.sites = [site for site in self.sites if site.file != number]
        for known in (*self.resources.values(), *self.anchors.values()):
            known[:] = [target for target in known if target[0] != number]

    def visit(self, number: int, pointer: Pointer, schema: Any, base: str) -> None:
        """Index ``schema`` and everything below it."""
        dialect = self.files[number].dialect
        waiting = [(pointer, schema, base, 0)]
        while waiting:
            at, node, base, depth = waiting.pop()
            place = (number, pointers.text(at))
            if depth > MAX_DEPTH or len(at) > 4 * MAX_DEPTH:
                raise SchemaError(f"schemas nest more than {MAX_DEPTH} levels deep at {pointers.text(at)[:100]}...")
            if not isinstance(node, dict) or (place in self.bases and at):
                continue
            base = self._base(node, dialect, base, place)
            self.bases[place] = base
            self.schemas.append((place, node))
            self._anchor(node, dialect, base, place)
            for keyword in REFERENCES:
                if keyword in node and dialect.knows(keyword):
                    self.sites.append(ReferenceSite(number, at, node, keyword, base))
            waiting += [((*at, *steps), below, base, depth + 1) for _, steps, below, _ in children(node, dialect)]

    def base_of(self, target: Target) -> str:
        """Return the base URI of a place: that of the nearest visited schema at or above it."""
        number, pointer = target
        while (number, pointer) not in self.bases:
            pointer = pointer.rpartition("/")[0]
        return self.bases[number, pointer]

    def _base(self, node: dict[str, Any], dialect: Dialect, base: str, place: Target) -> str:
        identifier = dialect.resource_id(node)
        if identifier is None:
            return base
        own = joined(base, identifier).rstrip("#")
        if "#" in own:  # `"$id": "http://x/y#/properties/a"` names a place, not a document
            return base
        known = self.resources.setdefault(own, [])
        if place not in known:
            known.append(place)
        return own

    def _anchor(self, node: dict[str, Any], dialect: Dialect, base: str, place: Target) -> None:
        for name in filter(None, dict.fromkeys(dialect.anchors(node))):
            self.anchors.setdefault((base, name), []).append(place)
        if isinstance(node.get("$dynamicAnchor"), str) and dialect.knows("$dynamicRef"):
            self.dynamic_anchors.setdefault(node["$dynamicAnchor"], []).append((base, place))
        if node.get("$recursiveAnchor") is True and dialect.knows("$recursiveRef"):
            self.recursive_anchors.setdefault(base, place)


def retrieval_uri(path: str) -> str:
    """Return the URI of a source file by its path."""
    return f"file:///{quote(path)}"


def joined(base: str, reference: str) -> str:
    """Return ``reference`` resolved against ``base``; as it is where it cannot be."""
    if not reference or reference.startswith("#"):
        return base.partition("#")[0] + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def declared_prefixes(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return folders by the prefix of URIs that stands for them, as ``files``, pairs of URI and path, show it."""
    prefixes: dict[str, str] = {}
    for uri, path in files:
        uri_steps, path_steps = uri.split("/"), path.split("/")
        if uri.startswith("file:") or uri_steps[-1] != path_steps[-1]:
            continue
        common = 0
        while common < min(len(uri_steps) - 3, len(path_steps)) and uri_steps[-1 - common] == path_steps[-1 - common]:
            common += 1
        prefix = "/".join(uri_steps[: len(uri_steps) - common])
        folder = "/".join(path_steps[: len(path_steps) - common])
        prefixes.setdefault(prefix, folder)
    return prefixes
