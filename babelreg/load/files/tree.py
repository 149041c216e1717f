"""Trees of files by relative path: a folder on disk, or in memory (a git revision, an archive)."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from babelreg.load.files import gitignore
from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import SCHEMAS, SETTINGS, well_placed

MAX_BYTES = 1 << 20
_LONGEST_PATH = 4096

PYPROJECT = "pyproject.toml"
_ABOVE = (PYPROJECT, gitignore.FILE)
"""The files that may be read above a registry: ``../pyproject.toml``, up to the top of its git repository."""
MOST_LEVELS_UP = 32
_CHUNK = 1 << 16
_READING = sum((getattr(os, flag, 0) for flag in ("O_BINARY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC")), os.O_RDONLY)


class Tree(Protocol):
    """The files that ``load`` reads. Paths are relative, with forward slashes."""

    def paths(self) -> Sequence[str]:
        """Return every file that a registry may use: at the top, or one folder down. Sorted."""
        ...

    def others(self) -> Sequence[str]:
        """Return every other file, at any depth, that is not at a place of a registry file. Sorted.

        Names that start with a dot, ``_schemas/``, a registry within the registry, and what ``.gitignore`` names are
        left out.
        """
        ...

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of one file.

        Raises Defect (file-unreadable, file-too-large, ref-outside-registry), FileNotFoundError when there is none.
        """
        ...


