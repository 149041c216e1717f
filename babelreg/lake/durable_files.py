"""File system operations that are durable when they return: files and the folders that name them are synced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

_AT_ONCE = 8


def sync_files(files: Iterable[Path]) -> None:
    """Sync the content of ``files``, several at a time: each wait is long and costs no processor time."""
    _each(_sync, files)


def sync_folder(folder: Path) -> None:
    """Sync the names in ``folder``."""
    if os.name != "nt":  # a folder cannot be opened there
        _sync(folder)


def make_folder(folder: Path) -> None:
    """Create ``folder`` and its parents, each synced before it is used."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically and durably.

    Unlike :func:`babelreg.atomic_write.write_whole`, it syncs file and folder: a batch must not be reported as
    committed before it outlives a power failure. The temporary name is fixed, so that a lake whose writer is stopped
    repeatedly has at most one leftover, which the next attempt overwrites.
    """
    temporary = temporary_path(path)
    try:
        temporary.write_bytes(content)
    except OSError:
        temporary.unlink(missing_ok=True)  # the disk may be full
        raise
    replace_whole(temporary, path)


def temporary_path(path: Path) -> Path:
    """Return the temporary name of ``path``; a writer that was stopped writes to it again."""
    return path.with_suffix(".tmp")


def replace_whole(temporary: Path, path: Path) -> None:
    """Rename the finished file ``temporary`` to ``path`` in the same folder, durably."""
    sync_files([temporary])
    temporary.replace(path)
    sync_folder(path.parent)


def remove_files(files: Iterable[Path]) -> None:
    """Remove ``files`` that exist, and folders that become empty, several at a time."""
    _each(_remove, files)


def _each(work: Callable[[Path], None], files: Iterable[Path]) -> None:
    paths = list(files)
    if len(paths) < 2:  # a thread costs more than the wait saves, and a batch asks for each of its tables
        for path in paths:
            work(path)
        return
    with ThreadPoolExecutor(min(len(paths), _AT_ONCE)) as threads:
        for _ in threads.map(work, paths):
            pass


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # it holds other files
        path.parent.rmdir()


def remove_folder(folder: Path) -> None:
    """Remove ``folder`` as far as possible, several of its subfolders at a time."""
    inner = [path for path in folder.glob("*/*/*") if path.is_dir()]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for _ in threads.map(partial(shutil.rmtree, ignore_errors=True), inner):
            pass
    shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() or os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
