"""A tree that lists only some of its files."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.load.files.tree import MAX_BYTES, Tree


class PartialTree:
    """``tree`` with only ``paths`` and ``others`` listed; every other file can still be read by its path."""

    def __init__(self, tree: Tree, paths: Sequence[str], others: Sequence[str] = ()) -> None:
        self._tree = tree
        self._paths = paths
        self._others = others

    def paths(self) -> Sequence[str]:
        return self._paths

    def others(self) -> Sequence[str]:
        return self._others

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        return self._tree.read(path, limit)
