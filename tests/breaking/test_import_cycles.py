"""Modules of ``breaking`` do not import each other in a circle, neither at the top nor inside a function."""

from __future__ import annotations

import ast

from syntax_trees import Module, modules


def _name(module: Module) -> str:
    return f"babelreg/{module.name}".removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _imports(module: Module, names: set[str]) -> set[str]:
    imported: set[str] = set()
    for node in module.each(ast.ImportFrom):
        if node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return imported & names - {_name(module)}


def test_the_modules_can_be_sorted_by_their_imports():
    found = {_name(module): module for module in modules() if module.name.startswith("breaking/")}
    waiting = {name: _imports(module, set(found)) for name, module in found.items()}
    assert any(waiting.values())
    while leaves := [name for name, imported in waiting.items() if not imported & waiting.keys()]:
        for name in leaves:
            del waiting[name]
    assert not waiting
