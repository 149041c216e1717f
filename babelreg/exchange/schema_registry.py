"""Two revisions of a folder of plain schemas, as registries in memory.

Each schema is a published message. Its name is the path of its file, with ``#/pointer`` for a part of it; its places
are those in the sources. Nothing is written, and no URN is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from babelreg.exchange.findings import import_finding
from babelreg.exchange.formats import asyncapi
from babelreg.exchange.formats.jsonschema import OpenedSchemas
from babelreg.exchange.importable import Importable
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.schemas.assembly import Assembly, Layout, assemble, shared_units
from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target, retrieval_uri
from babelreg.exchange.schemas.reports import loss_findings
from babelreg.exchange.schemas.units import SchemaUnit, UnitGraph
from babelreg.exchange.sources.asyncapi_document import version_of
from babelreg.exchange.sources.own_annotations import without_own_annotations
from babelreg.exchange.sources.source_folder import MOST_BYTES, SourceTree, read_tree, sources_among
from babelreg.finding import Finding, Severity
from babelreg.load.files.defect import Defect
from babelreg.model import Message, PlainSchemas, Registry, Settings, Source
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer, text

_RESPELLED = {
    "$defs": "definitions",
    "prefixItems": "items",
    "dependentRequired": "dependencies",
    "dependentSchemas": "dependencies",
}
"""Keywords of 2020-12 by what older dialects call them."""
_UNREAD = frozenset({"import-file-unread", "import-schema-refused"})
_MISSING = "put the document into the folder, or name the folder that contains both"


class SchemaRevision:
    """The sources in one revision of a folder: plain schemas, and the messages of AsyncAPI documents.

    ``named`` are the paths of files that were given one by one.
    """

    def __init__(self, root: Path, tree: SourceTree, paths: Iterable[str], named: Collection[str] = ()) -> None:
        listed = sources_among(paths, named)
        folder = read_tree(root, tree, listed, named)
        self.texts: dict[str, str | bytes] = {document.path: document.text for document in folder.documents}
        self.texts.update(_unread(tree, (path for path in listed if path not in self.texts)))
        versions = {document.path: version_of(document.value) for document in folder.documents}
        documents = {path: version for path, version in versions.items() if version is not None}
        others = [document for document in folder.documents if document.path not in documents]
        self._asyncapi: list[ImportSources] = []
        if any(version.startswith(("2.", "3.")) for version in documents.values()):  # before the others are translated
            every = replace(folder, documents=list(folder.documents), findings=[])
            self._asyncapi.append(asyncapi.read_folder(every, str(root)))
        else:
            for document in folder.documents:
                if document.path in documents:
                    message = f"AsyncAPI {documents[document.path][:20]} is not supported, only versions 2 and 3"
                    finding = import_finding("import-schema-refused", message, document.place())
                    folder.findings.append(finding)
        self.schemas = OpenedSchemas(replace(folder, documents=others))
        self._files = {document.path for document in others}
        self.alone = self.schemas.unused()
        """Schemas that no other one needs and that an import would leave out."""
        self.schemas.choose(self.alone)

    def choose_as(self, other: SchemaRevision) -> None:
        """Let those schemas be messages that are such in ``other``, which may be referred to here."""
        index = self.schemas.index
        wanted = [target for target in other.schemas.chosen if not target[1] or target in other.alone]
        places = [(other.schemas.index.files[number].document.path, pointer) for number, pointer in wanted]
        present = [(index.by_path[path], pointer) for path, pointer in places if path in index.by_path]
        self.schemas.choose(target for target in present if _holds_schema(index, target))

    @cached_property
    def sources(self) -> list[ImportSources]:
        """What is compared, once it is chosen."""
        plain = self.schemas.sources()
        for sources in self._asyncapi:
            index = sources.index
            used = {index.files[number].document.path for number, _ in sources.resolved.targets}
            plain.findings = [f for f in plain.findings if f.rule != "import-source-unused" or f.place.path not in used]
            sources.findings = [
                f
                for f in sources.findings
                if f.place.path not in self._files or f.rule == "import-reference-unresolved"
            ]
        return [plain, *self._asyncapi]


class ComparedSchemas(NamedTuple):
    """Both revisions, and ``findings`` about what of the present one is not compared.

    ``not_schemas`` and ``unread`` are the paths of its files that are something else, and that cannot be read.
    """

    old: Registry
    new: Registry
    findings: list[Finding]
    not_schemas: frozenset[str]
    unread: frozenset[str]


def compared_schemas(old: SchemaRevision, new: SchemaRevision, settings: Settings, root: str) -> ComparedSchemas:
    """Return both revisions as registries with ``settings``; ``root`` is their folder as the user named it."""
    new.choose_as(old)
    old.choose_as(new)
    published, present = _Revision(old, settings, ""), _Revision(new, settings, root)
    messages = {message.urn: message for message in present.registry.messages}
    unread = present.paths("import-file-unread")
    for message in published.registry.messages:  # what cannot be read is not removed
        if message.urn not in messages and message.source.path in unread:
            messages[message.urn] = replace(message, data={}, schema=None)
    renamed = dict(_renamed(published, present))
    registry = replace(present.registry, messages=tuple(messages.values()), plain=PlainSchemas(renamed))
    same = {path for path, body in new.texts.items() if old.texts.get(path) == body}
    refused = present.paths("import-schema-refused") & same
    about = [finding for finding in present.findings if _counts(finding, same) and not _is_repeated(finding, refused)]
    findings = [_softened(finding) if finding.place.path in same else finding for finding in about]
    without = {message.urn for message in messages.values() if message.schema is None and message.source.path in same}
    compared = replace(  # what was unreadable and is still the same cannot break
        published.registry,
        messages=tuple(message for message in published.registry.messages if message.urn not in without),
        defects=tuple(defect for defect in published.registry.defects if defect.place.path not in same),
    )
    return ComparedSchemas(compared, registry, findings, present.paths("import-source-unused"), unread)


def _unread(tree: SourceTree, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of the files at ``paths``, which are no documents; too large ones are left out."""
    for path in paths:
        with suppress(Defect, FileNotFoundError):
            yield path, tree.read(path, MOST_BYTES)


