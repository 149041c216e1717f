"""Settlement of deliveries on any transport of babelqueue: acknowledge, redeliver or dead-letter.

A failure of the broker is logged and the delivery stays unsettled, so that the broker delivers it again: at least
once, never lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from babelqueue import BabelQueue
from babelqueue.transport import (
    DeadLetterWriter,
    HeaderPublisher,
    ReceivedMessage,
    Redeliverer,
    Rewinder,
    SettlePublisher,
    Transport,
    publish_keeping_route,
)

from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.outcome import Outcome
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.kafka_groups import home_of
from babelreg.runtime.transports.receiver import DeliveryLostError

_MOST_LOST = 1000


@runtime_checkable
class AcknowledgesMany(Protocol):
    """A transport that can acknowledge several deliveries in one request. DeliveryLostError: it acknowledged none."""

    def ack_many(self, messages: Sequence[ReceivedMessage]) -> None: ...


class Settlement:
    """Settles deliveries of one app's transport. Every method returns True if the broker confirmed it."""

    def __init__(self, app: BabelQueue) -> None:
        self._app = app
        self._error: Exception | None = None
        self.lost: dict[tuple[str, str], Decision] = {}
        """What was decided on deliveries whose reservation had ended then, by queue and body."""

    @property
    def _transport(self) -> Transport:
        return self._app.transport

    def settle(self, decision: Decision) -> Outcome:
        """Do what was decided; the outcome is ``unsettled`` if the broker does not confirm it."""
        confirmed = (decision.settle or self.acknowledge)(decision.received)
        return decision.outcome if confirmed else self._unsettled(decision)

    def settle_all(self, decisions: Sequence[Decision]) -> list[Outcome]:
        """Settle several decisions, of the same kind: either acknowledgements or not."""
        if len(decisions) == 1 or decisions[0].settle is not None:
            return [self.settle(decision) for decision in decisions]
        confirmed = self.acknowledge_all([decision.received for decision in decisions])
        pairs = zip(confirmed, decisions, strict=True)
        return [decision.outcome if done else self._unsettled(decision) for done, decision in pairs]

    def acknowledge(self, received: ReceivedMessage) -> bool:
        """Acknowledge a delivery that was handled, or dropped on purpose."""
        try:
            self._app.transport.ack(received)
        except Exception as error:
            self._log_failure(received, "acknowledge", error)
            return False
        return True

    def acknowledge_all(self, deliveries: Sequence[ReceivedMessage]) -> list[bool]:
        """Acknowledge several deliveries, in one request where the transport can: either all are confirmed or none."""
        if len(deliveries) > 1 and isinstance(self._transport, AcknowledgesMany):
            try:
                self._transport.ack_many(deliveries)
            except DeliveryLostError:
                pass  # one by one: others are of a new connection
            except Exception as error:
                self._log_failure(deliveries[0], "acknowledge", error)
                return [False] * len(deliveries)
            else:
                return [True] * len(deliveries)
        return [self.acknowledge(received) for received in deliveries]

    def redeliver(self, received: ReceivedMessage, body: str, delay_seconds: float) -> bool:
        """Return ``body`` to the queue for another delivery. Transports without delays deliver it at once."""

        step = partial(self._publish_again, received, received.queue, body)
        if isinstance(self._transport, Redeliverer):
            step = partial(self._transport.redeliver, received, body, delay_seconds)
        return self._try(received, "release", step)

    def hand_back(self, received: ReceivedMessage) -> bool:
        """Return the delivery to its queue unchanged, without a count; by ``hand_back`` of a transport that has it."""
        return self._return(received, "hand_back")

    def put_back(self, received: ReceivedMessage) -> bool:
        """Return a delivery whose handler was not called; by ``put_back``, to where it was, of a transport that can."""
        return self._return(received, "put_back")

    def dead_letter(self, received: ReceivedMessage, record: str) -> bool:
        """Write ``record`` to the dead-letter queue and remove the delivery from its queue."""
        target = self.dead_letter_queue(home_of(received))

        step = partial(self._publish_again, received, target, record)
        if isinstance(self._transport, DeadLetterWriter):
            step = partial(self._transport.dead_letter, received, target, record)
        return self._try(received, "dead-letter", step)

    def dead_letter_queue(self, queue: str) -> str:
        """Return the app's ``dead_letter_queue``, else the name that the transport derives, else ``<queue>.dlq``."""
        if self._app.dead_letter_queue:
            return self._app.dead_letter_queue
        suffix = self._app.dead_letter_suffix
        derive: Callable[[str, str | None], str] | None = getattr(self._transport, "dead_letter_queue_name", None)
        if derive is not None:
            return derive(queue, suffix)
        return queue + (".dlq" if suffix is None else suffix)

    def _publish_again(self, received: ReceivedMessage, queue: str, body: str) -> None:
        """Publish ``body`` with the route, key or headers of a delivery, whatever the transport has; acknowledge."""
        transport = self._transport
        routed = received.route_urn or isinstance(transport, SettlePublisher)
        if received.headers and not routed and isinstance(transport, HeaderPublisher):
            transport.publish_with_headers(queue, body, received.headers)
        else:
            publish_keeping_route(transport, queue, body, received.route_urn, received.key)
        transport.ack(received)

    def _return(self, received: ReceivedMessage, method: str) -> bool:
        step: Callable[[ReceivedMessage], None] | None = getattr(self._transport, method, None)
        if step is None:
            return self.redeliver(received, received.body, 0.0)
        return self._try(received, "release", partial(step, received))

    def _try(self, received: ReceivedMessage, verb: str, step: Callable[[], None]) -> bool:
        try:
            step()
        except Exception as error:
            self._log_failure(received, verb, error)
            self._rewind(received)
            return False
        return True

    def _unsettled(self, decision: Decision) -> Outcome:
        if isinstance(self._error, DeliveryLostError):
            if len(self.lost) == _MOST_LOST:
                self.lost.pop(next(iter(self.lost)))
            self.lost[decision.received.queue, decision.received.body] = decision
        return decision.outcome._replace(kind="unsettled")

    def _log_failure(self, received: ReceivedMessage, verb: str, error: Exception) -> None:
        self._error = error
        words = "cannot %s a message of queue %r: the broker will deliver it again"
        logger.exception(words, verb, received.queue, extra=delivery_fields(received))

    def _rewind(self, received: ReceivedMessage) -> None:
        # Where an acknowledgement is a position (Kafka), a later one would skip the unsettled message.
        if isinstance(self._transport, Rewinder):
            try:
                self._transport.rewind(received)
            except Exception:
                words = "cannot rewind to an unsettled message of queue %r"
                logger.exception(words, received.queue, extra=delivery_fields(received))
