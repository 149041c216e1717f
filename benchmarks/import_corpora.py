"""How well published schemas import: ``python benchmarks/import_corpora.py NAME=SCHEMAS[:DOCUMENTS] ...``.

For each corpus, a folder or file of JSON Schemas, it prints the shares of sources that become messages, of messages
that lint without errors, and of documents that get the same verdict from the imported schema (``reader: strict``) and
from the source by a validator that asserts formats. DOCUMENTS is a folder of JSON documents, named like the schemas or
in folders named like them; without it the examples in the schemas count. Each document is judged as it is and with
each member left out or of another type, and so are documents made of the schemas' own enums and constants.

The figures in the notes were measured on cdevents/spec (Apache-2.0) with its conformance documents, npm
``@octokit/webhooks-schemas`` and ``-examples`` (MIT), and github SchemaStore/schemastore (Apache-2.0) with ``src/test``.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

from babelreg import load
from babelreg.errors import SchemaError
from babelreg.exchange.formats import jsonschema as format_of_schemas
from babelreg.exchange.importable import Importable
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.exchange.schemas.identifiers import joined, retrieval_uri
from babelreg.exchange.schemas.reports import loss_findings
from babelreg.exchange.sources.source_document import parse_json
from babelreg.finding import Finding, Severity
from babelreg.lint.engine.run import examine
from babelreg.lint.english import VerbForm, form
from babelreg.load.files.tree import Memory
from babelreg.schema.dialects import DEFAULT, judging

OTHERS = (None, True, 1.0, 1.5, -1, "", "x", [], {}, ["x"], [1, "x"], {"x": 1})
MOST_DOCUMENTS = 40
WORDS = re.compile(r"[^a-z0-9]")


class Corpus:
    """One corpus: its import, and validators of its sources."""

    def __init__(self, schemas: Path, documents: Path | None) -> None:
        tree = Memory({"babelreg.yaml": b"version: 1\n"})
        self.sources = format_of_schemas.read([schemas])
        kinds = {VerbForm.PAST: "event", VerbForm.BASE: "command"}
        options = ImportOptions(lambda name: kinds.get(form(name)), Owners(default="team"))
        self.result = import_sources(self.sources, load.from_tree(tree), tree, options)
        written = {path: text.encode() for path, text in self.result.files.items()}
        self.registry = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", **written}))
        self.documents = _documents(documents)
        self.files = {file.document.path: file for file in self.sources.index.files}
        self.values = {path: parse_json(file.document.text) for path, file in self.files.items()}
        self.validators: dict[str, Any] = {}

    def uri(self, path: str) -> str:
        """The URI of a source file: that of its $id, else of its path."""
        value, identifier = self.values[path], self.files[path].dialect.identifier
        own = value.get(identifier) if isinstance(value, dict) else None
        return joined(retrieval_uri(path), own).rstrip("#") if isinstance(own, str) else retrieval_uri(path)

    def source_validator(self, key: str) -> Any:
        """A validator of the source ``key`` in its own dialect; None where the library refuses it."""
        path, _, pointer = key.partition("#")
        resources = [(self.uri(name), value) for name, value in self.values.items() if isinstance(value, dict)]
        resources += [(retrieval_uri(name), value) for name, value in self.values.items() if isinstance(value, dict)]
        if len(resources) > 400:
            resources = [entry for entry in resources if entry[0] in (self.uri(path), retrieval_uri(path))]
        try:
            registry = jsonschema_rs.Registry(list(dict(resources).items()))
            compiled = getattr(jsonschema_rs, self.files[path].dialect.validator)
            return compiled({"$ref": f"{self.uri(path)}#{pointer}"}, registry=registry, **judging(formats=True))
        except (ValueError, jsonschema_rs.ReferencingError):
            return None

    def losses(self) -> list[Finding]:
        """What the import reports once, for each file."""
        importable = Importable(self.sources, self.sources.messages)
        graph = importable.graph
        reached = {unit.target for root in importable.roots for unit in graph.reachable(graph.units[root])}
        return loss_findings(self.sources.index, graph, reached, by_file=True)

    def candidates(self, key: str, schema: Any) -> list[Any]:
        """The documents to judge the message from ``key`` by."""
        path, _, pointer = key.partition("#")
        name = pointer.rpartition("/")[2] or path.rpartition("/")[2].partition(".json")[0]
        found = self.documents.get(WORDS.sub("", name.lower().removesuffix("event").rstrip("_$")), [])
        own = self.documents.get(WORDS.sub("", name.lower()), [])
        return [*own, *(found if not own else ()), *_made(schema)][:MOST_DOCUMENTS]


def _documents(folder: Path | None) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.rglob("*.json")) if folder is not None else ():
        try:
            value = parse_json(path.read_text("utf-8-sig"))
        except Exception:
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict) and "examples" in value[0]:
            for entry in value:  # the index of @octokit/webhooks-examples
                found.setdefault(WORDS.sub("", entry["name"]), []).extend(entry["examples"][:8])
            continue
        for name in (path.stem, path.parent.name):
            found.setdefault(WORDS.sub("", name.lower()), []).append(value)
    return found


def _made(schema: Any) -> Iterator[Any]:
    """Yield documents made of a schema: each property with each of its constants, and with other values."""
    yield {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, below in list(properties.items())[:20] if isinstance(properties, dict) else ():
        values = list(OTHERS)
        if isinstance(below, dict):
            values += (
                below.get("enum", [])[:3] + below.get("examples", [])[:3]
                if "enum" in below or "examples" in below
                else []
            )
            values += [below[word] for word in ("const", "default") if word in below]
        yield from ({name: value} for value in values)


def _variants(document: Any) -> Iterator[Any]:
    """Yield ``document``, and it with a member left out or of another type."""
    yield document
    places = [((), document)]
    for at, value in places:
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        places += [((*at, step), item) for step, item in list(members)[:12] if len(places) < 60]
    for number, (at, _) in enumerate(places[1:]):
        for change in ("drop", OTHERS[number % len(OTHERS)]):
            changed = copy.deepcopy(document)
            holder = changed
            for step in at[:-1]:
                holder = holder[step]
            if change == "drop":
                del holder[at[-1]]
            else:
                holder[at[-1]] = change
            yield changed


def measure(name: str, schemas: Path, documents: Path | None) -> None:
    """Print the figures of one corpus."""
    corpus = Corpus(schemas, documents)
    result, registry = corpus.result, corpus.registry
    found = Counter(finding.rule for finding in result.findings)
    sources = len({message.target for message in corpus.sources.messages})
    errors = [finding for finding in examine(registry).findings if finding.severity is Severity.ERROR]
    bad = {finding.urn or finding.place.path for finding in errors}
    clean = [message for message in registry.messages if message.urn not in bad and message.source.path not in bad]
    print(f"{name}: {sources} sources, {len(result.messages)} imported, {len(clean)} lint without errors")
    print(f"  findings: {dict(found)}; errors of lint: {dict(Counter(error.rule for error in errors).most_common(8))}")
    lossy = {f.place.path for f in (*result.findings, *corpus.losses()) if f.rule == "import-meaning-changed"}
    keys = {planned.urn: key for key, planned in result.plan.messages.items()}
    counts: Counter[str] = Counter()
    for message in registry.messages:
        key = keys[message.urn]
        source = corpus.source_validator(key)
        if source is None:
            counts["sources that their own validator refuses"] += 1
            continue
        try:
            reader = DEFAULT.validator_for(message.schema)
        except SchemaError as err:
            print(f"  {message.urn}: {err.message}")
            continue
        wrong = 0
        for document in corpus.candidates(key, message.data):
            if isinstance(document, dict) and source.is_valid(document):
                counts["documents given or made that the source accepts"] += 1
                counts["of them accepted"] += reader.is_valid(document)
            for variant in _variants(document):
                if not isinstance(variant, dict):
                    continue
                counts["verdicts"] += 1
                if source.is_valid(variant) != reader.is_valid(variant):
                    path = corpus.files[key.partition("#")[0]].document.shown
                    kind = "listed" if path in lossy else "WRONG"
                    counts[f"verdicts {kind}"] += 1
                    wrong += kind == "WRONG"
                    if wrong == 1 and kind == "WRONG":
                        print(f"  wrong: {key}: source {source.is_valid(variant)}: {json.dumps(variant)[:300]}")
                        for judge in (source, reader):
                            print("   ", next((str(e.message)[:200] for e in judge.iter_errors(variant)), "accepts"))
    print(f"  {dict(counts)}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        name, _, places = argument.partition("=")
        schemas, _, documents = places.partition(":")
        measure(name, Path(schemas), Path(documents) if documents else None)
