"""Signals deferred to the end of a step that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def deferred() -> Iterator[None]:
    """Deliver a SIGINT or SIGTERM that arrives in the block after its end; a second one at once.

    Only the main thread receives signals; in other threads the block just runs.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[signal.Signals, Any] = {}
    waiting: list[int] = []

    def wait(number: int, frame: object) -> None:
        waiting.append(number)
        handler = handlers[signal.Signals(number)]
        if len(waiting) > 1 and callable(handler):
            handler(number, frame)

    for kind in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(kind)
        if handler is not None and handler is not signal.SIG_IGN:  # None: installed by other code than Python's
            handlers[kind] = handler
    try:
        for kind in handlers:
            signal.signal(kind, wait)
        yield
    finally:
        for kind, handler in handlers.items():
            signal.signal(kind, handler)
        if waiting:
            signal.raise_signal(waiting[0])
