"""A supervisor for development: it runs a command, and runs it again after each change of a Python file.

Files are compared by their times and sizes, twice a second. A command that ends with an error is run again after the
next change; one that ends well ends the supervisor.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from babelreg.runtime.consumer.signals import StopFlag

_SECONDS = 0.5
_SKIPPED = ("__pycache__", "node_modules", "site-packages")

Snapshot: TypeAlias = Mapping[str, tuple[int, int]]


def python_files(folder: Path) -> Snapshot:
    """Return time and size of every Python file below ``folder``, without hidden folders and virtual environments."""
    found: dict[str, tuple[int, int]] = {}
    for path, folders, names in os.walk(folder):
        inside = [name for name in folders if name[0] != "." and name not in _SKIPPED]
        folders[:] = [name for name in inside if not Path(path, name, "pyvenv.cfg").exists()]
        for file in (Path(path, name) for name in names if name.endswith(".py")):
            try:
                status = file.stat()
            except OSError:
                continue  # removed meanwhile
            found[str(file)] = (status.st_mtime_ns, status.st_size)
    return found


def run_reloading(
    command: Sequence[str],
    folder: Path,
    *,
    say: Callable[[str], None] = lambda words: print(words, file=sys.stderr, flush=True),
) -> int:
    """Run ``command`` until it ends well or this process is told to stop; return its exit code.

    SIGTERM and SIGINT are passed on: the command ends as it does without a supervisor.
    """
    supervisor = _Supervisor(command, folder, say)
    previous = {number: signal.signal(number, supervisor.on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        return supervisor.run()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class _Supervisor:
    def __init__(self, command: Sequence[str], folder: Path, say: Callable[[str], None]) -> None:
        self._command = list(command)
        self._folder = folder
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = StopFlag()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stopped.set()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def run(self) -> int:
        files = python_files(self._folder)
        while True:
            # A session of its own: Ctrl-C in a terminal reaches the command once, through this process.
            self._process = process = subprocess.Popen(self._command, start_new_session=True)
            if self._stopped.is_set():
                process.send_signal(signal.SIGTERM)
            changed = self._wait_for_change(files, process)
            if changed is None:
                return self._exit_code(process)
            files = python_files(self._folder)
            self._say(f"{os.path.relpath(changed, self._folder)} has changed: starting again")
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()
            if self._stopped.is_set():
                return self._exit_code(process)

    def _exit_code(self, process: subprocess.Popen[bytes]) -> int:
        """Return that of the command; 0 where it was told to stop before it could handle the signal."""
        code = process.wait()
        return 0 if self._stopped.is_set() and code == -signal.SIGTERM else code

    def _wait_for_change(self, files: Snapshot, process: subprocess.Popen[bytes]) -> str | None:
        """Return a file that differs from ``files``; None when the command ended well, or is told to stop."""
        told = False
        while not self._stopped.is_set():
            code = process.poll()
            if code == 0:
                return None
            if code is not None and not told:
                told = True
                self._say(f"the worker ended with exit code {code}: waiting for a change")
            self._stopped.wait(_SECONDS)
            now = python_files(self._folder)
            if now != files:
                return next(iter(sorted({path for path, _ in files.items() ^ now.items()})))
        return None
