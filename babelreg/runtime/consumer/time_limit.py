"""The time that one call of a handler may take: ``delivery.time_limit_seconds`` of its message.

An async handler is cancelled when its time is up. A plain one, and an async one that blocks or goes on, cannot be
interrupted: the consumer gives it up, and another thread takes its place. Either the handler ends in time, or it is
given up: only one of the two happens, so a handler that ends after that neither settles its message nor commits.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from babelreg.runtime.telemetry.log_fields import logger

STUCK_EXIT_CODE = 70
"""The exit code of a process whose handlers are stuck: EX_SOFTWARE of sysexits.h."""

_CANCEL_SECONDS = 5.0


class TimeLimitExceeded(Exception):
    """The handler did not end in time."""


class HandlersStuckError(SystemExit):
    """Half of the handlers that may run at the same time are stuck; it ends the process with an exit code of its own.

    Their threads cannot be ended in another way.
    """

    def __init__(self, stuck: int, most: int) -> None:
        super().__init__(STUCK_EXIT_CODE)
        words = "handlers are stuck and cannot be interrupted (%d of %d): the process ends itself with exit code %d"
        logger.critical(words, stuck, most, STUCK_EXIT_CODE)  # an exit code alone says nothing


class HandlerClock:
    """The time of one call of a handler, in a thread of its own or in an event loop.

    The consumer's loop asks :meth:`give_up` for each handler at work; the handler's thread calls the rest.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._now = now
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._unit: Any = None
        self.given_up = False

    @property
    def blocks_others(self) -> bool:
        """True while the handler's transaction keeps all others of its database waiting; see ``Unit``."""
        return bool(getattr(self._unit, "blocks_others", False))

    def begin(self, unit: Any = None) -> None:
        """Note that the handler is called, in ``unit`` of the ledger."""
        self._unit = unit
        self._deadline = self._now() + self.seconds

    def end(self) -> None:
        """Note that the handler has ended. Raises TimeLimitExceeded if it was given up before."""
        with self._lock:
            self._deadline = None
            if self.given_up:
                raise self.error()

    def give_up(self) -> bool:
        """Return True, once, if the handler is late: it has no effect on its message any more."""
        with self._lock:
            if self._deadline is None or self.given_up or self._now() < self._deadline:
                return False
            self.given_up = True
        return True

    def error(self) -> TimeLimitExceeded:
        """Return the failure of this call."""
        return TimeLimitExceeded(f"the handler did not end within {self.seconds:g} s")

    def bounded(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``handler`` with the awaitable that it returns, if any, cancelled when the time is up."""

        def call(data: Any, context: Any) -> Any:
            result = handler(data, context)
            if not inspect.isawaitable(result):
                return result
            self._begin_async()  # at once: its event loop may take a while to start, or be blocked
            return self._bounded(result)

        return call

    def _begin_async(self) -> None:
        with self._lock:
            if not self.given_up:
                self._deadline = self._now() + self.seconds + _CANCEL_SECONDS  # it may clean up when it is cancelled

    async def _bounded(self, result: Awaitable[Any]) -> None:
        self._begin_async()
        try:
            async with asyncio.timeout(self.seconds) as limit:
                await result
        except TimeoutError:
            if limit.expired():
                raise self.error() from None
            raise


def end_process() -> None:
    """End this process at once, without waiting for threads and tasks."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(STUCK_EXIT_CODE)
