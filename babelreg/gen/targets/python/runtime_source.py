"""The source of the runtime: the modules of babelreg that generated code runs on, with relative imports.

Both forms of the runtime are made from it: the copy in a package, and the wheel ``babelreg-runtime``. A module is part
of it because another one imports it, at any place; so new modules follow by themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_ROOT = "babelreg"
_PACKAGE = Path(__file__).resolve().parents[3]


class Reachable(NamedTuple):
    """Files of modules that are imported, and of packages that only hold such modules; relative to babelreg."""

    files: frozenset[str]
    parents: frozenset[str]


def reachable(modules: Iterable[str]) -> Reachable:
    """Return the files of ``modules``, of all that these import, and of the packages they are in.

    Names are relative to babelreg: ``runtime.testing``.
    """
    reached: dict[str, str] = {}
    stack = [f"{_ROOT}.{name}" for name in modules]
    while stack:
        module = stack.pop()
        if module != _ROOT and module not in reached:
            reached[module] = path = _path(module)
            stack += _imported(path)
    parents = {package for module in reached for package in _packages(module)} - reached.keys()
    return Reachable(frozenset(reached.values()), frozenset(map(_path, parents)))


def below(*packages: str) -> Iterator[str]:
    """Yield the names of all modules of ``packages``, and the packages themselves."""
    for package in packages:
        for path in sorted((_PACKAGE / package).rglob("*.py")):
            parts = path.relative_to(_PACKAGE).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def text_of(path: str) -> str:
    """Return the text of a file as it is in babelreg."""
    return _source(path).text


def docstring_of(path: str) -> str:
    """Return the docstring of a module, in quotes."""
    text = ast.get_docstring(ast.parse(text_of(path)), clean=False) or ""
    return f'"""{text}"""\n'


def relative(path: str) -> str:
    """Return the text of a module with relative imports, line by line as it is in babelreg."""
    text, imports = _source(path)
    lines = text.splitlines(keepends=True)
    depth = path.count("/")
    for node in imports:
        module = node.module.removeprefix(_ROOT).removeprefix(".")
        old = lines[node.lineno - 1]
        lines[node.lineno - 1] = old.replace(f"from {node.module} ", f"from {'.' * (depth + 1)}{module} ", 1)
    return "".join(lines)


def _packages(module: str) -> Iterator[str]:
    while (module := module.rpartition(".")[0]) != _ROOT:
        yield module


def _path(module: str) -> str:
    path = module.removeprefix(f"{_ROOT}.").replace(".", "/")
    return f"{path}/__init__.py" if (_PACKAGE / path).is_dir() else f"{path}.py"


class _RuntimeImport(NamedTuple):
    """An import from babelreg: its line, from 1, the module, and the imported names."""

    lineno: int
    module: str
    names: tuple[str, ...]


class _Source(NamedTuple):
    """The text of a module, and its imports from babelreg, at any place, also those for type checkers."""

    text: str
    imports: tuple[_RuntimeImport, ...]


# A syntax tree of each module would take ten times as long, half a second of every first run.
_FROM = re.compile(rf"^[ \t]*from ({_ROOT}(?:\.\w+)*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_IMPORT = re.compile(rf"^[ \t]*import {_ROOT}\b", re.MULTILINE)
_COMMENT = re.compile(r"#.*")


@cache
def _source(path: str) -> _Source:
    text = (_PACKAGE / path).read_text("utf-8")
    if plain := _IMPORT.search(text):
        line = text.count("\n", 0, plain.start()) + 1
        raise AssertionError(f"babelreg/{path}:{line}: only `from babelreg.x import y` can be copied")
    imports = []
    for match in _FROM.finditer(text):
        names = _COMMENT.sub("", match[2] or match[3] or "").split(",")
        imported = tuple(name.split()[0] for name in names if name.strip())
        imports.append(_RuntimeImport(text.count("\n", 0, match.start()) + 1, match[1], imported))
    return _Source(text, tuple(imports))


def _imported(path: str) -> Iterator[str]:
    """Yield the modules of babelreg that the one at ``path`` imports."""
    for node in _source(path).imports:
        yield node.module
        names = (f"{node.module}.{name}" for name in node.names)
        yield from (name for name in names if (_PACKAGE / _path(name)).is_file())
