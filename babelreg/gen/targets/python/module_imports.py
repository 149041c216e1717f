"""The import lines of a generated module, in the order of ruff and isort: standard library, libraries, the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from babelreg.gen.python_code.line_wrapping import bracketed
from babelreg.gen.python_code.models.kind import Imports, from_import
from babelreg.gen.python_code.package_options import PackageOptions


def import_lines(
    options: PackageOptions,
    imports: Imports,
    runtime: Mapping[str, str] | None = None,
    package: Iterable[tuple[str, Iterable[str]]] = (),
) -> list[str]:
    """Return the lines. ``imports`` are those of the kind of models.

    ``runtime`` has a further name by module of the runtime; ``package`` has names by module of the package.
    """
    names = {**imports.runtime, **{module: frozenset([name]) for module, name in (runtime or {}).items()}}
    of_runtime = [
        line for module in sorted(names) for line in from_import(options.runtime_module(module), names[module])
    ]
    own = [bracketed(f"from .{module} import ", list(wanted), "") for module, wanted in package]
    if options.vendored:
        groups = [imports.standard, imports.libraries, [*of_runtime, *own]]
    else:
        groups = [imports.standard, [*of_runtime, *imports.libraries], own]
    lines: list[str] = []
    for group in groups:
        lines += [*[""] * bool(lines and group), *group]
    return lines
