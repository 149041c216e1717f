"""The files of a generated package that concern all messages: its index, requirements, testing and worker modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from babelreg import __version__
from babelreg.gen.python_code.line_wrapping import bracketed, item
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.python.names import MessageNames
from babelreg.gen.targets.python.shared_classes import COMMON
from babelreg.gen.targets.python.wire_codec import OFFERED, wire_module
from babelreg.typemap.python.names import docstring, in_order, literal, natural

__all__ = ["index", "wire_index"]

_RUNTIME = (
    "AsyncPostgresLedger",
    "AsyncProducer",
    "AsyncSqlOutbox",
    "Consumer",
    "Context",
    "Incoming",
    "InvalidDataError",
    "MySqlLedger",
    "OpenTelemetry",
    "OutboxRelay",
    "Outcome",
    "Outgoing",
    "PartlySentError",
    "PostgresLedger",
    "Recorder",
    "Reject",
    "SqliteLedger",
    "SqlOutbox",
    "drain",
)


def exported_names(options: PackageOptions, entries: Sequence[MessageNames], common: Iterable[str]) -> list[str]:
    """Return the names of the shared classes ``common`` that the package exports: those that mean nothing else."""
    absent = options.kind.absent
    taken = {*_runtime_names(options), *(absent[1:] if absent else ())}
    taken.update(name for entry in entries for name in entry.names)
    return [name for name in in_order(common) if name not in taken]


def index(
    options: PackageOptions, roles: Roles, entries: Sequence[MessageNames], common: Sequence[str], usage: str
) -> Iterator[File]:
    """Yield ``__init__.py``, ``testing.py``, ``worker.py``, ``requirements.txt``, and ``_consumer.py`` for a service.

    ``common`` are the shared classes to export, ``usage`` is the docstring of the package.
    """
    derived = _OwnClass("Consumer", "_consumer") if roles.service is not None else None
    yield _package(options, derived, entries, common, usage)
    yield _needs(options)
    yield _runtime_module(options, "testing", "runtime.testing")
    yield _runtime_module(options, "worker", "runtime.worker.command")
    if roles.service is not None:
        yield _consumer(options, roles, roles.service, entries)


def wire_index(
    options: PackageOptions, entries: Sequence[MessageNames], common: Sequence[str], usage: str
) -> Iterator[File]:
    """Yield ``__init__.py``, ``requirements.txt`` and ``_reader.py`` of a package for a foreign wire format.

    ``common`` and ``usage`` as in :func:`index`.
    """
    yield _package(options, _OwnClass("Reader", "_reader"), entries, common, usage)
    yield _needs(options)
    codecs = [(entry.module, entry.producer) for entry in sorted(entries, key=lambda entry: natural(entry.module))]
    line = header("python", "the registry", options.wire, options.vendored, codecs)
    view = {
        "docstring": docstring(f"The reader of a connection of {options.wire}."),
        "header": line,
        "base": options.runtime_module(wire_module(options)),
        "imports": [bracketed(f"from .{module} import ", [name], "") for module, name in codecs],
        "codecs": [name for _, name in codecs],
    }
    yield File(f"{options.package}/_reader.py", lambda: render("python", "reader.py.jinja", view), line)


class _OwnClass(NamedTuple):
    """A class that the package derives from one of the runtime, and its module."""

    name: str
    module: str


def _runtime_names(options: PackageOptions) -> tuple[str, ...]:
    return (*OFFERED[options.wire], "Reader") if options.foreign else _RUNTIME


def _package(
    options: PackageOptions,
    derived: _OwnClass | None,
    entries: Sequence[MessageNames],
    common: Sequence[str],
    text: str,
) -> File:
    absent = options.kind.absent
    offered = {name for entry in entries for name in entry.names}
    runtime = [name for name in _runtime_names(options) if name not in offered]  # a message may have the same name
    own = derived if derived is not None and derived.name in runtime else None
    facts = [[entry.module, *entry.names] for entry in entries]
    line = header("python", "the registry", options.models, options.vendored, options.needs, text, facts, own, common)

    def make() -> str:
        ordered = sorted(entries, key=lambda entry: natural(entry.module))
        modules = {f".{entry.module}": list(entry.names) for entry in ordered}
        if common:
            modules = {f".{COMMON}": list(common), **modules}
        if own is not None:
            modules = {f".{own.module}": [own.name], **modules}
        of_runtime = [name for name in runtime if own is None or name != own.name]
        base = options.runtime_module(wire_module(options) if options.foreign else "runtime")
        installed, local = {base: of_runtime}, modules
        if options.vendored:
            installed, local = {}, {**installed, **modules}
        if absent is not None:
            of_kind = options.runtime_module(absent[0]) if absent[0].startswith("runtime.") else absent[0]
            (local if of_kind.startswith(".") else installed)[of_kind] = [absent[1]]
        imported = {**installed, **local}
        view = {
            "docstring": docstring(text, wrap=False),
            "header": line,
            "groups": [group for group in (_imports(installed), _imports(local)) if group],
            "exports": in_order([name for names in imported.values() for name in names]),
            "modules": [item(name, module) for module, names in imported.items() for name in names],
            "floor": None if options.vendored else literal(__version__),
            "needs": literal(options.needs[0]),
            "package": options.package,
        }
        return render("python", "package.py.jinja", view)

    return File(f"{options.package}/__init__.py", make, line)


def _imports(names: Mapping[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Return modules with their names, sorted as isort does: those of the runtime's copy before those of messages."""
    return sorted(names.items(), key=lambda module: natural(module[0]))


def _runtime_module(options: PackageOptions, name: str, module: str) -> File:
    """Return the module ``name`` of the package, which offers ``module`` of the runtime."""
    line = header("python", "babelreg.yaml", name, options.vendored)
    view = {"header": line, "module": options.runtime_module(module), "package": options.package}
    return File(f"{options.package}/{name}.py", lambda: render("python", f"{name}.py.jinja", view), line)


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
        "header": header("python", "the registry", options.vendored, service, consumed),
        "module": options.runtime_module("runtime"),
        "consumed": [item(urn, name, 8) for urn, name in consumed],
    }
    return File(f"{options.package}/_consumer.py", render("python", "consumer.py.jinja", view))
