"""A commit of the repository that holds a registry, as far as people read it."""

from __future__ import annotations

from typing import NamedTuple


class Commit(NamedTuple):
    """``day`` is the author's, in UTC (``2026-11-20``); ``paths`` are the changed files, relative to the registry."""

    id: str
    day: str
    author: str
    subject: str
    paths: tuple[str, ...] = ()
