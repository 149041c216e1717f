"""Registry folders, and the registry in a folder."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.finding import shown_folder
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import Folder, Tree
from babelreg.load.registry_error import RegistryError
from babelreg.suggest import likely_typo

if TYPE_CHECKING:
    from babelreg.model import Registry, Settings


def find_root(start: str | Path) -> Path:
    """Return the nearest folder at or above ``start`` that holds ``babelreg.yaml``, spelled relative if ``start`` is.

    Raises UsageError when there is none.
    """
    start = Path(start)
    first = start if start.is_dir() else start.parent
    for up in (first, *_parents(first)):
        if (up / SETTINGS).exists():
            return up
    below = sorted(first.glob(f"*/{SETTINGS}"))
    raise UsageError(
        f"no {SETTINGS} in {first.resolve() if str(first) == '.' else first} or any folder above it",
        fix=f"--registry {shlex.quote(str(below[0].parent))}"
        if below
        else "babelreg init registry (or name one: --registry DIR)",
    )


def _parents(folder: Path) -> list[Path]:
    """Return the folders above; from a relative folder first the named ones, then ``..``, ``../..`` and so on."""
    if folder.is_absolute():
        return list(folder.parents)
    named = list(folder.parents)
    above = len(Path.cwd().parts) - 1
    return named + [Path(*[os.pardir] * n) for n in range(1, above + 1)]


def folder(root: str | Path) -> Folder:
    """Return the files of the folder ``root``.

    Raises UsageError when it is none.
    """
    at = Path(root)
    if not at.is_dir():
        what = "is a file, not a folder" if at.exists() else "does not exist"
        near = _similar(at)
        fix = f"did you mean {near}?" if near else f"start one: babelreg init {shlex.quote(str(root))}"
        raise UsageError(f"the registry {root} {what}", fix=fix)
    return Folder(at)


def _similar(at: Path) -> Path | None:
    """Return a registry beside ``at`` of which that is probably a misspelling."""
    try:
        near = likely_typo(at.name, [path.name for path in at.parent.iterdir() if (path / SETTINGS).is_file()])
    except OSError:
        return None
    return at.with_name(near) if near else None


def registry(root: str | Path, tree: Tree | None = None) -> Registry:
    """Return the registry in the folder ``root``, or what ``tree`` holds of it.

    Raises UsageError when ``root`` is not a folder, or holds no file of a registry.
    """
    from babelreg.load.registry.builder import (
        from_tree,  # brings YAML and validators, which finding the folder does not need
    )

    tree = tree or folder(root)
    try:
        return from_tree(tree, str(root))
    except OSError as err:
        raise UsageError(f"the registry {root} cannot be read: {err.strerror or err}") from err


def settings_of(root: str | Path) -> Settings:
    """Return the settings of the registry in ``root``, read without its messages; defaults where they are defective.

    Raises UsageError when ``root`` is not a folder.
    """
    return _settings_alone(root).settings


def sound_settings(root: str | Path) -> Settings:
    """Return the settings of the registry in ``root``, whatever its other files hold.

    Raises UsageError when ``root`` is not a folder, RegistryError when ``babelreg.yaml`` is missing or has defects.
    """
    alone = _settings_alone(root)
    defects = [defect.below(shown_folder(root)) for defect in alone.defects if defect.place.path == SETTINGS]
    if defects:
        raise RegistryError("the settings of the registry have defects", defects, fix="`babelreg lint` shows them all")
    return alone.settings


def schema_settings(root: str | Path) -> Settings:
    """Return the settings of the folder of plain schemas at ``root``. Raises RegistryError where they have defects."""
    from babelreg.load.files.partial_tree import PartialTree
    from babelreg.load.registry import builder

    listed = [SETTINGS] if (Path(root) / SETTINGS).exists() else []
    settings, defects = builder.schema_settings(PartialTree(folder(root), listed), str(root))
    if defects:
        shown = [defect.below(shown_folder(root)) for defect in defects]
        raise RegistryError("the settings have defects", shown, fix="correct them")
    return settings


def _settings_alone(root: str | Path) -> Registry:
    from babelreg.load.files.partial_tree import PartialTree
    from babelreg.load.registry.builder import from_tree

    listed = [SETTINGS] if (Path(root) / SETTINGS).exists() else []
    return from_tree(PartialTree(folder(root), listed), str(root))
