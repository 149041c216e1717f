"""The pages of a registry: the index, a page per context, message and service, and the inventory of personal data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.gen.reference.usage import Usage
from babelreg.gen.render import render
from babelreg.gen.target import File, generated_messages, header
from babelreg.gen.targets.docs import message_page, personal_data_page
from babelreg.gen.targets.docs.markdown import (
    block,
    code,
    comment,
    inline,
    link,
    relative,
    table,
    web,
)
from babelreg.gen.targets.docs.paths import (
    INDEX,
    LLMS,
    PERSONAL,
    context_page,
    service_page,
)
from babelreg.model import Message, Registry, Service

_MOST_SHORT_SECTIONS = 8


def files(registry: Registry, options: Mapping[str, Any], title: str) -> Iterator[File]:
    """Yield the pages, one by one; ``title`` is the heading of the index."""
    groups = _Groups.of(registry)
    yield _index(registry, groups, title)
    for name in groups.contexts:
        yield _context(registry, groups, name)
    usage = Usage(registry, options)
    for message in generated_messages(registry):
        yield message_page.page(registry, message, usage)
    for service in registry.services.values():
        yield _service(registry, groups, service)
    yield from personal_data_page.files(registry)
    yield _llms(registry, groups, title)


@dataclass(frozen=True, slots=True)
class _Groups:
    """The messages of each context and of each service, sorted by name and then by version."""

    contexts: dict[str, list[Message]]
    retired: dict[str, list[Message]]
    sent: dict[str, list[Message]]
    received: dict[str, list[Message]]

    @classmethod
    def of(cls, registry: Registry) -> _Groups:
        contexts: dict[str, list[Message]] = {name: [] for name in registry.contexts}
        groups = cls(contexts, {}, {}, {})
        for message in sorted(
            generated_messages(registry), key=lambda message: (message.parsed is None, message.parsed)
        ):
            contexts.setdefault(message.context, []).append(message)
            for name in dict.fromkeys(message.producers):
                groups.sent.setdefault(name, []).append(message)
            for name in registry.consumers(message.urn):
                groups.received.setdefault(name, []).append(message)
        for message in registry.messages:
            if message.status == "retired":
                groups.retired.setdefault(message.context, []).append(message)
        return cls(dict(sorted(contexts.items())), groups.retired, groups.sent, groups.received)

    def single(self) -> list[str]:
        """Return the contexts of one message, which share a table where a section for each would be a long page."""
        names = [name for name, messages in self.contexts.items() if len(messages) == 1]
        return names if len(names) > _MOST_SHORT_SECTIONS else []


def _index(registry: Registry, groups: _Groups, title: str) -> File:
    contexts = []
    single = groups.single()
    for name, messages in groups.contexts.items():
        if name in single:
            continue
        declared = registry.contexts.get(name)
        contexts.append(
            {
                "name": link(inline(name), context_page(name)),
                "description": block(declared.description) if declared and declared.description else "",
                "messages": _messages_table(registry, messages, INDEX),
            }
        )
    services = [
        (
            link(inline(service.name), service_page(service.name)),
            message_page.language(service),
            inline(service.owner or ""),
            inline(service.description or ""),
        )
        for service in registry.services.values()
    ]
    view = {
        "title": inline(title),
        "contexts": contexts,
        "single": table(
            ("Context", *_MESSAGE_HEAD),
            [
                (link(inline(name), context_page(name)), *row)
                for name in single
                for row in _message_rows(registry, groups.contexts[name], INDEX)
            ],
        ),
        "personal": link("Personal data", PERSONAL),
        "services": table(("Service", "Language", "Owner", "What it does"), services),
    }
    return _page(INDEX, "index.md.jinja", "the registry", view)


def _context(registry: Registry, groups: _Groups, name: str) -> File:
    page = context_page(name)
    declared = registry.contexts.get(name)
    retired = groups.retired.get(name, [])
    view = {
        "name": inline(name),
        "index": relative(page, INDEX),
        "description": block(declared.description) if declared and declared.description else "",
        "owner": inline(declared.owner) if declared and declared.owner else "",
        "contact": web(declared.contact) if declared and declared.contact else "",
        "messages": _messages_table(registry, groups.contexts[name], page),
        "retired": table(
            ("URN", "Since", "What it was"),
            [(code(m.urn), inline(m.retired_on or ""), inline(m.description or "")) for m in retired],
        ),
    }
    return _page(page, "context.md.jinja", declared.source.path if declared else "the registry", view)


_MESSAGE_HEAD = ("Message", "Kind", "Status", "Meaning", "Sent by", "Received by")


def _messages_table(registry: Registry, messages: list[Message], page: str) -> str:
    return table(_MESSAGE_HEAD, _message_rows(registry, messages, page))


def _message_rows(registry: Registry, messages: list[Message], page: str) -> list[tuple[str, ...]]:
    return [
        (
            message_page.linked(message, page),
            inline(message.kind or ""),
            "" if message.status == "active" else inline(message.status),
            inline(message.description or ""),
            _services(registry, message.producers, page),
            _services(registry, registry.consumers(message.urn), page),
        )
        for message in messages
    ]


def _services(registry: Registry, names: tuple[str, ...], page: str) -> str:
    return ", ".join(message_page.service(registry, name, page) for name in names)


def _service(registry: Registry, groups: _Groups, service: Service) -> File:
    page = service_page(service.name)
    sent = groups.sent.get(service.name, [])
    reads = {consumption.urn: consumption.reads for consumption in service.consumes}
    received = groups.received.get(service.name, [])
    view = {
        "name": inline(service.name),
        "index": relative(page, INDEX),
        "description": block(service.description) if service.description else "",
        "facts": table(
            ("Language", "Owner", "Contact", "Code"),
            [
                (
                    message_page.language(service),
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


def _llms(registry: Registry, groups: _Groups, title: str) -> File:
    """Return the list of pages for language models. Source: llmstxt.org."""
    messages = [message for each in groups.contexts.values() for message in each]
    services = list(registry.services.values())
    view = {
        "title": inline(title),
        "summary": f"{len(messages)} messages. The page of each has its fields, examples, senders and readers.",
        "messages": [(message_page.linked(message, LLMS), _about(message.description)) for message in messages],
        "services": [
            (link(inline(service.name), service_page(service.name)), _about(service.description))
            for service in services
        ],
        "personal": link("Personal data", PERSONAL),
    }
    return _page(LLMS, "llms.txt.jinja", "the registry", view)


def _about(description: str | None) -> str:
    return f": {inline(description)}" if description else ""


def _row(message: Message, page: str) -> tuple[str, str, str]:
    return message_page.linked(message, page), inline(message.kind or ""), inline(message.description or "")


def _page(path: str, template: str, source: str, view: Mapping[str, Any]) -> File:
    return File(path, render("docs", template, {**view, "header": comment(header("docs", source, view, sign=""))}))