def _counts(finding: Finding, same: Collection[str]) -> bool:
    """Return True for a finding about a file that changed, and for an error."""
    return finding.severity is Severity.ERROR or finding.place.path not in same


def _is_repeated(finding: Finding, refused: Collection[str]) -> bool:
    """Return True for a reference of a file that another finding reports as not compared for that reason."""
    return finding.rule == "import-reference-unresolved" and finding.place.path in refused


def _softened(finding: Finding) -> Finding:
    """Return an error about a file that did not change as a warning: nothing of it can break."""
    return replace(finding, severity=Severity.WARNING)


def _holds_schema(index: IdentifierIndex, target: Target) -> bool:
    file = index.files[target[0]]
    try:
        return bool(file.entries) and isinstance(pointers.find(file.value, pointers.parse(target[1])), (dict, bool))
    except KeyError:
        return False


class _Revision:
    """One revision: its ``registry``, the ``findings`` about its sources, and the ``$id`` of each schema."""

    def __init__(self, revision: SchemaRevision, settings: Settings, root: str) -> None:
        self.findings: list[Finding] = []
        self.ids: dict[str, str] = {}
        messages: dict[str, Message] = {}
        for sources in revision.sources:
            for message in self._messages(sources):
                messages[message.urn] = message
        defects = tuple(finding for finding in self.findings if finding.rule in _UNREAD)
        ordered = tuple(sorted(messages.values(), key=lambda message: (message.source.path, message.urn)))
        self.registry = Registry(
            root, settings, messages=ordered, defects=defects, files=frozenset(revision.texts), plain=PlainSchemas()
        )

    def paths(self, rule: str) -> frozenset[str]:
        """Return the paths of the files with findings of ``rule``."""
        return frozenset(finding.place.path for finding in self.findings if finding.rule == rule)

    def _messages(self, sources: ImportSources) -> Iterator[Message]:
        importable = Importable(sources, sources.messages, objects=False, done="compared")
        graph, roots = importable.graph, importable.roots
        index = sources.index
        assembly = assemble(graph, roots, {})
        shared = shared_units(graph, roots, Layout())
        reached = {unit.target for root in roots for unit in graph.reachable(graph.units[root])}
        every = [*sources.findings, *importable.findings, *loss_findings(index, graph, reached, by_file=True)]
        self.findings += [replace(f, fix=_MISSING) if _is_missing(f) else f for f in every]
        identifiers = {targets[0]: uri for uri, targets in index.resources.items() if len(targets) == 1}
        written = _WrittenAt(index, graph)
        for source in sources.messages:
            document = index.files[source.target[0]].document
            identifier = identifiers.get(source.target)
            if identifier is not None and identifier != retrieval_uri(document.path):
                self.ids[source.key] = identifier
            if source.target in assembly.data:
                yield _message(source, graph, assembly, shared, written)
            else:
                yield Message(source.key, None, document, data={})


