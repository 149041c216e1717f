"""Projections kept up by the commands that write a lake.

A run catches up at its start what an earlier one could not, and at its end what it committed itself. The lake is the
truth: when a table cannot be published, the batch counts, the failure is reported, and the next run tries again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from babelreg.errors import BabelregError
from babelreg.lake.publish import formats
from babelreg.lake.publish.projection import Caught
from babelreg.lake.publish.run import behind, publish
from babelreg.lake.storage.log import manifest

_PAUSE_SECONDS = 60.0
"""How long a format waits under ``--watch`` that is slow (Iceberg: each commit rewrites metadata), or that failed."""

_SLOW = ("iceberg",)


class Follower:
    """Publishes ``lake`` to the formats ``to`` and to those that stand already; None leaves all as they are.

    ``told`` is called with what was published; ``warned`` with what was not and why, again only when that changes.
    Raises UsageError for an unknown format in ``to``, or a format of either whose library is not installed.
    """

    def __init__(
        self,
        lake: Path,
        to: Collection[str] | None = (),
        *,
        told: Callable[[str, Caught], None],
        warned: Callable[[str, str], None],
        progress: Callable[[str], None] = lambda step: None,
    ) -> None:
        self._lake, self._to, self._publishes = lake, tuple(to or ()), to is not None
        if self._publishes:
            formats.check(dict.fromkeys((*self._to, *behind(lake))))
        self._told, self._warned, self._progress = told, warned, progress
        self._tried_at: dict[str, float] = {}
        self._errors: dict[str, tuple[str, ...]] = {}
        self._failed: set[str] = set()

    @property
    def failed(self) -> bool:
        """Whether a format is behind that was asked for, or that stands."""
        return bool(self._failed)

    def catch_up(self) -> None:
        """Publish what stands and is behind, at the start of a run."""
        if not self._publishes:
            return
        self._follow([name for name, batches in behind(self._lake).items() if batches])

    def follow(self, *, last: bool = True) -> None:
        """Publish what is behind; where more batches may come, not ``last``, a slow format may wait."""
        standing = behind(self._lake) if self._publishes else {}
        if not (self._to or standing) or not manifest.exists(self._lake):
            return
        names = [name for name in dict.fromkeys((*self._to, *standing)) if standing.get(name, 1)]
        self._follow([name for name in names if last or self._due(name)])

    def _due(self, name: str) -> bool:
        at = self._tried_at.get(name)
        waits = name in _SLOW or name in self._failed
        return at is None or not waits or time.monotonic() - at >= _PAUSE_SECONDS

    def _follow(self, names: Collection[str]) -> None:
        for name in names:
            self._tried_at[name] = time.monotonic()
            try:
                caught = publish(self._lake, [name], complete=False, progress=self._progress).formats[name]
            except BabelregError as err:
                self._failed.add(name)
                self._warn(name, [str(err)])
                continue
            (self._failed.add if caught.failed else self._failed.discard)(name)
            self._warn(name, [f"{table}: {why}" for table, why in caught.failed.items()])
            if caught.tables:
                self._told(name, caught)

    def _warn(self, name: str, errors: Sequence[str]) -> None:
        if self._errors.get(name, ()) != tuple(errors):
            for error in errors:
                self._warned(name, error)
        self._errors[name] = tuple(errors)
