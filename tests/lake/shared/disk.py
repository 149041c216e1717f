"""A small disk, to be full."""

from __future__ import annotations

import gc
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """A disk of ``size`` (``4m``) at ``folder``; skips the test where we may not make one."""
    folder.mkdir()
    if shutil.which("mount") is None or _mount(folder, size):
        pytest.skip("no disk can be mounted here")
    try:
        yield folder
    finally:
        gc.collect()  # a traceback may still hold a map of a file
        subprocess.run(["umount", str(folder)], check=True)


def grown(folder: Path, size: str) -> None:
    """Make the disk at ``folder`` larger."""
    assert _mount(folder, size, "remount,") == 0


def _mount(folder: Path, size: str, how: str = "") -> int:
    command = ["mount", "-t", "tmpfs", "-o", f"{how}size={size}", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode
