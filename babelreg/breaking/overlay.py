"""A tree with some of its files replaced, and new ones: what the registry would be, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelreg.load.tree import MAX_BYTES, Tree

__all__ = ["Overlay"]


class Overlay:
    """``below`` with ``files``, text by path, laid over it."""

    def __init__(self, below: Tree, files: Mapping[str, str]) -> None:
        self._below = below
        self._files = {path: text.encode() for path, text in files.items()}

    def paths(self) -> Sequence[str]:
        """See Tree."""
        return sorted({*self._below.paths(), *self._files})

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree."""
        return self._files[path] if path in self._files else self._below.read(path, limit)
