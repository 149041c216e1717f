"""Which folder is the registry, and the registry in it."""

from __future__ import annotations

import os
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.load.build import SETTINGS, from_tree
from babelreg.load.tree import Folder
from babelreg.model import Registry

__all__ = ["find_root", "registry"]


def find_root(start: str | Path) -> Path:
    """The nearest folder at or above ``start`` that holds ``babelreg.yaml``, spelled relative if ``start`` is.

    Raises UsageError when there is none.
    """
    start = Path(start)
    folder = start if start.is_dir() else start.parent
    for up in (folder, *_parents(folder)):
        if (up / SETTINGS).exists():
            return up
    below = sorted(folder.glob(f"*/{SETTINGS}"))
    raise UsageError(
        f"no {SETTINGS} in {folder.resolve() if str(folder) == '.' else folder} or any folder above it",
        fix=f"--registry {below[0].parent}" if below else "babelreg init registry (or name one: --registry DIR)",
    )


def _parents(folder: Path) -> list[Path]:
    """The folders above; from a relative folder first the named ones, then ``..``, ``../..`` and so on."""
    if folder.is_absolute():
        return list(folder.parents)
    named = list(folder.parents)
    above = len(Path.cwd().parts) - 1
    return named + [Path(*[os.pardir] * n) for n in range(1, above + 1)]


def registry(root: str | Path) -> Registry:
    """The registry in the folder ``root``.

    Raises UsageError when ``root`` is no folder, or holds nothing that a registry has.
    """
    folder = Path(root)
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"the registry {root} {what}", fix=f"start one: babelreg init {root}")
    tree = Folder(folder)
    try:
        return from_tree(tree, str(root))
    except OSError as err:
        raise UsageError(f"the registry {root} cannot be read: {err.strerror or err}") from err
