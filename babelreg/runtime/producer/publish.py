"""Publishing of one encoded message, with its telemetry: a log record, installed instrumentation, and middleware.

A message that is sent, refused or not accepted by the broker is logged at DEBUG: what goes wrong is raised to the
caller, with the same facts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from babelqueue.transport import HeaderPublisher, Transport

from babelreg.runtime.errors import InvalidDataError, UnsupportedOptionError
from babelreg.runtime.producer.encode import EncodedMessage
from babelreg.runtime.producer.options import PLAIN, SendOptions, carries_headers
from babelreg.runtime.producer.row_properties import RowProperties
from babelreg.runtime.telemetry.instrumentation import all_of, installed
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Outgoing
from babelreg.runtime.transports.capabilities import KEY_HEADER, capabilities
from babelreg.runtime.transports.subscription_broker import (
    Publication,
    Subscribers,
    publish_many,
    publishes_many,
)


def is_observed() -> bool:
    """Return True if sending is logged, or something is installed that observes it."""
    return bool(installed()) or logger.isEnabledFor(logging.DEBUG)


def outgoing(urn: str, message: EncodedMessage, options: SendOptions) -> Outgoing:
    """Return the facts on ``message``."""
    size, headers = len(message.body.encode("utf-8")), dict(options.headers)
    return Outgoing(urn, message.message_id, message.trace_id, message.queue, size, headers, options.key, options.delay)


def publication(
    transport: Transport, queue: str, body: str, subscribers: Subscribers | None, options: SendOptions
) -> Publication:
    """Return what to publish. Its key is a header where the transport has no keys."""
    urn = subscribers.urn if subscribers else None
    if options.key is None or capabilities(transport).keys:
        return Publication(queue, urn, body, options.headers, options.key, options.delay)
    return Publication(queue, urn, body, {**options.headers, KEY_HEADER: options.key}, None, options.delay)


def publish(
    transport: Transport, queue: str, body: str, subscribers: Subscribers | None, options: SendOptions = PLAIN
) -> None:
    """Publish ``body`` to its subscriptions where the transport has them, else to ``queue``."""
    to_send = publication(transport, queue, body, subscribers, options)
    if publishes_many(transport):
        (error,) = publish_many(transport, [(to_send, subscribers)])
        if error is not None:
            raise error
        return
    headers = to_send.headers if to_send.key is None else {**to_send.headers, KEY_HEADER: to_send.key}
    if headers and isinstance(transport, HeaderPublisher):
        transport.publish_with_headers(queue, body, dict(headers))
    else:
        transport.publish(queue, body)


def publish_observed(
    transport: Transport,
    message: Outgoing,
    body: str,
    *,
    declared: bool,
    recording: Callable[[str], AbstractContextManager[None]] | None = None,
    subscribers: Subscribers | None = None,
) -> None:
    """Publish ``body`` within what is installed. ``recording`` encloses the transport's call.

    Raises as ``carries_headers``, which explains ``declared``.
    """
    carried = carries_headers(message.urn, transport, _options(message), declared=declared)
    with all_of(one.sending(message, transport) for one in installed()), _logged(message, "sent"):
        if not carried:
            _leave_out(message, transport)
        with nullcontext() if recording is None else recording(body):
            publish(transport, message.queue, body, subscribers, _options(message))


@contextmanager
def creating(
    message: Outgoing, transport: Transport, *, declared: bool, addition: str | None
) -> Iterator[RowProperties]:
    """Enclose writing ``message`` to an outbox, and yield what it has to keep beside the body.

    ``addition`` is a way to let the outbox keep something, None where it can. Raises as ``carries_headers``, and
    UnsupportedOptionError for an option that the outbox cannot keep.
    """
    options = _options(message)
    carried = carries_headers(message.urn, transport, options, declared=declared) and addition is None
    if addition is not None and options != PLAIN:
        option = next(name for name, value in options._asdict().items() if value)
        detail = f"the outbox has no column for the {option} of a message"
        raise UnsupportedOptionError(message.urn, option, detail, fix=addition)
    with all_of(one.creating(message, transport) for one in installed()), _logged(message, "written"):
        if not carried:
            _leave_out(message, transport)
        due = time.time() + message.delay_seconds if message.delay_seconds else None
        yield RowProperties(message.headers if carried else None, message.key, due)


def _options(message: Outgoing) -> SendOptions:
    return SendOptions(message.key, message.delay_seconds, message.headers)


def _leave_out(message: Outgoing, transport: Transport) -> None:
    """Remove the headers that telemetry added."""
    if message.headers:
        message.headers.clear()
        for one in installed():
            # What another package of an earlier version installed has no such method.
            getattr(one, "left_out", lambda *_: None)(message, transport)


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
