"""Folders and files of JSON Schemas, of draft-04 to 2020-12, as the sources of an import."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from babelreg.errors import SchemaError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceExample, SourceMessage
from babelreg.exchange.naming.source_names import NamedSources, name_sources
from babelreg.exchange.schemas.adjustment import adjust
from babelreg.exchange.schemas.identifiers import IdentifierIndex, SchemaFile, Target
from babelreg.exchange.schemas.reports import adjustment_findings, reference_findings
from babelreg.exchange.schemas.resolution import ResolvedReferences, resolve
from babelreg.exchange.schemas.roots import choose_roots, complete_roots, matching_pointers, unused_files
from babelreg.exchange.schemas.units import unit_name
from babelreg.exchange.sources.example_match import examples_by_schema
from babelreg.exchange.sources.own_annotations import own_facts
from babelreg.exchange.sources.schema_detection import (
    UNRECOGNISED,
    is_schema,
    likely_dialect,
    only_defines,
    other_document,
)
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.exchange.sources.source_folder import SourceFolder, read_sources
from babelreg.exchange.urn_guess import context_of, folder_context, folders_of, without_suffix
from babelreg.finding import Finding
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import text


def read(
    paths: Sequence[Path],
    *,
    registry: Path | None = None,
    roots: Sequence[str] = (),
    context: str | None = None,
    dialect: Dialect | None = None,
    context_depth: int | None = None,
) -> ImportSources:
    """Read the schemas at ``paths``.

    ``roots`` are patterns of pointers to the schemas that become messages; ``context`` is that of all messages. By
    default it follows from folders, or from those of ``context_depth``. ``dialect`` is that of schemas which do not
    name one. Files of the folder ``registry`` are not read. Raises UsageError.
    """
    opened = OpenedSchemas(read_sources(paths, outside=registry), dialect, roots)
    sources = opened.sources(context)
    above = context_of(context) if context else folder_context(sources.root.parts) or "imported"
    named = name_sources(sources.messages, above, 0 if context else context_depth)
    sources.messages = named.messages
    sources.findings += _version_findings(sources, named)
    return sources


def _version_findings(sources: ImportSources, named: NamedSources) -> Iterator[Finding]:
    """Yield one finding about revisions that are left out, and one about versions with another number."""
    places = {message.key: sources.index.files[message.target[0]].document.place() for message in named.messages}
    older = [(key, newest) for newest, keys in named.older.items() for key in keys]
    if older:
        key, newest = older[0]
        count = f"{len(older)} older revisions are" if len(older) > 1 else "an older revision is"
        text = f"{count} left out, such as {key}: {newest} is newer"
        yield import_finding(
            "import-versions", text, places[newest], fix="import one separately if it is a message in its own right"
        )
    if named.renumbered:
        key = named.renumbered[0]
        count = f"{len(named.renumbered)} sources have" if len(named.renumbered) > 1 else "a source has"
        text = f"{count} another version here, such as {key}: versions count from 1 without gaps"
        yield import_finding("import-versions", text, places[key])


class OpenedSchemas:
    """The schemas of ``folder`` with their references resolved. ``chosen`` are those that become messages."""

    def __init__(self, folder: SourceFolder, dialect: Dialect | None = None, roots: Sequence[str] = ()) -> None:
        self._folder = folder
        self.index = index = IdentifierIndex([], root=str(folder.root))
        findings = folder.findings
        self._others = [doc for doc in folder.documents if not _add(index, doc, folder, dialect, findings)]
        self.chosen: list[Target] = []
        if roots:
            self.chosen = [
                (number, text(pointer))
                for number, file in enumerate(index.files)
                for pointer in matching_pointers(file.value, roots)
            ]
        findings += adjustment_findings(index, list(adjust(index)))
        self.resolved = resolve(index)
        findings += reference_findings(index, self.resolved)
        if not roots:
            self.chosen = choose_roots(index, self.resolved, folder.named)

    def choose(self, targets: Iterable[Target]) -> None:
        """Let ``targets`` be messages, too."""
        self.chosen = list(dict.fromkeys([*self.chosen, *targets]))

    def unused(self) -> list[Target]:
        """Return the schemas that no message needs: files, and the definitions of a file that only has these.

        A message with a reference that leads nowhere does not count, as it becomes none.
        """
        targets = []
        of_others = {number for number, pointer in self.chosen if not pointer}
        for number in unused_files(self.index, self.resolved, complete_roots(self.resolved, self.chosen)):
            if number in of_others:
                continue
            file = self.index.files[number]
            if only_defines(file.value):
                maps = {word: file.value.get(word) for word in DEFINITIONS}
                targets += [(number, text((word, name))) for word, held in maps.items() for name in held or ()]
            elif file.entries and not file.document.shown.startswith("http"):
                targets.append((number, ""))
        return targets

    def sources(self, context: str | None = None) -> ImportSources:
        """Return the sources with their messages; ``context`` as for :func:`read`."""
        folder, index, resolved = self._folder, self.index, self.resolved
        messages = _messages(index, resolved, self.chosen, folder, context, self._others)
        findings = [*folder.findings, *_unused(index, resolved, messages, self._others)]
        return ImportSources("jsonschema", folder.root, index, resolved, messages, findings, folder.folders)


def _unused(
    index: IdentifierIndex,
    resolved: ResolvedReferences,
    messages: Sequence[SourceMessage],
    others: Sequence[SourceDocument],
) -> Iterator[Finding]:
    """Yield a finding for each file that is neither a message, nor needed by one, nor an example of one."""
    for number in unused_files(index, resolved, [message.target for message in messages]):
        file = index.files[number]
        if file.entries:
            text, fix = "no message uses this schema", "name the file itself, or the schemas in it with --roots"
            yield import_finding("import-source-unused", text, file.document.place(), fix=fix)
    examples = {example.place.path for message in messages for example in message.examples}
    for document in others:
        if document.shown not in examples:
            yield _not_a_schema(document)


def _not_a_schema(document: SourceDocument) -> Finding:
    value = document.value
    if is_schema(value, any_dialect=True):
        text = f"$schema {str(value['$schema'])[:100]!r} is not a known dialect of JSON Schema"
        fix = "set the dialect with `babelreg import jsonschema --dialect draft7`, or in $schema"
        return import_finding("import-dialect-unknown", text, document.place(("$schema",)), fix=fix)
    seen = other_document(value)
    if seen == UNRECOGNISED:
        return import_finding(
            "import-source-unused", f"this is {seen}", document.place(), fix="add $schema if it is one"
        )
    other = "import it with `babelreg import asyncapi`" if seen == "an AsyncAPI document" else None
    return import_finding("import-source-unused", f"this is {seen}, not a JSON Schema", document.place(), fix=other)


def _add(
    index: IdentifierIndex,
    document: SourceDocument,
    folder: SourceFolder,
    dialect: Dialect | None,
    findings: list[Finding],
) -> bool:
    """Index a document that is a schema; return False for one that may be an example."""
    named = document.path in folder.named
    if not (
        is_schema(document.value, any_dialect=dialect is not None)
        or (named and isinstance(document.value, (dict, bool)))
    ):
        return False
    try:
        index.add(SchemaFile(document, likely_dialect(document.value, dialect)))
    except SchemaError as err:
        fix = err.fix and "write $schema as one of draft-04, draft-06, draft-07, 2019-09 or 2020-12"
        findings.append(import_finding("import-schema-refused", err.message, document.place(), fix=fix))
    return True


def _messages(
    index: IdentifierIndex,
    resolved: ResolvedReferences,
    chosen: Sequence[Target],
    folder: SourceFolder,
    context: str | None,
    others: Sequence[SourceDocument],
) -> list[SourceMessage]:
    files = [index.files[number].document.path for number, pointer in chosen if not pointer]
    examples = examples_by_schema(files, others)
    above = folder_context(folder.root.parts) or "imported"
    messages = []
    for number, pointer in chosen:
        path = index.files[number].document.path
        folders = folders_of(path)
        owner = context_of(context) if context else folder_context(folders)
        schema = pointers.find(index.files[number].value, pointers.parse(pointer))
        own = own_facts(schema)
        beside = [] if pointer else [_example(document) for document in examples.get(path, ())]
        listed = schema.get("examples") if isinstance(schema, dict) else None
        place = index.files[number].document.place
        at = (*pointers.parse(pointer), "examples")
        beside += [
            SourceExample(data, place((*at, n))) for n, data in enumerate(listed if isinstance(listed, list) else ())
        ]
        messages.append(
            SourceMessage(
                key=f"{path}#{pointer}" if pointer else path,
                target=(number, pointer),
                context=owner or above,
                words=unit_name(pointer, path) if pointer else without_suffix(posixpath.basename(path)),
                urn=own.urn,
                kind=own.kind,
                status=own.status,
                facts=own.facts,
                examples=tuple(beside),
            )
        )
    return messages


def _example(document: SourceDocument) -> SourceExample:
    return SourceExample(document.value, document.place())
