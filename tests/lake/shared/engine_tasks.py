"""Tasks for tests of engines, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any, NoReturn

from babelreg.errors import InputError

__all__ = ["Unpicklable", "fail", "killed", "mark_and_wait", "process", "square"]


class Unpicklable(Exception):
    """An exception that is pickled and cannot be read back."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def square(number: int) -> int:
    return number * number


def process(number: int) -> int:
    """The process of the task; all tasks of a job are at work at some time."""
    time.sleep(0.05)
    return os.getpid()


def fail(kind: str, number: int) -> Any:
    """Fail at the third item."""
    if number != 2:
        return number
    errors: dict[str, BaseException] = {
        "input": InputError("line 7 is too long", fix="make it shorter"),
        "memory": MemoryError(),
        "disk": OSError(28, "No space left on device", "/lake/part"),
        "odd": Unpicklable(1, 2),
        "exit": SystemExit(3),
    }
    raise errors[kind]


def killed(folder: Path, times: int, number: int) -> int:
    """The worker of the second item is killed the first ``times`` times."""
    before = len(list(folder.iterdir()))
    if number == 1 and before < times:
        (folder / str(before)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def mark_and_wait(folder: Path, number: int) -> NoReturn:
    """Say which process works, and work for ever."""
    (folder / str(os.getpid())).touch()
    while True:
        time.sleep(0.01)
