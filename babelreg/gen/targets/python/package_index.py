"""The files of a generated package that concern all its messages: its index, requirements and testing module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from babelreg.gen.python_code.line_wrapping import bracketed, item
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.python.names import MessageNames
from babelreg.gen.targets.python.wire_codec import OFFERED, runtime_module
from babelreg.typemap.python.names import docstring, in_order, natural

__all__ = ["index", "wire_index"]

_RUNTIME = (
    "AsyncPostgresLedger",
    "Consumer",
    "Context",
    "InvalidDataError",
    "MySqlLedger",
    "OutboxRelay",
    "Outcome",
    "PartlySentError",
    "PostgresLedger",
    "Recorder",
    "Reject",
    "SqliteLedger",
    "SqlOutbox",
    "drain",
)


def index(options: PackageOptions, roles: Roles, entries: Sequence[MessageNames], usage: str) -> Iterator[File]:
    """Yield ``__init__.py``, ``testing.py``, ``requirements.txt``, and ``_consumer.py`` for a service.

    ``usage`` is the docstring of the package.
    """
    yield _package(options, _OwnClass("Consumer", "_consumer") if roles.service is not None else None, entries, usage)
    yield _needs(options)
    line = header("python", "babelreg.yaml", "testing")
    yield File(f"{options.package}/testing.py", lambda: render("python", "testing.py.jinja", {"header": line}), line)
    if roles.service is not None:
        yield _consumer(options, roles, roles.service, entries)


def wire_index(options: PackageOptions, entries: Sequence[MessageNames], usage: str) -> Iterator[File]:
    """Yield ``__init__.py``, ``requirements.txt`` and ``_reader.py`` of a package for a foreign wire format.

    ``usage`` is the docstring of the package.
    """
    yield _package(options, _OwnClass("Reader", "_reader"), entries, usage)
    yield _needs(options)
    codecs = [(entry.module, entry.producer) for entry in sorted(entries, key=lambda entry: natural(entry.module))]
    line = header("python", "the registry", options.wire, codecs)
    view = {
        "docstring": docstring(f"The reader of a connection of {options.wire}."),
        "header": line,
        "base": f".{runtime_module(options.wire)}",
        "imports": [bracketed(f"from .{module} import ", [name], "") for module, name in codecs],
        "codecs": [name for _, name in codecs],
    }
    yield File(f"{options.package}/_reader.py", lambda: render("python", "reader.py.jinja", view), line)


class _OwnClass(NamedTuple):
    """A class that the package derives from one of the runtime, and its module."""

    name: str
    module: str


def _package(options: PackageOptions, derived: _OwnClass | None, entries: Sequence[MessageNames], text: str) -> File:
    kind = options.kind
    absent = [kind.absent[1]] if kind.absent else []
    offered = {name for entry in entries for name in entry.names}
    runtime_names = (*OFFERED[options.wire], "Reader") if options.foreign else _RUNTIME
    runtime = [name for name in runtime_names if name not in offered]  # a message may have the same name
    own = derived is not None and derived.name in runtime
    facts = [[entry.module, *entry.names] for entry in entries]
    line = header("python", "the registry", options.models, options.needs, text, facts, own)
    module = runtime_module(options.wire) if options.foreign else "_babelreg.runtime"

    def make() -> str:
        ordered = sorted(entries, key=lambda entry: natural(entry.module))
        view = {
            "docstring": docstring(text, wrap=False),
            "header": line,
            "absent": kind.absent,
            "own": derived if own else None,
            "runtime_module": module,
            "runtime": [name for name in runtime if not (own and derived is not None and name == derived.name)],
            "entries": ordered,
            "exports": in_order([*runtime, *absent, *offered]),
            "modules": [item(name, entry.module) for entry in ordered for name in entry.names],
        }
        return render("python", "package.py.jinja", view)

    return File(f"{options.package}/__init__.py", make, line)


def _needs(options: PackageOptions) -> File:
    line = header("python", "babelreg.yaml", options.needs)
    lines = "".join(f"{need}\n" for need in options.needs)
    return File(f"{options.package}/requirements.txt", f"# {line}\n# Requirements of this package.\n{lines}")


def _consumer(options: PackageOptions, roles: Roles, service: str, entries: Sequence[MessageNames]) -> File:
    consumed = sorted((entry.urn, entry.name) for entry in entries if entry.urn in roles.consumes)
    rule = "``run`` raises UsageError if a message that the service consumes has no handler."
    text = f"The consumer of {service}.\n\n{rule}"
    view = {
        "docstring": docstring(text),
        "header": header("python", "the registry", service, consumed),
        "consumed": [item(urn, name, 8) for urn, name in consumed],
    }
    return File(f"{options.package}/_consumer.py", render("python", "consumer.py.jinja", view))
