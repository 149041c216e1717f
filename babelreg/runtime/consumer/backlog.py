"""Deliveries that a concurrent run has reserved and not begun, and what is decided and not settled.

A delivery that may have killed its worker before is handled alone, so that another death does not count against
others. A broker that counts deliveries counts those that are reserved, so all others go back to their queues meanwhile,
and one is taken at a time until one comes that is not suspect. A ledger counts only what was begun: there they wait.

A broker may deliver a message again while its handler is at work: after a lost connection, and RabbitMQ after its
``consumer_timeout``. The repeat waits for the end of that handler and is settled in place of the first delivery; where
it arrives later, it is settled as was decided then. Either way the handler is not called again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.dispatch import Dispatcher
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.receiver import Receiver, Renews

_RENEW_AFTER_SECONDS = 1.0
_REPEATED = (
    "%s: the broker has delivered it again while its handler is at work, because the connection was lost, or the "
    "handler takes longer than consumer_timeout of RabbitMQ; the handler is not called again. Keep it shorter with "
    "delivery.time_limit_seconds, or raise consumer_timeout in rabbitmq.conf"
)


class Backlog:
    """The reserved deliveries of one run; those that are ``running`` are at work. ``record`` is called with each body.

    ``decided`` are deliveries to be settled; ``returned`` counts those that went back without being handled.
    """

    def __init__(
        self,
        transport: Transport,
        dispatcher: Dispatcher,
        receiver: Receiver,
        running: Mapping[int, ValidDelivery],
        record: Callable[[str], object] | None,
    ) -> None:
        self.decided: deque[Decision] = deque()
        self.returned = 0
        self._dispatcher = dispatcher
        self._receiver = receiver
        self._running = running
        self._repeats: dict[int, ReceivedMessage] = {}
        self._record = record
        self._renews = transport if isinstance(transport, Renews) else None
        self._arrived: deque[ReceivedMessage] = deque()
        self._reserved: dict[int, ReceivedMessage] = {}
        self._waiting = Waiting()
        self._suspects: deque[ValidDelivery] = deque()
        self._alone: ValidDelivery | None = None
        self._careful = False

    def __len__(self) -> int:
        """The number of deliveries that wait for their handlers."""
        return len(self._arrived) + len(self._waiting) + len(self._suspects)

    @property
    def careful(self) -> bool:
        """True while deliveries are taken one at a time."""
        return self._careful or bool(self._suspects) or self._alone is not None

    def reserved(self) -> list[ReceivedMessage]:
        """Return all deliveries that are not settled. Safe from any thread."""
        return list(self._reserved.values())

    def settled(self, received: ReceivedMessage) -> None:
        """Note that a delivery is settled."""
        self._reserved.pop(id(received), None)

    def most(self, capacity: int) -> int:
        """Return how many deliveries may be reserved, of ``capacity``."""
        if self._suspects or self._alone is not None:
            return 0
        return 1 if self._careful else capacity

    def arrive(self, messages: Sequence[ReceivedMessage]) -> None:
        """Queue reserved messages for :meth:`admit`."""
        self._arrived.extend(messages)
        self._reserved |= {id(received): received for received in messages}

    def admit(self, *, one: bool) -> None:
        """Record and validate what has arrived, and queue it for its handler, or for settlement.

        With ``one`` a delivery is admitted when none before it waits, so that all end in the order of their arrival.
        """
        while self._arrived and not (one and (self.decided or self._waiting or self._suspects)):
            self._admit(self._arrived.popleft())

    def _admit(self, received: ReceivedMessage) -> None:
        if self._record is not None:
            self._record(received.body)
        delivery = self._dispatcher.classify(received)
        if isinstance(delivery, Decision):
            self.decided.append(delivery)
            return
        if delivery.recoveries != 0 and self._is_repeat(delivery):
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

    def _is_repeat(self, delivery: ValidDelivery) -> bool:
        """Return True if ``delivery`` repeats one that has ended or is at work here, and is settled as that is."""
        received = delivery.received
        decision = self._dispatcher.settlement.lost.pop((received.queue, received.body), None)
        if decision is not None:
            self.decided.append(decision._replace(received=received))
            return True
        for other in self._running.values():
            first = other.received
            if (first.queue, first.body) == (received.queue, received.body) and not self._is_reserved(first):
                self.settled(self._repeats.get(id(other), first))
                self._repeats[id(other)] = received
                self.returned += 1
                logger.warning(_REPEATED, delivery.envelope.urn, extra=delivery_fields(received))
                return True
        return False

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
            if time.monotonic() - arrived < _RENEW_AFTER_SECONDS or self._is_reserved(delivery.received):
                batch.append(delivery)
            else:
                self.done(delivery)  # the broker delivers it again
                self.settled(delivery.received)
                self.returned += 1
        return batch

    def decide(self, delivery: ValidDelivery, decision: Decision | None) -> None:
        """Queue the decision on a delivery whose handler has ended; without one, return it to its queue."""
        self.done(delivery)
        received = self._repeats.pop(id(delivery), delivery.received)
        if decision is None:
            self.put_back(received)
        else:
            self.decided.append(decision if received is delivery.received else decision._replace(received=received))

    def done(self, delivery: ValidDelivery) -> None:
        """Let what waits for the end of ``delivery`` begin."""
        self._waiting.done(delivery)
        if delivery is self._alone:
            self._alone = None

    def put_back(self, received: ReceivedMessage) -> None:
        """Return a delivery to its queue."""
        self.returned += 1
        self._dispatcher.settlement.put_back(received)
        self.settled(received)

    def put_back_ahead(self) -> None:
        """Return what the receiver has reserved in advance."""
        for received in reversed(self._receiver.release()):
            self._dispatcher.settlement.put_back(received)

    def put_back_all(self) -> None:
        """Return all that wait, the last one first: where they go to the front of the queue they keep their order."""
        waiting = [delivery.received for delivery in (*self._suspects, *self._waiting.clear())]
        waiting += self._arrived
        self._suspects.clear()
        self._arrived.clear()
        for received in reversed(waiting):
            self.put_back(received)

    def _isolate(self, delivery: ValidDelivery) -> None:
        counted_by_broker = delivery.recoveries is not None
        self._careful = self._careful or counted_by_broker
        if counted_by_broker and self._suspects:
            self.put_back(delivery.received)
            return
        if counted_by_broker:
            self.put_back_ahead()
            self.put_back_all()
        self._suspects.append(delivery)

    def _is_reserved(self, message: ReceivedMessage) -> bool:
        """Return False for a message whose reservation has ended: the broker has delivered it again."""
        if self._renews is None:
            return True
        try:
            return self._renews.renew(message)
        except Exception:
            logger.exception("cannot renew the reservation of a message of queue %r", message.queue)
            return True


class Waiting:
    """Deliveries that wait for their handlers: in order of arrival, of each ordering key one at a time.

    :meth:`next` returns the first one whose key is free; :meth:`done` frees the key.
    """

    def __init__(self) -> None:
        self._ready: deque[ValidDelivery] = deque()
        self._keys: dict[int, Hashable] = {}
        self._behind: dict[Hashable, deque[ValidDelivery]] = {}
        self._arrivals: dict[int, tuple[int, float]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._arrivals)

    def add(self, delivery: ValidDelivery, key: Hashable | None) -> None:
        """Append ``delivery``; None for one that needs no order."""
        self._count += 1
        self._arrivals[id(delivery)] = self._count, time.monotonic()
        if key is None:
            self._ready.append(delivery)
            return
        self._keys[id(delivery)] = key
        if key in self._behind:
            self._behind[key].append(delivery)
        else:
            self._behind[key] = deque()
            self._ready.append(delivery)

    def next(self) -> tuple[ValidDelivery, float] | None:
        """Remove the first delivery that may be handled now; return it and when it arrived (monotonic), or None."""
        if not self._ready:
            return None
        delivery = self._ready.popleft()
        return delivery, self._arrivals.pop(id(delivery))[1]

    def done(self, delivery: ValidDelivery) -> None:
        """Let the next delivery with the key of this one be handled."""
        key = self._keys.pop(id(delivery), None)
        if key is None:
            return
        behind = self._behind[key]
        if behind:
            self._ready.append(behind.popleft())
        else:
            del self._behind[key]

    def clear(self) -> list[ValidDelivery]:
        """Remove and return all that wait, in order of arrival."""
        waiting = sorted(chain(self._ready, *self._behind.values()), key=lambda each: self._arrivals[id(each)])
        for delivery in waiting:
            self._keys.pop(id(delivery), None)
        self._behind = {key: deque() for key in self._keys.values()}  # those of deliveries at work
        self._ready.clear()
        self._arrivals.clear()
        return waiting
