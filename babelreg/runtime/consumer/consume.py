"""Handling messages: typed handlers, behind a guard that lets only valid messages through.

What the guard adds to babelqueue's own loop: a message of an envelope version we do not know, or whose data breaks
its schema, goes to the dead letters at once and never to a handler; ``attempts`` of any kind of nonsense kills
nothing; async handlers are awaited; what a handler does to its data reaches no retry and no dead letter, because
those are made from the bytes as they came; messages sent while one is handled carry on its trace_id.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.transport import ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.outcome import Outcome
from babelreg.runtime.consumer.polling import poll, stopping_on_signals
from babelreg.runtime.consumer.routes import Handler
from babelreg.runtime.idempotency.ledger import Ledger
from babelreg.runtime.message import message_type
from babelreg.runtime.transports.reliable import confirm

__all__ = ["Consumer"]

T = TypeVar("T")

# A message that the broker takes no answer for comes back at once: without a pause it would keep the machine busy.
_PAUSE_SECONDS = 1.0


class Consumer:
    """Handles messages of one babelqueue app.

    ``on_unknown_urn``: what to do with a valid envelope for which no handler is registered, one of fail, delete,
    release, dead_letter; by default as the app says. ``ledger``: remembers what was handled, so that a message that is
    delivered twice takes effect once. ``allow_missing``: messages that the registry says this service consumes and
    that are not handled here on purpose.

        consumer = Consumer(app, ledger=SqliteLedger("service.db"))

        @consumer.on(OrdersCreated)
        def handle(order: OrdersCreated, context: Context) -> None: ...

        consumer.run()
    """

    consumes: ClassVar[Mapping[str, str]] = {}
    """What the registry says this service consumes: names of generated classes by URN. Set by generated code."""

    def __init__(
        self,
        app: BabelQueue,
        *,
        on_unknown_urn: str | None = None,
        ledger: Ledger | None = None,
        allow_missing: Iterable[type[Any]] = (),
    ) -> None:
        strategy = app.on_unknown_urn if on_unknown_urn is None else on_unknown_urn
        if strategy not in UnknownUrnStrategy.ALL:
            raise UsageError(
                f"on_unknown_urn is {strategy!r}",
                fix=f"choose one of {', '.join(UnknownUrnStrategy.ALL)}",
            )
        confirm(app)
        self._app = app
        self._dispatcher = Dispatcher(app, strategy, ledger)
        self._allowed = [message_type(model).urn for model in allow_missing]
        self._stop = threading.Event()

    @property
    def queues(self) -> list[str]:
        """The queues of all registered messages, each once."""
        return self._dispatcher.routes.queues(self._app.queue)

    def on(self, model: type[T], *, upcast_from: Iterable[type[Any]] = ()) -> Callable[[Handler[T]], Handler[T]]:
        """Register the decorated function, plain or async, for the message whose data is ``model``.

        ``upcast_from``: earlier versions that this handler takes as well. Their data is judged as what it was sent
        as, upcast by the registry's steps, and judged again; ``context.urn`` tells what it was.

        Raises UsageError when there is a handler already, since a message has one, or when the registry has no steps
        from one of the earlier versions to this message.
        """
        message = message_type(model)
        earlier = [message_type(one) for one in upcast_from]

        def registered(handler: Handler[T]) -> Handler[T]:
            self._dispatcher.add(message, handler, earlier)
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

        Raises UsageError or SchemaError, before it takes a message, as :meth:`check` does.
        """
        self.check()
        queues = [queue] if queue is not None else self.queues
        taken = 0
        transport, until_empty = self._app.transport, max_messages is not None
        deliveries = poll(transport, queues, self._stop, timeout_seconds=timeout_seconds, until_empty=until_empty)
        try:
            with stopping_on_signals(self.stop, wanted=handle_signals):
                while (max_messages is None or taken < max_messages) and (received := next(deliveries, None)):
                    taken += 1
                    if self._dispatcher.dispatch(received).kind == "unsettled":
                        self._stop.wait(_PAUSE_SECONDS)
        except KeyboardInterrupt:
            if not handle_signals:
                raise
        finally:
            deliveries.close()
            self.close()
            self._stop.clear()
        return taken

    def stop(self) -> None:
        """Let :meth:`run` return after the message in hand. Safe from any thread and from signal handlers."""
        self._stop.set()

    def dispatch(self, received: ReceivedMessage) -> Outcome:
        """Handle one delivery that was taken from the transport: for loops of your own, and for tests.

        Call :meth:`check` before the loop, which raises for what no delivery can be handled with.
        """
        return self._dispatcher.dispatch(received)

    def close(self) -> None:
        """End the event loop of async handlers, which :meth:`dispatch` leaves open for the next; ``run`` does so."""
        self._dispatcher.close()

    def check(self) -> None:
        """Raises UsageError for what :meth:`run` will not start with.

        That is a message that this service consumes and that has no handler, or no handler at all, or async handlers
        where an event loop is running. Raises SchemaError for messages whose validators cannot be built, all by name.
        """
        self._dispatcher.check()
        routes = self._dispatcher.routes
        missing = routes.missing(self.consumes, self._allowed)
        if missing:
            names = ", ".join(missing.values())
            raise UsageError(
                f"no handler for what this service consumes: {', '.join(missing)}",
                fix=f"add @consumer.on(...) for {names}, or pass allow_missing=[{names}]",
            )
        if not routes:
            raise UsageError("no handler is registered", fix="decorate a function with @consumer.on(...) before run()")
