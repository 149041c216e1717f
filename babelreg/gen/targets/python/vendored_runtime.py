"""The part of babelreg that generated packages run on, copied into them with relative imports.

So a service needs babelqueue, jsonschema-rs, orjson and pydantic, but not babelreg; and two services with code of two
babelreg versions live in one environment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from babelreg import __version__
from babelreg.gen.target import File, header

__all__ = ["BROKER_MODULES", "vendored"]

_ROOT = "babelreg"
BROKER_MODULES = ("runtime", "runtime.testing", "runtime.models.deprecation")
"""The modules that code for brokers imports whatever its models are made of."""
_PACKAGE = Path(__file__).resolve().parents[3]


def vendored(folder: str, models: Iterable[str], used: Iterable[str] = BROKER_MODULES) -> Iterator[File]:
    """Yield a copy of every module that generated code imports, directly or not, below ``folder``.

    ``models`` are the file names in ``runtime/`` of what the models are made of; ``used`` are the other modules. Of a
    package that nothing imports but for a module in it, only the docstring is copied.
    """
    text = f'"""What this package runs on, copied from babelreg {__version__}."""\n'
    line = header("python", "babelreg/__init__.py", __version__)
    yield File(f"{folder}/__init__.py", f'{text}# {line}\n\n__version__ = "{__version__}"\n')
    imported = (*used, *(f"runtime.{name.removesuffix('.py').replace('/', '.')}" for name in models))
    reached = _reachable(f"{_ROOT}.{name}" for name in imported)
    for relative in sorted(reached.parents | reached.files):
        copy = _copy if relative in reached.files else _docstring
        line = header("python", f"babelreg/{relative}", _source(relative).text, copy is _copy)
        yield File(f"{folder}/{relative}", partial(copy, relative, line), line)


class _Reached(NamedTuple):
    """Files of modules that are imported, and of packages that only hold such modules."""

    files: frozenset[str]
    parents: frozenset[str]


def _reachable(modules: Iterable[str]) -> _Reached:
    """Return the files of ``modules``, of all that these import, and of the packages they are in."""
    found: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module != _ROOT and module not in found:
            found[module] = path = _path(module)
            waiting += _imported(path)
    parents = {package for module in found for package in _packages(module)} - found.keys()
    return _Reached(frozenset(found.values()), frozenset(map(_path, parents)))


def _packages(module: str) -> Iterator[str]:
    while (module := module.rpartition(".")[0]) != _ROOT:
        yield module


def _path(module: str) -> str:
    relative = module.removeprefix(f"{_ROOT}.").replace(".", "/")
    return f"{relative}/__init__.py" if (_PACKAGE / relative).is_dir() else f"{relative}.py"


class _Source(NamedTuple):
    """A module, and its imports of others of babelreg: at the top or later, for types included."""

    text: str
    imports: tuple[ast.ImportFrom, ...]


@cache
def _source(path: str) -> _Source:
    text = (_PACKAGE / path).read_text("utf-8")
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and str(node.module).partition(".")[0] == _ROOT:
            found.append(node)
        elif isinstance(node, ast.Import) and any(name.name.partition(".")[0] == _ROOT for name in node.names):
            raise AssertionError(f"babelreg/{path}:{node.lineno}: only `from babelreg.x import y` can be copied")
    return _Source(text, tuple(found))


def _imported(path: str) -> Iterator[str]:
    """Yield the modules of babelreg that the one at ``path`` imports."""
    for node in _source(path).imports:
        yield str(node.module)
        named = (f"{node.module}.{name.name}" for name in node.names)
        yield from (name for name in named if (_PACKAGE / _path(name)).is_file())


def _docstring(path: str, line: str) -> str:
    text = ast.get_docstring(ast.parse(_source(path).text), clean=False) or ""
    return f'"""{text}"""\n# {line}\n# ruff: noqa\n'


def _copy(path: str, line: str) -> str:
    text, imports = _source(path)
    lines = text.splitlines(keepends=True)
    depth = path.count("/")
    for node in imports:
        below = str(node.module).removeprefix(_ROOT).removeprefix(".")
        old = lines[node.lineno - 1]
        lines[node.lineno - 1] = old.replace(f"from {node.module} ", f"from {'.' * (depth + 1)}{below} ", 1)
    # Laid out by our own ruff settings, which are not the service's.
    return f"# {line}\n# ruff: noqa\n" + "".join(lines)
