"""The line of commits on the way to a baseline, kept on disk: what came before a commit never changes.

It does where git is told of other parents than the commits name: a shallow clone says where it ends, and may be
deepened; grafts say anything. What is told is part of the name under which a line is kept, as is the code that read it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from babelreg.breaking.baseline import history
from babelreg.breaking.baseline.git import Git
from babelreg.breaking.baseline.history import FileEvent, FileHistory
from babelreg.cache import fingerprint
from babelreg.cache.store import keep, kept

__all__ = ["read"]

_CODE = (
    "breaking/baseline/git.py",
    "breaking/baseline/history.py",
    "breaking/baseline/history_cache.py",
    "git",
    "load/files/registry_paths.py",
)


def read(
    folder: Path | None, git: Git, commit: str, prefix: str, now: Mapping[str, str], since: str | None
) -> FileHistory:
    """As ``history.read``, from ``folder`` where it was read before. Without a folder nothing is kept."""
    file = _file(folder, git, (commit, prefix, since)) if folder is not None else None
    line = _kept(file, now, since) if file is not None else None
    if line is None:
        line = history.read(git, commit, prefix, now, since)
        if file is not None:
            _keep(file, line)
    return line


def _file(folder: Path, git: Git, asked: tuple[str | None, ...]) -> Path | None:
    try:
        code = fingerprint.code(_CODE)
    except OSError:
        return None
    said = repr((code, asked, sorted(git.cut_at), git.grafts))
    return folder / (hashlib.blake2b(said.encode("utf-8", "surrogateescape"), digest_size=20).hexdigest() + ".line")


def _kept(file: Path, now: Mapping[str, str], since: str | None) -> FileHistory | None:
    body = kept(file)
    if body is None:
        return None
    try:
        said: Any = orjson.loads(body)
        events = {path: [FileEvent(*event) for event in found] for path, found in said["events"].items()}
        return FileHistory(now, list(said["commits"]), events, since)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _keep(file: Path, line: FileHistory) -> None:
    events = {path: [(e.at, e.old, e.new) for e in found] for path, found in line.events.items()}
    try:
        body = orjson.dumps({"commits": line.commits, "events": events})
    except TypeError:
        return  # a file name that is no text
    keep(file, body)
