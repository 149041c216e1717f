"""Watches what a command does to the world: files read and written, sockets, other programs.

Python's own calls are seen by an audit hook, which cannot be taken away again and is therefore idle outside ``watched``;
what a Rust extension opens in the one folder that nobody may read is seen by inotify, where the system has it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import babelreg

__all__ = ["Watch", "forbidden_folder", "watched"]

_READABLE = tuple(
    os.path.realpath(path)
    for path in {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, str(Path(babelreg.__file__).parents[1]), "/usr/share", "/usr/lib", "/proc", "/sys", "/dev/null", "/dev/zero", "/lib", "/etc/localtime", "/etc/mime.types"}
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = {
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
    "os.link",
    "os.symlink",
    "shutil.rmtree",
}
_current: Watch | None = None


class Watch:
    """What was done that may not be done: ``wrongs`` are sentences."""

    def __init__(self, readable: tuple[Path, ...], writable: tuple[Path, ...], programs: tuple[str, ...]) -> None:
        self.readable = (*_READABLE, *(os.path.realpath(p) for p in readable))
        self.writable = tuple(os.path.realpath(p) for p in writable)
        self.programs = programs
        self.wrongs: list[str] = []

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """One event of ``sys.addaudithook``."""
        if event == "open":
            self._open(*arguments[:3])
        elif event in _CHANGING:
            for path in arguments[: 2 if event == "os.rename" else 1]:
                self._within(path, self.writable, event)
        elif event.startswith("socket.") and event != "socket.gethostname" and not _frees_java_objects():
            self.wrongs.append(f"{event} {arguments!r}")
        elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            command = [str(part) for part in (arguments[1] if event == "subprocess.Popen" else arguments[:1])]
            if not any(program in " ".join(command) for program in self.programs):
                self.wrongs.append(f"{event} {command}")

    def _open(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        if isinstance(flags, int) and flags & _WRITING:
            self._within(path, self.writable, "written")
        else:
            self._within(path, (*self.readable, *self.writable), "read")

    def _within(self, path: Any, folders: tuple[str, ...], what: str) -> None:
        if isinstance(path, int):
            return
        full = os.path.realpath(os.fsdecode(path))
        if full != os.devnull and not any(
            full == folder or full.startswith(folder.rstrip("/") + "/") for folder in folders
        ):
            self.wrongs.append(f"{what}: {full}")


def _frees_java_objects() -> bool:
    """Return True where Python collects garbage of earlier tests that use Spark: py4j tells Java of it by a socket."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] != "py4j":
        frame = frame.f_back
    return frame is not None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    watch = _current
    if watch is not None:
        with contextlib.suppress(ValueError):  # a path with a NUL byte is refused by the system
            watch.see(event, arguments)


_hooked = False


@contextlib.contextmanager
def watched(
    *, readable: tuple[Path, ...], writable: tuple[Path, ...] = (), programs: tuple[str, ...] = ()
) -> Iterator[Watch]:
    """Watch the body. ``programs`` are parts of command lines that may be started."""
    global _current, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    _current = watch = Watch(readable, writable, programs)
    try:
        yield watch
    finally:
        _current = None


@contextlib.contextmanager
def forbidden_folder(folder: Path) -> Iterator[Any]:
    """A function that gives how often a file of ``folder`` was opened or read since it was last asked, by whomever."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        yield lambda: 0
        return
    descriptor = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(descriptor, os.fsencode(folder), 0x1 | 0x20)  # IN_ACCESS | IN_OPEN

    def opened() -> int:
        try:
            return len(os.read(descriptor, 65536)) // 16
        except BlockingIOError:
            return 0

    try:
        yield opened
    finally:
        os.close(descriptor)


def scratch() -> Path:
    """A new folder, in memory where the system offers that."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="babelreg-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
