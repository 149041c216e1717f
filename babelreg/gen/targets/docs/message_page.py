"""The page of one message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from babelreg.gen.example_envelope import example_envelope
from babelreg.gen.reference import field_rows, wire_views
from babelreg.gen.reference.json_layout import json_text
from babelreg.gen.reference.languages import LANGUAGE_NAMES
from babelreg.gen.reference.sent_fields import sent_fields
from babelreg.gen.reference.upcast_steps import step
from babelreg.gen.reference.usage import Usage
from babelreg.gen.reference.version_changes import version_changes
from babelreg.gen.render import render
from babelreg.gen.target import File, header, is_generated
from babelreg.gen.targets.docs import markdown
from babelreg.gen.targets.docs.markdown import (
    block,
    code,
    comment,
    fence,
    inline,
    link,
    relative,
    table,
)
from babelreg.gen.targets.docs.paths import (
    INDEX,
    context_page,
    message_page,
    service_page,
)
from babelreg.model import Delivery, Message, Registry, Service
from babelreg.model.topology import subscriptions_of
from babelreg.typemap import spark
from babelreg.typemap.names import visible

_MAX_EXAMPLES = 4
_MAX_EXAMPLE_LENGTH = 4_000


def page(registry: Registry, message: Message, usage: Usage) -> File:
    """Return the page with everything that a developer needs to send, handle or change ``message``."""
    facts = _facts_of(registry, message)
    line = comment(header("docs", message.source.path, usage.facts_of(message), facts, sign=""))
    return File(message_page(message), partial(_text, registry, message, usage, line), line)


def _facts_of(registry: Registry, message: Message) -> list[Any]:
    """Return the inputs of the page: the message, the services that use it, and the versions before and after it.

    They include its names in foreign wire formats, if it has any.
    """
    delivery = message.delivery
    services = []
    for name in dict.fromkeys([*message.producers, *registry.consumers(message.urn)]):
        known = registry.services.get(name)
        uses = [use for use in known.consumes if use.urn == message.urn] if known else []
        reads = [list(use.reads) for use in uses]
        expects = [[each.path, each.schema] for use in uses for each in use.expects]
        expects += [[use.on_unexpected] for use in uses if use.on_unexpected != "handle"]
        about = [known.lang, known.owner, reads, *([expects] if expects else [])] if known else None
        services.append([name, about])
    before = registry.by_urn.get(message.supersedes) if message.supersedes else None
    others = [
        [other.urn, is_generated(other)] if other else None for other in (before, registry.successor(message.urn))
    ]
    wires = wire_views.names_of(registry, message)
    receivers = [[each.service, each.queue] for each in subscriptions_of(registry, message)]
    return [
        message.urn, message.kind, message.status, message.description, message.owner, message.queue,
        message.supersedes, message.producers, receivers, message.sunset, message.schema,
        _policy(delivery) if delivery else None, len(message.examples),
        [example.data for example in message.examples[:_MAX_EXAMPLES]],
        [[refused.because, refused.data] for refused in message.counterexamples], message.upcast, services, others,
        *_coverage_facts(registry, message), *([wires] if wires else []),
        *([message.aliases] if message.aliases else []), *_changes(registry, message),
    ]  # fmt: skip


def _text(registry: Registry, message: Message, usage: Usage, line: str) -> str:
    path, envelope = message_page(message), example_envelope(registry, message)
    view = {
        "header": line,
        "urn": code(message.urn),
        "index": relative(path, INDEX),
        "context": link(inline(message.context), relative(path, context_page(message.context))),
        "description": block(message.description) if message.description else "",
        "warning": _warning(registry, message, path),
        "facts": _facts(message),
        "fields": _fields(registry, message),
        "examples": [_example(example.data) for example in message.examples[:_MAX_EXAMPLES]],
        "more_examples": max(0, len(message.examples) - _MAX_EXAMPLES),
        "source": code(message.source.path),
        "counterexamples": [
            {"because": inline(refused.because), "data": _example(refused.data)} for refused in message.counterexamples
        ],
        "senders": _senders(registry, message, path),
        "receivers": _receivers(registry, message, path),
        "versions": _versions(registry, message, path),
        "changes": _changes(registry, message),
        "upcast": [step(operation, markdown) for operation in message.upcast],
        "send": [each._replace(source=fence(each.source, each.syntax)) for each in usage.send(message)],
        "handle": [each._replace(source=fence(each.source, each.syntax)) for each in usage.handle(message)],
        "envelope": fence(json_text(envelope), "json"),
        "wires": _wires(registry, message, envelope) if message.examples else [],
        "columns": _columns(message),
        "notes": _notes(message),
    }
    return render("docs", "message.md.jinja", view)


def linked(message: Message, page: str) -> str:
    """Return the message's name, without the prefix of all URNs, as a link from ``page``."""
    name = message.urn.removeprefix("urn:babel:")
    return link(code(name), relative(page, message_page(message)))


def service(registry: Registry, name: str, page: str) -> str:
    """Return a service's name, as a link from ``page`` where the registry knows it."""
    if name not in registry.services:
        return inline(name)
    return link(inline(name), relative(page, service_page(name)))


def language(service: Service | None) -> str:
    """Return the name of the language of a service."""
    written = service.lang if service and service.lang else ""
    return LANGUAGE_NAMES.get(written, inline(written))


