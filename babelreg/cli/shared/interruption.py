"""Ctrl-C and SIGTERM: one line, the exit code 130 or 143, and nothing else on the terminal.

The first signal prints the line, mutes this process and unwinds it, so that temporary files are removed. A second one,
or an unwinding that takes long, ends the process at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

_GRACE_SECONDS = 5
"""Limit of the unwinding, after which the process is ended."""

_received = 0
_owner = 0


class Stopped(SystemExit):
    """Raised in the main thread by the first signal.

    It is not a KeyboardInterrupt, since click and Py4J print something when they meet one.
    """


def stop_requested() -> bool:
    """Return whether the process was asked to stop."""
    return _received != 0


@contextmanager
def caught() -> Iterator[None]:
    """Handle SIGINT and SIGTERM here while the block runs. A signal that the caller ignores stays ignored."""
    global _owner
    if threading.current_thread() is not threading.main_thread():  # which alone may set handlers
        yield
        return
    _owner = os.getpid()
    handlers: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            handlers[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        if not stop_requested():
            for number, handler in handlers.items():
                signal.signal(number, handler)


def stop(number: int, frame: object) -> None:
    """Print that the program stops, and raise Stopped; at the second call end the process. The signal handler."""
    global _received
    if os.getpid() != _owner:
        os._exit(128 + number)  # a copy of the process, on whose behalf the first one speaks
    if stop_requested():
        end()
    _received = number
    _announce()
    _end_java(signal.SIGTERM)
    sys.unraisablehook = _not_handed_on
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: end())
        signal.setitimer(signal.ITIMER_REAL, _GRACE_SECONDS)
    raise Stopped(128 + number)


def end() -> NoReturn:
    """End the process, and Java, without running anything that is left of them."""
    _end_java(getattr(signal, "SIGKILL", signal.SIGTERM))
    leave()


def leave() -> NoReturn:
    """End the process after its unwinding. Java, which has its signal, removes its temporary files meanwhile."""
    os._exit(128 + _received)


def _not_handed_on(unraisable: Any) -> None:
    """End the process where Python drops the exception, such as in a finalizer."""
    if isinstance(unraisable.exc_value, Stopped):
        end()


def _announce() -> None:
    """Print the line, and let whatever is written from now on go nowhere: there may be other threads at it."""
    with suppress(OSError):
        stderr = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        clear = b"\r\x1b[K" if os.isatty(stderr) else b""
        os.write(stderr, clear + b"babelreg: stopped\n")


def _end_java(number: int) -> None:
    jvm = sys.modules.get("babelreg.spark.session.jvm")
    if jvm is not None and hasattr(jvm, "end_all"):  # an import may be under way
        jvm.end_all(number)
