"""AsyncAPI documents, 2.x or 3.x, as the sources of an import.

Channels become queues, operations services, messages messages. A payload that is a whole envelope of BabelQueue is
unwrapped: its ``data`` counts. Servers, bindings, headers and security have no place in a registry.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from babelreg.errors import SchemaError, UsageError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceExample, SourceMessage
from babelreg.exchange.schemas.adjustment import adjust
from babelreg.exchange.schemas.identifiers import IdentifierIndex, SchemaFile
from babelreg.exchange.schemas.reports import adjustment_findings, reference_findings
from babelreg.exchange.schemas.resolution import resolve
from babelreg.exchange.sources.asyncapi_document import AsyncApiMessage, contents_of, version_of
from babelreg.exchange.sources.document_place import (
    DocumentPlace,
    follow,
    is_remote,
    referred,
    target_paths,
    value_at,
)
from babelreg.exchange.sources.own_annotations import own_names, own_title
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.exchange.sources.source_folder import SourceFolder, read_sources
from babelreg.exchange.urn_guess import context_of
from babelreg.finding import Finding, Place
from babelreg.load.registry.written_keywords import references
from babelreg.model import Urn, UrnError
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.pointer import parse, text
from babelreg.schema.values import mappings

_ENVELOPE = frozenset({"job", "data", "meta"})
_JSON_SCHEMA = re.compile(r"application/schema\+(?:json|yaml)(?:;\s*version=(?P<version>[\w-]+))?\Z")
_DIALECTS = {
    "draft-04": "draft4", "draft-06": "draft6", "draft-07": "draft7",
    "draft-2019-09": "draft2019-09", "2019-09": "draft2019-09",
    "draft-2020-12": "draft2020-12", "2020-12": "draft2020-12",
}  # fmt: skip
_UNKEPT = ("servers", "security", "securitySchemes", "bindings", "serverBindings", "channelBindings", "operationTraits")


def read(paths: Sequence[Path], *, registry: Path | None = None, context: str | None = None) -> ImportSources:
    """Read the documents at ``paths`` and in folders there, with the files to which they refer.

    Of the files beside a document that is named, only those are read to which it refers. ``context`` is that of all
    messages without a URN, by default the title of a document. Raises UsageError.
    """
    _read_beside(folder := read_sources(paths, outside=registry))
    return read_folder(folder, ", ".join(map(str, paths)), context)


def read_folder(folder: SourceFolder, named: str, context: str | None = None) -> ImportSources:
    """Read the documents in ``folder``, which a person calls ``named``; see :func:`read`. Raises UsageError."""
    values = {document.path: document.value for document in folder.documents}
    versions = {path: version for path, value in values.items() if (version := version_of(value)) is not None}
    known = [path for path, version in versions.items() if version.startswith(("2.", "3."))]
    if not known and folder.documents:
        name = next(iter(versions), folder.documents[0].path)
        text = f"asyncapi: {versions[name]}" if versions else "no key 'asyncapi'"
        shown = folder.shown(name) if len(folder.documents) == 1 or versions else named
        raise UsageError(
            f"{shown} is not an AsyncAPI document of version 2 or 3: it has {text}", fix="name another file"
        )
    reader = _AsyncApiReader(folder, known, context)
    for path in versions.keys() - known:
        text = f"AsyncAPI {versions[path][:20]} is not supported, only versions 2 and 3"
        folder.findings.append(import_finding("import-schema-refused", text, reader.bodies[path].place()))
    return reader.sources()


def _read_beside(folder: SourceFolder) -> None:
    """Read the files to which documents that were named refer, in the folder of each and below it."""
    waiting = [(document, posixpath.dirname(document.path)) for document in folder.documents]
    waiting = [(document, top) for document, top in waiting if document.path in folder.named]
    read = {document.path for document in folder.documents}
    while waiting:
        document, top = waiting.pop()
        for _, reference in references(document.value):
            file = reference.partition("#")[0]
            for path in target_paths(document.path, file, str(folder.root)) if file else ():
                if path not in read and f"/{path}".startswith(f"/{top}/" if top else "/") and folder.holds(path):
                    read.add(path)
                    waiting += [(added, top) for added in folder.read(path)]


class _AsyncApiReader:
    def __init__(self, folder: SourceFolder, paths: Sequence[str], context: str | None) -> None:
        self.folder = folder
        self.paths = paths
        self.root = str(folder.root)
        self.bodies = {document.path: document for document in folder.documents}
        self.documents = {path: document.value for path, document in self.bodies.items()}
        self.context = context
        self.findings: list[Finding] = folder.findings
        self.contents = contents_of(self.documents, paths, self.root)

    def sources(self) -> ImportSources:
        entries: dict[tuple[str, str], dict[str, None]] = {}
        read: list[tuple[AsyncApiMessage, DocumentPlace, str, bool]] = []
        for message in self.contents.messages.values():
            for place, dialect, wrapped in self.payload(message):
                entries.setdefault((place[0], dialect), {})[place[1]] = None
                read.append((message, place, dialect, wrapped))
        self.report_unkept()
        index, numbers = IdentifierIndex([], root=self.root), {}
        others: dict[str, dict[str, None]] = {path: {} if path in self.paths else {"": None} for path in self.documents}
        for (path, dialect), pointers in entries.items():
            others.pop(path, None)
            numbers[path, dialect] = self.add(index, path, dialect, pointers)
        for path, pointers in others.items():  # files that payloads refer to
            self.add(index, path, "draft7", pointers)
        self.findings += adjustment_findings(index, list(adjust(index)))
        resolved = resolve(index)
        self.findings += reference_findings(index, resolved, "asyncapi")
        self.report_references(index)
        messages = [
            self.source(message, (numbers[place[0], dialect], place[1]), wrapped)
            for message, place, dialect, wrapped in read
            if index.files[numbers[place[0], dialect]].entries
        ]
        services = {name: facts for message, *_ in read for name, facts in message.services.items()}
        return ImportSources(
            "asyncapi",
            self.folder.root,
            index,
            resolved,
            messages,
            self.findings,
            self.folder.folders,
            services,
            frozenset(self.bodies),
            self.channel_findings,
        )

    def add(self, index: IdentifierIndex, path: str, dialect: str, pointers: Iterable[str]) -> int:
        """Index the schemas of a file that are of one dialect, in a copy of its own."""
        body = self.bodies[path]
        document = SourceDocument(path, body.shown, body.text.encode())
        number = len(index.files)
        try:
            index.add(SchemaFile(document, DIALECTS[dialect], tuple(parse(pointer) for pointer in pointers)))
        except SchemaError as err:
            self.findings.append(import_finding("import-schema-refused", err.message, document.place()))
        return number

    def payload(self, message: AsyncApiMessage) -> Iterator[tuple[DocumentPlace, str, bool]]:
        """Yield where the schema of a message's data is, its dialect, and whether it is part of an envelope."""
        path, pointer = message.place
        written = (path, f"{pointer}/payload")
        place, value = self.follow(written)
        format_ = message.value.get("schemaFormat")
        if isinstance(value, dict) and "schemaFormat" in value and "schema" in value:
            format_ = value["schemaFormat"]
            written = (place[0], f"{place[1]}/schema")
            place, value = self.follow(written)
        dialect = _dialect(format_)
        if dialect is None:
            self.refuse(message, f"its payload is of the format '{str(format_)[:100]}', not a JSON Schema")
            return
        properties = value.get("properties") if isinstance(value, dict) else None
        wrapped = isinstance(properties, dict) and properties.keys() >= _ENVELOPE
        if wrapped:
            written = (place[0], f"{place[1]}/properties/data")
            place, value = self.follow(written)
        if isinstance(value, (dict, bool)):
            yield place, dialect, wrapped
        elif value is not None:
            self.refuse(message, "its payload is not a schema")
        elif (spelled := value_at(self.documents, written)) is not None:
            self.refuse(message, f"its payload is '$ref: {str(spelled['$ref'])[:200]}', which does not resolve")
        else:
            self.refuse(message, "it has no payload")

    def follow(self, place: DocumentPlace) -> tuple[DocumentPlace, Any]:
        """Return the value at ``place``, or what its references lead to, and where that is."""
        return follow(self.documents, place, self.root)

    def refuse(self, message: AsyncApiMessage, reason: str) -> None:
        text = f"the message '{message.name}' is not imported: {reason}"
        self.report("import-schema-refused", message.place, text, "describe its payload with a JSON Schema")

    def source(self, message: AsyncApiMessage, target: tuple[int, str], wrapped: bool) -> SourceMessage:
        """Return the facts of a message with its schema at ``target``."""
        value = message.value
        tags = value.get("tags")
        names = [tag.get("name") for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []
        kind = next((name for name in (value.get("x-babel-kind"), *names) if name in ("event", "command")), None)
        status = value.get("x-babel-status")
        urn = self.urn(message, wrapped)
        by_default = value.get("x-babel-default-queue") is True
        facts: dict[str, Any] = {
            "description": value.get("description") or value.get("summary") or own_title(value, urn),
            "queue": None if by_default else next(iter(message.queues), None),
            "producers": list(message.producers),
            "consumers": list(message.consumers),
            **{name: value.get(f"x-babel-{name}") for name in ("owner", "supersedes", "sunset")},
            "aliases": own_names(value.get("x-babel-aliases")),
        }
        return SourceMessage(
            key=_key_of(message),
            target=target,
            context=context_of(self.context or message.title) or "imported",
            words=message.name or "message",
            certain=bool(message.channels),
            urn=urn,
            kind=kind,
            status=status if status in ("draft", "active", "deprecated") else None,
            facts={key: item for key, item in facts.items() if item},
            examples=tuple(self.examples(message, wrapped)),
        )

    def urn(self, message: AsyncApiMessage, wrapped: bool) -> str | None:
        """Return the URN that a message names, or that the ``job`` of its envelope must have."""
        spelled = [message.value.get("x-babel-urn"), message.name]
        if wrapped:
            path, pointer = message.place
            place, value = self.follow((path, f"{pointer}/payload"))
            if isinstance(value, dict) and "schemaFormat" in value and "schema" in value:
                place, _ = self.follow((place[0], f"{place[1]}/schema"))
            _, job = self.follow((place[0], f"{place[1]}/properties/job"))
            spelled.append(job.get("const") if isinstance(job, dict) else None)
        for name in spelled:
            try:
                return str(Urn.parse(str(name)))
            except UrnError:
                continue
        return None

    def examples(self, message: AsyncApiMessage, wrapped: bool) -> Iterator[SourceExample]:
        path, pointer = message.place
        listed = message.value.get("examples")
        for number, example in enumerate(listed if isinstance(listed, list) else ()):
            payload = example.get("payload") if isinstance(example, dict) else None
            data = payload.get("data") if wrapped and isinstance(payload, dict) else payload
            if data is not None:
                yield SourceExample(data, self.bodies[path].place(parse(f"{pointer}/examples/{number}")))

    def report_unkept(self) -> None:
        """Report what has no place in a registry."""
        for path in self.paths:
            kept = {key for node in mappings(self.documents[path]) for key in _UNKEPT if node.get(key)}
            messages = [message for message in self.contents.messages.values() if message.place[0] == path]
            headers = any("headers" in message.value for message in messages)
            names = sorted(kept) + (["headers"] if headers else [])
            if names:
                text = f"{', '.join(names)}: not imported, as a registry describes only the data of messages"
                self.findings.append(import_finding("import-schema-adjusted", text, self.bodies[path].place()))

    def report_references(self, index: IdentifierIndex) -> None:
        """Report references outside of schemas that lead nowhere, places that cannot be read, and files of no use."""
        sites = {(index.files[s.file].document.path, text((*s.pointer, s.keyword))) for s in index.sites}
        identifiers = set(index.resources)
        dangling: set[DocumentPlace] = set()
        used: set[str] = set()
        for path, document in self.documents.items():
            for at, reference in references(document):
                place = referred(self.documents, path, reference, self.root)
                if place[0] != path:
                    used.add(place[0])
                if (path, text(at)) in sites or value_at(self.documents, place) is not None:
                    continue
                if reference.partition("#")[0] not in identifiers:
                    self.dangling((path, text(at)), reference, place)
                    dangling.add((path, text(at[:-1])))
        for place, kind in self.contents.unread.items():
            if place in dangling:
                continue
            message = (
                f"the {kind} at '{place[1]}' is not imported: it is not an object, or its reference does not resolve"
            )
            if kind == "action":
                message = f"the operation at '{place[1]}' neither sends nor receives, so its service is not imported"
            self.report("import-reference-unresolved", place, message, "correct it in the source")
        for path in sorted(self.documents.keys() - used):
            if path in self.contents.empty:
                self.report("import-source-unused", (path, ""), "this AsyncAPI document has no message", None)
            if version_of(self.documents[path]) is not None:
                continue
            message = "this is not an AsyncAPI document, and no document refers to it"
            self.report("import-source-unused", (path, ""), message, None)

    def dangling(self, at: DocumentPlace, reference: str, target: DocumentPlace) -> None:
        """Report a reference that leads nowhere."""
        shown = self.folder.shown(target[0])
        if target[0] in self.documents:
            message = f"$ref '{reference[:200]}': {shown} has nothing at '#{target[1][:200]}'"
            fix = "correct the reference, or the key that it points to"
        elif is_remote(reference):
            message = f"$ref '{reference[:200]}' points to another system, and nothing is fetched"
            fix = "save the document, refer to it by path, and pass it as well"
        else:
            message = f"$ref '{reference[:200]}' points to {shown}, which is not among the sources"
            fix = f"pass {shown} as well"
        self.report("import-reference-unresolved", at, message, fix)

    def report(self, code: str, place: DocumentPlace, message: str, fix: str | None) -> None:
        self.findings.append(self.finding(code, place, message, fix))

    def finding(self, code: str, place: DocumentPlace, message: str, fix: str | None) -> Finding:
        position = self.bodies[place[0]].place(parse(place[1])) if place[0] in self.bodies else Place(place[0])
        return import_finding(code, message, position, fix=fix, pointer=place[1] or None)

    def channel_findings(self, imported: Collection[str]) -> Iterator[Finding]:
        """Yield a finding for each channel whose address no message among ``imported`` has as its queue."""
        queues: dict[str, None] = {}
        for message in self.contents.messages.values():
            if _key_of(message) in imported:
                queues |= dict.fromkeys(message.queues[:1])
                if len(message.queues) > 1:
                    others = ", ".join(f"'{address}'" for address in message.queues[1:])
                    said = f"the message '{message.name}' goes to '{message.queues[0]}'; a message has only one queue"
                    text = f"{said}, so that {others} is not kept"
                    fix = "declare a message for each queue"
                    yield self.finding("import-address-dropped", message.place, text, fix)
        for channel in self.contents.channels.values():
            if channel.is_inbox or (channel.address in queues and channel.is_fixed):
                continue
            reason = "none of its messages is imported with it"
            if not channel.messages:
                reason = "it has no message"
            elif not channel.address:
                reason = "it has no address"
            elif not channel.is_fixed:
                reason = f"its address '{channel.address[:200]}' has parameters, and a queue has a fixed name"
            text = f"the channel '{channel.name[:200]}' becomes no queue: {reason}"
            yield self.finding("import-address-dropped", channel.place, text, None)


def _key_of(message: AsyncApiMessage) -> str:
    """Return the key of a message in a plan."""
    return "#".join(message.place)


def _dialect(schema_format: Any) -> str | None:
    """Return the dialect of a schema format; that of AsyncAPI itself is draft-07 with annotations of its own."""
    if schema_format is None or str(schema_format).startswith("application/vnd.aai.asyncapi"):
        return "draft7"
    match = _JSON_SCHEMA.match(str(schema_format))
    return _DIALECTS.get(match["version"] or "draft-07") if match else None
