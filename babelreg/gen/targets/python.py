"""Typed Python: per message its data models and its producer, with consumers, on the ``babelqueue`` package.

messages/
  __init__.py            every class, read when first asked for
  orders_created.py      OrdersCreated, its nested classes, OrdersCreatedProducer
  _schemas/              the JSON Schema of each message's data
  _babelreg/             what all of it runs on (a copy: the service does not depend on babelreg)
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import BabelregError, UsageError
from babelreg.gen.render import render
from babelreg.gen.target import File, header, living
from babelreg.gen.targets import python_models
from babelreg.gen.targets.python_literal import source
from babelreg.gen.targets.python_vendor import vendored
from babelreg.model import Message, Registry, Urn
from babelreg.typemap.python import shape
from babelreg.typemap.python_names import class_name, docstring, in_order, literal, module_name, natural

__all__ = ["files", "settings", "summary"]

summary = "typed data models, producers and consumers on the babelqueue package"
settings = {"package": "the name of the package to write, by default messages"}

_PACKAGE = re.compile(r"[a-z][a-z0-9_]*\Z")
_RUNTIME = ("Consumer", "Context", "InvalidDataError", "Reject", "drain", "MISSING")


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """The package, file by file.

    Raises UsageError for a package name that is none, BabelregError where two messages would get one class name.
    """
    package = _package(options.get("package", "messages"))
    messages = list(living(registry))
    entries = [_Entry.of(message) for message in messages]
    _refuse_collisions(entries)
    yield _index(package, entries)
    yield File(f"{package}/py.typed", "")
    for message, entry in zip(messages, entries, strict=True):
        reader = registry.compatibility(message.context).reader
        yield _module(package, message, entry, reader)
        yield _schema(package, message, entry)
    line = header("python", "babelreg.yaml", package)
    yield File(f"{package}/_schemas/__init__.py", f'"""The JSON Schema of each message\'s data."""\n# {line}\n')
    yield from vendored(f"{package}/_babelreg")


@dataclass(frozen=True, slots=True)
class _Entry:
    """The names one message takes in the package."""

    urn: str
    path: str
    module: str
    name: str

    @classmethod
    def of(cls, message: Message) -> _Entry:
        urn = message.parsed
        assert isinstance(urn, Urn)  # living() yields no other
        return cls(message.urn, message.source.path, module_name(urn), class_name(urn))

    @property
    def names(self) -> tuple[str, str]:
        return (self.name, f"{self.name}Producer")


def _package(name: Any) -> str:
    if not isinstance(name, str) or not _PACKAGE.match(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be the name of a package: only a-z, 0-9 and '_', a letter first, no keyword",
            fix="set gen.python.package in babelreg.yaml, or pass --package messages",
        )
    return name


def _refuse_collisions(entries: list[_Entry]) -> None:
    taken: dict[str, _Entry] = {}
    for entry in entries:
        for name in (entry.module, *entry.names):
            other = taken.setdefault(name.casefold(), entry)
            if other is not entry:
                raise BabelregError(
                    f"{other.urn} and {entry.urn} would both be {name} in Python ({other.path}, {entry.path})",
                    fix="rename one of them while it is a draft: their words must differ, not only '-', '_' and '.'",
                )


def _index(package: str, entries: list[_Entry]) -> File:
    view = {
        "docstring": docstring(_INDEX_DOCSTRING.format(package=package)),
        "header": header("python", "the registry", [(entry.module, entry.name) for entry in entries]),
        "entries": sorted(entries, key=lambda entry: natural(entry.module)),
        "exports": in_order([*_RUNTIME, *(name for entry in entries for name in entry.names)]),
    }
    return File(f"{package}/__init__.py", render("python", "package.py.jinja", view))


_INDEX_DOCSTRING = """Typed messages: their data, producers and consumers.

    from babelqueue import BabelQueue
    from {package} import Consumer, Context, OrdersCreated, OrdersCreatedProducer

    app = BabelQueue("redis://localhost:6379/0")
    OrdersCreatedProducer(app).send(OrdersCreated(order_id=1042))

    consumer = Consumer(app)

    @consumer.on(OrdersCreated)
    def handle(order: OrdersCreated, context: Context) -> None:
        print(order.order_id, context.trace_id)

    consumer.run()

Every class comes with a producer of its name. A property that may be absent is ``MISSING`` until it is set.
"""


def _module(package: str, message: Message, entry: _Entry, reader: str) -> File:
    how = _how(message, reader)
    facts = [message.urn, message.kind, message.status, message.description, message.owner, message.sunset, how]
    found = shape(message.schema, entry.name, reserved=entry.names[1:])
    classes = python_models.models(found)
    view = {
        "docstring": docstring(_about(message)),
        "header": header("python", message.source.path, message.schema, facts),
        "imports": _imports(python_models.names(classes), entry.module),
        "exports": [literal(name) for name in in_order([*found.classes, entry.names[1], _constant(entry)])],
        "classes": [_described(one, message, entry.name) for one in classes],
        "name": entry.name,
        "constant": _constant(entry),
        "urn": literal(message.urn),
        "how": [(key, source(value)) for key, value in how.items()],
        "producer_docstring": f'"""``{entry.name}Producer(app).send({entry.name}(...))``."""',
    }
    return File(f"{package}/{entry.module}.py", render("python", "message.py.jinja", view))


def _constant(entry: _Entry) -> str:
    return entry.module.upper()


def _described(one: python_models.ClassView, message: Message, root: str) -> python_models.ClassView:
    """``one``; the class of ``data`` itself takes the message's description where its schema has none."""
    if one.name != root or one.docstring:
        return one
    text = docstring(message.description or f"The data of {message.urn}.", "    ")
    return python_models.ClassView(one.name, text, one.attributes)


def _how(message: Message, reader: str) -> dict[str, Any]:
    how: dict[str, Any] = {}
    if message.queue:
        how["queue"] = message.queue
    if reader != "tolerant":
        how["reader"] = reader
    delivery = message.delivery
    if delivery is not None:
        how["max_attempts"] = delivery.max_attempts
        if delivery.on_failure != "dead_letter":
            how["on_failure"] = delivery.on_failure
    return how


def _about(message: Message) -> str:
    first = (message.description or f"The data of {message.urn}.").strip()
    kind = message.kind or "message"
    owner = f", owned by {message.owner}" if message.owner else ""
    state = "" if message.status == "active" else f" It is {message.status}"
    state += f" and goes away on {message.sunset}." if state and message.sunset else "." if state else ""
    return f"{first}\n\n{message.urn}: {_article(kind)} {kind} of {message.context}{owner}.{state}"


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def _imports(used: set[str], module: str) -> list[str]:
    typing = sorted(used & {"Annotated", "Any", "Literal"})
    pydantic = sorted(used & {"Field"}) + ["MISSING"] * ("MISSING" in used)
    lines = [f"from typing import {', '.join(typing)}", ""] if typing else []
    lines += [f"from pydantic import {', '.join(sorted(pydantic))}", ""] if pydantic else []
    return [
        *lines,
        "from ._babelreg.runtime import Producer",
        "from ._babelreg.runtime.model import Model, message",
        f"from ._schemas.{module} import SCHEMA",
    ]


def _schema(package: str, message: Message, entry: _Entry) -> File:
    view = {
        "docstring": docstring(f"What the data of {message.urn} must satisfy."),
        "header": header("python", message.source.path, message.schema),
        "schema": source(message.schema, 0, len("SCHEMA: Final[dict[str, Any]] = ")),
    }
    return File(f"{package}/_schemas/{entry.module}.py", render("python", "schema.py.jinja", view))
