"""The loop of a consumer: it takes deliveries from all queues, starts handlers, and settles their results.

::

    receiver --take--> classify --> backlog, by key --start--> handlers (here, in threads, or tasks of a loop)
       ^                  |                                         |
       +------settle------+-----------------<---- results ----------+

One thread runs it, and it alone uses the broker: it takes deliveries, as many as there is room for, records and
validates them, starts handlers, and settles their results. Channels of RabbitMQ and positions of Kafka are used by one
thread only, and all counters are here, without locks. The three kinds of ``Handlers`` differ in where they run: in this
thread, one at a time (``HandlersHere``); in threads (``WorkerThreads``); as tasks of the application's event loop
(``LoopTasks``). Results come back through a queue.

There is one place to wait, ``take`` of the receiver, which covers all queues; a result of a handler ends the wait. Only
where a receiver cannot be woken (Kafka), or has no room, the thread waits for results, and asks the broker in between.

``concurrency`` deliveries are handled at the same time, ``prefetch`` more are reserved. Of deliveries with the same
ordering key the next one is started when the one before it is done (see ``Waiting``). A delivery that may have killed
its worker before is handled alone (see ``backlog``).

It ends when it is stopped, and with ``max_messages`` after that many deliveries or when the queues are empty. Then
handlers finish, and deliveries that were not begun go back to their queues. ``abort`` does not wait for handlers: tasks
are cancelled, and what they handled goes back, too. While the broker or the ledger is away nothing is taken or started,
for 1 second, 2, 4 and so on up to 30.

A handler that is late and cannot be interrupted is given up (see ``time_limit``): its delivery is settled as failed,
and another thread takes its place. When half of them are stuck, the run ends and raises what ends the process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty
from typing import Protocol

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.consumer.backlog import Backlog
from babelreg.runtime.consumer.decision import Attempted
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.pauses import Pauses
from babelreg.runtime.consumer.run_limits import RunLimits
from babelreg.runtime.consumer.signals import WAKE_SECONDS, StopFlag
from babelreg.runtime.consumer.time_limit import HandlersStuckError
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.mailbox import Mailbox
from babelreg.runtime.transports.receiver import Receiver, kept, receiver_of

_UNSETTLED_PAUSE_SECONDS = 1.0
_FIRST_POLL_SECONDS = 0.001
_LONGEST_POLL_SECONDS = 0.1


class Handlers(Protocol):
    """The place where handlers run. Reports every delivery that was started, except those that ``cancel`` returns."""

    here: bool
    """True if ``start`` returns when the handlers have ended."""

    def start(self, deliveries: Sequence[ValidDelivery]) -> None:
        """Start the handlers of these deliveries."""

    def abandon(self, delivery: ValidDelivery) -> int:
        """Let another handler run in the place of that of ``delivery``, which is stuck; return how many are stuck."""

    def cancel(self) -> Sequence[ValidDelivery]:
        """Interrupt handlers; return the deliveries of those that cannot be interrupted."""


class ConsumerLoop:
    """One run of a consumer; see the module. ``record`` is called with each body first of all."""

    def __init__(
        self,
        transport: Transport,
        dispatcher: Dispatcher,
        queues: Sequence[str],
        limits: RunLimits,
        stop: StopFlag,
        record: Callable[[str], object] | None = None,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._dispatcher = dispatcher
        self._queues = queues
        self._limits = limits
        self._stop = stop
        self._beat = beat
        self.aborted = False  # no Event: see StopFlag
        self._receiver: Receiver = receiver_of(
            transport, queues, limits.ahead, until_empty=limits.max_messages is not None
        )
        self._results: Mailbox[Attempted | None] = Mailbox()
        self._running: dict[int, ValidDelivery] = {}
        self._backlog = Backlog(transport, dispatcher, self._receiver, self._running, record)
        self._decided = self._backlog.decided
        self._stuck: dict[int, tuple[ValidDelivery, int]] = {}
        self._taken = 0
        self.settled = 0
        self.reached = False
        self._in_broker = False
        self._broker_pauses, self._ledger_pauses = Pauses(), Pauses()
        self._resume_at = 0.0
        self._poll_seconds = _FIRST_POLL_SECONDS
        self._failure: BaseException | None = None

    def report(self, attempted: Attempted | None) -> None:
        """Take the result of a handler. Safe from any thread."""
        self._results.put(attempted)
        if self._in_broker:
            self._receiver.wake()

    def wake(self) -> None:
        """Let the loop look whether it is stopped. Safe from any thread and from signal handlers."""
        self._results.put(None)  # not the receiver, whose lock may be held by the thread that the signal interrupts

    def abort(self) -> None:
        """End without waiting for handlers. Safe as :meth:`wake`."""
        self.aborted = True
        self._stop.set()
        self.wake()

    def run(self, handlers: Handlers) -> int:
        """Run to the end; return the number of deliveries that were settled.

        Raises the transport's exception if the broker was never reached, unless it is waited for, and with
        ``max_messages``; and what stopped a handler (SystemExit).
        """
        self._dispatcher.limit.warn_uncounted(list(self._queues))
        self._beat()
        try:
            with kept(self._receiver, self._backlog.reserved):
                try:
                    while self._turn(handlers):
                        pass
                except BaseException as error:
                    self._failure = self._failure or error
                    self.aborted = self.aborted or handlers.here
                    self._stop.set()
                self._end(handlers)
        finally:
            self._receiver.close()
        if self._failure is not None:
            raise self._failure
        return self.settled

    def _end(self, handlers: Handlers) -> None:
        """Let handlers finish, settle, and return what was not begun."""
        self._backlog.put_back_ahead()
        patience = self._limits.grace_seconds
        end = time.monotonic() + patience if patience and isinstance(self._failure, HandlersStuckError) else math.inf
        while self._running and not self.aborted:
            self._collect(handlers, WAKE_SECONDS)
            self.aborted = self.aborted or time.monotonic() > end
        if self.aborted:
            self._cancel(handlers)
        self._settle(handlers)
        self._backlog.put_back_all()

    def _turn(self, handlers: Handlers) -> bool:
        """Take, start and settle once; return False at the end."""
        if self._stop.is_set():
            return False
        started = time.monotonic()
        taken = self._take()
        self._start(handlers)
        self._settle(handlers)
        if taken:
            self._poll_seconds = _FIRST_POLL_SECONDS
            self._collect(handlers, 0.0)
            return True
        most = self._limits.max_messages
        if most is not None and not self._busy and (taken is not None or self._taken - self._backlog.returned >= most):
            return False
        self._collect(handlers, self._idle_seconds(started))
        return True

    @property
    def _busy(self) -> bool:
        return bool(self._running or self._backlog)

    def _room(self) -> int:
        """The number of deliveries to take now: what was reserved ahead is used up before more is."""
        if self._paused_seconds():
            return 0
        reserved = len(self._running) + len(self._backlog) + len(self._decided)
        room = self._backlog.most(self._limits.ahead) - reserved
        if room < self._limits.prefetch and not self._backlog.careful:
            return 0
        if self._limits.max_messages is not None:
            room = min(room, self._limits.max_messages - self._taken + self._backlog.returned)
        return room

    def _take(self) -> int | None:
        """Take what there is room for; return the number of deliveries, None where the broker did not answer."""
        room = self._room()
        if room <= 0:
            return None
        busy = self._busy or bool(self._decided)
        left = self._limits.timeout_seconds if not busy else WAKE_SECONDS if self._receiver.wakes else 0.0
        end = time.monotonic() + left
        while True:
            # In steps: a signal does not end the wait.
            step = min(left, WAKE_SECONDS) if self._receiver.wakes else left
            messages = self._ask_broker(room, step)
            left = end - time.monotonic()
            if messages is None or messages or left <= 0 or not self._receiver.wakes:
                break
            if self._stop.is_set() or not self._results.empty():
                break
        if messages is None:
            return None
        self._taken += len(messages)
        self._backlog.arrive(messages)
        return len(messages)

    def _ask_broker(self, room: int, seconds: float) -> Sequence[ReceivedMessage] | None:
        """Return deliveries, or None if the broker fails."""
        self._beat()
        self._in_broker = self._receiver.wakes  # first this, then the look at the results: report does the opposite
        try:
            wait = seconds if self._results.empty() else 0.0
            messages = self._receiver.take(room, wait, ahead=not self._backlog.careful)
        except Exception as err:
            if not self._limits.outlasts(err, reached=self.reached):
                raise
            self._resume_at = time.monotonic() + self._broker_pauses.after(err)
            return None
        finally:
            self._in_broker = False
        self.reached = True
        self._broker_pauses.reset()
        return messages

    def _start(self, handlers: Handlers) -> None:
        """Start handlers for what waits, as far as there is room."""
        if self._paused_seconds() or self._stop.is_set() or (handlers.here and self._decided):
            return
        self._backlog.admit(one=handlers.here)
        idle = not self._running and not self._decided
        batch = self._backlog.begin(self._limits.concurrency - len(self._running), idle=idle)
        for delivery in batch:
            self._running[id(delivery)] = delivery
        if batch:
            handlers.start(batch)

    def _collect(self, handlers: Handlers, seconds: float) -> None:
        """Wait for a result up to ``seconds``; start what may follow, then settle."""
        with suppress(Empty):
            result = self._results.get(seconds)
            while True:
                if result is not None:
                    self._done(result)
                result = self._results.get_nowait()
        self._give_up(handlers)
        self._start(handlers)
        self._settle(handlers)

    def _give_up(self, handlers: Handlers) -> None:
        """Settle deliveries whose handlers are late and cannot be interrupted; end where half of all are stuck."""
        for delivery in [delivery for delivery in self._running.values() if delivery.clock is not None]:
            decision = self._dispatcher.given_up(delivery)
            if decision is None:
                continue
            count = handlers.abandon(delivery)
            blocks = delivery.clock is not None and delivery.clock.blocks_others
            self._running.pop(id(delivery))
            self._stuck[id(delivery)] = (delivery, self._limits.concurrency if blocks else count)
            self._backlog.decide(delivery, decision)
        stuck = sum(count for _, count in self._stuck.values())
        if 2 * stuck >= self._limits.concurrency and self._failure is None:
            self._failure = HandlersStuckError(len(self._stuck), self._limits.concurrency)
            self._stop.set()

    def _done(self, result: Attempted) -> None:
        if self._running.pop(id(result.delivery), None) is None:
            self._stuck.pop(id(result.delivery), None)  # settled or returned before: a late result changes nothing
            return
        self._backlog.decide(result.delivery, result.decision)
        self._beat()
        self._poll_seconds = _FIRST_POLL_SECONDS
        if result.decision is None and not self.aborted:  # the handler was interrupted
            self._failure = self._failure or result.error
            self._stop.set()

    def _settle(self, handlers: Handlers) -> None:
        """Settle what is decided; in between, start handlers for which there is room meanwhile."""
        while self._decided:
            acknowledged = []
            while self._decided and self._decided[0].settle is None:
                acknowledged.append(self._decided.popleft())
            decisions = acknowledged or [self._decided.popleft()]
            for decision, outcome in zip(decisions, self._dispatcher.settle_all(decisions), strict=True):
                self.settled += 1
                self._backlog.settled(decision.received)
                self._pause_after(outcome.kind)
            self._done_meanwhile()
            self._start(handlers)
            if handlers.here:
                self._done_meanwhile()

    def _done_meanwhile(self) -> None:
        while not self._results.empty():
            if (result := self._results.get()) is not None:
                self._done(result)

    def _pause_after(self, kind: str) -> None:
        """Pause after a delivery that comes again at once: longer each time while the ledger is not available."""
        if kind == "returned":
            if not self._paused_seconds():
                self._resume_at = time.monotonic() + self._ledger_pauses.next_seconds()
        elif kind == "unsettled":
            self._resume_at = max(self._resume_at, time.monotonic() + _UNSETTLED_PAUSE_SECONDS)
        else:
            self._ledger_pauses.reset()

    def _paused_seconds(self) -> float:
        return max(0.0, self._resume_at - time.monotonic()) if self._resume_at else 0.0

    def _idle_seconds(self, asked_at: float) -> float:
        """How long to wait for results before the broker is asked again, which was last ``asked_at`` a time."""
        paused = self._paused_seconds()
        if paused:
            return min(paused, WAKE_SECONDS)
        if self._room() <= 0:
            return WAKE_SECONDS
        if self._receiver.wakes:
            return 0.0  # it was waited for there
        if not self._busy:
            return max(0.0, self._limits.timeout_seconds - (time.monotonic() - asked_at))
        self._poll_seconds = min(2 * self._poll_seconds, _LONGEST_POLL_SECONDS)
        return self._poll_seconds

    def _cancel(self, handlers: Handlers) -> None:
        """Interrupt handlers, and return the deliveries of those that cannot be interrupted."""
        for delivery in handlers.cancel():
            if self._running.pop(id(delivery), None) is not None:
                self._backlog.decide(delivery, None)
        while self._running:
            self._collect(handlers, WAKE_SECONDS)
