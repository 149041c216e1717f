"""Registry of a service's own repository: its pinned state, its newest state, and their difference."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import open_tree, sound
from babelreg.errors import BabelregError, UsageError
from babelreg.finding import Place

if TYPE_CHECKING:
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry
    from babelreg.model.service_repo import Lock, ServiceRepo
    from babelreg.model.service_subset import Share


def service_repo(registry: Path | None, paths: Iterable[Path] = ()) -> ServiceRepo | None:
    """Return the ``babelreg.service.yaml`` for ``paths`` or here; None if a registry was named, or is nearer.

    Raises RegistryError with its defects.
    """
    from babelreg.load.registry.discovery import discover
    from babelreg.load.service import service_repo as repos

    if registry is not None:
        return None
    try:
        folder = discover(list(paths)).service
    except UsageError as err:
        if err.place is not None:
            raise
        return None
    return None if folder is None else repos.read(folder)


def share_in(folder: Path, repo: ServiceRepo, tree: Tree | None = None) -> Share:
    """Return the service's share of the registry in ``folder``; ``tree`` are its files, where they were read.

    Raises RegistryError if it is defective, UsageError if it does not have the service.
    """
    from babelreg.model.service_subset import share_of

    registry = sound(open_tree(folder, tree))
    refuse_unknown(registry, repo.service, repo.source.place(("service",)))
    return share_of(registry, repo.service)


def refuse_unknown(registry: Registry, service: str, place: Place | None = None) -> None:
    """Raise UsageError where nothing in the registry speaks of ``service``; ``place`` is where it was named."""
    from babelreg.model.service_subset import names

    services = names(registry)
    if service in services:
        return
    from babelreg.suggest import closest

    near = closest(service, services)
    hint = f"did you mean '{near}'? If not, " if near else ""
    fix = f"{hint}create _services/{service}.yaml there, with its owner and lang"
    raise UsageError(f"the registry does not declare service '{service}'", place=place, fix=fix)


def now(repo: ServiceRepo) -> Share:
    """Return the service's share of the newest registry on this machine."""
    from babelreg.load.service.registry_source import newest_local

    return share_in(newest_local(repo).folder, repo)


def pinned(repo: ServiceRepo, lock: Lock) -> Share | None:
    """Return the share that ``lock`` pins; None where that state is not on this machine."""
    from babelreg.load.service.lock import fits

    newest = None if repo.registry.git is not None else now(repo)
    return newest if newest is not None and fits(newest, lock) else earlier_share(repo, lock, newest)


def earlier_share(repo: ServiceRepo, lock: Lock, newest: Share | None) -> Share | None:
    """The state that ``lock`` pins and ``newest`` no longer is; None where it is not on this machine."""
    from babelreg.load.service.lock import fits, text
    from babelreg.load.service.registry_source import copy_of, locked

    with contextlib.suppress(BabelregError):
        source = locked(repo, lock)
        folder = source.folder if source else copy_of(text(lock))
        share = share_in(folder, repo) if folder else None
        if share is not None and (source or fits(share, lock)):
            return share
    return None if newest is None or repo.registry.git is not None else _published(repo, lock, newest)


def _published(repo: ServiceRepo, lock: Lock, newest: Share) -> Share | None:
    """Return the registry as a commit has it: the one that is pinned, or where the lock was last changed."""
    from babelreg.breaking.baseline import against
    from babelreg.breaking.baseline.repository import Repository
    from babelreg.git.command import GitError
    from babelreg.load.service.lock import fits
    from babelreg.model.service_subset import share_of

    with contextlib.suppress(BabelregError, GitError):
        git = Repository(Path(repo.folder))
        changed = git.line("log", "-1", "--format=%H", "--", "babelreg.lock")
        for commit in filter(None, (lock.commit, changed)):
            with contextlib.suppress(BabelregError):
                registry = against.of(Path(newest.registry.root), commit).registry
                share = share_of(registry, repo.service)
                if fits(share, lock):
                    return share
    return None


def for_target(share: Share, repo: ServiceRepo, target: str) -> Registry:
    """Return the service's part of the registry; its settings of ``target`` override those of the registry."""
    options = {key: value for key, value in repo.gen.get(target, {}).items() if key != "out"}
    part = share.part
    if not options:
        return part
    written = part.settings.gen.get(target)
    merged = {**written, **options} if isinstance(written, Mapping) else options
    return replace(part, settings=part.settings._replace(gen={target: merged}, source=repo.source))
