"""Handlers in threads.

That of the loop itself, or others: all handlers of ``run(workers=...)``, and the plain ones of an event loop.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from babelreg.runtime.consumer.calls import BlockingCalls
from babelreg.runtime.consumer.decision import Attempted
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.idempotency.ledger import ClosesInThread
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger


class HandlersHere:
    """Handlers in the thread of the loop, one at a time."""

    here = True

    def __init__(self, dispatcher: Dispatcher, report: Callable[[Attempted], object]) -> None:
        self._dispatcher = dispatcher
        self._report = report
        self._started: list[ValidDelivery] = []

    def start(self, deliveries: Sequence[ValidDelivery]) -> None:
        for delivery in deliveries:
            self._started = [delivery]
            self._report(Attempted.of(delivery, partial(self._dispatcher.attempt, delivery)))
            self._started = []

    def abandon(self, delivery: ValidDelivery) -> int:
        """See Handlers: never asked, because handlers whose time is limited run in threads."""
        return 1

    def cancel(self) -> Sequence[ValidDelivery]:
        return self._started  # not empty where a signal interrupted more than the handler


class WorkerThreads:
    """Up to ``most`` threads, each started when it is needed; each with calls of its own, by ``calls``.

    They are daemons: a handler that cannot be interrupted does not keep the process from ending.
    """

    here = False

    def __init__(
        self,
        dispatcher: Dispatcher,
        most: int,
        report: Callable[[Attempted], object],
        calls: Callable[[], BlockingCalls],
    ) -> None:
        self._dispatcher = dispatcher
        self._most = most
        self._report = report
        self._calls = calls
        self._work: SimpleQueue[ValidDelivery | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._started: dict[int, ValidDelivery] = {}
        self._at_work: dict[int, threading.Thread] = {}

    def start(self, deliveries: Sequence[ValidDelivery]) -> None:
        for delivery in deliveries:
            self._started[id(delivery)] = delivery
            if len(self._threads) < min(self._most, len(self._started)):
                thread = threading.Thread(target=self._handle, name=f"babelreg-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._work.put(delivery)

    def cancel(self) -> Sequence[ValidDelivery]:
        """Return what is being handled: threads cannot be interrupted."""
        return list(self._started.values())

    def abandon(self, delivery: ValidDelivery) -> int:
        """See Handlers: its thread ends when the handler does, and another one is started in its place."""
        self._started.pop(id(delivery), None)
        if (thread := self._at_work.pop(id(delivery), None)) is not None:
            self._leave(thread)
            frame = sys._current_frames().get(thread.ident or 0)
            stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
            words = "%s: its handler is stuck and was given up:\n%s"
            logger.warning(words, delivery.envelope.urn, stack, extra=delivery_fields(delivery.received))
        return 1

    def close(self, *, wait: bool) -> None:
        """Let the threads end after what they are doing; with ``wait`` return when they have."""
        for _ in self._threads:
            self._work.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _leave(self, thread: threading.Thread) -> None:
        with suppress(ValueError):
            self._threads.remove(thread)

    def _handle(self) -> None:
        calls = self._calls()
        try:
            while (delivery := self._work.get()) is not None:
                self._at_work[id(delivery)] = threading.current_thread()
                attempted = Attempted.of(delivery, partial(self._dispatcher.attempt, delivery, calls))
                self._at_work.pop(id(delivery), None)
                self._started.pop(id(delivery), None)
                self._report(attempted)
                if delivery.clock is not None and delivery.clock.given_up:
                    self._leave(threading.current_thread())  # another one is started in its place
                    return
        finally:
            calls.close()
            if isinstance(self._dispatcher.ledger, ClosesInThread):
                self._dispatcher.ledger.close_in_thread()
