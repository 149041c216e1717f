"""Uncommitted changes in the work tree, found without running a filter, hook or program of the repository.

``git status`` runs the clean filters of ``.git/config`` to compare a file with a commit. Here the bytes on disk are
hashed as they are; Windows line breaks count as line feeds.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from babelreg.breaking.baseline.repository import Repository
from babelreg.load.registry.examples import MAX_FILE_BYTES

USED_ANYWHERE = (".yaml", ".json", ".jsonl")
"""Suffixes of the files that a registry may refer to in any subfolder."""

_LINK = b"120000"
_SUBMODULE = b"160000"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of the index, its path relative to the folder."""

    path: str
    mode: bytes
    sha: str


def may_be_used(path: str) -> bool:
    """Return True for a path, relative to the registry, of a file that a registry may use."""
    return path.count("/") <= 1 or path.endswith(USED_ANYWHERE)


def changed(git: Repository, used: Callable[[str], bool] = may_be_used) -> bool:
    """Return True where a file that is ``used`` differs from HEAD or is new. Raises GitError."""
    staged = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
              "--ignore-submodules=all", "--relative", "HEAD", "--", ".")  # fmt: skip
    fields = [os.fsdecode(field) for field in git.run(*staged).split(b"\0") if field]
    if any(used(path) for path in fields[1::2]):
        return True
    new = git.run("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    if any(used(os.fsdecode(path)) for path in new if path):
        return True
    return any(not _is_unchanged(git.folder, entry) for entry in _index(git, used))


def _index(git: Repository, used: Callable[[str], bool]) -> Iterator[_Entry]:
    """Yield the files of the index that belong to the work tree; one with merge conflicts has an empty id."""
    for line in git.run("ls-files", "--stage", "-t", "-z").split(b"\0"):
        about, tab, path = line.partition(b"\t")
        if not tab or not used(os.fsdecode(path)):
            continue
        tag, mode, sha, stage = about.split(b" ")
        if tag != b"S" and mode != _SUBMODULE:  # S: left out of a sparse checkout
            yield _Entry(os.fsdecode(path), mode, sha.decode() if stage == b"0" else "")


def _is_unchanged(folder: Path, entry: _Entry) -> bool:
    """Return True where the file on disk has the content in the index."""
    path = folder / entry.path
    digest = "sha256" if len(entry.sha) == 64 else "sha1"
    try:
        if path.is_symlink() or entry.mode == _LINK:
            return entry.mode == _LINK and _blob_id(os.fsencode(path.readlink()), digest) == entry.sha
        if not path.is_file():
            return False
        if path.stat().st_size > MAX_FILE_BYTES:
            return True  # larger than any file that a registry may have
        body = path.read_bytes()
    except OSError:
        return False
    if _blob_id(body, digest) == entry.sha:
        return True
    return b"\r\n" in body and _blob_id(body.replace(b"\r\n", b"\n"), digest) == entry.sha


def _blob_id(body: bytes, digest: str) -> str:
    return hashlib.new(digest, b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()
