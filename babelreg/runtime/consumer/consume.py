"""Consumers: typed handlers that receive only valid messages.

What is added to babelqueue's own loop: a message with an unknown envelope version, or whose data violates its schema,
is dead-lettered at once and never reaches a handler; a malformed ``attempts`` does no harm; async handlers are awaited;
changes that a handler makes to its data reach neither retries nor dead letters, because these are made from the
received bytes; messages that a handler sends continue the trace of its message.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from copy import copy
from typing import Any, ClassVar, TypeVar

from babelqueue import BabelQueue, UnknownUrnStrategy
from babelqueue.transport import ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime.bytes.recorder import Recorder, recorder_of
from babelreg.runtime.consumer.delivery_limit import DEFAULT_LIMIT
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.expectations import Expectations
from babelreg.runtime.consumer.loop import ConsumerLoop
from babelreg.runtime.consumer.loop_tasks import run_in_loop
from babelreg.runtime.consumer.pauses import Pauses
from babelreg.runtime.consumer.reports import OutcomeHook
from babelreg.runtime.consumer.routes import Handler, OrderedBy
from babelreg.runtime.consumer.run_limits import DEFAULT_GRACE_SECONDS, RunLimits
from babelreg.runtime.consumer.signals import StopFlag, stopping_on_signals
from babelreg.runtime.consumer.worker_threads import HandlersHere, WorkerThreads
from babelreg.runtime.idempotency.ledger import AsyncLedger, Ledger
from babelreg.runtime.message import message_type
from babelreg.runtime.outcome import Outcome
from babelreg.runtime.subscriptions.reading import Reading
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.telemetry.liveness import Liveness
from babelreg.runtime.telemetry.middleware import Middleware
from babelreg.runtime.transports.replacements import another, confirm
from babelreg.runtime.validators import ENFORCE, reports

T = TypeVar("T")
AnyMiddleware = TypeVar("AnyMiddleware", bound=Middleware)
AnyHook = TypeVar("AnyHook", bound=OutcomeHook)


class Consumer:
    """Consumer of the messages of one babelqueue app.

    ``on_unknown_urn``: what to do with a valid envelope without a handler: fail, delete, release or dead_letter; the
    default is that of the app. ``ledger``: records handled messages, so that a message that is delivered twice takes
    effect once. ``allow_missing``: messages that this service consumes according to the registry and that this
    consumer does not handle on purpose. ``record``: a folder, or a Recorder, for files of every delivery.
    ``delivery_limit``: a message whose deliveries end that often without a result, because its worker dies, goes to the
    dead-letter queue; None for no limit. ``service``: the service whose queues it reads, which a package that was
    generated for one service knows. ``enforce="report"``: data that violates its contract goes to :meth:`on_refused`.
    ``check_expectations``: valid data outside of what the service ``expects`` according to the registry is reported and
    handled, or dead-lettered, as ``on_unexpected`` says there.

        consumer = Consumer(app, ledger=SqliteLedger("service.db"))

        @consumer.on(OrdersCreated)
        def handle(order: OrdersCreated, context: Context) -> None: ...

        consumer.run()
    """

    consumes: ClassVar[Mapping[str, str]] = {}
    """The messages that this service consumes according to the registry: class names by URN. Set by generated code."""

    topology: ClassVar[RuntimeTopology | None] = None
    """The queues and services of the registry. Set by generated code."""

    service: ClassVar[str | None] = None
    """The service that the code was generated for. Set by generated code."""

    expects: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
    """What services expect beyond the contracts, by service and URN. Set by generated code."""

    def __init__(
        self,
        app: BabelQueue,
        *,
        on_unknown_urn: str | None = None,
        ledger: Ledger | AsyncLedger | None = None,
        allow_missing: Iterable[type[Any]] = (),
        record: Recorder | str | os.PathLike[str] | None = None,
        delivery_limit: int | None = DEFAULT_LIMIT,
        service: str | None = None,
        enforce: str = ENFORCE,
        check_expectations: bool = False,
    ) -> None:
        strategy = app.on_unknown_urn if on_unknown_urn is None else on_unknown_urn
        if strategy not in UnknownUrnStrategy.ALL:
            raise UsageError(
                f"on_unknown_urn is {strategy!r}",
                fix=f"choose one of {', '.join(UnknownUrnStrategy.ALL)}",
            )
        confirm(app)
        self._app = app
        self._reading = Reading(app, self.topology, self.service if service is None else service)
        self._dispatcher = Dispatcher(app, strategy, ledger, delivery_limit, self._reading)
        self.enforce(enforce)
        if check_expectations:
            name = self.service if service is None else service
            if name is None:
                raise UsageError("expectations belong to a service", fix='Consumer(app, service="NAME", ...)')
            self._dispatcher.expectations = Expectations(self.expects.get(name, {}))
        self._recorder = recorder_of(record)
        self._allowed = [message_type(model).urn for model in allow_missing]
        self._stop = StopFlag()
        self.liveness = Liveness()
        self.reached_broker = False
        """True if the last run has received an answer of its broker."""
        self._run: ConsumerLoop | None = None

    @property
    def queues(self) -> list[str]:
        """The queues of all registered messages, each once."""
        return self._reading.queues(self._dispatcher.routes.messages)

    def on(
        self,
        model: type[T],
        *,
        upcast_from: Iterable[type[Any]] = (),
        ordered_by: OrderedBy[T] | None = None,
    ) -> Callable[[Handler[T]], Handler[T]]:
        """Register the decorated function, plain or async, for the message whose data is ``model``.

        ``upcast_from``: earlier versions that this handler accepts, too. Their data is validated as the version that
        was sent, upcast by the registry's steps, and validated again; ``context.urn`` is the URN that was sent.

        ``ordered_by`` returns the ordering key of data, as in ``lambda order: order.customer_id``, or is "key" for the
        key set by the producer: if several handlers run at the same time, messages with equal keys are handled one
        after another, in the order in which this consumer received them. Keys of all messages are compared; None
        requires no order.

        Raises UsageError when one of the messages already has a handler, or when the registry has no steps from one of
        the earlier versions to this message.
        """
        message = message_type(model)
        earlier = [message_type(version) for version in upcast_from]

        def register(handler: Handler[T]) -> Handler[T]:
            self._dispatcher.routes.add(message, earlier, handler, ordered_by)
            return handler

        return register

    def on_refused(self, model: type[Any] | None = None) -> Callable[[Handler[Any]], Handler[Any]]:
        """Register the decorated function for data that violates its contract, where that is only reported.

        It gets the data of ``model``, or of all messages without such a function, as decoded JSON, and is called as a
        handler is: its return acknowledges the message. Raises UsageError where there is one already.
        """
        message = None if model is None else message_type(model)

        def register(handler: Handler[Any]) -> Handler[Any]:
            self._dispatcher.routes.take_refused(message, handler)
            return handler

        return register

    def enforce(self, mode: str) -> None:
        """Dead-letter data that violates its contract (``enforce``), or only report it (``report``)."""
        self._dispatcher.routes.reporting = reports(mode)

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        """Call all handlers within the decorated generator function, plain or async, of the same two arguments.

        The first one added is outermost. An exception of the handler is raised at its ``yield``; it has to let
        that exception pass, or the message counts as handled. Raises UsageError for a function without ``yield``.
        """
        self._dispatcher.routes.enclose(middleware)
        return middleware

    def on_outcome(self, hook: AnyHook) -> AnyHook:
        """Call the decorated function, plain or async, with the Outcome and the Incoming message after each delivery.

        That is after it was acknowledged, retried or dead-lettered; what the function raises is logged, and changes
        nothing. Raises UsageError for a function that does not take two arguments.
        """
        self._dispatcher.reports.add_hook(hook)
        return hook

    def run(
        self,
        queue: str | None = None,
        *,
        workers: int = 1,
        prefetch: int | None = None,
        max_messages: int | None = None,
        timeout_seconds: float = 1.0,
        handle_signals: bool = True,
        start: str | None = None,
        wait_for_broker: bool = False,
        grace_seconds: float | None = DEFAULT_GRACE_SECONDS,
    ) -> int:
        """Handle messages until stopped; return the number of deliveries.

        Declares its subscriptions, then reads ``queue``, else the queues of all registered messages. ``start``
        (earliest or latest) says where a new group of Kafka begins. With ``max_messages`` it returns after that many
        deliveries, or when the queues are empty. On SIGTERM or SIGINT it finishes the current message first; a second
        signal interrupts the handler and returns the message to the queue.

        ``workers`` is the number of threads that handle messages at the same time; async handlers run in an event loop
        of their thread. ``prefetch`` is the number of messages to reserve beyond these, by default as many as there are
        workers; they go back to the queue at the end. A second signal returns messages to the queue, but cannot
        interrupt their threads, which end with the process.

        A broker that is unavailable at the start is an error, unless ``wait_for_broker``. ``grace_seconds`` after the
        first signal, the process sends the second one to itself; None waits until the handlers end.

        Where a message has a ``delivery.time_limit_seconds``, handlers run in threads. It raises HandlersStuckError, a
        SystemExit with exit code 70, when half of them are stuck.

        Raises UsageError or SchemaError, before the first delivery, as :meth:`check` does.
        """
        self.check()
        queues = [queue] if queue is not None else self.queues
        ahead = workers if prefetch is None else prefetch
        limits = RunLimits(workers, ahead, max_messages, timeout_seconds, wait_for_broker, grace_seconds)
        limits.check("workers")
        with self._declared(queues, start, wait_for_broker):
            return self._run_loop(queues, limits, handle_signals)

    def _declared(self, queues: list[str], start: str | None, wait_for_broker: bool) -> AbstractContextManager[None]:
        pauses = Pauses()

        def again(error: Exception) -> bool:
            if not wait_for_broker or isinstance(error, UsageError):
                raise error
            return not self._stop.wait(pauses.after(error))

        return self._reading.declared(self._dispatcher.routes.messages, queues, start, again)

    def _run_loop(self, queues: list[str], limits: RunLimits, handle_signals: bool) -> int:
        run, workers = self._loop(queues, limits), limits.concurrency
        threads = WorkerThreads(self._dispatcher, workers, run.report, self._dispatcher.blocking_calls)
        in_threads = workers > 1 or self._dispatcher.routes.any_limited
        again, grace_seconds = run.abort if in_threads else None, limits.grace_seconds
        try:
            with stopping_on_signals(self.stop, enabled=handle_signals, again=again, grace_seconds=grace_seconds):
                return run.run(threads if in_threads else HandlersHere(self._dispatcher, run.report))
        except KeyboardInterrupt:
            if not handle_signals:
                raise
            return run.settled
        finally:
            threads.close(wait=not run.aborted)
            self._ended()

    async def run_async(
        self,
        queue: str | None = None,
        *,
        concurrency: int = 1,
        prefetch: int | None = None,
        max_messages: int | None = None,
        timeout_seconds: float = 1.0,
        handle_signals: bool = True,
        start: str | None = None,
        wait_for_broker: bool = False,
        grace_seconds: float | None = DEFAULT_GRACE_SECONDS,
    ) -> int:
        """Handle messages in the running event loop until stopped; return the number of deliveries.

        ``concurrency`` is the number of messages that are handled at the same time: async handlers as tasks of this
        loop, plain ones in threads. ``prefetch`` and the others are as for :meth:`run`. After :meth:`stop`, SIGTERM or
        SIGINT it finishes what is being handled; when it is cancelled, or on a second signal, it cancels the handlers
        and returns their messages to the queue. Signals that the application handles itself are left to it.

        With a ledger that is not an async one, async handlers run one at a time, which is logged at the start: their
        statements block the loop, so one that waited for a lock of another would wait for ever. Plain handlers run at
        the same time, in threads with a connection each. Raises as :meth:`run` does.
        """
        self._check_handlers()
        ahead = concurrency if prefetch is None else prefetch
        limits = RunLimits(concurrency, ahead, max_messages, timeout_seconds, wait_for_broker, grace_seconds)
        limits.check("concurrency")
        self._dispatcher.warn_one_at_a_time(concurrency)
        queues = [queue] if queue is not None else self.queues
        with ExitStack() as stack:
            await asyncio.to_thread(stack.enter_context, self._declared(queues, start, wait_for_broker))
            run = self._loop(queues, limits)
            try:
                return await run_in_loop(run, self._dispatcher, limits, self.stop, handle_signals)
            finally:
                self._ended()

    def _loop(self, queues: list[str], limits: RunLimits) -> ConsumerLoop:
        record = None if self._recorder is None else self._recorder.record
        beat = self.liveness.beat
        self._run = ConsumerLoop(self._app.transport, self._dispatcher, queues, limits, self._stop, record, beat)
        return self._run

    def _ended(self) -> None:
        run, self._run = self._run, None
        self.reached_broker = run is not None and run.reached
        self.liveness.stop()
        self.close()
        self._stop.clear()

    def start_fan_out(self) -> Callable[[], None]:
        """Copy what SDKs of other languages publish for this service, in a thread; return a function that ends it.

        Raises UsageError where nothing is to be copied.
        """
        from babelreg.runtime.consumer.fan_out import FanOut, run_in_thread

        app = copy(self._app)
        app.transport = another(app.transport)
        return run_in_thread(FanOut(app, self.topology or RuntimeTopology()))

    def stop(self) -> None:
        """Make :meth:`run` return after the current message, or messages. Safe from any thread and signal handler."""
        self._stop.set()
        if (run := self._run) is not None:
            run.wake()

    def dispatch(self, received: ReceivedMessage) -> Outcome:
        """Handle one delivery of the transport: for custom loops and for tests.

        Call :meth:`check` before the loop to find a wrong configuration early.
        """
        if self._recorder is not None:
            self._recorder.record(received.body)  # first of all: whatever is acknowledged is in a file
        return self._dispatcher.dispatch(received)

    def close(self) -> None:
        """Close the event loop of async handlers, which :meth:`dispatch` keeps open; :meth:`run` calls this itself."""
        self._dispatcher.close()

    def check(self) -> None:
        """Check that :meth:`run` can start.

        Raises UsageError if a message that this service consumes has no handler, if there is no handler at all or none
        for data that is only reported, or if there are async handlers and an event loop is running. Raises one
        SchemaError that names every message whose validator cannot be built.
        """
        self._dispatcher.check()
        self._check_handlers()

    def _check_handlers(self) -> None:
        self._dispatcher.routes.contract()
        self._dispatcher.routes.check(self.consumes, self._allowed)
