"""An AsyncAPI document, 2.x or 3.x, as the source of an import.

Channels become queues, operations services, messages messages. A payload that is a whole envelope of BabelQueue is
unwrapped: its ``data`` counts. Servers, bindings, headers and security have no place in a registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from babelreg.errors import SchemaError, UsageError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceExample, SourceMessage
from babelreg.exchange.naming.urn_guess import context_of
from babelreg.exchange.schemas.adjustment import adjust
from babelreg.exchange.schemas.identifiers import IdentifierIndex, SchemaFile
from babelreg.exchange.schemas.reports import adjustment_findings, reference_findings
from babelreg.exchange.schemas.resolution import resolve
from babelreg.exchange.sources.asyncapi_document import AsyncApiMessage, DocumentPlace, follow, messages_of
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.exchange.sources.source_folder import SourceFolder, read_sources
from babelreg.finding import Finding
from babelreg.model import Urn, UrnError
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.pointer import parse
from babelreg.schema.subschemas import mappings

__all__ = ["read"]

_ENVELOPE = frozenset({"job", "data", "meta"})
_JSON_SCHEMA = re.compile(r"application/schema\+(?:json|yaml)(?:;\s*version=(?P<version>[\w-]+))?\Z")
_DIALECTS = {
    "draft-04": "draft4", "draft-06": "draft6", "draft-07": "draft7",
    "draft-2019-09": "draft2019-09", "2019-09": "draft2019-09",
    "draft-2020-12": "draft2020-12", "2020-12": "draft2020-12",
}  # fmt: skip
_UNKEPT = ("servers", "security", "securitySchemes", "bindings", "serverBindings", "channelBindings", "operationTraits")


def read(path: Path, *, registry: Path | None = None, context: str | None = None) -> ImportSources:
    """Read the document at ``path``; files beside it only where it refers to some.

    ``context`` is that of all messages without a URN, by default the title of the document. Raises UsageError.
    """
    folder, name = _folder(path, registry)
    documents = {document.path: document.value for document in folder.documents}
    value = documents.get(name)
    version = value.get("asyncapi") if isinstance(value, dict) else None
    if name in documents and not str(version).startswith(("2.", "3.")):
        said = f"asyncapi: {version}" if version else "no key 'asyncapi'"
        raise UsageError(
            f"{path} is not an AsyncAPI document of version 2 or 3: it has {said}", fix="name another file"
        )
    return _AsyncApiReader(folder, name, context).sources() if name in documents else _nothing(folder)


def _folder(path: Path, registry: Path | None) -> tuple[SourceFolder, str]:
    """Return the document, with the files of its folder where it refers to other files."""
    folder = read_sources([path], outside=registry)
    refers = any(
        isinstance(node.get("$ref"), str) and not node["$ref"].startswith("#")
        for document in folder.documents
        for node in mappings(document.value)
    )
    if refers and path.is_file():
        folder = read_sources([path, path.absolute().parent], outside=registry)
    return folder, path.name


def _nothing(folder: SourceFolder) -> ImportSources:
    index = IdentifierIndex([])
    return ImportSources("asyncapi", folder.root, index, resolve(index), [], folder.findings)


class _AsyncApiReader:
    def __init__(self, folder: SourceFolder, name: str, context: str | None) -> None:
        self.folder = folder
        self.name = name
        self.bodies = {document.path: document for document in folder.documents}
        self.documents = {path: document.value for path, document in self.bodies.items()}
        title = self.documents[name].get("info", {}).get("title", "")
        self.context = context_of(context or str(title)) or "imported"
        self.findings: list[Finding] = folder.findings

    def sources(self) -> ImportSources:
        entries: dict[tuple[str, str], dict[str, None]] = {}
        read: list[tuple[AsyncApiMessage, DocumentPlace, str, bool]] = []
        for message in messages_of(self.documents, self.name):
            for place, dialect, wrapped in self.payload(message):
                entries.setdefault((place[0], dialect), {})[place[1]] = None
                read.append((message, place, dialect, wrapped))
        self.report_unkept()
        index, numbers = IdentifierIndex([]), {}
        others = {path: {"": None} for path in self.documents if path != self.name}
        for (path, dialect), pointers in entries.items():
            others.pop(path, None)
            numbers[path, dialect] = self.add(index, path, dialect, pointers)
        for path, pointers in others.items():  # files that payloads refer to
            self.add(index, path, "draft7", pointers)
        self.findings += adjustment_findings(index, list(adjust(index)))
        resolved = resolve(index)
        self.findings += reference_findings(index, resolved)
        messages = [
            self.source(message, (numbers[place[0], dialect], place[1]), wrapped)
            for message, place, dialect, wrapped in read
            if index.files[numbers[place[0], dialect]].entries
        ]
        services = {name: facts for message, *_ in read for name, facts in message.services.items()}
        return ImportSources("asyncapi", self.folder.root, index, resolved, messages, self.findings, services=services)

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
        place, value = follow(self.documents, (path, f"{pointer}/payload"))
        format_ = message.value.get("schemaFormat")
        if isinstance(value, dict) and "schemaFormat" in value and "schema" in value:
            format_ = value["schemaFormat"]
            place, value = follow(self.documents, (place[0], f"{place[1]}/schema"))
        dialect = _dialect(format_)
        if dialect is None:
            self.refuse(message, f"its payload is of the format '{str(format_)[:100]}', not a JSON Schema")
            return
        if not isinstance(value, (dict, bool)):
            self.refuse(message, "it has no payload" if value is None else "its payload is not a schema")
            return
        properties = value.get("properties") if isinstance(value, dict) else None
        wrapped = isinstance(properties, dict) and properties.keys() >= _ENVELOPE
        if wrapped:
            place, value = follow(self.documents, (place[0], f"{place[1]}/properties/data"))
        yield place, dialect, wrapped

    def refuse(self, message: AsyncApiMessage, reason: str) -> None:
        place = self.bodies[message.place[0]].place(parse(message.place[1]))
        text = f"the message '{message.name}' is not imported: {reason}"
        fix = "describe its payload by a JSON Schema"
        pointer = message.place[1]
        self.findings.append(import_finding("import-schema-refused", text, place, fix=fix, pointer=pointer))

    def source(self, message: AsyncApiMessage, target: tuple[int, str], wrapped: bool) -> SourceMessage:
        """Return the facts of a message with its schema at ``target``."""
        path, pointer = message.place
        value = message.value
        tags = value.get("tags")
        names = [tag.get("name") for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []
        kind = next((name for name in (value.get("x-babel-kind"), *names) if name in ("event", "command")), None)
        status = value.get("x-babel-status")
        facts: dict[str, Any] = {
            "description": value.get("description") or value.get("summary") or value.get("title"),
            "owner": value.get("x-babel-owner"),
            "queue": next(iter(message.queues), None) if len(message.queues) == 1 else None,
            "producers": list(message.producers),
            "consumers": list(message.consumers),
            "supersedes": value.get("x-babel-supersedes"),
            "sunset": value.get("x-babel-sunset"),
        }
        return SourceMessage(
            key=f"{path}#{pointer}",
            target=target,
            context=self.context,
            words=message.name or "message",
            certain=bool(message.queues),
            urn=self.urn(message, wrapped),
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
            place, _ = follow(self.documents, (path, f"{pointer}/payload"))
            _, job = follow(self.documents, (place[0], f"{place[1]}/properties/job"))
            spelled.append(job.get("const") if isinstance(job, dict) else None)
        for text in spelled:
            try:
                return str(Urn.parse(str(text)))
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
        kept = {key for node in mappings(self.documents[self.name]) for key in _UNKEPT if node.get(key)}
        headers = any("headers" in message.value for message in messages_of(self.documents, self.name))
        names = sorted(kept) + (["headers"] if headers else [])
        if names:
            text = f"{', '.join(names)}: not kept, a registry describes the data of messages only"
            self.findings.append(import_finding("import-schema-adjusted", text, self.bodies[self.name].place()))


def _dialect(schema_format: Any) -> str | None:
    """Return the dialect of a schema format; that of AsyncAPI itself is draft-07 with annotations of its own."""
    if schema_format is None or str(schema_format).startswith("application/vnd.aai.asyncapi"):
        return "draft7"
    match = _JSON_SCHEMA.match(str(schema_format))
    return _DIALECTS.get(match["version"] or "draft-07") if match else None