class Memory:
    """A tree held in memory: ``{path: bytes}``."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def paths(self) -> Sequence[str]:
        return sorted(path for path in self._files if path.count("/") <= 1)

    def others(self) -> Sequence[str]:
        ignored = gitignore.Ignored()
        for path in sorted(self._files, key=lambda path: path.count("/")):
            if path.rpartition("/")[2] == gitignore.FILE:
                _ignore(ignored, self, path, path.removesuffix(gitignore.FILE))
        nested = {path.removesuffix(SETTINGS) for path in self._files if path.endswith(f"/{SETTINGS}")}
        shown = (path for path in self._files if not any(path.startswith(folder) for folder in nested))
        return sorted(path for path in shown if _is_other(path) and not ignored.ignores(path))

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        body = self._files.get(path)
        if body is None:
            raise FileNotFoundError(path)
        if len(body) > limit:
            raise _too_large(limit)
        return body


class Folder:
    """A folder on disk. No file outside it is ever opened, not even through a symbolic link.

    Excepted are :data:`PYPROJECT` and ``.gitignore`` in the folders above, up to the top of the git repository.
    """

    def __init__(self, root: str | Path) -> None:
        self._root = str(root)
        self._real = os.path.realpath(root)
        self._plain: set[str] = set()
        self._prefix = ""  # from the top of the git repository to the registry

    def paths(self) -> Sequence[str]:
        """See Tree. Folders that start with a dot and links to folders are skipped."""
        listed: list[str] = []
        with os.scandir(self._root) as top:
            for entry in sorted(top, key=lambda e: e.name):
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if entry.name.endswith((".yaml", ".yml")):
                        listed.append(entry.name)
                    below = _listed(entry.path)
                    self._plain.update(f"{entry.name}/{name}" for name, plain in below if plain)
                    listed.extend(f"{entry.name}/{name}" for name, _ in below)
                else:
                    listed.append(entry.name)
        return sorted(listed)

    def others(self) -> Sequence[str]:
        """See Tree. Links to folders are not followed."""
        ignored = self._ignored_above()
        listed: list[str] = []
        waiting = [""]
        while waiting:
            below = waiting.pop()
            entries = _entries(f"{self._root}/{below}")
            names = {entry.name for entry in entries}
            if below and SETTINGS in names:
                continue
            if gitignore.FILE in names:
                _ignore(ignored, self, below + gitignore.FILE, f"{self._prefix}{below}")
            for entry in entries:
                path = below + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and path != SCHEMAS and not ignored.ignores_folder(path):
                        waiting.append(f"{path}/")
                elif _is_other(path) and not ignored.ignores(path):
                    listed.append(path)
                    if entry.is_file(follow_symlinks=False):
                        self._plain.add(path)
        return sorted(listed)

    def _ignored_above(self) -> gitignore.Ignored:
        """Return the patterns of the folders above the registry, from the top of the git repository."""
        registry = Path(os.path.abspath(self._root))  # noqa: PTH100 - as in _above
        folders = (registry, *registry.parents)
        top = next((level for level, folder in enumerate(folders) if (folder / ".git").exists()), 0)
        above = folders[1 : min(top, MOST_LEVELS_UP) + 1]
        self._prefix = f"{registry.relative_to(above[-1]).as_posix()}/" if above else ""
        ignored = gitignore.Ignored(self._prefix)
        for level, folder in reversed(list(enumerate(above, 1))):
            base = folder.relative_to(above[-1]).as_posix()
            _ignore(ignored, self, "../" * level + gitignore.FILE, "" if base == "." else f"{base}/")
        return ignored

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        if path.startswith("../"):
            top, path = self._above(path)
            return Folder(top).read(path, limit)
        try:
            descriptor = self._opened(path)
        except FileNotFoundError:
            raise
        except OSError as err:
            raise _unreadable(err) from err
        try:
            return _body(descriptor, limit)
        except OSError as err:
            raise _unreadable(err) from err
        finally:
            os.close(descriptor)

    def _above(self, path: str) -> tuple[str, str]:
        """Return the top of the git repository around the registry, and as seen from there a file such as
        ``../pyproject.toml``.
        """
        *ups, name = path.split("/")
        registry = Path(os.path.abspath(self._root))  # noqa: PTH100 - the folder as it was named, not what a link leads to
        folders = (registry, *registry.parents)
        top = next((folder for folder in folders if (folder / ".git").exists()), None)
        if name not in _ABOVE or set(ups) != {".."} or top is None or folders.index(top) < len(ups):
            raise Defect("ref-outside-registry", "this points outside the repository")
        return str(top), (folders[len(ups)] / name).relative_to(top).as_posix()

    def _opened(self, path: str) -> int:
        if path in self._plain:
            # The listing found a file there and no link above it: no further check, which saves a third of the time.
            try:
                return os.open(f"{self._real}/{path}", _READING)
            except OSError:
                self._plain.discard(path)  # it has been replaced since
        real = self._inside(path)
        _check(Path(real).stat().st_mode)
        return os.open(real, _READING)

    def _inside(self, path: str) -> str:
        """Return the real path. Checked before the file is opened: opening a device may have an effect."""
        if len(path) > _LONGEST_PATH or "\0" in path:  # no file system has such a path
            raise FileNotFoundError(path)
        real = os.path.realpath(f"{self._root}/{path}")
        if real != self._real and not real.startswith(self._real.rstrip(os.sep) + os.sep):
            message = "this link points outside the registry folder"
            raise Defect("ref-outside-registry", message, fix="copy the file into the registry")
        return real


def _is_other(path: str) -> bool:
    """Return True for a file that may be misplaced: not hidden, not an editor schema, not a file of the registry."""
    hidden = path.startswith(".") or "/." in path
    return not hidden and not path.startswith(f"{SCHEMAS}/") and not well_placed(path)


def _ignore(ignored: gitignore.Ignored, tree: Tree, path: str, base: str) -> None:
    """Add the patterns of the ``.gitignore`` at ``path``; one that cannot be read ignores nothing."""
    with contextlib.suppress(Defect, FileNotFoundError):
        ignored.add(tree.read(path).decode("utf-8", "surrogateescape").splitlines(), base)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _body(descriptor: int, limit: int) -> bytes:
    status = os.fstat(descriptor)
    _check(status.st_mode)
    if status.st_size > limit:
        raise _too_large(limit)
    body = os.read(descriptor, status.st_size + 1)
    if len(body) != status.st_size:  # it grows while it is read, or its size is unknown
        parts = [body]
        while sum(map(len, parts)) <= limit and (part := os.read(descriptor, _CHUNK)):
            parts.append(part)
        body = b"".join(parts)
    if len(body) > limit:
        raise _too_large(limit)
    return body


def _check(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise Defect("file-unreadable", "this is a folder, not a file", fix="rename the folder FILE")
    if not stat.S_ISREG(mode):
        raise Defect("file-unreadable", "this is not a regular file (a pipe, a socket or a device)", fix="rm FILE")


def _listed(folder: str) -> list[tuple[str, bool]]:
    """Return the readable names in a folder, each with whether it is a regular file."""
    try:
        with os.scandir(folder) as entries:
            shown = (e for e in entries if not e.name.startswith("."))
            return [(e.name, e.is_file(follow_symlinks=False)) for e in shown if _may_be_read(e)]
    except OSError:
        return []


def _may_be_read(entry: os.DirEntry[str]) -> bool:
    # A folder that is named like a file is listed, so that reading it says so.
    return not entry.is_dir(follow_symlinks=False) or entry.name.endswith((".yaml", ".yml"))


def _unreadable(err: OSError) -> Defect:
    if isinstance(err, IsADirectoryError):
        return Defect("file-unreadable", "this is a folder, not a file", fix="rename the folder FILE")
    fix = "rm FILE" if err.errno == errno.ELOOP else "chmod u+r FILE" if isinstance(err, PermissionError) else None
    return Defect("file-unreadable", f"cannot be opened: {err.strerror or err}", fix=fix)


def _too_large(limit: int) -> Defect:
    message = f"the file is larger than {limit // 1024:,} KiB"
    return Defect("file-too-large", message, fix="move examples into a .jsonl file, and shared parts below _common/")
