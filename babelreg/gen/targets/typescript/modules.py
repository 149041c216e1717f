"""The modules of the target: one per message, and the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from babelreg.errors import BabelregError
from babelreg.gen.render import render
from babelreg.gen.schema_document import document_path
from babelreg.gen.target import File, digest, generated_messages, header
from babelreg.model import Message, Registry, Topology, topology
from babelreg.typemap.names import class_name
from babelreg.typemap.typescript.names import literal
from babelreg.typemap.typescript.types import alias, shape_of

__all__ = ["files"]


class _TypeNames(NamedTuple):
    """The names of a message: its type, and its module without the extension."""

    urn: str
    name: str
    module: str


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the files as the target does."""
    messages = list(generated_messages(registry))
    entries = [_entry(message) for message in messages]
    _refuse_collisions(entries)
    yield _index(entries, options, options.get("topology") or topology(registry))
    for message, entry in zip(messages, entries, strict=True):
        yield _module(registry, message, entry)


def _entry(message: Message) -> _TypeNames:
    assert message.parsed is not None  # generated_messages() yields no other
    return _TypeNames(message.urn, class_name(message.parsed), document_path(message))


def _refuse_collisions(entries: Iterable[_TypeNames]) -> None:
    taken: dict[str, _TypeNames] = {}
    for entry in entries:
        other = taken.setdefault(entry.name.casefold(), entry)
        if other is not entry:
            raise BabelregError(
                f"{other.urn} and {entry.urn} would both be {entry.name} in TypeScript",
                fix="rename one of them while it is a draft: their words must differ, not only '-', '_' and '.'",
            )


def _module(registry: Registry, message: Message, entry: _TypeNames) -> File:
    strict = registry.compatibility(message.context).reader == "strict"
    about = [message.urn, message.kind, message.status, message.description, message.owner, message.sunset]
    line = header("typescript", message.source.path, digest(message.schema), about, strict, sign="//")
    return File(f"{entry.module}.ts", partial(_module_text, message, entry, strict, line), line)


def _module_text(message: Message, entry: _TypeNames, strict: bool, line: str) -> str:
    data = shape_of(message.schema, entry.name, strict=strict)
    root, *parts = data.classes.values()
    about = root.description or message.description or f"The data of {message.urn}."
    view = {
        "header": line,
        "root": alias(root, [about, _title(message)], _deprecation(message)),
        "parts": [alias(part, [part.description]) for part in parts],
    }
    return render("typescript", "message.ts.jinja", view)


def _title(message: Message) -> str:
    owner = f", owned by {message.owner}" if message.owner else ""
    return f"{message.urn}: {message.kind or 'message'} of {message.context}{owner}."


def _deprecation(message: Message) -> tuple[str, ...]:
    if message.status != "deprecated":
        return ()
    return (f"@deprecated Goes away on {message.sunset}." if message.sunset else "@deprecated",)


def _index(entries: Sequence[_TypeNames], options: Mapping[str, Any], known: Topology) -> File:
    service = options.get("service")
    sent, handled = (
        [entry for entry in entries if service is None or entry.urn in options.get(role, ())]
        for role in ("produces", "consumes")
    )
    services = [name for name in known.services if service in (None, name)]
    generated = {entry.urn for entry in entries}
    inboxes = {name: _reads(known, name, generated) for name in services}
    queues = {entry.urn: known.sources.get(entry.urn) for entry in entries}
    inputs = [entries, [entry.urn for entry in sent], [entry.urn for entry in handled], service, inboxes, queues]
    line = header("typescript", "the registry", inputs, sign="//")
    view = {
        "header": line,
        "imports": [(entry.name, literal(f"./{entry.module}.js")) for entry in entries],
        "messages": [(entry.name, literal(entry.urn)) for entry in entries],
        "queues": [(literal(urn), literal(queue)) for urn, queue in queues.items() if queue],
        "inboxes": [(literal(name), _queues(read)) for name, read in inboxes.items() if read],
        "produced": [literal(entry.urn) for entry in sent],
        "consumed": [literal(entry.urn) for entry in handled],
        "optional": "?" if service is None else "",
    }
    return File("index.ts", partial(render, "typescript", "index.ts.jinja", view), line)


def _reads(known: Topology, service: str, generated: set[str]) -> dict[str, list[str]]:
    """Return the URNs that ``service`` reads from each of its queues."""
    reads = {queue: [urn for urn in urns if urn in generated] for queue, urns in known.reads(service).items()}
    return {queue: urns for queue, urns in reads.items() if urns}


def _queues(reads: Mapping[str, Iterable[str]]) -> list[tuple[str, list[str]]]:
    return [(literal(queue), [literal(urn) for urn in urns]) for queue, urns in reads.items()]
