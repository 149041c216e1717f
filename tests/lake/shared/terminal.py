"""babelreg on a terminal of its own, and a signal to its whole process group at a certain moment.

The moment is an audit event of Python (or the start of its end): so it is the same in every run, however slow the
machine. What the process then prints is all that counts as a reply.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIMIT_SECONDS = 300
"""A process that does not end is killed then, and the test fails."""

MARK = "\x01"
"""Printed right before the signal."""

_HOOK = """
import os, signal, sys
event, name, number, count = os.environ.pop("TEST_MOMENT").split("|")
state = [int(count)]

def strike():
    state[0] = 0
    os.write(2, b"\\x01")
    os.killpg(0, int(number))

def hook(what, arguments):
    if state[0] and what == event and any(
        value == name if what == "import" else name in str(value) for value in arguments[:2]
    ):
        state[0] -= 1
        if not state[0]:
            strike()

if event == "atexit":
    import atexit
    atexit.register(strike)
elif event:
    sys.addaudithook(hook)
"""


@dataclass(frozen=True)
class Moment:
    """The ``count``-th audit event of this name with an argument in which ``name`` occurs; for imports, that equals it."""

    event: str
    name: str = ""
    number: int = signal.SIGINT
    count: int = 1


class Run:
    """A command of babelreg that was started on a terminal, in ``folder``."""

    def __init__(self, folder: Path, arguments: tuple[str, ...], moment: Moment | None = None, **values: str) -> None:
        hook = folder / ".hook"
        env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **values}
        if moment is not None:
            hook.mkdir(exist_ok=True)
            (hook / "sitecustomize.py").write_text(_HOOK)
            env["PYTHONPATH"] = f"{hook}{os.pathsep}{ROOT}"
            env["TEST_MOMENT"] = f"{moment.event}|{moment.name}|{int(moment.number)}|{moment.count}"
        self._output = b""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(sys.executable, [sys.executable, "-m", "babelreg", *arguments], env)

    def until(self, text: str) -> None:
        """Read until ``text`` was printed."""
        before = time.monotonic()
        while text.encode() not in self._output:
            assert self._read(), self.text()
            if time.monotonic() - before > LIMIT_SECONDS:
                raise TimeoutError(self.text())

    def press(self, key: str = "\x03") -> None:
        """Press a key: Ctrl-C."""
        self._output += MARK.encode()
        os.write(self._terminal, key.encode())

    def end(self) -> int:
        """Wait for the end, and return the exit code, negative for a signal."""
        before = time.monotonic()
        while self._read():
            if time.monotonic() - before > LIMIT_SECONDS:
                raise TimeoutError(self._killed())
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _killed(self) -> str:
        os.killpg(self.pid, signal.SIGKILL)
        return self.text()

    def text(self) -> str:
        """All that was printed."""
        return self._output.decode()

    def lines(self) -> list[str]:
        """What a person sees in the end: lines as they are after their last change."""
        return _seen(self.text().replace(MARK, ""))

    def after_signal(self) -> list[str]:
        """What was printed after the first signal, as a person sees it."""
        return _seen(self.text().partition(MARK)[2])

    def _read(self) -> bool:
        try:
            if select.select([self._terminal], [], [], 1)[0]:
                self._output += os.read(self._terminal, 65536)
        except OSError:  # the last process that had the terminal is gone
            return False
        return True


def processes(folder: str) -> list[int]:
    """The processes whose working folder is ``folder``: a command that runs there, and all that it started."""
    found = []
    for path in Path("/proc").iterdir():
        with suppress(OSError):
            if path.name.isdigit() and str((path / "cwd").readlink()) == folder:
                found.append(int(path.name))
    return found


def _seen(text: str) -> list[str]:
    lines = [re.split("\r\x1b\\[K", line.rstrip("\r"))[-1] for line in text.split("\n")]
    return [line for line in lines if line and line != "^C"]
