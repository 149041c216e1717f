"""Deliveries that a concurrent run has reserved and not begun, and what is decided and not settled.

A delivery that may have killed its worker before is handled alone, so that another death does not count against
others. A broker that counts deliveries counts those that are reserved, so all others go back to their queues meanwhile,
and one is taken at a time until one comes that is not suspect. A ledger counts only what was begun: there they wait.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.consumer.waiting import Waiting
from babelreg.runtime.transports.reservations import Reservations

__all__ = ["Backlog"]


class Backlog:
    """The reserved deliveries of one run. ``record`` is called with the body of each, before all else.

    ``decided`` are deliveries to be settled; ``returned`` counts those that went back without being handled.
    """

    def __init__(
        self, dispatcher: Dispatcher, reservations: Reservations, record: Callable[[str], object] | None
    ) -> None:
        self.decided: deque[Decision] = deque()
        self.returned = 0
        self._dispatcher = dispatcher
        self._reservations = reservations
        self._record = record
        self._waiting = Waiting()
        self._suspects: deque[ValidDelivery] = deque()
        self._alone: ValidDelivery | None = None
        self._careful = False

    def __len__(self) -> int:
        """The number of deliveries that wait for their handlers."""
        return len(self._waiting) + len(self._suspects)

    def most(self, capacity: int) -> int:
        """Return how many deliveries may be reserved, of ``capacity``."""
        if self._suspects or self._alone is not None:
            return 0
        return 1 if self._careful else capacity

    def admit(self, received: ReceivedMessage) -> None:
        """Record and validate a delivery, and queue it for its handler, or for settlement."""
        if self._record is not None:
            self._record(received.body)
        delivery = self._dispatcher.classify(received)
        if isinstance(delivery, Decision):
            self.decided.append(delivery)
            return
        if self._dispatcher.limit.is_suspect(delivery.recoveries):
            self._isolate(delivery)
            return
        self._careful = False
        if self._suspects and self._suspects[0].recoveries is not None:
            self.put_back(received)
            return
        key = self._dispatcher.ordering_key(delivery)
        if isinstance(key, Decision):
            self.decided.append(key)
        else:
            self._waiting.add(delivery, key)

    def begin(self, most: int, *, idle: bool) -> list[ValidDelivery]:
        """Remove and return up to ``most`` deliveries to be handled now; a suspect one only if all else is ``idle``."""
        if self._alone is not None:
            return []
        if self._suspects:
            self._alone = self._suspects.popleft() if idle else None
            return [self._alone] if self._alone is not None else []
        batch: list[ValidDelivery] = []
        while len(batch) < most and (waiting := self._waiting.next()) is not None:
            delivery, arrived = waiting
            if self._reservations.renew(delivery.received, time.monotonic() - arrived):
                batch.append(delivery)
            else:
                self.done(delivery)  # the broker delivers it again
        return batch

    def done(self, delivery: ValidDelivery) -> None:
        """Let what waits for the end of ``delivery`` begin."""
        self._waiting.done(delivery)
        if delivery is self._alone:
            self._alone = None

    def put_back(self, received: ReceivedMessage) -> None:
        """Return a delivery to its queue."""
        self.returned += 1
        self._dispatcher.settlement.put_back(received)

    def put_back_all(self) -> None:
        """Return all that wait, the last one first: where they go to the front of the queue they keep their order."""
        waiting = [*self._suspects, *self._waiting.clear()]
        self._suspects.clear()
        for delivery in reversed(waiting):
            self.put_back(delivery.received)

    def _isolate(self, delivery: ValidDelivery) -> None:
        counted_by_broker = delivery.recoveries is not None
        self._careful = self._careful or counted_by_broker
        if counted_by_broker and self._suspects:
            self.put_back(delivery.received)
            return
        if counted_by_broker:
            self.put_back_all()
        self._suspects.append(delivery)
