"""The files of a Go package: one per message, the index, and what they use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from babelreg.gen.go_code.package_option import package_of
from babelreg.gen.go_code.shared_structs import SharedStructs
from babelreg.gen.render import render
from babelreg.gen.target import File, digest, generated_messages, header
from babelreg.gen.typed_index import inboxes, named_apart, sent_and_handled
from babelreg.model import Message, Registry, Topology, topology
from babelreg.typemap.go.names import comment, literal, message_type
from babelreg.typemap.go.types import Declarations, GoStruct, declarations
from babelreg.typemap.python.names import module_name

__all__ = ["files"]

_SHARED = ("messages.go", "json_values.go")


class _GoNames(NamedTuple):
    """The names of a message: its type, and its file."""

    urn: str
    name: str
    file: str


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the files as the target does."""
    package = package_of(options)
    messages = list(generated_messages(registry))
    entries = named_apart([_entry(message) for message in messages], "Go")
    known = options.get("topology") or topology(registry)
    yield _index(package, entries, options, known)
    shared = SharedStructs(registry, messages)
    yield from shared.files(package)
    aliased = any(message.aliases for message in messages)
    for name in _SHARED:
        line = header("go", "babelreg.yaml", package, name, *(["aliases"] if aliased else []), sign="//")
        view = {"header": line, "package": package, "aliased": aliased}
        yield File(f"{package}/{name}", partial(render, "go", f"{name}.jinja", view), line)
    for message, entry in zip(messages, entries, strict=True):
        yield _file(registry, package, message, entry, known.sources.get(message.urn), shared)


def _entry(message: Message) -> _GoNames:
    assert message.parsed is not None  # generated_messages() yields no other
    # Hyphens, because what follows a last underscore may be the name of a platform: orders_created_windows.go.
    file = module_name(message.parsed).replace("_", "-")
    return _GoNames(message.urn, message_type(message.parsed), f"{file}.go")


def _file(
    registry: Registry, package: str, message: Message, entry: _GoNames, queue: str | None, shared: SharedStructs
) -> File:
    strict = registry.compatibility(message.context).reader == "strict"
    about = [message.urn, message.kind, message.status, message.description, message.owner, message.sunset]
    aliases = [message.aliases] if message.aliases else []
    inputs = [digest(message.schema), about, strict, package, queue, shared.digest_of(message), *aliases]
    line = header("go", message.source.path, *inputs, sign="//")

    def make() -> str:
        data = shared.shape_of(message, entry.name, strict=strict)
        view = _view(message, entry.name, declarations(data, shared.of(data)), queue)
        return render("go", "message.go.jinja", {"header": line, "package": package, **view})

    return File(f"{package}/{entry.file}", make, line)


def _view(message: Message, name: str, found: Declarations, queue: str | None) -> dict[str, Any]:
    root, *parts = found.structs
    owner = f", owned by {message.owner}" if message.owner else ""
    kind = f"{name} is the data of {message.urn}: {message.kind or 'message'} of {message.context}{owner}."
    about = comment([kind, root.description or message.description], _deprecation(message))
    constants = [(f"{name}_URN", "the URN of the message", literal(message.urn))]
    if queue:
        constants.append((f"{name}_Queue", "the queue that producers of the message name", literal(queue)))
    return {
        "root": name,
        "aliases": [*map(literal, message.aliases)],
        "constants": constants,
        "structs": [(root, about), *((part, _comment(part)) for part in parts)],
        "enums": found.enums,
        "unions": found.unions,
    }


def _comment(part: GoStruct) -> str:
    return comment([f"{part.name} is a part of the data.", part.description])


def _deprecation(message: Message) -> str | None:
    if message.status != "deprecated":
        return None
    return f"the message goes away on {message.sunset}." if message.sunset else "use another message."


def _index(package: str, entries: Sequence[_GoNames], options: Mapping[str, Any], known: Topology) -> File:
    service, (sent, handled) = options.get("service"), sent_and_handled(entries, options)
    produced, consumed = ([entry.name for entry in role] for role in (sent, handled))
    read = inboxes(entries, options, known)
    line = header("go", "the registry", package, entries, produced, consumed, service, read, sign="//")
    what = "the messages of the registry" if service is None else f"the messages of the service {service}"
    view = {
        "header": line,
        "package": package,
        "about": comment([f"Package {package} has {what}, as typed data."]),
        "inboxes": [(literal(name), literal(queue), [*map(literal, urns)]) for name, queue, urns in read],
        "roles": [
            ("Produced", "sent", None if service is None else produced),
            ("Consumed", "handled", None if service is None else consumed),
        ],
    }
    return File(f"{package}/registry_index.go", partial(render, "go", "registry_index.go.jinja", view), line)
