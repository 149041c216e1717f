"""A concurrent run for an event loop: the broker is used by a thread beside it, handlers are tasks in it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from babelreg.runtime.consumer.concurrent_run import ConcurrentRun
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.loop_tasks import LoopTasks
from babelreg.runtime.consumer.polling import stopping_on_signals
from babelreg.runtime.consumer.run_limits import RunLimits
from babelreg.runtime.consumer.stop_flag import WAKE_SECONDS

__all__ = ["run_in_loop"]


async def run_in_loop(
    run: ConcurrentRun, dispatcher: Dispatcher, limits: RunLimits, stop: Callable[[], None], handle_signals: bool
) -> int:
    """Run to the end; return the number of deliveries.

    Where this is cancelled the run is aborted, and its end waited for. Raises as ``ConcurrentRun.run`` does.
    """
    loop = asyncio.get_running_loop()
    handlers = LoopTasks(dispatcher, limits.concurrency, run.report)
    ended: asyncio.Future[int] = loop.create_future()

    def read() -> None:
        try:
            count = run.run(handlers)
        except BaseException as error:
            loop.call_soon_threadsafe(_fail, ended, error)
        else:
            loop.call_soon_threadsafe(ended.set_result, count)

    wait, dispatcher.reports.wait = dispatcher.reports.wait, handlers.wait
    threading.Thread(target=read, name="babelreg-reader", daemon=True).start()
    try:
        with stopping_on_signals(stop, enabled=handle_signals, again=run.abort, only_default=True):
            return await _until(ended, run)
    finally:
        dispatcher.reports.wait = wait
        await handlers.close(wait=not run.aborted)


async def _until(ended: asyncio.Future[int], run: ConcurrentRun) -> int:
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


def _fail(ended: asyncio.Future[int], error: BaseException) -> None:
    ended.set_exception(error)
