"""Modules of ``breaking`` do not import each other in a circle, neither at the top nor inside a function."""

from __future__ import annotations

import ast
from pathlib import Path

import babelreg.breaking

HOME = Path(babelreg.breaking.__file__).parent


def _name(path: Path) -> str:
    return ".".join(("babelreg", "breaking", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__")


def _imports(path: Path, modules: set[str]) -> set[str]:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return imported & modules - {_name(path)}


def test_the_modules_can_be_sorted_by_their_imports():
    files = {_name(path): path for path in HOME.rglob("*.py")}
    waiting = {name: _imports(path, set(files)) for name, path in files.items()}
    assert any(waiting.values())
    while leaves := [name for name, imported in waiting.items() if not imported & waiting.keys()]:
        for name in leaves:
            del waiting[name]
    assert not waiting
