"""The calls of an attempt that may wait, of ledgers and handlers, for threads and for event loops."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, TypeVar

from babelreg.runtime.awaitables import resolved
from babelreg.runtime.context import Context
from babelreg.runtime.idempotency.ledger import ClosesInLoop, ClosesInThread

T = TypeVar("T")


class BlockingCalls:
    """Calls that block the thread. Awaitables run in an event loop of its own, which stays open until :meth:`close`.

    One thread at a time may use it. ``ledger`` is the consumer's, whose connections belong to that event loop if it is
    an async one. ``wait`` runs an awaitable elsewhere instead, in the application's loop.
    """

    def __init__(self, ledger: object = None, wait: Callable[[Awaitable[Any]], Any] | None = None) -> None:
        self._ledger = ledger
        self._wait = wait
        self._runner: asyncio.Runner | None = None

    async def ledger(self, step: Callable[..., Any], *arguments: Any) -> Any:
        result = step(*arguments)
        return self.wait(result) if inspect.isawaitable(result) else result

    async def handler(self, function: Callable[..., Any], data: Any, context: Context) -> None:
        self.call(function, data, context)

    def call(self, function: Callable[..., Any], data: Any, context: Context) -> None:
        """Call a handler."""
        result = function(data, context)
        if result is not None and inspect.isawaitable(result):
            self.wait(result)

    def close(self) -> None:
        """Close the event loop, if there is one."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        if in_event_loop():
            # At the end of an async test: a loop cannot be closed while another one runs in the same thread.
            thread = threading.Thread(target=self._close_runner, args=(runner,))
            thread.start()
            thread.join()
        else:
            self._close_runner(runner)

    def _close_runner(self, runner: asyncio.Runner) -> None:
        try:
            if isinstance(self._ledger, ClosesInLoop):
                runner.run(self._ledger.aclose())  # its connections belong to this loop
        finally:
            runner.close()

    def wait(self, result: Awaitable[Any]) -> Any:
        """Run an awaitable to its end, and return its result."""
        if self._wait is not None:
            return self._wait(result)
        if self._runner is None:
            self._runner = asyncio.Runner()
        # In the current context: the runner's own is a copy from the time of its first message.
        try:
            return self._runner.run(resolved(result), context=contextvars.copy_context())
        except (KeyboardInterrupt, SystemExit):
            self.close()  # the handler cleans up now, while its transaction can still be rolled back
            raise


class LoopCalls:
    """Calls of attempts that are tasks of a running event loop, which they never block.

    A plain ledger is called in a thread. Its ``lock`` is held for the whole attempt: a handler that waits in a
    statement for a row that another task of this loop has locked would stop both for ever.
    """

    def __init__(self, ledger: object, is_plain: bool) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, "babelreg-ledger") if is_plain else None
        self.one_at_a_time = is_plain
        self.lock: Any = asyncio.Lock() if is_plain else nullcontext()

    async def ledger(self, step: Callable[..., Any], *arguments: Any) -> Any:
        if self._thread is None:
            return await step(*arguments)
        return await _uninterrupted(asyncio.get_running_loop().run_in_executor(self._thread, step, *arguments))

    async def handler(self, function: Callable[..., Any], data: Any, context: Context) -> None:
        await resolved(function(data, context))

    async def close(self) -> None:
        """Close the connections of an async ledger, which belong to this loop, and end the thread of a plain one."""
        if isinstance(self._ledger, ClosesInLoop):
            await self._ledger.aclose()
        if self._thread is not None:
            if isinstance(self._ledger, ClosesInThread):
                self._thread.submit(self._ledger.close_in_thread)
            self._thread.shutdown(wait=False)


async def _uninterrupted(future: asyncio.Future[T]) -> T:
    """Return the result of ``future``, also where this task is cancelled meanwhile: at its next await it is.

    A thread cannot be interrupted: the transaction that it begins would have no owner.
    """
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            cancelled = True
    task = asyncio.current_task()
    if cancelled and task is not None:
        task.cancel()
    return future.result()


def in_event_loop() -> bool:
    """Return True if an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
