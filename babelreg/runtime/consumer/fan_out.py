"""The fan-out: copies of what SDKs of other languages publish to one queue, for every service that is subscribed.

A message is acknowledged once the broker has all copies, unchanged, with its ``meta.id``. So a fan-out that is killed
copies some messages again, and the ledgers of their consumers remove the repeats. Any number may run at the same time.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope
from babelreg.errors import UsageError
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.consumer.pauses import Pauses
from babelreg.runtime.consumer.settlement import Settlement
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.transports.amqp_properties import message_headers
from babelreg.runtime.transports.rabbitmq_queues import LOOP_HEADER
from babelreg.runtime.transports.receiver import receiver_of
from babelreg.runtime.transports.replacements import confirm
from babelreg.runtime.transports.subscription_broker import Publication, Subscribes, unclaimed

_BATCH = 100
_WAIT_SECONDS = 0.5
_DEFER_SECONDS = 60.0
_REPORT_SECONDS = 60.0


class FanOut:
    """Copies the messages of ``queues``, by default those that the topology names, to their subscriptions.

    ``copied`` counts messages by URN, ``refused`` dead letters by their reason. A message that a service consumes and
    that the broker has no subscription for goes back to its queue for a minute; one that the registry does not have,
    and nobody subscribed to, becomes a dead letter of its queue. Raises UsageError for a transport without
    subscriptions, and where there is nothing to fan out.
    """

    def __init__(self, app: BabelQueue, topology: RuntimeTopology, queues: Sequence[str] | None = None) -> None:
        confirm(app)
        transport = app.transport
        if not isinstance(transport, Subscribes):
            fix = "on Kafka each service reads the topics in its own group"
            raise UsageError("this broker does not need a fan-out, or has no subscriptions", fix=fix)
        self.queues = list(topology.fan_outs if queues is None else queues)
        if not self.queues:
            raise UsageError("no queue needs a fan-out", fix="`babelreg topology` shows who reads which queue")
        self._transport = transport
        self._topology = topology
        self._app = app
        self._settlement = Settlement(app)
        self._contract = Contract({})
        self._reported_at = -_REPORT_SECONDS
        self.copied: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()

    def run(self, stop: threading.Event, *, until_empty: bool = False, told: Callable[[], None] = lambda: None) -> None:
        """Copy until ``stop`` is set; with ``until_empty`` until all queues are empty. Calls ``told`` after each batch.

        While the broker is away it tries again after 1 second, 2, 4 and so on up to 30. Raises the exceptions of the
        broker's client if the broker was never reached, and with ``until_empty``.
        """
        for queue in self.queues:
            self._transport.mark_fanned_out(queue)
        receiver, pauses = receiver_of(self._app.transport, self.queues, _BATCH, until_empty=until_empty), Pauses()
        try:
            while not stop.is_set():
                try:
                    messages = receiver.take(_BATCH, 0.0 if until_empty else _WAIT_SECONDS)
                    self._copy_all(messages, stop)
                except Exception as err:
                    if until_empty or isinstance(err, UsageError):
                        raise
                    stop.wait(pauses.after(err))
                    continue
                pauses.reset()
                told()
                if until_empty and not messages:
                    return
        finally:
            self._put_back(receiver.release())
            receiver.close()

    def _copy_all(self, messages: Sequence[ReceivedMessage], stop: threading.Event) -> None:
        """Copy a batch; what was not begun goes back to its queue when ``stop`` is set, or where a copy fails."""
        for index, received in enumerate(messages):
            if stop.is_set():
                self._put_back(messages[index:])
                return
            try:
                self._copy(received)
            except BaseException:
                self._put_back(messages[index:])
                raise

    def _put_back(self, messages: Sequence[ReceivedMessage]) -> None:
        for received in reversed(messages):
            with suppress(Exception):
                self._settlement.put_back(received)

    def _copy(self, received: ReceivedMessage) -> None:
        verdict = self._contract.verdict(dead_letter.text_bytes(received.body))
        envelope, queue = verdict.envelope, received.queue
        if envelope is None or verdict.kind == "poison" or envelope.urn is None:
            reason = f"{verdict.reason}: {verdict.detail}"
            self._refuse(received, "poison", dead_letter.poison(received, reason))
            return
        urn, sent_urn = self._topology.resolve(envelope.urn), envelope.urn
        if received.headers.get(LOOP_HEADER) == queue:
            logger.error("queue %r is subscribed to %s, which the fan-out copies from it", queue, urn)
            self._settlement.acknowledge(received)
            return
        headers = message_headers(received.headers)
        (reached,) = self._transport.publish_many([Publication("", sent_urn, received.body, headers, without=queue)])
        if isinstance(reached, Exception):
            raise reached
        if reached or urn not in self._topology.consumers:
            self._settle(received, envelope, urn, reached)
        else:
            self._defer(received, urn)

    def _settle(self, received: ReceivedMessage, envelope: Envelope, urn: str, reached: int) -> None:
        if reached:
            self.copied[urn] += 1
        elif urn in self._topology.sources:
            unclaimed.count(urn, received.queue)
        else:
            detail = f"unknown_urn: no service is subscribed to {urn}, and the registry does not have it"
            attempts = dead_letter.attempts(received, envelope)
            self._refuse(received, "unknown_urn", dead_letter.refused(received, attempts, "unknown_urn", detail))
            return
        self._settlement.acknowledge(received)

    def _refuse(self, received: ReceivedMessage, reason: str, record: str) -> None:
        self.refused[reason] += 1
        self._settlement.dead_letter(received, record)

    def _defer(self, received: ReceivedMessage, urn: str) -> None:
        """Return a message for later: its consumers have not declared their subscriptions yet."""
        now = time.monotonic()
        if now - self._reported_at >= _REPORT_SECONDS:
            self._reported_at = now
            names = ", ".join(self._topology.consumers[urn])
            logger.warning("%s waits: %s consume it, and none is subscribed", urn, names)
        self._settlement.redeliver(received, received.body, _DEFER_SECONDS)


def run_in_thread(fan_out: FanOut) -> Callable[[], None]:
    """Run ``fan_out`` in a thread; return a function that ends it after the current message."""
    stop = threading.Event()
    thread = threading.Thread(target=fan_out.run, args=(stop,), name="babelreg-fan-out", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end
