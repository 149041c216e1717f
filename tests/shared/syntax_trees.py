"""The modules of babelreg as syntax trees, parsed once a session for all tests that read the code."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

import babelreg

PACKAGE = Path(babelreg.__file__).parent

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, eq=False)
class Module:
    """One module: its path, and ``name``, the path below the folder that was asked for."""

    path: Path
    name: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, as ``ast.walk`` yields them."""
        return tuple(ast.walk(self.tree))

    def each(self, *kinds: type[Node]) -> Iterator[Node]:
        """Yield the nodes of these kinds."""
        return (node for node in self.nodes if isinstance(node, kinds))


@cache
def modules(folder: Path = PACKAGE) -> tuple[Module, ...]:
    """Every module below ``folder``, sorted by path."""
    collecting = gc.isenabled()
    gc.disable()  # it would look again and again at half a million nodes, none of which goes: three times the cost
    try:
        return tuple(_parsed(path, path.relative_to(folder).as_posix()) for path in sorted(folder.rglob("*.py")))
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def _parsed(path: Path, name: str) -> Module:
    text = path.read_text("utf-8")
    return Module(path, name, text, ast.parse(text))
