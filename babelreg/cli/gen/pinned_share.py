"""``babelreg gen`` in a service's repository: generates from the pinned registry, for the messages of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.cli.shared.pinned_registry import earlier_share, for_target, share_in
from babelreg.cli.shared.registry_options import shown_folder
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry
    from babelreg.model.service_repo import ServiceRepo
    from babelreg.model.service_subset import Share


class PinnedShare:
    """The share of a service in its registry, as babelreg.lock pins it, for one target.

    ``root`` is the folder of the registry. ``inputs`` are the inputs of the files except those of the registry.
    ``moved`` is True, once the registry was opened, if the folder no longer has the pinned state, so that it was read
    from elsewhere.
    """

    def __init__(self, repo: ServiceRepo, target: str) -> None:
        """Read the lock. Raises UsageError if there is none, or if the registry is not on this machine."""
        from babelreg.load.service import lock as locks
        from babelreg.load.service.registry_source import locked, newest_local

        self.repo, self.target = repo, target
        lock = locks.read(repo)
        if lock is None:
            lock_path = (Path(repo.folder) / "babelreg.lock").as_posix()
            raise UsageError(f"{lock_path} is missing: it pins the registry", fix="run `babelreg update`")
        self.lock = lock
        pinned = locked(repo, lock)
        self.newest = newest_local(repo, lock)
        self.root = (pinned or self.newest).folder
        self.moved = False
        options = repo.gen.get(target, {})
        self.inputs: Sequence[str] = [repo.service, locks.text(lock), repr(sorted(options.items()))]
        self._pinned: Share | None = None

    @property
    def registry_name(self) -> str | None:
        """The name of a registry that is not a folder beside the service; None for one that is."""
        source = self.repo.registry
        return None if source.path is not None else str(replace(source, ref=None))

    @property
    def newest_folder(self) -> Path:
        """The folder of the newest state of the registry on this machine."""
        return self.newest.folder

    @property
    def out(self) -> Path | None:
        """The output folder in the service's settings, or None."""
        out = self.repo.gen.get(self.target, {}).get("out")
        return None if out is None else Path(self.repo.folder) / out

    def opened(self, tree: Tree, *, outdated: bool) -> Registry | None:
        """Return the pinned share of the registry, with the service's own settings of the target.

        If the folder no longer has the pinned state: with ``outdated``, search it elsewhere, and return None if it
        cannot be found; else raise UsageError.
        """
        from babelreg.load.service.lock import differing, fits

        share = share_in(self.root, self.repo, tree)
        if not fits(share, self.lock):
            self.moved = True
            if self.repo.registry.git is not None:
                message = "babelreg.lock does not match its commit or this version of babelreg"
                raise UsageError(message, fix="run `babelreg update`")
            if not outdated:
                urns = sorted(differing(self.lock, share))
                changed = f"{urns[0]}{f' and {len(urns) - 1} more' if len(urns) > 1 else ''}"
                message = f"the registry has changed since babelreg.lock was written: {changed}"
                raise UsageError(message, fix="run `babelreg update`, which lists the changes and pins the new state")
            self._newer: Share = share
            earlier = earlier_share(self.repo, self.lock, share)
            if earlier is None:
                return None
            share = earlier
        self._pinned = share
        return for_target(share, self.repo, self.target)

    def options(self) -> Mapping[str, Any]:
        """Return further options of the target: roles of the service, topology, options of other targets by name."""
        from babelreg.model import topology

        urns = self._pinned.urns if self._pinned else {}
        roles = {role: tuple(urns.get(role, ())) for role in ("produces", "consumes")}
        settings = self._pinned.part.settings.gen if self._pinned else {}
        shown = {}
        for target in {**settings, **self.repo.gen}:
            given = settings.get(target)
            shown[target] = {**(given if isinstance(given, Mapping) else {}), **self.repo.gen.get(target, {})}
        more = {"topology": topology(self._pinned.registry)} if self._pinned else {}
        return {"service": self.repo.service, **roles, **more, **shown}

    def outdated(self) -> list[Finding]:
        """Return the differences between the newest registry on this machine and the lock. Fetches nothing."""
        if self.repo.registry.git is not None and self.newest.commit != self.lock.commit:
            newer = share_in(self.newest.folder, self.repo)
        elif self.moved:
            newer = self._newer
        else:
            return []
        pinned = self._pinned
        if pinned is None and self.repo.registry.git is not None:
            pinned = share_in(self.root, self.repo)
        from babelreg.breaking.outdated import findings, outdated_messages
        from babelreg.load.service.lock import differing

        changed = differing(self.lock, newer)
        differences = None if pinned is None else outdated_messages(pinned, newer, changed)
        return findings(self.lock, differences, changed, shown_folder(newer.registry.root))
