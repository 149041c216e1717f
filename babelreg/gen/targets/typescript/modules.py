"""The modules of the target: one per message, and the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from babelreg.gen.render import render
from babelreg.gen.schema_document import document_path
from babelreg.gen.target import File, digest, generated_messages, header
from babelreg.gen.targets.typescript.validate_option import validates
from babelreg.gen.typed_index import Inbox, inboxes, named_apart, sent_and_handled
from babelreg.model import Message, Registry, Topology, topology
from babelreg.typemap.names import class_name
from babelreg.typemap.typescript.names import literal
from babelreg.typemap.typescript.types import alias, shape_of


class _TypeNames(NamedTuple):
    """The names of a message: its type, and its module without the extension."""

    urn: str
    name: str
    module: str


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the files as the target does."""
    messages = list(generated_messages(registry))
    entries = named_apart([_entry(message) for message in messages], "TypeScript")
    known = options.get("topology") or topology(registry)
    yield _index(entries, options, known)
    for message, entry in zip(messages, entries, strict=True):
        yield _module(registry, message, entry)
    if validates(options):
        from babelreg.gen.targets.typescript.validation import validation_files

        aliased = any(known.names(entry.urn)[1:] for entry in entries)
        yield from validation_files(registry, messages, entries, aliased=aliased)


def _entry(message: Message) -> _TypeNames:
    assert message.parsed is not None  # generated_messages() yields no other
    return _TypeNames(message.urn, class_name(message.parsed), document_path(message))


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
    service, (sent, handled) = options.get("service"), sent_and_handled(entries, options)
    read = inboxes(entries, options, known)
    queues = {entry.urn: known.sources.get(entry.urn) for entry in entries}
    aliases = {alias: entry.urn for entry in entries for alias in known.names(entry.urn)[1:]}
    inputs = [entries, [entry.urn for entry in sent], [entry.urn for entry in handled], service, read, queues]
    inputs += [aliases] if aliases else []
    line = header("typescript", "the registry", inputs, sign="//")
    view = {
        "header": line,
        "imports": [(entry.name, literal(f"./{entry.module}.js")) for entry in entries],
        "messages": [(entry.name, literal(entry.urn)) for entry in entries],
        "queues": [(literal(urn), literal(queue)) for urn, queue in queues.items() if queue],
        "inboxes": [(literal(name), _queues(of)) for name, of in groupby(read, lambda inbox: inbox.service)],
        "produced": [literal(entry.urn) for entry in sent],
        "consumed": [literal(entry.urn) for entry in handled],
        "optional": "?" if service is None else "",
        "aliases": [(literal(alias), literal(urn)) for alias, urn in aliases.items()],
    }
    return File("index.ts", partial(render, "typescript", "index.ts.jinja", view), line)


def _queues(read: Iterable[Inbox]) -> list[tuple[str, list[str]]]:
    return [(literal(queue), [literal(urn) for urn in urns]) for _, queue, urns in read]
