"""The settings of a registry alone, for whoever asks nothing of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babelreg.errors import RegistryError
from babelreg.finding import shown_folder
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import MAX_BYTES, Tree
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.root import folder
from babelreg.model import Settings

__all__ = ["settings_of", "sound_settings"]


class _Top:
    """A tree of which only the settings are to be seen."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def paths(self) -> Sequence[str]:
        """See Tree."""
        return [SETTINGS]

    def others(self) -> Sequence[str]:
        """See Tree."""
        return ()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree."""
        return self._tree.read(path, limit)


def settings_of(root: str | Path) -> Settings:
    """What the registry in ``root`` says of itself; of settings that are no good, nothing.

    Raises UsageError when ``root`` is no folder.
    """
    return from_tree(_Top(folder(root)), str(root)).settings


def sound_settings(root: str | Path) -> Settings:
    """Return the settings of the registry in ``root``, whatever its other files hold.

    Raises UsageError when ``root`` is not a folder, RegistryError when ``babelreg.yaml`` is missing or has defects.
    """
    registry = from_tree(_Top(folder(root)), str(root))
    defects = [defect.below(shown_folder(root)) for defect in registry.defects if defect.place.path == SETTINGS]
    if defects:
        raise RegistryError("the settings of the registry have defects", defects, fix="`babelreg lint` shows them all")
    return registry.settings
