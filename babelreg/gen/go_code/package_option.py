"""The name of the Go package, which is also its folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.errors import UsageError
from babelreg.gen.option import Option
from babelreg.typemap.go.names import is_package

PACKAGE = Option("package", "The name of the package to write.", "messages", command_line=True, metavar="NAME")


def package_of(options: Mapping[str, Any]) -> str:
    """Return the name of the package. Raises UsageError for one that Go does not allow, or gives a meaning."""
    name = PACKAGE.value(options, "go")
    if not isinstance(name, str) or not is_package(name):
        raise UsageError(
            f"{name!r} cannot be the name of a Go package: only a-z, 0-9 and '_', a letter first, not a keyword",
            fix="set gen.go.package in babelreg.yaml, or pass --package messages",
        )
    return name
