"""The document of the catalog: everything that its pages show, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.gen.example_envelope import example_envelope
from babelreg.gen.reference import field_rows
from babelreg.gen.reference.languages import LANGUAGE_NAMES
from babelreg.gen.reference.usage import Usage
from babelreg.gen.target import is_generated
from babelreg.gen.targets.catalog import message_entry, plain_text
from babelreg.gen.targets.catalog.graphs import graph, overview
from babelreg.gen.targets.catalog.plain_text import address, block, inline
from babelreg.model import Message, Registry, Service
from babelreg.typemap.names import visible

FORMAT = 1
"""The version of the format of ``catalog.json``: a new member does not change it, a changed one does."""


FieldRow = tuple[str, str, str, str, str, str]


class FieldTable:
    """Table of all fields: each distinct row once, because messages share fragments and habits.

    A row is path, type, required (yes, no, depends), values, meaning, category of personal data.
    """

    def __init__(self) -> None:
        self._numbers: dict[FieldRow, int] = {}

    def add(self, schema: Mapping[str, Any]) -> list[int]:
        """Return the numbers of the fields of ``schema``, in their order, until :meth:`renumber`."""
        return [self._number(row) for row in field_rows.rows(schema, plain_text)]

    def _number(self, row: field_rows.FieldRow) -> int:
        key = (visible(row.path), row.type, row.required, row.values, row.meaning, row.personal)
        return self._numbers.setdefault(key, len(self._numbers))

    def sorted_rows(self) -> list[FieldRow]:
        """Return the rows, sorted."""
        return sorted(self._numbers)

    def renumber(self) -> list[int]:
        """Return the place of each number in :meth:`sorted_rows`."""
        places = {row: place for place, row in enumerate(self.sorted_rows())}
        return [places[row] for row in self._numbers]


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """``head`` is all but the messages; ``entries`` and ``details`` are the messages by URN, sorted."""

    head: dict[str, Any]
    entries: dict[str, dict[str, Any]]
    details: dict[str, dict[str, Any]]

    @property
    def title(self) -> str:
        """The title of the catalog."""
        return str(self.head["title"])


def of(registry: Registry, options: Mapping[str, Any], title: str) -> CatalogDocument:
    """Return the document of ``registry``; ``options`` as for ``target.files``."""
    usage = Usage(registry, options)
    messages = sorted((m for m in registry.messages if m.parsed is not None), key=lambda message: message.urn)
    fields, entries, details = FieldTable(), {}, {}
    for message in messages:
        urn = visible(message.urn)
        if is_generated(message):
            entries[urn] = message_entry.entry(registry, message, fields.add(message.schema or {}))
            details[urn] = message_entry.details(registry, message, usage) | _handed_over(message, options)
        elif message.status == "retired":
            entries[urn] = message_entry.tombstone(message)
            details[urn] = _handed_over(message, options)
    places = fields.renumber()
    for entry in entries.values():
        if "fields" in entry:
            entry["fields"] = [places[number] for number in entry["fields"]]
    contexts = {visible(m.urn): visible(m.context) for m in messages}
    head = {
        "format": FORMAT,
        "title": inline(title),
        "contexts": _contexts(registry, entries, contexts),
        "services": {visible(name): _service(service) for name, service in sorted(registry.services.items())},
        "fields": fields.sorted_rows(),
        "envelope": _envelope(registry, messages),
        "graph": overview(entries, contexts),
    }
    if "note" in options:
        head["note"] = inline(options["note"])
    return CatalogDocument(head, entries, details)


def _handed_over(message: Message, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what other verbs found out about ``message``."""
    comparison = options.get("comparisons", {}).get(message.urn)
    commits = options.get("commits", {}).get(message.urn)
    return {
        **({"comparison": message_entry.comparison(comparison)} if comparison else {}),
        **({"history": message_entry.history(commits)} if commits else {}),
    }


def _contexts(
    registry: Registry, entries: Mapping[str, dict[str, Any]], contexts: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    messages: dict[str, dict[str, Any]] = {visible(name): {} for name in registry.contexts}
    for urn, entry in entries.items():
        messages.setdefault(contexts[urn], {})[urn] = entry
    result = {}
    declared = {visible(name): context for name, context in registry.contexts.items()}
    for name in sorted(messages):
        context = declared.get(name)
        members = {
            "owner": inline(context.owner or "") if context else "",
            "description": block(context.description) if context else "",
            "contact": address(context.contact) if context else [],
            "graph": graph(messages[name]),
            "messages": list(messages[name]),
        }
        result[name] = {key: value for key, value in members.items() if value}
    return result


def _service(service: Service) -> dict[str, Any]:
    members = {
        "owner": inline(service.owner or ""),
        "lang": LANGUAGE_NAMES.get(service.lang or "", inline(service.lang or "")),
        "description": block(service.description),
        "repo": address(service.repo),
        "contact": address(service.contact),
        "reads": {visible(use.urn): [visible(path) for path in use.reads] for use in service.consumes if use.reads},
        "expects": {
            visible(use.urn): {visible(each.path): inline(text_of(each.schema)) for each in use.expects}
            for use in service.consumes
            if use.expects
        },
    }
    return {name: value for name, value in members.items() if value}


def _envelope(registry: Registry, messages: list[Message]) -> dict[str, Any]:
    """Return the members that all shown envelopes share."""
    if not messages:
        return {}
    shown = example_envelope(registry, messages[0])
    return {"trace_id": shown["trace_id"], "id": shown["meta"]["id"], "created_at": shown["meta"]["created_at"]}


def text_of(value: Any) -> str:
    """Return ``value`` as compact JSON, keys sorted."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
