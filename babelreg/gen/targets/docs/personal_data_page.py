"""The inventory of personal data: every field that ``x-gdpr-sensitive`` marks, and the services that receive it.

A page, and the same data as JSON, for the record of processing activities that the law requires.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from babelreg.gen.reference.personal_fields import Marked, PersonalFields, marks, readers
from babelreg.gen.render import render
from babelreg.gen.target import File, generated_messages, header
from babelreg.gen.targets.docs import message_page
from babelreg.gen.targets.docs.markdown import (
    code,
    comment,
    inline,
    relative,
    table,
)
from babelreg.gen.targets.docs.paths import INDEX, PERSONAL, PERSONAL_JSON
from babelreg.model import Message, Registry
from babelreg.schema import pointer

_HEAD = ("Field", "Category", "Read by", "Received by, without saying which fields")


def files(registry: Registry) -> Iterator[File]:
    """Yield the page and the JSON file."""
    marked = [(m, marks(m.schema or {})) for m in _ordered(registry)]
    yield _page(registry, [(m, personal) for m, personal in marked if personal.fields or not personal.complete])
    fields = [_entry(registry, m, field) for m, personal in marked for field in personal.fields]
    incomplete = [m.urn for m, personal in marked if not personal.complete]
    content = {"fields": fields, **({"incomplete": incomplete} if incomplete else {})}
    document = {"$comment": header("docs", "the registry", content, sign=""), **content}
    yield File(PERSONAL_JSON, json.dumps(document, indent=2, ensure_ascii=True) + "\n")


def _ordered(registry: Registry) -> list[Message]:
    return sorted(generated_messages(registry), key=lambda message: (message.parsed is None, message.parsed))


def _page(registry: Registry, marked: list[tuple[Message, PersonalFields]]) -> File:
    messages = [
        {
            "name": message_page.linked(message, PERSONAL),
            "senders": _services(registry, message.producers),
            "fields": table(_HEAD, [_row(registry, message, field) for field in personal.fields]),
            "complete": personal.complete,
        }
        for message, personal in marked
    ]
    view: dict[str, Any] = {
        "index": relative(PERSONAL, INDEX),
        "data": code(PERSONAL_JSON),
        "categories": _categories(marked),
        "messages": messages,
    }
    top = comment(header("docs", "the registry", view, sign=""))
    return File(PERSONAL, render("docs", "personal.md.jinja", {**view, "header": top}))


def _categories(marked: list[tuple[Message, PersonalFields]]) -> str:
    counted: dict[str, set[str]] = {}
    fields: dict[str, int] = {}
    for message, personal in marked:
        for field in personal.fields:
            category = field.category or ""
            counted.setdefault(category, set()).add(message.urn)
            fields[category] = fields.get(category, 0) + 1
    rows = [
        (_category(category or None), str(fields[category]), str(len(counted[category])))
        for category in sorted(counted)
    ]
    return table(("Category", "Fields", "Messages"), rows)


def _category(category: str | None) -> str:
    return inline(category) if category else "not stated"


def _row(registry: Registry, message: Message, field: Marked) -> tuple[str, ...]:
    reading, silent = readers(registry, message, field)
    shown = code(field.path) if field.path else "the whole data"
    read = _services(registry, reading) or ("" if silent else "nobody")
    return shown, _category(field.category), read, _services(registry, silent)


def _services(registry: Registry, names: tuple[str, ...]) -> str:
    return ", ".join(message_page.service(registry, name, PERSONAL) for name in names)


def _entry(registry: Registry, message: Message, field: Marked) -> dict[str, Any]:
    reading, silent = readers(registry, message, field)
    origin = message.origins.get(str(field.pointer[1])) if field.pointer[:1] == ("$defs",) else None
    return {
        "urn": message.urn,
        "path": field.path,
        "category": field.category,
        "file": origin.path if origin else message.source.path,
        "pointer": pointer.text(field.pointer[2:] if origin else ("data", *field.pointer)),
        "producers": list(message.producers),
        "read_by": list(reading),
        "received_by": list(registry.consumers(message.urn)),
        "fields_not_stated_by": list(silent),
    }
