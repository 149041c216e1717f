"""``common.py``: the classes of shared fragments, such as ``_common/money.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from babelreg.gen.python_code.line_wrapping import bracketed
from babelreg.gen.python_code.models import classes as python_models
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.render import render
from babelreg.gen.shared_classes import SharedClasses
from babelreg.gen.target import File, header
from babelreg.gen.targets.python.module_imports import import_lines
from babelreg.model import Message, Registry
from babelreg.typemap.python.names import in_order, literal
from babelreg.typemap.python.types import definition_of
from babelreg.typemap.shapes import Class

__all__ = ["COMMON", "common_module", "shared_classes"]

COMMON = "common"
"""The module of the classes. No message's module has this name, which would be of two words at least."""


def shared_classes(options: PackageOptions, registry: Registry, messages: Sequence[Message]) -> SharedClasses:
    """Return the classes of the fragments that ``messages`` refer to."""
    strict, limited = registry.settings.compatibility.reader == "strict", options.kind.limited

    def definition(schema: Any, reference: str) -> Mapping[str, Class]:
        return definition_of(schema, reference, typed=options.typed, limited=limited, strict=strict)

    return SharedClasses(messages, definition)


def common_module(options: PackageOptions, shared: SharedClasses) -> File:
    """Return the file of the shared classes."""
    line = header("python", "_common", options.models, options.vendored, repr(sorted(shared.shape.classes.items())))

    def make() -> str:
        classes = python_models.models(shared.shape, options.kind)
        imports = options.kind.imports(python_models.names(classes))
        own = {module: names - {"message"} for module, names in imports.runtime.items()}
        view = {
            "header": line,
            "imports": import_lines(options, imports._replace(runtime=own)),
            "exports": bracketed("__all__ = [", [literal(name) for name in in_order(shared.names)], "]"),
            "classes": classes,
            "deprecated": None,
        }
        return render("python", "common.py.jinja", view).rstrip("\n") + "\n"

    return File(f"{options.package}/{COMMON}.py", make, line)
