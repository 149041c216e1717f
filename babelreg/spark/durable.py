"""What is written is on the disk, not in its caches: files, and the folders that name them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

__all__ = ["make_folder", "remove_files", "remove_folder", "sync_files", "sync_folder", "write_whole"]

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
    """Write a file that is there whole or not at all, whatever stops this, and on the disk when it returns."""
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(content)
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
