"""The files of a generated Python package: its index, a module and a schema per message, and the runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from babelreg.errors import BabelregError
from babelreg.gen.python_code.layout import LONGEST, bracketed, text
from babelreg.gen.python_code.models import classes as python_models
from babelreg.gen.python_code.models.kind import ClassView
from babelreg.gen.python_code.models.prefetch import ShapePrefetch
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, digest, generated_messages, header
from babelreg.gen.targets.python.literals import source
from babelreg.gen.targets.python.message_metadata import ancestor, facts
from babelreg.gen.targets.python.names import MessageNames, refuse_collisions
from babelreg.gen.targets.python.package_index import index, wire_index
from babelreg.gen.targets.python.usage_docstring import usage
from babelreg.gen.targets.python.vendored_runtime import BROKER_MODULES, vendored
from babelreg.gen.targets.python.wire_codec import CodecView, runtime_module, travelling
from babelreg.gen.targets.python.wire_usage import wire_usage
from babelreg.model import Message, Registry
from babelreg.typemap.python.names import docstring, in_order, literal
from babelreg.typemap.python.shapes import Shape, shape

__all__ = ["files"]

_MORE = {"request": ", response_queue=...", "response": ", to=request"}
"""Further arguments of methods that make a message, as docstrings show them."""


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
    if codecs is None:
        yield from index(python, roles, names, usage(registry, python, roles, entries))
    else:
        yield from wire_index(python, names, wire_usage(registry, python, codecs, entries))
    yield File(f"{package}/py.typed", "")
    ahead = ShapePrefetch(python.kind, {one.urn: partial(_shape, python, one, entries[one.urn]) for one in messages})
    for message in messages:
        before = ancestor(registry, message) if codecs is None else None
        how = facts(registry, message)
        codec = None if codecs is None else codecs[message.urn]
        if codec is not None:
            how.pop("upcast", None)
        versions = _Versions(how, entries.get(before.urn) if before else None, ahead, codec)
        told = digest(message.schema)
        yield _module(python, message, entries[message.urn], versions, told)
        yield _schema(package, message, entries[message.urn], told)
    line = header("python", "babelreg.yaml", package)
    yield File(f"{package}/_schemas/__init__.py", f'"""The JSON Schema of each message\'s data."""\n# {line}\n')
    used = (f"runtime.wires.{python.wire}", "runtime.models.deprecation") if python.foreign else BROKER_MODULES
    yield from vendored(f"{package}/_babelreg", python.kind.runtime, used)


class _Versions(NamedTuple):
    """What a module says beside the data: plain arguments, and the entry of the message before, if it is upcast.

    ``codec`` is that of a foreign wire format; None for a producer.
    """

    how: dict[str, Any]
    before: MessageNames | None
    ahead: ShapePrefetch
    codec: CodecView | None = None


def _shape(options: PackageOptions, message: Message, entry: MessageNames) -> Shape:
    return shape(message.schema, entry.name, reserved=(entry.producer,), rich=options.typed)


def _module(options: PackageOptions, message: Message, entry: MessageNames, versions: _Versions, told: str) -> File:
    """``told`` is a digest of the schema."""
    how, before, _, codec = versions
    said: list[Any] = [
        message.urn,
        message.kind,
        message.status,
        message.description,
        message.owner,
        message.sunset,
        how,
    ]
    said += [entry.sent, before.module if before else None, *([options.wire, *codec] if codec else [])]
    line = header("python", message.source.path, told, said, options.models, options.typed)
    make = partial(_module_text, options, message, entry, versions, line)
    return File(f"{options.package}/{entry.module}.py", make, line)


def _module_text(options: PackageOptions, message: Message, entry: MessageNames, versions: _Versions, line: str) -> str:
    how, before, ahead, codec = versions
    found = ahead.shape(message.urn)
    classes = _classes(options, message, found)
    gone = _gone(message)
    exports = [literal(name) for name in in_order([*found.classes, *entry.names[1:], entry.constant])]
    view = {
        "docstring": docstring(_about(message)),
        "header": line,
        "imports": _imports(options, classes, entry, versions, gone),
        "exports": bracketed("__all__ = [", exports, "]"),
        "classes": classes,
        "deprecated": text(gone, 0, len("@deprecated()")) if gone else None,
        "name": entry.name,
        "constant": entry.constant,
        "urn": text(message.urn, 4, len("    urn=,")),
        "how": [(key, source(value, 4, len(key) + 6)) for key, value in how.items()],
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
        text = f"``encode({entry.producer}().{codec.method}({entry.name}(...){_MORE.get(codec.method, '')}))``."
    return docstring(text if len(text) <= LONGEST - 10 else f"Sends {entry.name}.", "    ")


def _classes(options: PackageOptions, message: Message, found: Shape) -> tuple[ClassView, ...]:
    try:
        return python_models.models(_described(found, message, options.kind.caveat), options.kind)
    except BabelregError as err:
        place = message.source.place(("data",), key=True)
        raise BabelregError(f"{message.urn}: {err.message}", place=place, fix=err.fix) from err


def _gone(message: Message) -> str | None:
    """What type checkers say to whoever uses a deprecated message."""
    if message.status != "deprecated":
        return None
    return f"{message.urn} is deprecated" + (f" and goes away on {message.sunset}" if message.sunset else "")


def _described(found: Shape, message: Message, caveat: str) -> Shape:
    """``found``; the class of ``data`` itself takes the message's description where its schema has none."""
    root = found.classes[found.root]
    about = root.description or message.description or f"The data of {message.urn}."
    told = replace(root, description=f"{about.strip()}\n\n{caveat}" if caveat else about)
    return replace(found, classes={**found.classes, found.root: told})


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
    versions: _Versions,
    gone: str | None,
) -> list[str]:
    elsewhere, own = options.kind.imports(python_models.names(classes))
    before, codec = versions.before, versions.codec
    sender = "from ._babelreg.runtime import Producer"
    if codec is not None:
        sender = f"from .{runtime_module(options.wire)} import {codec.base}"
    return [
        *elsewhere,
        *[""] * bool(elsewhere),
        *[sender] * (entry.sent and codec is None),
        *["from ._babelreg.runtime.models.deprecation import deprecated"] * bool(gone),
        *own,
        *[sender] * (codec is not None),
        bracketed(f"from ._schemas.{entry.module} import ", ["SCHEMA"], ""),
        *[bracketed(f"from .{before.module} import ", [before.constant], "") for before in [before] if before],
    ]


def _schema(package: str, message: Message, entry: MessageNames, told: str) -> File:
    line = header("python", message.source.path, message.urn, told)
    return File(f"{package}/_schemas/{entry.module}.py", partial(_schema_text, message, line), line)


def _schema_text(message: Message, line: str) -> str:
    view = {
        "docstring": docstring(f"What the data of {message.urn} must satisfy."),
        "header": line,
        "schema": source(message.schema, 0, len("SCHEMA: Final[dict[str, Any]] = ")),
    }
    return render("python", "schema.py.jinja", view)
