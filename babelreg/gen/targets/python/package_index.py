"""The files of a generated package that are about all of its messages: its index, and what is needed to use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.gen.python_code.layout import item
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.python.names import MessageNames
from babelreg.typemap.python.names import docstring, in_order, natural

__all__ = ["index"]

_RUNTIME = (
    "Consumer",
    "Context",
    "InvalidDataError",
    "OutboxRelay",
    "Outcome",
    "PartlySentError",
    "Reject",
    "SqliteLedger",
    "SqlOutbox",
    "drain",
)


def index(options: PackageOptions, roles: Roles, entries: Sequence[MessageNames], usage: str) -> Iterator[File]:
    """``__init__.py``, ``testing.py``, ``requirements.txt``, and of a service its ``_consumer.py``.

    ``usage`` is the docstring of the package.
    """
    yield _package(options, roles, entries, usage)
    yield _needs(options)
    line = header("python", "babelreg.yaml", "testing")
    yield File(f"{options.package}/testing.py", lambda: render("python", "testing.py.jinja", {"header": line}), line)
    if roles.service is not None:
        yield _consumer(options, roles, roles.service, entries)


def _package(options: PackageOptions, roles: Roles, entries: Sequence[MessageNames], text: str) -> File:
    kind = options.kind
    absent = [kind.absent[1]] if kind.absent else []
    offered = {name for entry in entries for name in entry.names}
    runtime = [name for name in _RUNTIME if name not in offered]  # a message may be called as one of ours
    own = roles.service is not None and "Consumer" in runtime
    facts = [[entry.module, *entry.names] for entry in entries]
    line = header("python", "the registry", options.models, options.needs, text, facts, own)

    def make() -> str:
        ordered = sorted(entries, key=lambda entry: natural(entry.module))
        view = {
            "docstring": docstring(text, wrap=False),
            "header": line,
            "absent": kind.absent,
            "own_consumer": own,
            "runtime": [name for name in runtime if not (own and name == "Consumer")],
            "entries": ordered,
            "exports": in_order([*runtime, *absent, *offered]),
            "modules": [item(name, entry.module) for entry in ordered for name in entry.names],
        }
        return render("python", "package.py.jinja", view)

    return File(f"{options.package}/__init__.py", make, line)


def _needs(options: PackageOptions) -> File:
    line = header("python", "babelreg.yaml", options.needs)
    lines = "".join(f"{need}\n" for need in options.needs)
    return File(
        f"{options.package}/requirements.txt", f"# {line}\n# What a service that uses this package installs.\n{lines}"
    )


def _consumer(options: PackageOptions, roles: Roles, service: str, entries: Sequence[MessageNames]) -> File:
    consumed = sorted((entry.urn, entry.name) for entry in entries if entry.urn in roles.consumes)
    text = f"The consumer of {service}.\n\nIt will not start while something that the service consumes has no handler."
    view = {
        "docstring": docstring(text),
        "header": header("python", "the registry", service, consumed),
        "consumed": [item(urn, name, 8) for urn, name in consumed],
    }
    return File(f"{options.package}/_consumer.py", render("python", "consumer.py.jinja", view))
