"""Names that a generated Python package may have."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Collection
from typing import Any

from babelreg.errors import UsageError

_PACKAGE = re.compile(r"[a-z][a-z0-9_]*\Z")


def package_name(name: Any, target: str, default: str, imported: Collection[str]) -> str:
    """Return ``name`` if it can be the name of a package that ``target`` writes.

    ``imported`` are the packages that generated code imports. Raises UsageError for an invalid name, and for one that
    would hide an imported package or a module of the standard library.
    """
    fix = f"set gen.{target}.package in babelreg.yaml, or pass --package {default}"
    if not isinstance(name, str) or not _PACKAGE.match(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be the name of a package: only a-z, 0-9 and '_', a letter first, not a keyword", fix=fix
        )
    if name in sys.stdlib_module_names:
        raise UsageError(
            f"'{name}' cannot be the name of a package: the standard library has a module '{name}'", fix=fix
        )
    if name in imported:
        raise UsageError(f"'{name}' cannot be the name of a package: the generated code imports '{name}'", fix=fix)
    return name
