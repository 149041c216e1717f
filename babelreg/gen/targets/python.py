"""Typed Python: per message its data models and its producer, with consumers, on the ``babelqueue`` package.

messages/
  __init__.py            every class, read when first asked for
  requirements.txt       what a service that uses the package installs
  orders_created.py      OrdersCreated, its nested classes, OrdersCreatedProducer
  _schemas/              the JSON Schema of each message's data
  _babelreg/             what all of it runs on (a copy: the service does not depend on babelreg)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.render import render
from babelreg.gen.target import File, header, living
from babelreg.gen.targets import python_models
from babelreg.gen.targets.python_kind import ClassView
from babelreg.gen.targets.python_literal import source
from babelreg.gen.targets.python_options import SETTINGS, Options
from babelreg.gen.targets.python_vendor import vendored
from babelreg.model import Message, Registry, Urn
from babelreg.typemap.python import Shape, shape
from babelreg.typemap.python_names import class_name, docstring, in_order, literal, module_name, natural

__all__ = ["files", "settings", "summary"]

summary = "typed data models, producers and consumers on the babelqueue package"
settings = SETTINGS

_RUNTIME = ("Consumer", "Context", "InvalidDataError", "Reject", "drain")


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """The package, file by file.

    Raises UsageError for an option that is none, BabelregError where two messages would get one class name.
    """
    chosen = Options.of(options, registry.settings)
    package = chosen.package
    messages = list(living(registry))
    entries = [_Entry.of(message) for message in messages]
    _refuse_collisions(entries)
    yield _index(chosen, entries)
    yield File(f"{package}/py.typed", "")
    yield _needs(chosen)
    for message, entry in zip(messages, entries, strict=True):
        reader = registry.compatibility(message.context).reader
        yield _module(chosen, message, entry, reader)
        yield _schema(package, message, entry)
    line = header("python", "babelreg.yaml", package)
    yield File(f"{package}/_schemas/__init__.py", f'"""The JSON Schema of each message\'s data."""\n# {line}\n')
    unneeded = {f"{package}/_babelreg/runtime/{name}" for name in chosen.unneeded}
    yield from (file for file in vendored(f"{package}/_babelreg") if file.path not in unneeded)


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


def _index(chosen: Options, entries: list[_Entry]) -> File:
    kind = chosen.kind
    absent = [kind.absent[1]] if kind.absent else []
    text = _INDEX_DOCSTRING.format(package=chosen.package, about=kind.about, needs=", ".join(chosen.needs))
    view = {
        "docstring": docstring(text),
        "header": header("python", "the registry", chosen.models, [(entry.module, entry.name) for entry in entries]),
        "absent": kind.absent,
        "entries": sorted(entries, key=lambda entry: natural(entry.module)),
        "exports": in_order([*_RUNTIME, *absent, *(name for entry in entries for name in entry.names)]),
    }
    return File(f"{chosen.package}/__init__.py", render("python", "package.py.jinja", view))


def _needs(chosen: Options) -> File:
    line = header("python", "babelreg.yaml", chosen.needs)
    lines = "".join(f"{need}\n" for need in chosen.needs)
    return File(
        f"{chosen.package}/requirements.txt", f"# {line}\n# What a service that uses this package installs.\n{lines}"
    )


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

Every class comes with a producer of its name. {about}
Needs {needs}.
"""


def _module(chosen: Options, message: Message, entry: _Entry, reader: str) -> File:
    how = _how(message, reader)
    facts = [message.urn, message.kind, message.status, message.description, message.owner, message.sunset, how]
    found = shape(message.schema, entry.name, reserved=entry.names[1:], rich=chosen.typed)
    classes = python_models.models(_described(found, message, chosen.kind.caveat), chosen.kind)
    gone = _gone(message)
    view = {
        "docstring": docstring(_about(message)),
        "header": header("python", message.source.path, message.schema, facts, chosen.models, chosen.typed),
        "imports": _imports(chosen, classes, entry.module, gone),
        "exports": [literal(name) for name in in_order([*found.classes, entry.names[1], _constant(entry)])],
        "classes": classes,
        "deprecated": literal(gone) if gone else None,
        "name": entry.name,
        "constant": _constant(entry),
        "urn": literal(message.urn),
        "how": [(key, source(value)) for key, value in how.items()],
        "producer_docstring": f'"""``{entry.name}Producer(app).send({entry.name}(...))``."""',
    }
    return File(f"{chosen.package}/{entry.module}.py", render("python", "message.py.jinja", view))


def _constant(entry: _Entry) -> str:
    return entry.module.upper()


def _gone(message: Message) -> str | None:
    """What type checkers say to whoever uses a deprecated message."""
    if message.status != "deprecated":
        return None
    return f"{message.urn} is deprecated" + (f" and goes away on {message.sunset}" if message.sunset else "")


def _described(found: Shape, message: Message, caveat: str) -> Shape:
    """``found``; the class of ``data`` itself takes the message's description where its schema has none."""
    root = found.classes[found.root]
    text = root.description or message.description or f"The data of {message.urn}."
    told = replace(root, description=f"{text.strip()}\n\n{caveat}" if caveat else text)
    return replace(found, classes={**found.classes, found.root: told})


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


def _imports(chosen: Options, classes: tuple[ClassView, ...], module: str, gone: str | None) -> list[str]:
    elsewhere, own = chosen.kind.imports(python_models.names(classes))
    return [
        *elsewhere,
        *[""] * bool(elsewhere),
        "from ._babelreg.runtime import Producer",
        *["from ._babelreg.runtime.deprecation import deprecated"] * bool(gone),
        *own,
        f"from ._schemas.{module} import SCHEMA",
    ]


def _schema(package: str, message: Message, entry: _Entry) -> File:
    view = {
        "docstring": docstring(f"What the data of {message.urn} must satisfy."),
        "header": header("python", message.source.path, message.schema),
        "schema": source(message.schema, 0, len("SCHEMA: Final[dict[str, Any]] = ")),
    }
    return File(f"{package}/_schemas/{entry.module}.py", render("python", "schema.py.jinja", view))
