"""Tasks that call handlers in an application's event loop; plain handlers are called in threads beside it.

The broker is used by a thread of its own, so that the loop never waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from babelreg.runtime.awaitables import resolved
from babelreg.runtime.consumer.calls import BlockingCalls, LoopCalls
from babelreg.runtime.consumer.decision import Attempted
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.loop import ConsumerLoop
from babelreg.runtime.consumer.run_limits import RunLimits
from babelreg.runtime.consumer.signals import WAKE_SECONDS, stopping_on_signals
from babelreg.runtime.consumer.time_limit import HandlersStuckError, end_process
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.consumer.worker_threads import WorkerThreads

_ANSWER_SECONDS = 3.0


class LoopTasks:
    """Handlers of one run in the running event loop. Made and closed in the loop; the reading thread does the rest."""

    here = False

    def __init__(self, dispatcher: Dispatcher, most: int, report: Callable[[Attempted], object]) -> None:
        self._dispatcher = dispatcher
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._calls = LoopCalls(dispatcher.ledger, dispatcher.ledger is not None and not dispatcher.ledger_awaits)
        self._most = most
        self._tasks: dict[asyncio.Task[None], ValidDelivery] = {}
        self._awaited: dict[int, ValidDelivery] = {}
        self._threads = WorkerThreads(dispatcher, most, report, lambda: BlockingCalls(wait=self.wait))

    def start(self, deliveries: Sequence[ValidDelivery]) -> None:
        plain = [delivery for delivery in deliveries if not delivery.route.is_async]
        if plain:
            self._threads.start(plain)
        if len(plain) < len(deliveries):
            tasks = [delivery for delivery in deliveries if delivery.route.is_async]
            self._awaited |= {id(delivery): delivery for delivery in tasks}
            self._loop.call_soon_threadsafe(self._start, tasks)

    def abandon(self, delivery: ValidDelivery) -> int:
        """See Handlers. A task that blocks the event loop, or holds the lock of a plain ledger, stops all others."""
        if not delivery.route.is_async:
            return self._threads.abandon(delivery)
        self._awaited.pop(id(delivery), None)
        return self._most if self._calls.one_at_a_time or not self._answers() else 1

    def cancel(self) -> Sequence[ValidDelivery]:
        self._loop.call_soon_threadsafe(self._cancel)
        tasks = [] if not self._awaited or self._answers() else list(self._awaited.values())
        return [*self._threads.cancel(), *tasks]

    def _answers(self) -> bool:
        """Return False where a handler blocks the event loop. Called in another thread."""
        answered = threading.Event()
        self._loop.call_soon_threadsafe(answered.set)
        return answered.wait(_ANSWER_SECONDS)

    def wait(self, result: Awaitable[Any]) -> Any:
        """Run an awaitable to its end in the loop, from another thread."""
        return asyncio.run_coroutine_threadsafe(resolved(result), self._loop).result()

    def report(self, attempted: Attempted) -> None:
        """Report the end of a task."""
        self._awaited.pop(id(attempted.delivery), None)
        self._report(attempted)

    async def close(self, *, wait: bool) -> None:
        """End the threads, and close what belongs to the loop."""
        self._threads.close(wait=False)
        if wait:
            await asyncio.to_thread(self._threads.close, wait=True)
        await self._calls.close()

    def _start(self, deliveries: Sequence[ValidDelivery]) -> None:
        for delivery in deliveries:
            task = self._loop.create_task(self._handle(delivery))
            self._tasks[task] = delivery
            task.add_done_callback(self._end)

    def _cancel(self) -> None:
        for task in list(self._tasks):
            task.cancel()

    async def _handle(self, delivery: ValidDelivery) -> None:
        try:
            attempted = Attempted(delivery, await self._dispatcher.attempt_async(delivery, self._calls))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # a task that raised SystemExit would stop the application's loop
            attempted = Attempted(delivery, None, error)
        self.report(attempted)

    def _end(self, task: asyncio.Task[None]) -> None:
        delivery = self._tasks.pop(task)
        if task.cancelled():
            self.report(Attempted(delivery, None, asyncio.CancelledError()))


async def run_in_loop(
    run: ConsumerLoop, dispatcher: Dispatcher, limits: RunLimits, stop: Callable[[], None], handle_signals: bool
) -> int:
    """Run to the end; return the number of deliveries.

    Where this is cancelled the run is aborted, and its end waited for. Raises as ``ConsumerLoop.run`` does.
    """
    loop = asyncio.get_running_loop()
    handlers = LoopTasks(dispatcher, limits.concurrency, run.report)
    ended: asyncio.Future[int] = loop.create_future()
    told = threading.Event()
    ended.add_done_callback(lambda _: told.set())

    def read() -> None:
        try:
            count = run.run(handlers)
        except BaseException as error:
            loop.call_soon_threadsafe(ended.set_exception, error)
            if isinstance(error, HandlersStuckError) and not told.wait(_ANSWER_SECONDS):
                end_process()  # the event loop is blocked
        else:
            loop.call_soon_threadsafe(ended.set_result, count)

    wait, dispatcher.reports.wait = dispatcher.reports.wait, handlers.wait
    try:
        grace = limits.grace_seconds
        with stopping_on_signals(stop, enabled=handle_signals, again=run.abort, only_default=True, grace_seconds=grace):
            # Signals are handled before the first handler begins.
            threading.Thread(target=read, name="babelreg-reader", daemon=True).start()
            return await _until(ended, run)
    finally:
        dispatcher.reports.wait = wait
        await handlers.close(wait=not run.aborted)


async def _until(ended: asyncio.Future[int], run: ConsumerLoop) -> int:
    cancelled: asyncio.CancelledError | None = None
    while not ended.done():
        try:
            await asyncio.wait([ended], timeout=WAKE_SECONDS)
        except asyncio.CancelledError as error:
            cancelled = error
            run.abort()
    if cancelled is not None:
        ended.exception()  # retrieved: the cancellation is what ends the caller
        raise cancelled
    return ended.result()