def _is_missing(finding: Finding) -> bool:
    return finding.rule == "import-reference-unresolved" and "babelreg import" in (finding.fix or "")


def _message(
    source: SourceMessage,
    graph: UnitGraph,
    assembly: Assembly,
    shared: Mapping[SchemaUnit, None],
    written: _WrittenAt,
) -> Message:
    root = graph.units[source.target]
    own = without_own_annotations(assembly.data[source.target], source.urn or source.key)
    data = {"not": {}} if root.schema is False else own
    held = {name: unit for unit, name in assembly.held[source.target].items() if unit is not root}
    return Message(
        urn=source.key,
        parsed=None,
        source=written.document(root),
        kind=source.kind,
        status=source.status or "active",
        producers=tuple(source.facts.get("producers", ())),
        declared_consumers=tuple(source.facts.get("consumers", ())),
        data=data,
        schema=data,
        origins={name: written.document(unit) for name, unit in held.items() if unit in shared},
        source_map=written.map(root, held),
    )


@dataclass
class _WrittenAt:
    """Places of translated schemas in their sources."""

    index: IdentifierIndex
    graph: UnitGraph

    def document(self, unit: SchemaUnit) -> Source:
        return self.index.files[unit.target[0]].document

    @cached_property
    def _originals(self) -> dict[int, dict[str, str]]:
        return {
            number: {text(new): text(old) for old, new in result.moved.items()}
            for number, result in self.graph.translated.items()
        }

    def map(self, root: SchemaUnit, held: Mapping[str, SchemaUnit]) -> Callable[[Pointer], tuple[Source, Pointer]]:
        """Return the source map of a message that holds the units ``held`` below ``$defs``."""

        def located(pointer: Pointer) -> tuple[Source, Pointer]:
            if len(pointer) > 1 and pointer[0] == "$defs" and str(pointer[1]) in held:
                return self.located(held[str(pointer[1])], pointer[2:])
            return self.located(root, pointer)

        return located

    def located(self, unit: SchemaUnit, pointer: Pointer) -> tuple[Source, Pointer]:
        """Return the file of ``unit``, and where in it ``pointer`` of the unit was before the translation."""
        number, start = unit.target
        moved = self.graph.translated[number].moved
        originals = self._originals[number]
        at = (*next(new for old, new in moved.items() if text(old) == start), *pointer)
        for length in range(len(at), -1, -1):
            original = originals.get(text(at[:length]))
            if original is not None:
                before = tuple(pointers.parse(original))
                return self.document(unit), (*before, *self._respelled(number, before, at[length:]))
        return self.document(unit), ()

    def _respelled(self, number: int, before: Pointer, rest: Pointer) -> Pointer:
        node = pointers.find(self.index.files[number].value, before)
        spelled = _RESPELLED.get(str(rest[0])) if rest else None
        missing = isinstance(node, dict) and bool(rest) and rest[0] not in node
        return (spelled, *rest[1:]) if spelled is not None and missing else rest


def _renamed(old: _Revision, new: _Revision) -> Iterator[tuple[str, str]]:
    """Yield the published and the present name of each schema that has another name with the same ``$id`` or text."""
    known = {message.urn for message in old.registry.messages}
    present = {message.urn for message in new.registry.messages}
    added = [message for message in new.registry.messages if message.urn not in known]
    by_id = {new.ids[message.urn]: message.urn for message in added if message.urn in new.ids}
    by_schema = {repr(message.schema): message.urn for message in added}
    for message in old.registry.messages:
        if message.urn in present:
            continue
        now = by_id.get(old.ids.get(message.urn, "")) or by_schema.get(repr(message.schema))
        if now is not None and message.schema is not None:
            by_schema = {schema: urn for schema, urn in by_schema.items() if urn != now}
            by_id = {identifier: urn for identifier, urn in by_id.items() if urn != now}
            yield message.urn, now
