"""Tasks that call handlers in an application's event loop; plain handlers are called in threads beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from babelreg.runtime.consumer.calls import BlockingCalls, LoopCalls
from babelreg.runtime.consumer.decision import Attempted
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.consumer.worker_threads import WorkerThreads

__all__ = ["LoopTasks"]


class LoopTasks:
    """Handlers of one run in the running event loop. Made and closed in the loop; the reading thread does the rest."""

    def __init__(self, dispatcher: Dispatcher, most: int, report: Callable[[Attempted], object]) -> None:
        self._dispatcher = dispatcher
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._calls = LoopCalls(dispatcher.ledger, dispatcher.ledger is not None and not dispatcher.ledger_awaits)
        self._tasks: dict[asyncio.Task[None], ValidDelivery] = {}
        self._threads = WorkerThreads(dispatcher, most, report, lambda: _CallsBesideLoop(self.wait))

    def start(self, deliveries: Sequence[ValidDelivery]) -> None:
        plain = [delivery for delivery in deliveries if not delivery.route.is_async]
        if plain:
            self._threads.start(plain)
        if len(plain) < len(deliveries):
            tasks = [delivery for delivery in deliveries if delivery.route.is_async]
            self._loop.call_soon_threadsafe(self._start, tasks)

    def cancel(self) -> Sequence[ValidDelivery]:
        self._loop.call_soon_threadsafe(self._cancel)
        return self._threads.cancel()

    def wait(self, result: Awaitable[Any]) -> Any:
        """Run an awaitable to its end in the loop, from another thread."""
        return asyncio.run_coroutine_threadsafe(_awaited(result), self._loop).result()

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
        self._report(attempted)

    def _end(self, task: asyncio.Task[None]) -> None:
        delivery = self._tasks.pop(task)
        if task.cancelled():
            self._report(Attempted(delivery, None, asyncio.CancelledError()))


class _CallsBesideLoop(BlockingCalls):
    """Blocking calls in a thread whose awaitables run in the application's loop."""

    def __init__(self, wait: Callable[[Awaitable[Any]], Any]) -> None:
        super().__init__()
        self._wait_in_loop = wait

    def wait(self, result: Awaitable[Any]) -> Any:
        return self._wait_in_loop(result)


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
