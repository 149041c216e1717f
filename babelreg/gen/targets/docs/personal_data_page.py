"""The inventory of personal data: every field that ``x-gdpr-sensitive`` marks, and who gets to see it.

A page for people and the same as JSON, for whoever keeps the record of processing that the law asks for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

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
from babelreg.gen.targets.docs.personal_fields import Marked, PersonalFields, marks
from babelreg.model import Message, Registry
from babelreg.schema import pointer

__all__ = ["files"]

_HEAD = ("Field", "Category", "Read by", "Received by, without saying which fields")


def files(registry: Registry) -> Iterator[File]:
    """The page and the JSON."""
    held = [(m, marks(m.schema or {})) for m in _ordered(registry)]
    yield _page(registry, [(m, found) for m, found in held if found.fields or not found.complete])
    fields = [_entry(registry, m, field) for m, found in held for field in found.fields]
    incomplete = [m.urn for m, found in held if not found.complete]
    text = {"fields": fields, **({"incomplete": incomplete} if incomplete else {})}
    whole = {"$comment": header("docs", "the registry", text, sign=""), **text}
    yield File(PERSONAL_JSON, json.dumps(whole, indent=2, ensure_ascii=True) + "\n")


def _ordered(registry: Registry) -> list[Message]:
    return sorted(generated_messages(registry), key=lambda message: (message.parsed is None, message.parsed))


def _page(registry: Registry, held: list[tuple[Message, PersonalFields]]) -> File:
    messages = [
        {
            "name": message_page.linked(message, PERSONAL),
            "senders": _services(registry, message.producers),
            "fields": table(_HEAD, [_row(registry, message, field) for field in found.fields]),
            "complete": found.complete,
        }
        for message, found in held
    ]
    view: dict[str, Any] = {
        "index": relative(PERSONAL, INDEX),
        "data": code(PERSONAL_JSON),
        "categories": _categories(held),
        "messages": messages,
    }
    top = comment(header("docs", "the registry", view, sign=""))
    return File(PERSONAL, render("docs", "personal.md.jinja", {**view, "header": top}))


def _categories(held: list[tuple[Message, PersonalFields]]) -> str:
    counted: dict[str, set[str]] = {}
    fields: dict[str, int] = {}
    for message, found in held:
        for field in found.fields:
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
    readers, silent = _readers(registry, message, field)
    shown = code(field.path) if field.path else "the whole data"
    read = _services(registry, readers) or ("" if silent else "nobody")
    return shown, _category(field.category), read, _services(registry, silent)


def _services(registry: Registry, names: tuple[str, ...]) -> str:
    return ", ".join(message_page.service(registry, name, PERSONAL) for name in names)


def _readers(registry: Registry, message: Message, field: Marked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The consumers that say they read ``field``, and those that do not say what they read."""
    readers, silent = [], []
    for name in registry.consumers(message.urn):
        service = registry.services.get(name)
        reads = [path for use in service.consumes if use.urn == message.urn for path in use.reads] if service else []
        if not reads:
            silent.append(name)
        elif any(_touches(path, field.path) for path in reads):
            readers.append(name)
    return tuple(readers), tuple(silent)


def _touches(path: str, field: str) -> bool:
    """True when reading ``path`` reads ``field`` or a part of it."""
    return not field or path == field or _within(path, field) or _within(field, path)


def _within(inner: str, outer: str) -> bool:
    return inner.startswith((f"{outer}.", f"{outer}["))


def _entry(registry: Registry, message: Message, field: Marked) -> dict[str, Any]:
    readers, silent = _readers(registry, message, field)
    origin = message.origins.get(str(field.pointer[1])) if field.pointer[:1] == ("$defs",) else None
    return {
        "urn": message.urn,
        "path": field.path,
        "category": field.category,
        "file": origin.path if origin else message.source.path,
        "pointer": pointer.text(field.pointer[2:] if origin else ("data", *field.pointer)),
        "producers": list(message.producers),
        "read_by": list(readers),
        "received_by": list(registry.consumers(message.urn)),
        "fields_not_stated_by": list(silent),
    }
