"""The modules of the option ``validate: ajv``: a schema per message, and the validators."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from babelreg.gen.render import render
from babelreg.gen.target import File, digest, header
from babelreg.gen.targets.typescript.ajv_schemas import ajv_schemas
from babelreg.model import Message, Registry
from babelreg.typemap.typescript.names import literal

_SHARED = ("keywords.ts", "formats.ts")
_PROTOTYPE = re.compile(r'^( *)"__proto__":', re.MULTILINE)


class _SchemaModule(Protocol):
    """A message, the name of its type, and its module without the extension."""

    @property
    def urn(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def module(self) -> str: ...


def validation_files(
    registry: Registry, messages: Sequence[Message], entries: Sequence[_SchemaModule], *, aliased: bool = False
) -> Iterator[File]:
    """Yield the validators, what they share, and a schema per message. ``aliased``: some messages have aliases."""
    schemas = [(entry.name, literal(f"./{entry.module}.schema.js"), literal(entry.urn)) for entry in entries]
    inputs = ["validation", schemas, *(["aliases"] if aliased else [])]
    line = header("typescript", "the registry", *inputs, sign="//")
    view = {**_view(line, schemas), "aliased": aliased}
    yield File("validation.ts", lambda: render("typescript", "validation.ts.jinja", view), line)
    for name in _SHARED:
        yield _shared(name)
    for message, entry in zip(messages, entries, strict=True):
        yield _schema(registry, message, entry)


def _view(line: str, schemas: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    return {"header": line, "schemas": [(f"{name}_schema", module, urn) for name, module, urn in schemas]}


def _shared(name: str) -> File:
    line = header("typescript", "babelreg.yaml", name, sign="//")
    return File(name, lambda: render("typescript", f"{name}.jinja", {"header": line}), line)


def _schema(registry: Registry, message: Message, entry: _SchemaModule) -> File:
    strict = registry.compatibility(message.context).reader == "strict"
    line = header("typescript", message.source.path, "schema", entry.name, digest(message.schema), strict, sign="//")

    def make() -> str:
        views = ajv_schemas(message, strict=strict)
        producer, reader = _source(views.producer), _source(views.reader)
        view = {
            "header": line,
            "name": entry.name,
            "producer": producer,
            "reader": "producer" if reader == producer else reader,
        }
        return render("typescript", "schema.ts.jinja", view)

    return File(f"{entry.module}.schema.ts", make, line)


def _source(schema: Any) -> str:
    """Return ``schema`` as an expression. A bare key ``__proto__`` would be the prototype of the object."""
    return _PROTOTYPE.sub(r'\1["__proto__"]:', json.dumps(schema, indent=2))
