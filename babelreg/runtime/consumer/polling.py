"""Running until told to stop: polling one or more queues, waiting out a broker that is away, and what signals do."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from babelqueue.transport import ReceivedMessage, Transport

__all__ = ["poll", "stopping_on_signals"]

logger = logging.getLogger("babelreg.runtime")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LONGEST_PAUSE_SECONDS = 30.0


def poll(
    transport: Transport, queues: Sequence[str], stop: threading.Event, *, timeout_seconds: float, until_empty: bool
) -> Generator[ReceivedMessage]:
    """Deliveries, from each queue in turn, until ``stop`` is set; ``until_empty``: or until all queues are empty.

    Waits without spinning also on transports whose ``pop`` returns at once. A broker that fails after it was reached
    is asked again, after 1 second, 2, 4 and so on up to 30; raises what the transport raises when it was never
    reached, and with ``until_empty``.
    """
    share = timeout_seconds / max(1, len(queues))
    reached = False
    pause = 1.0
    while not stop.is_set():
        started = time.monotonic()
        idle = True
        try:
            for queue in queues:
                received = transport.pop(queue, timeout=share)
                reached, pause = True, 1.0
                if received is not None:
                    idle = False
                    yield received
                    if stop.is_set():
                        return
        except Exception as err:
            if until_empty or not reached:
                raise
            logger.warning("the broker fails (%s: %s); asking again in %d s", type(err).__name__, err, pause)
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            continue
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
