"""The files of a generated package that concern all messages: its index, requirements, testing and worker modules."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from babelreg import __version__
from babelreg.gen.python_code.line_wrapping import bracketed
from babelreg.gen.python_code.models.kind import IMPORT_WIDTH
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.python import runtime_wheel
from babelreg.gen.targets.python.names import MessageNames
from babelreg.gen.targets.python.service_classes import derived_classes
from babelreg.gen.targets.python.shared_classes import COMMON
from babelreg.gen.targets.python.wire_codec import offered, wire_module
from babelreg.typemap.python.names import docstring, import_order, in_order, literal, natural

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
    "SubscriptionMissingError",
    "UnsupportedOptionError",
    "drain",
    "kafka_transport",
    "redis_transport",
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
    """Yield ``__init__.py`` and its stub, ``testing.py``, ``worker.py`` and ``requirements.txt``.

    ``common`` are the shared classes to export, ``usage`` is the docstring of the package.
    """
    yield from _package(options, derived_classes(roles), entries, common, usage)
    yield _needs(options)
    yield _runtime_module(options, "testing", "runtime.testing")
    yield _runtime_module(options, "worker", "runtime.worker.command")


def wire_index(
    options: PackageOptions, entries: Sequence[MessageNames], common: Sequence[str], usage: str
) -> Iterator[File]:
    """Yield ``__init__.py`` and its stub, ``requirements.txt`` and ``_reader.py`` of a package for another wire format.

    ``common`` and ``usage`` as in :func:`index`.
    """
    yield from _package(options, {"Reader": "_reader"}, entries, common, usage)
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


def _runtime_names(options: PackageOptions) -> tuple[str, ...]:
    return (*offered(options.wire), "Reader") if options.foreign else _RUNTIME


def _package(
    options: PackageOptions,
    derived: Mapping[str, str],
    entries: Sequence[MessageNames],
    common: Sequence[str],
    text: str,
) -> Iterator[File]:
    """Yield ``__init__.py`` and ``__init__.pyi``, which lists the names of the package for it and for type checkers.

    ``derived`` are the classes that the package derives from those of the runtime.
    """
    absent = options.kind.absent
    offered = {name for entry in entries for name in entry.names}
    runtime = [name for name in _runtime_names(options) if name not in offered]  # a message may have the same name
    own = {name: module for name, module in derived.items() if name in runtime}
    facts = [[entry.module, *entry.names] for entry in entries]
    line = header("python", "the registry", options.vendored, text)
    view = {
        "docstring": docstring(text, wrap=False),
        "header": line,
        "floor": None if options.vendored else literal(__version__),
    }
    yield File(f"{options.package}/__init__.py", partial(render, "python", "package.py.jinja", view), line)
    listed = header("python", "the registry", options.models, options.vendored, options.wire, facts, own, common)

    def make() -> str:
        ordered = sorted(entries, key=lambda entry: natural(entry.module))
        modules = {f".{entry.module}": list(entry.names) for entry in ordered}
        if common:
            modules = {f".{COMMON}": list(common), **modules}
        derived_names: dict[str, list[str]] = {}
        for name, module in sorted(own.items()):
            derived_names.setdefault(f".{module}", []).append(name)
        modules = {**derived_names, **modules}
        of_runtime = [name for name in runtime if name not in own]
        base = options.runtime_module(wire_module(options) if options.foreign else "runtime")
        installed, local = {base: of_runtime}, modules
        if options.vendored:
            installed, local = {}, {**installed, **modules}
        if absent is not None:
            of_kind = options.runtime_module(absent[0]) if absent[0].startswith("runtime.") else absent[0]
            (local if of_kind.startswith(".") else installed)[of_kind] = list(absent[1:])
        groups = [group for group in (_imports(installed), _imports(local)) if group]
        return render("python", "package.pyi.jinja", {"header": listed, "groups": groups})

    yield File(f"{options.package}/__init__.pyi", make, listed)


def _imports(names: Mapping[str, list[str]]) -> list[str]:
    """Return the lines that export ``names`` by module, sorted as isort does: the runtime's copy before messages."""
    modules = sorted(names, key=natural)
    exports = [(module, f"{name} as {name}") for module in modules for name in import_order(names[module])]
    return [bracketed(f"from {module} import ", [name], "", IMPORT_WIDTH) for module, name in exports]


def _runtime_module(options: PackageOptions, name: str, module: str) -> File:
    """Return the module ``name`` of the package, which offers ``module`` of the runtime."""
    line = header("python", "babelreg.yaml", name, options.vendored)
    view = {"header": line, "module": options.runtime_module(module), "package": options.package}
    return File(f"{options.package}/{name}.py", lambda: render("python", f"{name}.py.jinja", view), line)


def _needs(options: PackageOptions) -> File:
    needs = options.needs if options.vendored else (runtime_wheel.requirement(options.extras),)
    about = "Requirements of this package." if options.vendored else runtime_wheel.ABOUT
    line = header("python", "babelreg.yaml", needs, about)
    comments = textwrap.indent(f"{line}\n{about}\n", "# ")
    return File(f"{options.package}/requirements.txt", comments + "".join(f"{need}\n" for need in needs))
