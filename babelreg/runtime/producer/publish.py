"""Publishing of one encoded message, with its telemetry: a log record, installed instrumentation, and middleware.

A message that is sent, refused or not accepted by the broker is logged at DEBUG: what goes wrong is raised to the
caller, with the same facts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from babelqueue.transport import HeaderPublisher, Transport

from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.producer.encode import EncodedMessage
from babelreg.runtime.telemetry.instrumentation import all_of, installed
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Outgoing
from babelreg.runtime.telemetry.messaging_system import messaging_system
from babelreg.runtime.telemetry.middleware import Middleware, enclosed
from babelreg.runtime.transports.subscription_broker import Subscribers, publish_to_subscribers

__all__ = ["creating", "is_observed", "outgoing", "publish", "publish_body", "publish_observed", "report_refusal"]


def is_observed() -> bool:
    """Return True if sending is logged, or something is installed that observes it."""
    return bool(installed()) or logger.isEnabledFor(logging.DEBUG)


def outgoing(urn: str, message: EncodedMessage) -> Outgoing:
    """Return the facts on ``message``."""
    size = len(message.body.encode("utf-8"))
    return Outgoing(urn, message.message_id, message.trace_id, message.queue, size)


def publish_body(transport: Transport, queue: str, body: str, subscribers: Subscribers | None) -> None:
    """Publish ``body`` to its subscriptions where the transport has them, else to ``queue``."""
    if subscribers is None or not publish_to_subscribers(transport, queue, body, {}, subscribers):
        transport.publish(queue, body)


def publish(transport: Transport, message: Outgoing, body: str, subscribers: Subscribers | None = None) -> None:
    """Publish ``body`` as :func:`publish_body`, with the headers of ``message`` where the transport has headers."""
    if subscribers is not None:
        headers = message.headers if messaging_system(transport).carries_headers else {}
        if publish_to_subscribers(transport, message.queue, body, headers, subscribers):
            return
    if message.headers and messaging_system(transport).carries_headers and isinstance(transport, HeaderPublisher):
        transport.publish_with_headers(message.queue, body, message.headers)
    else:
        transport.publish(message.queue, body)


def publish_observed(
    transport: Transport,
    message: Outgoing,
    body: str,
    *,
    data: Any = None,
    middleware: Sequence[Middleware] = (),
    recording: Callable[[str], AbstractContextManager[None]] | None = None,
    subscribers: Subscribers | None = None,
) -> None:
    """Publish ``body`` within ``middleware`` and what is installed. ``recording`` encloses the transport's call."""

    def send(_: Any, __: Any) -> None:
        with all_of(one.sending(message, transport) for one in installed()), _logged(message, "sent"):
            if recording is None:
                publish(transport, message, body, subscribers)
            else:
                with recording(body):
                    publish(transport, message, body, subscribers)

    enclosed(send, middleware)(data, message)


@contextmanager
def creating(message: Outgoing, transport: Transport) -> Iterator[None]:
    """Enclose writing ``message`` to an outbox."""
    with all_of(one.creating(message, transport) for one in installed()), _logged(message, "written"):
        yield


def report_refusal(error: InvalidDataError, queue: str, transport: Transport, *, sent: bool = False) -> None:
    """Report a message whose data violates its contract, and which was therefore not sent, or is ``sent`` anyway."""
    for one in installed():
        one.refused(error.urn, queue, error.reason, transport)
    level = logging.WARNING if sent else logging.DEBUG  # who is refused gets the error, too
    if logger.isEnabledFor(level):
        about = Outgoing(error.urn, "", "", queue)
        extra = fields(about, outcome="reported" if sent else "refused", reason=error.reason)
        words = "sent, although it would be refused" if sent else "refused"
        logger.log(level, "%s: %s: %s", error.urn, words, error.detail, extra=extra)


@contextmanager
def _logged(message: Outgoing, outcome: str) -> Iterator[None]:
    if not logger.isEnabledFor(logging.DEBUG):
        yield
        return
    started = time.perf_counter()
    try:
        yield
    except Exception as error:
        more = {"outcome": "failed", "reason": type(error).__name__, "duration_seconds": time.perf_counter() - started}
        logger.debug("%s: not %s", message.urn, outcome, exc_info=True, extra=fields(message, **more))
        raise
    more = {"outcome": outcome, "duration_seconds": time.perf_counter() - started}
    logger.debug("%s: %s", message.urn, outcome, extra=fields(message, **more))
