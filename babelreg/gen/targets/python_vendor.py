"""The part of babelreg that generated packages run on, copied into them with relative imports.

So a service needs babelqueue, jsonschema-rs, orjson and pydantic, but not babelreg; and two services with code of two
babelreg versions live in one environment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from babelreg import __version__
from babelreg.gen.target import File, header

__all__ = ["vendored"]

_ROOT = "babelreg"
_PARTS = ("contract", "errors.py", "finding.py", "runtime", "schema")


def vendored(folder: str) -> Iterator[File]:
    """The files of ``contract/``, ``runtime/`` and what they import, below ``folder``."""
    package = Path(__file__).resolve().parents[2]
    text = f'"""What this package runs on, copied from babelreg {__version__}."""\n'
    line = header("python", "babelreg/__init__.py", __version__)
    yield File(f"{folder}/__init__.py", f'{text}# {line}\n\n__version__ = "{__version__}"\n')
    for part in _PARTS:
        path = package / part
        for module in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            relative = module.relative_to(package).as_posix()
            text = module.read_text("utf-8")
            line = header("python", f"babelreg/{relative}", text)
            yield File(f"{folder}/{relative}", partial(_copy, text, relative, line), line)


def _copy(text: str, path: str, line: str) -> str:
    lines = text.splitlines(keepends=True)
    depth = path.count("/")
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            if node.module == _ROOT or node.module.startswith(f"{_ROOT}."):
                below = node.module.removeprefix(_ROOT).removeprefix(".")
                old = lines[node.lineno - 1]
                lines[node.lineno - 1] = old.replace(f"from {node.module} ", f"from {'.' * (depth + 1)}{below} ", 1)
        elif isinstance(node, ast.Import) and any(name.name.split(".")[0] == _ROOT for name in node.names):
            raise AssertionError(f"babelreg/{path}:{node.lineno}: only `from babelreg.x import y` can be copied")
    # Laid out by our own ruff settings, which are not the service's.
    return f"# {line}\n# ruff: noqa\n" + "".join(lines)
