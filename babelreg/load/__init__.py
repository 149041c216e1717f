"""Files in, :class:`babelreg.model.Registry` out.

Nothing here raises for what a file contains: everything that cannot be read becomes a finding in
``Registry.defects`` with file, line and column, and the rest of the registry is still there. What raises
(UsageError) is a folder that is not a registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelreg.load.registry.root import find_root, folder, registry

if TYPE_CHECKING:
    from babelreg.load.registry.builder import from_tree

__all__ = ["find_root", "folder", "from_tree", "registry"]


def __getattr__(name: str) -> Any:
    """Import ``from_tree``, with YAML and validators, on first access: a cached result needs none of them."""
    if name != "from_tree":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from babelreg.load.registry.builder import from_tree

    return from_tree
