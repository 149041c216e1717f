"""Registry folder of a command that was given none: discovered, or taken from the service file that was discovered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.load.registry.discovery import discover


def find_registry(paths: Sequence[Path] = (), *, writes: bool = False) -> tuple[Path, bool]:
    """Return the registry folder for ``paths``, and whether it is the only one below the current folder.

    ``writes``: the command changes files of the registry. Raises UsageError where there is no registry, or where the
    command would change a fetched copy.
    """
    discovered = discover(paths)
    if discovered.service is not None:
        return _registry_of_service(discovered.service, writes=writes), False
    assert discovered.root is not None
    return discovered.root, discovered.below


def _registry_of_service(folder: Path, *, writes: bool) -> Path:
    """Return the registry of the service in ``folder``: the locked commit where it was fetched, else the newest."""
    from babelreg.load.service import lock as locks
    from babelreg.load.service import service_repo
    from babelreg.load.service.registry_source import locked, newest_local

    repo = service_repo.read(folder)
    if writes and repo.registry.path is None:
        message = "the registry of this service was fetched or installed, so it cannot be changed here"
        fix = "clone its repository, and run the command there"
        raise UsageError(message, place=repo.source.place(("registry",)), fix=fix)
    lock = locks.read(repo)
    pinned = locked(repo, lock) if lock is not None else None
    return (pinned or newest_local(repo)).folder
