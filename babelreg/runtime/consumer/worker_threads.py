"""Handlers in threads.

That of the loop itself, or others: all handlers of ``run(workers=...)``, and the plain ones of an event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from babelreg.runtime.consumer.calls import BlockingCalls
from babelreg.runtime.consumer.decision import Attempted
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.idempotency.ledger import ClosesInThread

__all__ = ["HandlersHere", "WorkerThreads"]


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
            try:
                attempted = Attempted(delivery, self._dispatcher.attempt(delivery))
            except BaseException as error:
                attempted = Attempted(delivery, None, error)
            self._report(attempted)
            self._started = []

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

    def close(self, *, wait: bool) -> None:
        """Let the threads end after what they are doing; with ``wait`` return when they have."""
        for _ in self._threads:
            self._work.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _handle(self) -> None:
        calls = self._calls()
        try:
            while (delivery := self._work.get()) is not None:
                try:
                    attempted = Attempted(delivery, self._dispatcher.attempt(delivery, calls))
                except BaseException as error:
                    attempted = Attempted(delivery, None, error)
                self._started.pop(id(delivery), None)
                self._report(attempted)
        finally:
            calls.close()
            if isinstance(self._dispatcher.ledger, ClosesInThread):
                self._dispatcher.ledger.close_in_thread()
