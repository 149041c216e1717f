"""One message in the catalog: an entry that lists and search need, and details of its own page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from babelreg.gen.example_envelope import example_envelope
from babelreg.gen.reference import field_rows, wire_views
from babelreg.gen.reference.json_layout import json_text
from babelreg.gen.reference.personal_fields import marks
from babelreg.gen.reference.sent_fields import sent_fields
from babelreg.gen.reference.upcast_steps import step
from babelreg.gen.reference.usage import Usage
from babelreg.gen.reference.version_changes import version_changes
from babelreg.gen.targets.catalog import plain_text
from babelreg.gen.targets.catalog.plain_text import block, inline
from babelreg.model import Commit, Message, Registry
from babelreg.model.topology import subscriptions_of
from babelreg.typemap import spark
from babelreg.typemap.names import visible

if TYPE_CHECKING:
    from babelreg.containment import Comparison

_MAX_EXAMPLES = 4
_MAX_EXAMPLE_LENGTH = 4_000
_NOTES = {"json-text": "holds JSON text", "no-column": "has no column", "guarded": "is typed"}


def entry(registry: Registry, message: Message, fields: list[int]) -> dict[str, Any]:
    """Return the entry of ``message`` without its empty members; ``fields`` are numbers of the table of fields."""
    personal = marks(message.schema or {})
    return _without_empty(
        {
            "aliases": [visible(alias) for alias in message.aliases],
            "kind": inline(message.kind or ""),
            "status": inline(message.status),
            "description": block(message.description),
            "owner": inline(message.owner or ""),
            "queue": inline(message.queue or ""),
            "supersedes": visible(message.supersedes or ""),
            "sunset": inline(message.sunset or ""),
            "producers": [visible(name) for name in dict.fromkeys(message.producers)],
            "consumers": [visible(name) for name in registry.consumers(message.urn)],
            "inboxes": {visible(each.service): visible(each.queue) for each in subscriptions_of(registry, message)},
            "fields": fields,
            "sent": _sent(registry, message),
            "personal": [[visible(mark.path), inline(mark.category or "")] for mark in personal.fields],
            "personal_incomplete": not personal.complete,
        }
    )


def tombstone(message: Message) -> dict[str, Any]:
    """Return the entry of a retired message."""
    return _without_empty(
        {
            "status": "retired",
            "retired_on": inline(message.retired_on or ""),
            "description": block(message.description),
            "file": visible(message.source.path),
        }
    )


def details(registry: Registry, message: Message, usage: Usage) -> dict[str, Any]:
    """Return what only the page of ``message`` shows, without empty members."""
    schema, delivery = message.schema or {}, message.delivery
    failed = "goes to the dead-letter queue" if delivery and delivery.on_failure == "dead_letter" else "is dropped"
    columns = spark.columns(schema)
    return _without_empty(
        {
            "file": visible(message.source.path),
            "lang": example_envelope(registry, message)["meta"]["lang"],
            "delivery": f"{delivery.max_attempts} attempts, then it {failed}" if delivery else "",
            "examples": [_example(example.data) for example in message.examples[:_MAX_EXAMPLES]],
            "more_examples": max(0, len(message.examples) - _MAX_EXAMPLES),
            "refused": [[inline(refused.because), _example(refused.data)] for refused in message.counterexamples],
            "changes": [
                [visible(change.path), change.kind, [inline(line) for line in change.lines]]
                for change in version_changes(registry, message)
            ],
            "upcast": [step(operation, plain_text) for operation in message.upcast],
            "send": [[each.language, each.command, each.source] for each in usage.send(message)],
            "handle": [[each.language, each.command, each.source] for each in usage.handle(message)],
            "wires": _wires(registry, message),
            "columns": visible(spark.layout(columns, 0, comments=False)) if columns.fields else "",
            "notes": [
                f"{plain_text.code(note.path or 'data')} {_NOTES[note.what]}: {inline(note.why)}."
                for note in spark.notes(schema)
                if note.what in _NOTES
            ],
        }
    )


def comparison(result: Comparison) -> dict[str, Any]:
    """Return the verdicts of ``result``, their witnesses as text: no reader of JSON then loses a digit."""
    verdicts = result.as_json()
    for verdict in verdicts.values():
        if "witness" in verdict:
            verdict["witness"] = json_text(verdict["witness"])
        for name in ("reason", "pointer"):
            if name in verdict:
                verdict[name] = inline(verdict[name])
    return verdicts


def history(commits: Sequence[Commit]) -> list[list[str]]:
    """Return id, day, subject and author of each commit."""
    return [
        [inline(commit.id[:12]), inline(commit.day), inline(commit.subject), inline(commit.author)]
        for commit in commits
    ]


def _sent(registry: Registry, message: Message) -> list[str]:
    """Return how often each field was sent, in the order of the fields; nothing where that is not known."""
    sent = sent_fields(registry, message, plain_text)
    texts = [sent(row.path) for row in field_rows.rows(message.schema or {}, plain_text)]
    return texts if any(texts) else []


def _wires(registry: Registry, message: Message) -> list[list[str]]:
    if not message.examples:
        return []
    views = wire_views.views(registry, message, example_envelope(registry, message), plain_text)
    return [[view.title, view.about, view.message] for view in views]


def _example(data: Any) -> str:
    text = json_text(data)
    return text if len(text) <= _MAX_EXAMPLE_LENGTH else text[:_MAX_EXAMPLE_LENGTH].rpartition("\n")[0] + "\n…"


def _without_empty(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}
