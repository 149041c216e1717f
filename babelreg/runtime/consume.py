"""Handling messages: typed handlers, behind a guard that lets only valid messages through.

What the guard adds to babelqueue's own loop: a message of an envelope version we do not know, or whose data breaks
its schema, goes to the dead letters at once and never to a handler; ``attempts`` of any kind of nonsense kills
nothing; async handlers are awaited; what a handler does to its data reaches no retry and no dead letter, because
those are made from the bytes as they came; messages sent while one is handled carry on its trace_id.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.transport import ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime.dispatch import Dispatcher, Handler
from babelreg.runtime.loop import poll, stopping_on_signals
from babelreg.runtime.message import message_type

__all__ = ["Consumer"]

T = TypeVar("T")


class Consumer:
    """Handles messages of one babelqueue app.

    ``on_unknown_urn``: what to do with a valid envelope for which no handler is registered, one of fail, delete,
    release, dead_letter; by default as the app says.

        consumer = Consumer(app)

        @consumer.on(OrdersCreated)
        def handle(order: OrdersCreated, context: Context) -> None: ...

        consumer.run()
    """

    def __init__(self, app: BabelQueue, *, on_unknown_urn: str | None = None) -> None:
        strategy = app.on_unknown_urn if on_unknown_urn is None else on_unknown_urn
        if strategy not in UnknownUrnStrategy.ALL:
            raise UsageError(
                f"on_unknown_urn is {strategy!r}",
                fix=f"choose one of {', '.join(UnknownUrnStrategy.ALL)}",
            )
        self._app = app
        self._dispatcher = Dispatcher(app, strategy)
        self._stop = threading.Event()

    def on(self, model: type[T]) -> Callable[[Handler[T]], Handler[T]]:
        """Register the decorated function, plain or async, for the message whose data is ``model``.

        Raises UsageError when there is one already: a message has one handler.
        """
        message = message_type(model)

        def registered(handler: Handler[T]) -> Handler[T]:
            self._dispatcher.add(message, handler)
            return handler

        return registered

    def run(
        self,
        queue: str | None = None,
        *,
        max_messages: int | None = None,
        timeout_seconds: float = 1.0,
        handle_signals: bool = True,
    ) -> int:
        """Handle messages until stopped; returns how many deliveries were taken.

        Reads ``queue``, else the queues of all registered messages. With ``max_messages`` it returns after so many,
        or when the queues are empty. On SIGTERM or SIGINT the message in hand is finished first; a second signal
        interrupts its handler and gives the message back.
        """
        self._dispatcher.check()
        queues = [queue] if queue is not None else self._dispatcher.queues()
        if not queues:
            raise UsageError("no handler is registered", fix="decorate a function with @consumer.on(...) before run()")
        taken = 0
        transport, until_empty = self._app.transport, max_messages is not None
        deliveries = poll(transport, queues, self._stop, timeout_seconds=timeout_seconds, until_empty=until_empty)
        try:
            with stopping_on_signals(self.stop, wanted=handle_signals):
                while (max_messages is None or taken < max_messages) and (received := next(deliveries, None)):
                    taken += 1
                    self._dispatcher.dispatch(received)
        except KeyboardInterrupt:
            if not handle_signals:
                raise
        finally:
            deliveries.close()
            self._dispatcher.close()
            self._stop.clear()
        return taken

    def stop(self) -> None:
        """Let :meth:`run` return after the message in hand. Safe from any thread and from signal handlers."""
        self._stop.set()

    def dispatch(self, received: ReceivedMessage) -> None:
        """Handle one delivery that was taken from the transport: for loops of your own, and for tests."""
        self._dispatcher.dispatch(received)
