"""``babelreg gen`` in a service's own repository: from what the lock pins, and only what the service has a part in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.cli.shared.options import shown_folder
from babelreg.cli.shared.service_repo import before, for_target, share_in
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry
    from babelreg.model.service_repo import ServiceRepo
    from babelreg.model.share import Share

__all__ = ["Part"]


class Part:
    """What of its registry one target is made from in the repository of a service.

    ``root`` is the folder to read. ``asked`` is all that the files depend on besides those of the registry. ``moved``
    says, once the registry was opened, that the folder no longer holds what the lock pins, so that it was read from
    elsewhere.
    """

    def __init__(self, repo: ServiceRepo, target: str) -> None:
        """Raises UsageError where there is no lock, or the registry is not on this machine."""
        from babelreg.load.service import lock as locks
        from babelreg.load.service.registry_source import at_hand, locked

        self.repo, self.target = repo, target
        lock = locks.read(repo)
        if lock is None:
            where = (Path(repo.folder) / "babelreg.lock").as_posix()
            raise UsageError(f"{where} is missing: it pins what code is made from", fix="run `babelreg update`")
        self.lock = lock
        found = locked(repo, lock)
        self.newest = at_hand(repo, lock)
        self.root = (found or self.newest).folder
        self.moved = False
        options = repo.gen.get(target, {})
        self.asked = [repo.service, locks.text(lock), repr(sorted(options.items()))]
        self._pinned: Share | None = None

    @property
    def fetched(self) -> str | None:
        """The name of a registry that is not a folder beside the service; None for one that is."""
        said = self.repo.registry
        return None if said.path is not None else str(replace(said, ref=None))

    @property
    def out(self) -> Path | None:
        """The folder that the service's settings name; None where they name none."""
        said = self.repo.gen.get(self.target, {}).get("out")
        return None if said is None else Path(self.repo.folder) / said

    def opened(self, tree: Tree, *, anyway: bool) -> Registry | None:
        """The part of the registry that the lock pins, with the service's own settings of the target.

        Where the folder holds it no longer: with ``anyway`` it is looked for elsewhere, and None where it is not to be
        had; else UsageError is raised.
        """
        from babelreg.load.service.lock import differing, fits

        share = share_in(self.root, self.repo, tree)
        if not fits(share, self.lock):
            self.moved = True
            if self.repo.registry.git is not None:
                message = "babelreg.lock does not fit the commit that it names, or this version of babelreg"
                raise UsageError(message, fix="run `babelreg update`")
            if not anyway:
                urns = sorted(differing(self.lock, share))
                some = f"{urns[0]}{f' and {len(urns) - 1} more' if len(urns) > 1 else ''}"
                message = f"the registry has changed since babelreg.lock was written: {some}"
                raise UsageError(message, fix="run `babelreg update`, which says what has changed and pins it")
            self._newer: Share = share
            found = before(self.repo, self.lock, share)
            if found is None:
                return None
            share = found
        self._pinned = share
        return for_target(share, self.repo, self.target)

    def options(self) -> Mapping[str, Any]:
        """What a target is told beside its settings.

        That is which messages the service produces and which it consumes, and how its Python is written.
        """
        urns = self._pinned.urns if self._pinned else {}
        roles = {role: tuple(urns.get(role, ())) for role in ("produces", "consumes")}
        written = self._pinned.part.settings.gen.get("python") if self._pinned else None
        python = {**(written if isinstance(written, Mapping) else {}), **self.repo.gen.get("python", {})}
        return {"service": self.repo.service, **roles, "python": python}

    def behind(self) -> list[Finding]:
        """How the newest registry on this machine differs from what the lock pins; nothing is fetched."""
        if self.repo.registry.git is not None and self.newest.commit != self.lock.commit:
            newer = share_in(self.newest.folder, self.repo)
        elif self.moved:
            newer = self._newer
        else:
            return []
        pinned = self._pinned
        if pinned is None and self.repo.registry.git is not None:
            pinned = share_in(self.root, self.repo)
        from babelreg.breaking.outdated import behind, findings
        from babelreg.load.service.lock import differing

        changed = differing(self.lock, newer)
        every = None if pinned is None else behind(pinned, newer, changed)
        return findings(self.lock, every, changed, shown_folder(newer.registry.root))
