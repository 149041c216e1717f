"""The files of a generated Python package: its index, a module and a schema per message, and the runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from babelreg.errors import BabelregError
from babelreg.gen.python_code.line_wrapping import LONGEST, bracketed, text
from babelreg.gen.python_code.models import classes as python_models
from babelreg.gen.python_code.models.kind import ClassView
from babelreg.gen.python_code.models.prefetch import ShapePrefetch
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.shared_classes import SharedClasses
from babelreg.gen.target import File, digest, generated_messages, header
from babelreg.gen.targets.python.expected_schemas import expected_schemas
from babelreg.gen.targets.python.literals import source
from babelreg.gen.targets.python.message_metadata import ancestor, facts
from babelreg.gen.targets.python.module_imports import import_lines
from babelreg.gen.targets.python.names import MessageNames, refuse_collisions
from babelreg.gen.targets.python.package_index import exported_names, index, wire_index
from babelreg.gen.targets.python.service_classes import service_classes
from babelreg.gen.targets.python.shared_classes import COMMON, common_module, shared_classes
from babelreg.gen.targets.python.usage_docstring import usage
from babelreg.gen.targets.python.vendored_runtime import BROKER_MODULES, vendored
from babelreg.gen.targets.python.wire_codec import CodecView, travelling, wire_module
from babelreg.gen.targets.python.wire_usage import wire_usage
from babelreg.model import Message, Registry, topology
from babelreg.typemap.python.names import docstring, import_order, in_order, literal
from babelreg.typemap.python.types import shape_of
from babelreg.typemap.shapes import Shape

__all__ = ["files"]


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the package, file by file. Raises UsageError and BabelregError as the target does."""
    python = PackageOptions.of(options, registry.settings)
    package = python.package
    messages, codecs = list(generated_messages(registry)), None
    if python.foreign:
        codecs = travelling(registry, python, messages)
        messages = [message for message in messages if message.urn in codecs]
    roles = Roles.of(options)
    names = [MessageNames.of(message, roles) for message in messages]
    if codecs is not None:
        names = [replace(entry, sent=True, suffix="Codec") for entry in names]
    refuse_collisions(names)
    entries = {entry.urn: entry for entry in names}
    functions = {message.urn: partial(_shape, python, registry, message, entries) for message in messages}
    shared = shared_classes(python, registry, messages)

    def exported(message: Message) -> frozenset[str]:
        return shared.of(functions[message.urn]()) & frozenset(public)

    public = exported_names(python, names, shared.names)
    if codecs is None:
        yield from index(python, roles, names, public, usage(registry, python, roles, entries, exported))
        expects = expected_schemas(registry, roles)
        yield from service_classes(python, roles, names, options.get("topology") or topology(registry), expects)
    else:
        yield from wire_index(python, names, public, wire_usage(registry, python, codecs, entries, exported))
    yield File(f"{package}/py.typed", "")
    yield _git_attributes(package)
    if shared.names:
        yield common_module(python, shared)
    shapes = ShapePrefetch(python.kind, functions)
    for message in messages:
        before = ancestor(registry, message) if codecs is None else None
        arguments = facts(registry, message)
        codec = None if codecs is None else codecs[message.urn]
        if codec is not None:
            arguments.pop("upcast", None)
        content = _Content(arguments, entries.get(before.urn) if before else None, shapes, shared, codec)
        schema_digest = digest(message.schema)
        yield _module(python, message, entries[message.urn], content, schema_digest)
        yield _schema(package, message, entries[message.urn], schema_digest)
    line = header("python", "babelreg.yaml", package)
    yield File(f"{package}/_schemas/__init__.py", f'"""JSON Schemas of the data of messages."""\n# {line}\n')
    if python.vendored:
        used = (wire_module(python), "runtime.models.deprecated_decorator") if python.foreign else BROKER_MODULES
        yield from vendored(f"{package}/_babelreg", python.kind.runtime, used)


def _git_attributes(package: str) -> File:
    """Return the file by which reviews fold the files of the package."""
    line = header("python", "babelreg.yaml", "gitattributes")
    return File(f"{package}/.gitattributes", f"# {line}\n* linguist-generated\n", line)


class _Content(NamedTuple):
    """The content of a message's module: the arguments of its MessageType, and its classes.

    ``before`` is the entry of the message that is upcast to this one, if there is one; ``codec`` the codec of a foreign
    wire format, None for a producer.
    """

    arguments: dict[str, Any]
    before: MessageNames | None
    shapes: ShapePrefetch
    shared: SharedClasses
    codec: CodecView | None = None


def _shape(options: PackageOptions, registry: Registry, message: Message, entries: Mapping[str, MessageNames]) -> Shape:
    entry, strict = entries[message.urn], registry.compatibility(message.context).reader == "strict"
    limited = options.kind.limited
    return shape_of(message.schema, entry.name, (entry.producer,), typed=options.typed, limited=limited, strict=strict)


