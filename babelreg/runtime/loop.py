"""Running until told to stop: polling one or more queues, and what signals do meanwhile."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from babelqueue.transport import ReceivedMessage, Transport

__all__ = ["poll", "stopping_on_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def poll(
    transport: Transport, queues: Sequence[str], stop: threading.Event, *, timeout_seconds: float, until_empty: bool
) -> Generator[ReceivedMessage]:
    """Deliveries, from each queue in turn, until ``stop`` is set; ``until_empty``: or until all queues are empty.

    Waits without spinning also on transports whose ``pop`` returns at once.
    """
    share = timeout_seconds / max(1, len(queues))
    while not stop.is_set():
        started = time.monotonic()
        idle = True
        for queue in queues:
            received = transport.pop(queue, timeout=share)
            if received is not None:
                idle = False
                yield received
                if stop.is_set():
                    return
        if idle:
            if until_empty:
                return
            stop.wait(max(0.0, timeout_seconds - (time.monotonic() - started)))


@contextmanager
def stopping_on_signals(stop: Callable[[], None], *, wanted: bool) -> Iterator[None]:
    """While inside, SIGTERM and SIGINT call ``stop``; a second one raises KeyboardInterrupt where the code stands.

    Does nothing off the main thread, where Python takes no signals.
    """
    if not wanted or threading.current_thread() is not threading.main_thread():
        yield
        return
    signalled = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal signalled
        if signalled:
            raise KeyboardInterrupt
        signalled = True
        stop()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
