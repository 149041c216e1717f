"""Check of paths on the command line: each must be a file of the registry, or a folder with one."""

from __future__ import annotations

from collections.abc import Iterable

from babelreg.errors import UsageError
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.model import Registry


def check_members(registry: Registry, within: Iterable[str] | None, unread: Iterable[str] = ()) -> None:
    """Raise UsageError for a path that is neither a file of ``registry`` nor a folder with one.

    Files with a defect count, misplaced ones included. The paths ``within`` are relative to the registry; an empty one
    is the registry itself. ``beside`` are files of the registry that were not read.
    """
    settings = registry.settings
    files = registry.files.union(unread, (defect.place.path for defect in registry.defects))
    files = files.union(source.path for source in (settings.lint_source, settings.lint_ignored) if source is not None)
    for path in within or ():
        if path and path not in files and not any(file.startswith(f"{path}/") for file in files):
            raise UsageError(
                f"{path} is not a file of the registry {registry.root}, nor a folder with one",
                fix=f"name a message such as orders/created.yaml; files in .gitignore or ignore_files of {SETTINGS} "
                "are not read",
            )
