"""Spans of messages sent and handled, and metrics on them, on OpenTelemetry's API.

The context of a message travels as W3C ``traceparent`` in its headers, and in the table of an outbox. Where headers
cannot travel, ``messaging.message.conversation_id``, which is the envelope's ``trace_id``, is what the spans of a
message share: the envelope holds no span to link to.

Source: OpenTelemetry semantic conventions, messaging spans and metrics; OTEP 220.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Final

from babelqueue.transport import Transport
from opentelemetry import metrics, propagate, trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, StatusCode

from babelreg.runtime.outcome import Outcome
from babelreg.runtime.telemetry.message_facts import Incoming, Outgoing
from babelreg.runtime.telemetry.messaging_system import messaging_system

_SCOPE: Final = "babelreg"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_SUCCESSES = ("handled", "reported", "duplicate", "skipped", "deferred")


class MessagingSpans:
    """The instrumentation that records with the providers given, or with the global ones."""

    def __init__(
        self, tracer_provider: trace.TracerProvider | None, meter_provider: metrics.MeterProvider | None
    ) -> None:
        self._tracer = trace.get_tracer(_SCOPE, tracer_provider=tracer_provider)
        meter = metrics.get_meter(_SCOPE, meter_provider=meter_provider)
        self._consumed = meter.create_counter(
            "messaging.client.consumed.messages", "{message}", "Number of messages that were delivered to the consumer."
        )
        seconds = partial(meter.create_histogram, unit="s", explicit_bucket_boundaries_advisory=_SECONDS)
        self._process_seconds = seconds("messaging.process.duration", description="Duration of processing a message.")
        self._sent = meter.create_counter(
            "messaging.client.sent.messages", "{message}", "Number of messages that a producer attempted to send."
        )
        self._send_seconds = seconds(
            "messaging.client.operation.duration", description="Duration of sending a message."
        )
        self._left_out = meter.create_counter(
            "babelreg.producer.untraced.messages", "{message}", "Number of messages without the context of their trace."
        )
        self._refused = meter.create_counter(
            "babelreg.producer.refused.messages", "{message}", "Number of messages that violated their contract."
        )

    def begin(self, delivery: Incoming, transport: Transport, seconds_ago: float = 0.0) -> _Processing:
        """Begin a span ``process <queue>``."""
        common = _common("process", delivery.queue, transport)
        parent, links = _creation(delivery.headers)
        span = self._tracer.start_span(
            f"process {delivery.queue}",
            context=parent,
            kind=SpanKind.CONSUMER,
            attributes={**common, **_message(delivery), "babelreg.attempt": delivery.attempt},
            links=links,
            start_time=time.time_ns() - int(seconds_ago * 1e9) if seconds_ago else None,
        )
        labels = {**common, "babelreg.urn": delivery.urn if delivery.known else "_OTHER"}
        return _Processing(span, partial(self._record, labels))

    def _record(self, labels: dict[str, Any], results: dict[str, str], seconds: float) -> None:
        self._consumed.add(1, {**labels, **results})
        self._process_seconds.record(seconds, {**labels, **results})

    @contextmanager
    def sending(self, message: Outgoing, transport: Transport) -> Iterator[None]:
        """Enclose sending in a span ``send <queue>``, and put its context into the headers of the message."""
        common = _common("send", message.queue, transport)
        started = time.perf_counter()
        labels = {**common, "babelreg.urn": message.urn}
        with self._span(f"send {message.queue}", {**common, **_message(message)}, message) as span:
            propagate.inject(message.headers)
            try:
                yield
            except BaseException as error:
                labels |= _fail(span, _type_name(error))
                raise
            finally:
                self._sent.add(1, labels)
                self._send_seconds.record(time.perf_counter() - started, labels)

    @contextmanager
    def creating(self, message: Outgoing, transport: Transport) -> Iterator[None]:
        """Enclose writing to an outbox in a span ``create <queue>``, whose context the outbox keeps."""
        attributes = {**_common("create", message.queue, transport), **_message(message)}
        with self._span(f"create {message.queue}", attributes, message) as span:
            propagate.inject(message.headers)
            try:
                yield
            except BaseException as error:
                _fail(span, _type_name(error))
                raise

    def refused(self, urn: str, queue: str, reason: str, transport: Transport) -> None:
        """Count a message that its producer refused to send, or would have."""
        self._refused.add(1, {**_common("send", queue, transport), "babelreg.urn": urn, "babelreg.reason": reason})

    def left_out(self, message: Outgoing, transport: Transport) -> None:
        """Count a message whose trace context cannot travel with it."""
        self._left_out.add(1, {**_common("send", message.queue, transport), "babelreg.urn": message.urn})

    def _span(self, name: str, attributes: dict[str, Any], message: Outgoing) -> Any:
        parent, links = _creation(message.headers)  # of a message from an outbox, where it was written
        return self._tracer.start_as_current_span(
            name,
            context=parent,
            kind=SpanKind.PRODUCER,
            attributes=attributes,
            links=links,
            record_exception=False,
            set_status_on_exception=False,
        )


class _Processing:
    """The span of one delivery. ``record`` takes the attributes that its end adds, and its seconds, for metrics."""

    def __init__(self, span: Span, record: Callable[[dict[str, str], float], None]) -> None:
        self._span = span
        self._record = record
        self._started = time.perf_counter()

    def current(self) -> AbstractContextManager[object]:
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)

    def finish(self, outcome: Outcome, seconds: float) -> None:
        results = {"babelreg.outcome": outcome.kind}
        if outcome.code is not None:
            results["babelreg.reason"] = outcome.code
        self._span.set_attributes(results)
        if outcome.kind not in _SUCCESSES:
            error = outcome.error
            if error is not None:
                self._span.record_exception(error)
            kind = _type_name(error) if error is not None else outcome.code or outcome.kind
            results |= _fail(self._span, kind, outcome.code)
        self._span.end()
        self._record(results, seconds)

    def abort(self, error: BaseException) -> None:
        self._span.set_attribute("babelreg.outcome", "interrupted")
        results = {"babelreg.outcome": "interrupted"} | _fail(self._span, _type_name(error))
        self._span.end()
        self._record(results, time.perf_counter() - self._started)


def _fail(span: Span, kind: str, words: str | None = None) -> dict[str, str]:
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR, words)
    return {"error.type": kind}


def _creation(headers: Mapping[str, str]) -> tuple[Context | None, list[Link]]:
    """Return the parent and the links of the span of a message with these ``headers``.

    The span links to the context in which the message was sent or written. That context is also its parent, unless the
    consumer or the relay runs within a span of the service: OTEP 220, "Consumer".
    """
    if not headers:
        return None, []
    context = propagate.extract(dict(headers), context=Context())
    created = trace.get_current_span(context).get_span_context()
    if not created.is_valid:
        return None, []
    ambient = trace.get_current_span().get_span_context().is_valid
    return (None if ambient else context), [Link(created)]


def _common(operation: str, queue: str, transport: Transport) -> dict[str, Any]:
    system = messaging_system(transport)
    attributes: dict[str, Any] = {
        "messaging.system": system.name,
        "messaging.operation.type": operation,
        "messaging.operation.name": operation,
        "messaging.destination.name": queue,
    }
    if system.address is not None:
        attributes["server.address"] = system.address
        if system.port is not None:
            attributes["server.port"] = system.port
    return attributes


def _message(message: Incoming | Outgoing) -> dict[str, Any]:
    known = {
        "messaging.message.id": message.message_id,
        "messaging.message.conversation_id": message.trace_id,
        "messaging.message.body.size": message.body_bytes,
        "babelreg.urn": message.urn,
    }
    return {name: value for name, value in known.items() if value}


def _type_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
