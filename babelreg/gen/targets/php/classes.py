"""The files of the target: one per class, the index, and what the classes stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

from babelreg.gen.php_code.class_options import SYMFONY, namespace_of
from babelreg.gen.php_code.shared_parts import SharedParts
from babelreg.gen.render import render
from babelreg.gen.target import File, generated_messages, header
from babelreg.gen.typed_index import inboxes, named_apart, sent_and_handled
from babelreg.model import Message, Registry, Topology, topology
from babelreg.typemap.php.names import docblock, literal, message_class, parameter
from babelreg.typemap.php.types import PhpClass, PhpProperty, classes

_SHARED = ("Consumed", "InvalidData", "JsonObject", "JsonType", "Message", "Produced", "Publisher", "Received")


class _ClassName(NamedTuple):
    """A message and the name of its class."""

    urn: str
    name: str


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the files as the target does."""
    namespace, symfony = namespace_of(options), SYMFONY.value(options, "php")
    messages = list(generated_messages(registry))
    entries = named_apart([_entry(message) for message in messages], "PHP")
    known = options.get("topology") or topology(registry)
    sent, handled = sent_and_handled(entries, options)
    yield _registry(namespace, entries, options, known)
    yield _handlers(namespace, handled, options, known)
    for name in _SHARED:
        line = _header("babelreg.yaml", namespace, name, symfony)
        view = {"header": line, "namespace": namespace, "symfony": symfony}
        yield File(f"{name}.php", partial(render, "php", f"{name}.php.jinja", view), line)
    shared = SharedParts(registry, messages)
    for part in shared.classes:
        yield _part(namespace, shared.namespace, part, "_common")
    produced, consumed = ({entry.urn for entry in role} for role in (sent, handled))
    for message, entry in zip(messages, entries, strict=True):
        roles = [*["Produced"][: message.urn in produced], *["Consumed"][: message.urn in consumed]]
        strict = registry.compatibility(message.context).reader == "strict"
        data = shared.shape_of(message, entry.name, strict=strict)
        root, *parts = classes(data, namespace, shared.of(data))
        yield _message(namespace, message, root, roles, known.sources.get(message.urn))
        for part in parts:
            yield _part(namespace, root.name, part, message.source.path)


def _header(source: str, *inputs: Any) -> str:
    return header("php", source, *inputs, sign="//").replace("?>", "? >")  # which would end the code


def _entry(message: Message) -> _ClassName:
    assert message.parsed is not None  # generated_messages() yields no other
    return _ClassName(message.urn, message_class(message.parsed))


def _message(namespace: str, message: Message, root: PhpClass, roles: Sequence[str], queue: str | None) -> File:
    about = [message.urn, message.kind, message.status, message.description, message.owner, message.sunset]
    line = _header(message.source.path, root, about, namespace, roles, queue)
    return File(f"{root.name}.php", partial(_message_text, namespace, message, root, roles, queue, line), line)


def _part(namespace: str, folder: str, part: PhpClass, source: str) -> File:
    line = _header(source, part, folder, namespace)
    return File(f"{folder}/{part.name}.php", partial(_part_text, namespace, f"{namespace}\\{folder}", part, line), line)


def _message_text(
    namespace: str, message: Message, root: PhpClass, roles: Sequence[str], queue: str | None, line: str
) -> str:
    owner = f", owned by {message.owner}" if message.owner else ""
    title = f"{message.urn}: {message.kind or 'message'} of {message.context}{owner}."
    about = docblock([root.description or message.description, title], _deprecation(message))
    bases = f"extends Message{' implements ' if roles else ''}{', '.join(roles)}"
    constants = {"urn": literal(message.urn), "queue": literal(queue) if queue else None}
    return _class_text(namespace, root, line, {**constants, "imports": (), "about": about, "bases": bases})


def _part_text(namespace: str, own_namespace: str, part: PhpClass, line: str) -> str:
    view = {
        "urn": None,
        "queue": None,
        "imports": (f"{namespace}\\JsonObject", f"{namespace}\\JsonType"),
        "about": docblock([part.description]),
        "bases": "extends JsonObject",
    }
    return _class_text(own_namespace, part, line, view)


def _deprecation(message: Message) -> tuple[str, ...]:
    if message.status != "deprecated":
        return ()
    return (f"@deprecated Goes away on {message.sunset}." if message.sunset else "@deprecated",)


def _class_text(namespace: str, class_: PhpClass, line: str, more: Mapping[str, Any]) -> str:
    required = [each for each in class_.properties if each.required]
    documented = [f"@param {each.doc} ${each.parameter}" for each in required if each.doc]
    view = {
        "header": line,
        "namespace": namespace,
        "name": class_.name,
        "constants": class_.constants,
        "constructor": docblock([], documented, "    "),
        "required": [(each.wire, each.native, each.parameter) for each in required],
        "accessors": [*map(_accessors, class_.properties)],
        "types": [(each.wire, each.json) for each in class_.properties],
        **more,
    }
    return render("php", "class.php.jinja", view)


@lru_cache(maxsize=4096)  # fragments are the same in many messages
def _accessors(each: PhpProperty) -> str:
    deprecated = ["@deprecated"] if each.deprecated else []
    returned = [f"@return {each.get_doc}"] if each.get_doc else []
    taken = [f"@param {each.doc} $value"] if each.doc else []
    view = {
        "word": each.word,
        "wire": each.wire,
        "native": each.native,
        "get_native": each.get_native,
        "type": each.get_doc or each.get_native,
        "required": each.required,
        "get": docblock([each.description, each.limits], [*returned, *deprecated], "    "),
        "with": docblock([], [*taken, *deprecated], "    "),
        "others": docblock([], deprecated, "    "),
    }
    return render("php", "accessors.php.jinja", view)


def _registry(namespace: str, entries: Sequence[_ClassName], options: Mapping[str, Any], known: Topology) -> File:
    read = inboxes(entries, options, known)
    queues = {entry.urn: known.sources.get(entry.urn) for entry in entries}
    line = _header("the registry", namespace, entries, options.get("service"), read, queues)
    view = {
        "header": line,
        "namespace": namespace,
        "messages": [entry.name for entry in entries],
        "queues": [entry.name for entry in entries if queues[entry.urn]],
        "inboxes": [
            (literal(name), [(literal(each.queue), [*map(literal, each.urns)]) for each in of])
            for name, of in groupby(read, lambda inbox: inbox.service)
        ],
    }
    return File("Registry.php", partial(render, "php", "Registry.php.jinja", view), line)


def _handlers(namespace: str, handled: Sequence[_ClassName], options: Mapping[str, Any], known: Topology) -> File:
    service = options.get("service")
    aliases = {entry.name: names for entry in handled if (names := known.names(entry.urn)[1:])}
    line = _header("the registry", namespace, handled, service, *([aliases] if aliases else []))
    view = {
        "header": line,
        "namespace": namespace,
        "handled": [(entry.name, parameter(entry.name)) for entry in handled],
        "aliases": [
            (name, literal(alias), parameter(name)) for name, aliases_of in aliases.items() for alias in aliases_of
        ],
        "all": service is not None,
    }
    return File("Handlers.php", partial(render, "php", "Handlers.php.jinja", view), line)
