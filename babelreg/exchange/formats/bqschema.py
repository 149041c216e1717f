"""``registry.json`` of BabelQueue's own registry tool, ``bqschema``, as the source of an import.

It lists URNs, each with a file of draft-07, an owner and a status. Source: babelqueue-registry,
``internal/registry/registry.go``.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from babelreg.errors import InputError, SchemaError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceExample, SourceMessage
from babelreg.exchange.schemas.adjustment import adjust
from babelreg.exchange.schemas.identifiers import IdentifierIndex, SchemaFile
from babelreg.exchange.schemas.reports import adjustment_findings, reference_findings
from babelreg.exchange.schemas.resolution import resolve
from babelreg.exchange.schemas.roots import unused_files
from babelreg.exchange.sources.own_annotations import own_facts
from babelreg.exchange.sources.schema_detection import likely_dialect
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.exchange.sources.source_folder import read_sources
from babelreg.finding import Finding
from babelreg.model import Urn, UrnError
from babelreg.schema.dialects import DIALECTS


def read(path: Path, *, registry: Path | None = None) -> ImportSources:
    """Read the manifest at ``path`` and the schemas of its folder. Raises UsageError, InputError."""
    folder = read_sources([path, path.absolute().parent], outside=registry)
    findings, index = folder.findings, IdentifierIndex([], root=str(folder.root))
    manifest = next((document for document in folder.documents if document.path == path.name), None)
    entries = _entries(manifest, findings) if manifest is not None else {}
    numbers: dict[str, int] = {}
    for document in folder.documents:
        if document is manifest or not isinstance(document.value, (dict, bool)):
            continue
        numbers[document.path] = len(index.files)
        try:
            index.add(SchemaFile(document, likely_dialect(document.value, DIALECTS["draft7"])))
        except SchemaError as err:
            numbers.pop(document.path)
            findings.append(import_finding("import-schema-refused", err.message, document.place()))
    messages = []
    for urn, (entry, place) in entries.items():
        target = posixpath.normpath(str(entry.get("schema", "")))
        if target not in numbers:
            message = f"the schema of {urn}, '{str(entry.get('schema'))[:200]}', is not in the folder of the manifest"
            fix = "correct the path; it is relative to the manifest"
            findings.append(import_finding("import-reference-unresolved", message, place, fix=fix, urn=urn))
            continue
        status = entry.get("status")
        schema = index.files[numbers[target]].value
        own = own_facts(schema)
        owner = {"owner": entry["owner"]} if isinstance(entry.get("owner"), str) and entry["owner"] else {}
        listed = schema.get("examples") if isinstance(schema, dict) else None
        place_of = index.files[numbers[target]].document.place
        messages.append(
            SourceMessage(
                key=f"{path.name}#{urn}",
                target=(numbers[target], ""),
                context=Urn.parse(urn).context,
                words=Urn.parse(urn).name,
                urn=urn,
                status=status if status in ("draft", "active", "deprecated") else None,
                kind=own.kind,
                facts={**own.facts, **owner},
                examples=tuple(
                    SourceExample(data, place_of(("examples", n)))
                    for n, data in enumerate(listed if isinstance(listed, list) else ())
                ),
            )
        )
    findings += adjustment_findings(index, list(adjust(index)))
    resolved = resolve(index)
    findings += reference_findings(index, resolved, "bqschema")
    for number in unused_files(index, resolved, [message.target for message in messages]):
        if index.files[number].entries:
            place = index.files[number].document.place()
            findings.append(import_finding("import-source-unused", f"{path.name} does not refer to this file", place))
    files = frozenset({path.name})
    return ImportSources("bqschema", folder.root, index, resolved, messages, findings, files=files)


def _entries(manifest: SourceDocument, findings: list[Finding]) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the entries of a manifest by URN, each with its place; those that cannot be imported are reported."""
    listed = manifest.value.get("schemas") if isinstance(manifest.value, dict) else None
    if not isinstance(listed, list):
        fix = 'it looks like {"schemas": [{"urn": "urn:babel:orders:created", "schema": "schemas/created.json"}]}'
        raise InputError("this is not a registry.json of bqschema", place=manifest.place(), fix=fix)
    entries: dict[str, tuple[dict[str, Any], Any]] = {}
    for number, entry in enumerate(listed):
        place = manifest.place(("schemas", number))
        spelled = entry.get("urn") if isinstance(entry, dict) else None
        try:
            urn = str(Urn.parse(str(spelled or "")))
        except UrnError as err:
            message = f"{str(spelled)[:200]!r} is not imported: it is not a URN, {err.problem}"
            findings.append(import_finding("import-schema-refused", message, place))
            continue
        if urn in entries:
            message = f"{urn} is declared more than once; the first declaration counts"
            findings.append(import_finding("import-schema-refused", message, place, urn=urn))
        elif isinstance(entry, dict):
            entries[urn] = (entry, place)
    return entries
