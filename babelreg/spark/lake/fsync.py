"""What is written is on the disk, not in its caches: files, and the folders that name them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

__all__ = [
    "make_folder",
    "remove_files",
    "remove_folder",
    "replace_whole",
    "sync_files",
    "sync_folder",
    "temporary_path",
    "write_whole",
]

_AT_ONCE = 8


def sync_files(files: Iterable[Path]) -> None:
    """Wait until the content of ``files`` is on the disk, several at a time: each wait is long and costs nothing."""
    waiting = list(files)
    with ThreadPoolExecutor(min(len(waiting), _AT_ONCE) or 1) as threads:
        for _ in threads.map(_sync, waiting):
            pass


def sync_folder(folder: Path) -> None:
    """Wait until the names in ``folder`` are on the disk."""
    if os.name != "nt":  # a folder cannot be opened there
        _sync(folder)


def make_folder(folder: Path) -> None:
    """Make ``folder`` and those above it, each on the disk before it is used."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically, on the disk when this returns.

    Unlike :func:`babelreg.atomic_write.write_whole`, it waits for the disk, file and folder: a batch must not be
    reported as committed before it outlives a power failure. The temporary name is fixed, so that a lake that was
    stopped over and over holds one leftover at most, which the next attempt overwrites.
    """
    temporary = temporary_path(path)
    try:
        temporary.write_bytes(content)
    except OSError:
        temporary.unlink(missing_ok=True)  # the disk may be full
        raise
    replace_whole(temporary, path)


def temporary_path(path: Path) -> Path:
    """Return where ``path`` is written before it is whole; who is stopped there writes it again under that name."""
    return path.with_suffix(".tmp")


def replace_whole(temporary: Path, path: Path) -> None:
    """Rename ``temporary``, which is written, to ``path`` in the same folder; on the disk when it returns."""
    sync_files([temporary])
    temporary.replace(path)
    sync_folder(path.parent)


def remove_files(files: Iterable[Path]) -> None:
    """Remove those of ``files`` that are there, and folders that are empty then, several at a time: disks may wait."""
    gone = list(files)
    with ThreadPoolExecutor(min(len(gone), _AT_ONCE) or 1) as threads:
        for _ in threads.map(_remove, gone):
            pass


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # others are still in it
        path.parent.rmdir()


def remove_folder(folder: Path) -> None:
    """Remove what can be removed of ``folder``, several of the folders in it at a time: with each, disks may wait."""
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
