"""What becomes of a delivery: done, once more, or to the dead letters; on any transport of babelqueue.

A broker that fails here is logged and the delivery left unsettled, so that the broker brings it back: at least once,
never lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from babelqueue import BabelQueue
from babelqueue.transport import (
    DeadLetterNamer,
    DeadLetterWriter,
    ReceivedMessage,
    Redeliverer,
    Rewinder,
    Transport,
    publish_keeping_route,
)

__all__ = ["Settlement"]

logger = logging.getLogger("babelreg.runtime")


class Settlement:
    """Settles deliveries of one app's transport. Every method returns True when the broker took it."""

    def __init__(self, app: BabelQueue) -> None:
        self._app = app

    @property
    def _transport(self) -> Transport:
        return self._app.transport

    def done(self, received: ReceivedMessage) -> bool:
        """Acknowledge: handled, or dropped on purpose."""
        return self._try(received, "acknowledge", lambda: self._transport.ack(received), comes_back=False)

    def again(self, received: ReceivedMessage, body: str, delay_seconds: float) -> bool:
        """Hand ``body`` back for another delivery. Transports without a delay of their own deliver at once."""

        def redeliver() -> None:
            if isinstance(self._transport, Redeliverer):
                self._transport.redeliver(received, body, delay_seconds)
            else:
                publish_keeping_route(self._transport, received.queue, body, received.route_urn, received.key)
                self._transport.ack(received)

        return self._try(received, "release", redeliver)

    def bury(self, received: ReceivedMessage, record: str, why: str) -> bool:
        """Write ``record`` to the dead letters and take the delivery off its queue."""
        target = self.dead_letter_queue(received.queue)
        logger.error("a message of queue %r goes to %r: %s", received.queue, target, why)

        def write() -> None:
            if isinstance(self._transport, DeadLetterWriter):
                self._transport.dead_letter(received, target, record)
            else:
                publish_keeping_route(self._transport, target, record, received.route_urn, received.key)
                self._transport.ack(received)

        return self._try(received, "dead-letter", write)

    def dead_letter_queue(self, queue: str) -> str:
        """The app's ``dead_letter_queue``, else the transport's own rule, else ``<queue>.dlq``."""
        if self._app.dead_letter_queue:
            return self._app.dead_letter_queue
        suffix = self._app.dead_letter_suffix
        if isinstance(self._transport, DeadLetterNamer):
            return self._transport.dead_letter_queue_name(queue, suffix)
        return queue + (".dlq" if suffix is None else suffix)

    def _try(self, received: ReceivedMessage, what: str, step: Callable[[], None], *, comes_back: bool = True) -> bool:
        try:
            step()
        except Exception:
            logger.exception("cannot %s a message of queue %r: the broker will deliver it again", what, received.queue)
            if comes_back:
                self._rewind(received)
            return False
        return True

    def _rewind(self, received: ReceivedMessage) -> None:
        # Where acknowledging is a position (Kafka), a later ack would pass over what was left unsettled.
        if isinstance(self._transport, Rewinder):
            try:
                self._transport.rewind(received)
            except Exception:
                logger.exception("cannot rewind to an unsettled message of queue %r", received.queue)
