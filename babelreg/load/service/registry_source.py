"""The registry of a service on this machine: a folder, an installed package, or a fetched copy in the cache.

In the cache, below ``registries/``, each repository has a folder: ``git`` is what was fetched, ``trees/COMMIT`` the
registry's files as plain files, ``newest/REF`` the commit that a ref was last fetched at. Below ``locked/`` are copies
of registries in no repository, as they were when a lock was written. Only :func:`update` uses the network.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from babelreg.atomic_write import write_whole
from babelreg.cache.folder import cache_folder
from babelreg.errors import UsageError
from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import Folder
from babelreg.load.registry.examples import MAX_FILE_BYTES
from babelreg.load.service.service_repo import NAME
from babelreg.model.service_repo import Lock, RegistryAt, ServiceRepo

_INSIDE = ("", "registry")
_MOST_COPIES = 50


@dataclass(frozen=True, slots=True)
class RegistrySource:
    """A registry on this machine. ``commit`` is the one it was taken from, where it was taken from one."""

    folder: Path
    commit: str | None = None


def newest_local(repo: ServiceRepo, lock: Lock | None = None) -> RegistrySource:
    """Return the newest state of the registry on this machine, which may be the one that ``lock`` pins.

    Raises UsageError saying how to get one.
    """
    location = repo.registry
    if location.path is not None:
        return RegistrySource(_checked(Path(repo.folder) / location.path, repo, "path"))
    if location.package is not None:
        return RegistrySource(_package(repo, location.package))
    _, trees, newest = _folders(location)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        commit = newest.read_text("ascii").strip()
        if (trees / commit).is_dir():
            return RegistrySource(_checked(trees / commit, repo, "subdir"), commit)
    pinned = locked(repo, lock) if lock is not None else None
    if pinned is None:
        raise _not_fetched(repo)
    return pinned


def locked(repo: ServiceRepo, lock: Lock) -> RegistrySource | None:
    """Return the registry as ``lock`` pins it; None where the registry does not come from git.

    Raises UsageError where it was not fetched to this machine.
    """
    if repo.registry.git is None:
        return None
    _, trees, _ = _folders(repo.registry)
    if lock.commit is None or not (trees / lock.commit).is_dir():
        raise _not_fetched(repo, lock)
    return RegistrySource(_checked(trees / lock.commit, repo, "subdir"), lock.commit)


def update(repo: ServiceRepo, commit: str | None = None) -> RegistrySource:
    """Fetch the registry, where it is in git, and return it: the newest state of its ref, or ``commit``.

    Raises UsageError, InputError where it cannot be had.
    """
    from babelreg.git import fetch

    location = repo.registry
    if location.git is None:
        return newest_local(repo)
    place = repo.source.place(("registry", "git"))
    try:
        fetch.checked_url(location.git)
        place = repo.source.place(("registry", "ref"))
        fetch.checked_ref(location.ref or "HEAD")
    except UsageError as err:
        raise UsageError(err.message, place=place, fix=err.fix) from err
    store, trees, newest = _folders(location)
    fetched_commit = fetch.commit_of(store, location.git, commit or location.ref or "HEAD")
    fetch.export(store, fetched_commit, location.subdir, trees / fetched_commit)
    where = _checked(trees / fetched_commit, repo, "subdir")
    _prune(trees)
    if commit is None:
        newest.parent.mkdir(parents=True, exist_ok=True)
        write_whole(newest, f"{fetched_commit}\n".encode("ascii"))
    return RegistrySource(where, fetched_commit)


def keep_copy(folder: Path, lock: str) -> None:
    """Copy the registry in ``folder`` into the cache, to be found by ``lock``, the text of the lock that pins it.

    A failure is ignored: the copy only serves reports on what has changed since.
    """
    into = _copy_folder(lock)
    if into is None or into.is_dir():
        return
    with contextlib.suppress(OSError):
        into.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=into.parent, prefix=".part-"))
        try:
            if _copy(folder, part):
                part.rename(into)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        _prune(into.parent)


def _copy(folder: Path, into: Path) -> bool:
    """Copy what a registry may read; False where that is too much."""
    from babelreg.git.fetch import MOST_BYTES, SUFFIXES

    tree, total = Folder(folder), 0
    for current, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(current).relative_to(folder)
        for name in names:
            if not name.endswith(SUFFIXES):  # .gitignore is one: it says what is not misplaced
                continue
            with contextlib.suppress(Defect, FileNotFoundError):  # a link that leads out of it, or nowhere
                body = tree.read((below / name).as_posix(), MAX_FILE_BYTES)
                total += len(body)
                (into / below).mkdir(parents=True, exist_ok=True)
                (into / below / name).write_bytes(body)
            if total > MOST_BYTES:
                return False
    return True


def _prune(folder: Path) -> None:
    """Remove the oldest copies, where there are more than fifty."""
    with contextlib.suppress(OSError):
        copies = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in copies[_MOST_COPIES:]:
            shutil.rmtree(path, ignore_errors=True)


def copy_of(lock: str) -> Path | None:
    """Return the folder of the copy that :func:`keep_copy` made for the lock of this text, else None."""
    into = _copy_folder(lock)
    return into if into is not None and (into / SETTINGS).is_file() else None


def _copy_folder(lock: str) -> Path | None:
    cache = cache_folder("registries")
    return None if cache is None else cache / "locked" / _digest(lock)


def _folders(location: RegistryAt) -> tuple[Path, Path, Path]:
    cache = cache_folder("registries")
    if cache is None:
        raise UsageError("there is no cache folder: neither HOME nor BABELREG_CACHE_DIR is set",
                         fix="export BABELREG_CACHE_DIR=/a/folder")  # fmt: skip
    home = cache / _digest(location.git or "")
    below = _digest(location.subdir.strip("/")) if location.subdir else "top"
    return home / "git", home / "trees" / below, home / "newest" / below / _digest(location.ref or "HEAD")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _not_fetched(repo: ServiceRepo, lock: Lock | None = None) -> UsageError:
    what = f"{repo.registry} at {lock.commit[:8]}" if lock and lock.commit else f"{repo.registry}"
    again = "babelreg update --locked" if lock and lock.commit else "babelreg update"
    place = repo.source.place(("registry",))
    return UsageError(
        f"the registry {what} has not been fetched to this machine yet", place=place, fix=f"run `{again}`"
    )


def _package(repo: ServiceRepo, name: str) -> Path:
    """Return the registry in an installed package, which is located without importing it."""
    from importlib.util import find_spec

    spec = None
    if name.isidentifier():  # a dotted name would import the part before the dot
        with contextlib.suppress(ImportError, ValueError):
            spec = find_spec(name)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise UsageError(
            f"there is no installed package '{name}'",
            place=repo.source.place(("registry", "package")),
            fix=f"install the distribution that has it where babelreg is installed; it is imported as {name}",
        )
    inside = [repo.registry.subdir] if repo.registry.subdir else list(_INSIDE)
    for folder in folders:
        for part in inside:
            if (Path(folder) / part / SETTINGS).is_file():
                return Path(folder) / part
    return _checked(Path(folders[0]) / inside[0], repo, "package")


def _checked(folder: Path, repo: ServiceRepo, key: str) -> Path:
    if (folder / SETTINGS).is_file():
        return folder
    shown = folder if key == "path" else repo.registry
    key = key if key in repo.registry.as_json() else "git"
    fixes = {"path": f"set path in {NAME} to the folder that contains {SETTINGS}"}
    raise UsageError(
        f"there is no registry in {shown}: no {SETTINGS}",
        place=repo.source.place(("registry", key)),
        fix=fixes.get(key, f"set subdir in {NAME} to the folder that contains {SETTINGS}, then run `babelreg update`"),
    )
