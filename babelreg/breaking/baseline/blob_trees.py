"""Trees whose files have git blob ids, so that equal files are recognized without reading them.

:class:`CommitTree` is the tree of a commit, :class:`HashedTree` any other (a folder, an archive).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from babelreg.breaking.baseline.repository import Repository
from babelreg.breaking.baseline.work_tree import may_be_used
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import MAX_BYTES, Memory, Tree
from babelreg.load.registry.examples import MAX_FILE_BYTES

_CHUNK = 1 << 16
_MAX_CACHED_BYTES = 128 << 20


class BlobTree(Tree, Protocol):
    """A tree whose files have blob ids."""

    def id_of(self, path: str) -> str | None:
        """Return the blob id of a file at any depth; None where there is no such file."""
        ...


class BlobReader:
    """Reader of blobs by id, through one ``git cat-file --batch`` process."""

    def __init__(self, git: Repository) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._whose = os.getpid()

    def read(self, sha: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of one object. Raises UsageError where it is missing, Defect where it is too large."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(sha.encode() + b"\n")
            process.stdin.flush()
        except OSError as err:
            raise self._missing(f"object {sha[:12]}") from err
        head = process.stdout.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            self.close()
            raise self._missing(f"object {sha[:12]}")
        size = int(head[2])
        body = process.stdout.read(min(size, limit + 1))
        remaining = size - len(body) + 1  # a line break follows
        while remaining > 0 and (skipped := process.stdout.read(min(remaining, _CHUNK))):
            remaining -= len(skipped)
        if remaining:
            self.close()
            raise self._missing(f"the whole of object {sha[:12]}")
        return Memory({sha: body}).read(sha, limit)

    def _missing(self, what: str) -> UsageError:
        return self._git.unreadable(self._git.missing(what))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._whose != os.getpid():
            self._process, self._whose = None, os.getpid()  # inherited by fork: it serves the parent
        if self._process is None:
            self._process = self._git.server("cat-file", "--batch")
        return self._process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and self._whose == os.getpid():
            process.kill()
            with contextlib.suppress(OSError):
                process.communicate()

    def __del__(self) -> None:
        self.close()


class CommitTree:
    """The files below ``prefix`` in ``commit`` that are ``used``; empty where ``commit`` is None."""

    def __init__(
        self, git: Repository, commit: str | None, prefix: str = "", used: Callable[[str], bool] = may_be_used
    ) -> None:
        self.git = git
        self.commit = commit
        self.prefix = prefix
        self.objects = BlobReader(git)
        self._used = used

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """Regular files below the prefix that are used, each with its id. Raises UsageError."""
        try:
            files = self.git.files(self.commit, self.prefix) if self.commit else ()
            return {path: sha for path, sha in files if self._used(path)}
        except GitError as err:
            raise self.git.unreadable(err) from err

    def paths(self) -> Sequence[str]:
        return listed_paths(self.ids)

    def others(self) -> Sequence[str]:
        """See Tree. Empty, as a published registry has no misplaced files to report."""
        return ()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree. Raises UsageError, too."""
        if path not in self.ids:
            raise FileNotFoundError(path)
        return self.objects.read(self.ids[path], limit)

    def id_of(self, path: str) -> str | None:
        return self.ids.get(path)


def listed_paths(paths: Mapping[str, str]) -> list[str]:
    """Return those of ``paths`` that ``Folder`` would list: at most one level deep, without hidden names."""
    return sorted(p for p in paths if p.count("/") <= 1 and not p.startswith(".") and "/." not in p)


class HashedTree:
    """A tree with the blob ids that git would give its files. Each file is read once, so ids match the bytes used.

    ``digest`` is git's hash, ``sha1`` or ``sha256``. ``like`` returns the expected id of a path: a file that
    differs from it only by Windows line breaks has that id.
    """

    def __init__(self, tree: Tree, digest: str = "sha1", like: Callable[[str], str | None] | None = None) -> None:
        self._tree = tree
        self._digest = digest
        self._like = like
        self._paths: Sequence[str] | None = None
        self._others: Sequence[str] | None = None
        self._ids: dict[str, str | None] = {}
        self._bodies: dict[str, bytes] = {}
        self._cached_bytes = 0

    def paths(self) -> Sequence[str]:
        if self._paths is None:
            self._paths = self._tree.paths()
        return self._paths

    def others(self) -> Sequence[str]:
        if self._others is None:
            self._others = self._tree.others()
        return self._others

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        body = self._bodies.get(path)
        return self._tree.read(path, limit) if body is None else Memory({path: body}).read(path, limit)

    def id_of(self, path: str) -> str | None:
        """See BlobTree. The id of an unreadable file is the reason."""
        if path not in self._ids:
            self._ids[path] = self._hashed(path)
        return self._ids[path]

    def _hashed(self, path: str) -> str | None:
        limit = MAX_BYTES if path.endswith((".yaml", ".json")) else MAX_FILE_BYTES
        try:
            body = self._tree.read(path, limit)
        except FileNotFoundError:
            return None
        except Defect as defect:
            return f"!{defect.rule}: {defect.message}"
        if self._cached_bytes < _MAX_CACHED_BYTES:
            self._bodies[path] = body
            self._cached_bytes += len(body)
        own = self._blob_id(body)
        should = self._like(path) if self._like else None
        if should and own != should and b"\r\n" in body and self._blob_id(body.replace(b"\r\n", b"\n")) == should:
            return should
        return own

    def _blob_id(self, body: bytes) -> str:
        return hashlib.new(self._digest, b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()
