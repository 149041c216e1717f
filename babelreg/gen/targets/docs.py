"""Markdown pages: what messages there are, and for each what a person needs to send, handle or change it.

    README.md              the index, by context
    orders/README.md       a context
    orders/created.md      a message
    _services/crm.md       a service: what it sends and receives
    _personal-data.md      the inventory of personal data; the same as JSON beside it

GitHub and GitLab show them as they are; so does any Markdown site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.gen.render import render
from babelreg.gen.target import File, header, living
from babelreg.gen.targets import docs_message, docs_personal
from babelreg.gen.targets.docs_markdown import block, code, comment, inline, link, relative, table, web
from babelreg.gen.targets.docs_paths import INDEX, PERSONAL, context_page, service_page
from babelreg.model import Message, Registry, Service

__all__ = ["files", "settings", "summary"]

summary = "Markdown: a page per message, context and service, and an index"
settings = {"title": "the heading of the index, by default Messages"}


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """The pages, one by one."""
    yield _index(registry, str(options.get("title", "Messages")))
    for name in _contexts(registry):
        yield _context(registry, name)
    for message in living(registry):
        yield docs_message.page(registry, message)
    for service in registry.services.values():
        yield _service(registry, service)
    yield from docs_personal.files(registry)


def _contexts(registry: Registry) -> list[str]:
    return sorted({*registry.contexts, *(message.context for message in living(registry))})


def _ordered(registry: Registry) -> list[Message]:
    """The messages as a person looks for them: by name, then by version."""
    return sorted(living(registry), key=lambda message: (message.parsed is None, message.parsed))


def _index(registry: Registry, title: str) -> File:
    contexts = []
    for name in _contexts(registry):
        declared = registry.contexts.get(name)
        contexts.append(
            {
                "name": link(inline(name), context_page(name)),
                "description": block(declared.description) if declared and declared.description else "",
                "messages": _messages_table(registry, name, INDEX),
            }
        )
    services = [
        (
            link(inline(service.name), service_page(service.name)),
            docs_message.language(service),
            inline(service.owner or ""),
            inline(service.description or ""),
        )
        for service in registry.services.values()
    ]
    view = {
        "title": inline(title),
        "contexts": contexts,
        "personal": link("Personal data", PERSONAL),
        "services": table(("Service", "Language", "Owner", "What it does"), services),
    }
    return _page(INDEX, "index.md.jinja", "the registry", view)


def _context(registry: Registry, name: str) -> File:
    page = context_page(name)
    declared = registry.contexts.get(name)
    retired = [m for m in registry.messages if m.context == name and m.status == "retired"]
    view = {
        "name": inline(name),
        "index": relative(page, INDEX),
        "description": block(declared.description) if declared and declared.description else "",
        "owner": inline(declared.owner) if declared and declared.owner else "",
        "contact": web(declared.contact) if declared and declared.contact else "",
        "messages": _messages_table(registry, name, page),
        "retired": table(
            ("URN", "Since", "What it was"),
            [(code(m.urn), inline(m.retired_on or ""), inline(m.description or "")) for m in retired],
        ),
    }
    return _page(page, "context.md.jinja", declared.source.path if declared else "the registry", view)


def _messages_table(registry: Registry, context: str, page: str) -> str:
    rows = []
    for message in _ordered(registry):
        if message.context == context:
            rows.append(
                (
                    docs_message.linked(message, page),
                    inline(message.kind or ""),
                    "" if message.status == "active" else inline(message.status),
                    inline(message.description or ""),
                    _services(registry, message.producers, page),
                    _services(registry, registry.consumers(message.urn), page),
                )
            )
    return table(("Message", "Kind", "Status", "Meaning", "Sent by", "Received by"), rows)


def _services(registry: Registry, names: tuple[str, ...], page: str) -> str:
    return ", ".join(docs_message.service(registry, name, page) for name in names)


def _service(registry: Registry, service: Service) -> File:
    page = service_page(service.name)
    sent = [m for m in _ordered(registry) if service.name in m.producers]
    reads = {consumption.urn: consumption.reads for consumption in service.consumes}
    received = [m for m in _ordered(registry) if service.name in registry.consumers(m.urn)]
    view = {
        "name": inline(service.name),
        "index": relative(page, INDEX),
        "description": block(service.description) if service.description else "",
        "facts": table(
            ("Language", "Owner", "Contact", "Code"),
            [
                (
                    docs_message.language(service),
                    inline(service.owner or ""),
                    web(service.contact) if service.contact else "",
                    web(service.repo) if service.repo else "",
                )
            ],
        ),
        "sends": table(("Message", "Kind", "Meaning"), [_row(m, page) for m in sent]),
        "receives": table(
            ("Message", "Kind", "Meaning", "Fields it reads"),
            [(*_row(m, page), ", ".join(code(path) for path in reads.get(m.urn, ()))) for m in received],
        ),
    }
    return _page(page, "service.md.jinja", service.source.path, view)


def _row(message: Message, page: str) -> tuple[str, str, str]:
    return docs_message.linked(message, page), inline(message.kind or ""), inline(message.description or "")


def _page(path: str, template: str, source: str, view: Mapping[str, Any]) -> File:
    return File(path, render("docs", template, {**view, "header": comment(header("docs", source, view))}))
