"""A tree with some of its files replaced, and new ones: what the registry would be, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelreg.load.files.tree import MAX_BYTES, Tree

__all__ = ["OverlayTree"]


class OverlayTree:
    """``below`` with ``files``, text by path, laid over it.

    With ``alone``, other messages and services are not listed: what ``files`` say can be read without them, and a
    registry may have thousands.
    """

    def __init__(self, below: Tree, files: Mapping[str, str], *, alone: bool = False) -> None:
        self._below = below
        self._alone = alone
        self._files = {path: text.encode() for path, text in files.items()}

    def paths(self) -> Sequence[str]:
        """See Tree."""
        paths = self._below.paths()
        if self._alone:
            paths = [path for path in paths if "/" not in path or path.startswith("_common/") or _is_context(path)]
        return sorted({*paths, *self._files})

    def others(self) -> Sequence[str]:
        """See Tree."""
        return () if self._alone else self._below.others()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree."""
        return self._files[path] if path in self._files else self._below.read(path, limit)


def _is_context(path: str) -> bool:
    return path.endswith("/_context.yaml")
