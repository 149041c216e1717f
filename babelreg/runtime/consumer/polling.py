"""The polling loop of consumers: reads queues in turn, waits while the broker fails, stops on signals."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.consumer.stop_flag import StopFlag
from babelreg.runtime.telemetry.log_fields import logger

__all__ = ["Pauses", "poll", "stopping_on_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LONGEST_PAUSE_SECONDS = 30.0


class Pauses:
    """Growing pauses: 1 second, then 2, 4 and so on up to 30; from 1 again after :meth:`reset`."""

    def __init__(self) -> None:
        self._next_seconds = 1.0
        self.paused = False

    def reset(self) -> None:
        self._next_seconds = 1.0
        self.paused = False

    def next_seconds(self) -> float:
        """Return the length of the next pause."""
        seconds = self._next_seconds
        self._next_seconds = min(2 * seconds, _LONGEST_PAUSE_SECONDS)
        self.paused = True
        return seconds


def poll(
    transport: Transport,
    queues: Sequence[str],
    stop: StopFlag,
    *,
    timeout_seconds: float,
    until_empty: bool,
    beat: Callable[[], None] = lambda: None,
) -> Generator[ReceivedMessage]:
    """Yield deliveries from each queue in turn until ``stop`` is set; with ``until_empty`` also until all are empty.

    Calls ``beat`` each time that a queue was asked for a message.

    Does not spin on transports whose ``pop`` returns at once. After a failure of a broker that was reached before, it
    retries after 1 second, 2, 4 and so on up to 30. Raises the transport's exception if the broker was never reached,
    and with ``until_empty``.
    """
    share = timeout_seconds / max(1, len(queues))
    reached = False
    pauses = Pauses()
    while not stop.is_set():
        started = time.monotonic()
        idle = True
        try:
            for queue in queues:
                received = transport.pop(queue, timeout=share)
                beat()
                reached = True
                if pauses.paused:
                    pauses.reset()
                if received is not None:
                    idle = False
                    yield received
                    if stop.is_set():
                        return
        except Exception as err:
            beat()
            if until_empty or not reached:
                raise
            pause = pauses.next_seconds()
            logger.warning("the broker fails (%s: %s); retrying in %d s", type(err).__name__, err, pause)
            stop.wait(pause)
            continue
        if idle:
            if until_empty:
                return
            stop.wait(max(0.0, timeout_seconds - (time.monotonic() - started)))


@contextmanager
def stopping_on_signals(
    stop: Callable[[], None], *, enabled: bool, again: Callable[[], None] | None = None, only_default: bool = False
) -> Iterator[None]:
    """Inside the block, the first SIGTERM or SIGINT calls ``stop``, a second one raises KeyboardInterrupt.

    With ``again`` the second one calls that, and a third one raises. ``only_default``: leave signals alone that the
    program handles itself. Does nothing outside the main thread, which alone receives signals in Python.
    """
    if not enabled or threading.current_thread() is not threading.main_thread():
        yield
        return
    steps = [stop] if again is None else [stop, again]
    waiting, running = 0, False

    def on_signal(number: int, frame: FrameType | None) -> None:
        # A signal within the step of another waits for its end: a step may hold a lock that the next one needs.
        nonlocal waiting, running
        waiting += 1
        while waiting and not running:
            waiting, running = waiting - 1, True
            try:
                if not steps:
                    raise KeyboardInterrupt
                steps.pop(0)()
            finally:
                running = False

    numbers = [number for number in _SIGNALS if not only_default or _is_default(signal.getsignal(number))]
    previous = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _is_default(handler: Any) -> bool:
    """Return True for handlers of Python and of ``asyncio.run``."""
    if handler in (signal.SIG_DFL, signal.default_int_handler):
        return True
    return isinstance(getattr(getattr(handler, "func", None), "__self__", None), asyncio.Runner)