def _warning(registry: Registry, message: Message, path: str) -> str:
    successor = registry.successor(message.urn)
    instead = f" Use {linked(successor, path)} instead." if successor and is_generated(successor) else ""
    if message.status == "deprecated":
        until = f" It goes away on {inline(message.sunset)}." if message.sunset else ""
        return f"**Deprecated.**{until}{instead}"
    if message.status == "draft":
        return "**Draft.** Do not depend on it yet: any part of it may still change."
    return f"**Superseded.**{instead}" if instead else ""


def _policy(delivery: Delivery) -> list[Any]:
    backoff = [list(asdict(delivery.backoff).values())] if delivery.backoff else []
    limit = [] if delivery.time_limit_seconds is None else [{"time_limit_seconds": delivery.time_limit_seconds}]
    return [delivery.max_attempts, delivery.on_failure, *backoff, *limit]


def _facts(message: Message) -> str:
    delivery = message.delivery
    attempts = ""
    if delivery is not None:
        failed = "goes to the dead-letter queue" if delivery.on_failure == "dead_letter" else "is dropped"
        attempts = f"{delivery.max_attempts} attempts, then it {failed}"
        if delivery.backoff is not None:
            waits = delivery.backoff
            first, factor, longest = f"{waits.first_seconds:g}", f"{waits.factor:g}", f"{waits.longest_seconds:g}"
            attempts += f"; retries after {first} s, each {factor} times longer, at most {longest} s"
        if delivery.time_limit_seconds is not None:
            attempts += f"; at most {delivery.time_limit_seconds:g} s each"
    row = (
        inline(message.kind or ""),
        inline(message.status),
        inline(message.owner or ""),
        code(message.queue) if message.queue else "",
        attempts,
    )
    also = ", ".join(map(code, message.aliases))
    sent_as = f"\n\nProducers may also send it as {also}; readers take each for the URN." if also else ""
    return table(("Kind", "Status", "Owner", "Queue", "Delivery"), [row]) + sent_as


def _coverage_facts(registry: Registry, message: Message) -> list[Any]:
    known = registry.coverage.messages.get(message.urn) if registry.coverage is not None else None
    return [] if known is None else [[known.fields, known.enums]]


def _fields(registry: Registry, message: Message) -> str:
    sent = sent_fields(registry, message, markdown)
    rows = [
        (
            code(row.path),
            row.type,
            "**yes**" if row.required == "yes" else row.required,
            row.values,
            row.meaning,
            row.personal,
            sent(row.path),
        )
        for row in field_rows.rows(message.schema or {}, markdown)
    ]
    return table(("Field", "Type", "Required", "Values", "Meaning", "Personal data", "Sent"), rows)


def _example(data: Any) -> str:
    text = json_text(data)
    if len(text) > _MAX_EXAMPLE_LENGTH:
        text = text[:_MAX_EXAMPLE_LENGTH].rpartition("\n")[0] + "\n…"
        return fence(text, "text")
    return fence(text, "json")


def _senders(registry: Registry, message: Message, path: str) -> str:
    rows = []
    for name in message.producers:
        known = registry.services.get(name)
        rows.append((service(registry, name, path), language(known), inline(known.owner or "") if known else ""))
    return table(("Sent by", "Language", "Owner"), rows)


def _receivers(registry: Registry, message: Message, path: str) -> str:
    rows = []
    for name, queue in ((each.service, each.queue) for each in subscriptions_of(registry, message)):
        known = registry.services.get(name)
        uses = [use for use in known.consumes if use.urn == message.urn] if known else []
        fields = ", ".join(code(field) for use in uses[:1] for field in use.reads)
        expects = ", ".join(
            f"{code(each.path)}: {code(json.dumps(each.schema, ensure_ascii=False))}"
            for use in uses
            for each in use.expects
        )
        if any(use.on_unexpected == "dead_letter" for use in uses):
            expects += "; any other is dead-lettered where it is checked"
        owner = inline(known.owner or "") if known else ""
        rows.append((service(registry, name, path), language(known), owner, code(queue), fields, expects))
    return table(("Received by", "Language", "Owner", "From queue", "Fields it reads", "What it expects"), rows)


def _versions(registry: Registry, message: Message, path: str) -> list[str]:
    lines = []
    if message.supersedes:
        before = registry.by_urn.get(message.supersedes)
        known = before is not None and is_generated(before)
        lines.append(f"Supersedes {linked(before, path) if before and known else code(message.supersedes)}.")
    after = registry.successor(message.urn)
    if after is not None:
        lines.append(f"Superseded by {linked(after, path) if is_generated(after) else code(after.urn)}.")
    return lines


def _changes(registry: Registry, message: Message) -> list[str]:
    return [inline(line) for change in version_changes(registry, message) for line in change.lines]


def _wires(registry: Registry, message: Message, envelope: Mapping[str, Any]) -> list[wire_views.WireView]:
    views = wire_views.views(registry, message, envelope, markdown)
    return [view._replace(message=fence(view.message, view.language)) if view.message else view for view in views]


def _columns(message: Message) -> str:
    columns = spark.columns(message.schema or {})
    # Backticks hold a name as it is, and SQL knows no escapes there: a page shows what a reader can see.
    return fence(visible(spark.layout(columns, 0, comments=False)), "sql") if columns.fields else ""


def _notes(message: Message) -> list[str]:
    shown = {"json-text": "holds JSON text", "no-column": "has no column", "guarded": "is typed"}
    return [
        f"{code(note.path or 'data')} {shown[note.what]}: {inline(note.why)}."
        for note in spark.notes(message.schema or {})
        if note.what in shown
    ]
