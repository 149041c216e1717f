"""Processes that are killed at a change of the disk: each is a fork of the test, which says when."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

STEPS = tuple((os, name) for name in ("rename", "replace", "mkdir", "unlink", "rmdir", "fsync"))
"""What is done to a disk beside writing to files that nothing names yet, as owner and name."""


def killed(work: Callable[[], None], die: Callable[[], None]) -> bool:
    """Run ``work`` in a process that ``die`` prepares to be killed; whether it was."""
    child = os.fork()
    if child == 0:
        try:
            die()
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def at(step: int, after: bool, calls: Sequence[tuple[Any, str]] = STEPS) -> None:
    """Make this process die before or after the ``step``-th of ``calls``."""
    numbers = count(1)  # of calls in several threads

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            mine = next(numbers) == step
            if mine and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                return call(*args, **kwargs)
            finally:
                if mine:
                    os.kill(os.getpid(), signal.SIGKILL)

        return counting

    for owner, name in calls:
        setattr(owner, name, counted(getattr(owner, name)))