def _module(
    options: PackageOptions, message: Message, entry: MessageNames, content: _Content, schema_digest: str
) -> File:
    arguments, before, _, shared, codec = content
    inputs: list[Any] = [
        message.urn,
        message.kind,
        message.status,
        message.description,
        message.owner,
        message.sunset,
        arguments,
    ]
    inputs += [
        entry.sent,
        before.module if before else None,
        *([options.wire, *codec] if codec else []),
        shared.digest_of(message),
    ]
    line = header("python", message.source.path, schema_digest, inputs, options.models, options.typed, options.vendored)
    make = partial(_module_text, options, message, entry, content, line)
    return File(f"{options.package}/{entry.module}.py", make, line)


def _module_text(options: PackageOptions, message: Message, entry: MessageNames, content: _Content, line: str) -> str:
    arguments, before, shapes, shared, codec = content
    data = shapes.shape(message.urn)
    classes = _classes(options, message, data)
    common = shared.of(data)
    classes = tuple(class_ for class_ in classes if class_.name not in common)
    deprecation = _deprecation(message)
    exports = [literal(name) for name in in_order([*data.classes, *entry.names[1:], entry.constant])]
    view = {
        "docstring": docstring(_about(message)),
        "header": line,
        "imports": _imports(options, classes, entry, content, common, deprecation),
        "exports": bracketed("__all__ = [", exports, "]"),
        "classes": classes,
        "deprecated": text(deprecation, 0, len("@deprecated()")) if deprecation else None,
        "name": entry.name,
        "constant": entry.constant,
        "urn": text(message.urn, 4, len("    urn=,")),
        "how": [(key, source(value, 4, len(key) + 6)) for key, value in arguments.items()],
        "before": before.constant if before else None,
        "producer": _producer(entry, codec.base if codec else "Producer") if entry.sent else None,
        "producer_docstring": _producer_docstring(entry, codec),
        "codec": codec.names if codec else (),
    }
    return render("python", "message.py.jinja", view)


def _producer(entry: MessageNames, base: str) -> str:
    return bracketed(f"class {entry.producer}(", [f"{base}[{entry.name}]"], "):")


def _producer_docstring(entry: MessageNames, codec: CodecView | None) -> str:
    text = f"``{entry.producer}(app).send({entry.name}(...))``."
    if codec is not None:
        text = f"``encode({entry.producer}().{codec.method}({entry.name}(...){codec.required}))``."
    return docstring(text if len(text) <= LONGEST - 10 else f"Sends {entry.name}.", "    ")


def _classes(options: PackageOptions, message: Message, data: Shape) -> tuple[ClassView, ...]:
    try:
        return python_models.models(_described(data, message), options.kind)
    except BabelregError as err:
        place = message.source.place(("data",), key=True)
        raise BabelregError(f"{message.urn}: {err.message}", place=place, fix=err.fix) from err


def _deprecation(message: Message) -> str | None:
    """Return the warning of type checkers about a deprecated message."""
    if message.status != "deprecated":
        return None
    return f"{message.urn} is deprecated" + (f" and goes away on {message.sunset}" if message.sunset else "")


def _described(data: Shape, message: Message) -> Shape:
    """Return ``data``; its root class gets the message's description where its schema has none."""
    root = data.classes[data.root]
    about = root.description or message.description or f"The data of {message.urn}."
    return replace(data, classes={**data.classes, data.root: replace(root, description=about)})


def _about(message: Message) -> str:
    first = (message.description or f"The data of {message.urn}.").strip()
    kind = message.kind or "message"
    owner = f", owned by {message.owner}" if message.owner else ""
    state = "" if message.status == "active" else f" It is {message.status}"
    state += f" and goes away on {message.sunset}." if state and message.sunset else "." if state else ""
    return f"{first}\n\n{message.urn}: {_article(kind)} {kind} of {message.context}{owner}.{state}"


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def _imports(
    options: PackageOptions,
    classes: tuple[ClassView, ...],
    entry: MessageNames,
    content: _Content,
    common: frozenset[str],
    deprecation: str | None,
) -> list[str]:
    before, codec = content.before, content.codec
    runtime = {"runtime.models.deprecated_decorator": "deprecated"} if deprecation else {}
    if codec is not None:
        runtime[wire_module(options)] = codec.base
    elif entry.sent:
        runtime["runtime"] = "Producer"
    package = [(f"_schemas.{entry.module}", ["SCHEMA"])]
    if common:
        package.append((COMMON, import_order(common)))
    if before is not None:
        package.append((before.module, [before.constant]))
    return import_lines(options, options.kind.imports(python_models.names(classes)), runtime, package)


def _schema(package: str, message: Message, entry: MessageNames, schema_digest: str) -> File:
    line = header("python", message.source.path, message.urn, schema_digest)
    return File(f"{package}/_schemas/{entry.module}.py", partial(_schema_text, message, line), line)


def _schema_text(message: Message, line: str) -> str:
    view = {
        "docstring": docstring(f"JSON Schema of the data of {message.urn}."),
        "header": line,
        "schema": source(message.schema, 0, len("SCHEMA: Final[dict[str, Any]] = ")),
    }
    return render("python", "schema.py.jinja", view)
