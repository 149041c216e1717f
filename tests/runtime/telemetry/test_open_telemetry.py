"""Spans and metrics by the messaging conventions, in the SDK's exporters in memory."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from telemetry_double import Recorded, recording

from babelreg.runtime import Consumer, Context, InvalidDataError, OpenTelemetry, OutboxRelay, Reject, SqlOutbox

SECRET = "SECRET-4711"


@pytest.fixture
def telemetry() -> Iterator[Recorded]:
    with recording() as recorded:
        yield recorded


def handled(app: BabelQueue, act: Any = None, most: int = 1, **settings: Any) -> Consumer:
    consumer = Consumer(app, **settings)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> Any:
        return None if act is None else act()

    consumer.run(max_messages=most, timeout_seconds=0.01)
    return consumer


def test_a_message_has_a_span_of_its_sender_and_one_of_its_handler(telemetry: Recorded) -> None:
    app = on.app()
    sent = on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1, note=SECRET))
    body = on.bodies(app, "orders")[0]
    handled(app)
    send, process = telemetry.spans()
    common = {
        "messaging.system": "babelqueue",
        "messaging.destination.name": "orders",
        "messaging.message.id": sent,
        "messaging.message.conversation_id": json.loads(body)["trace_id"],
        "messaging.message.body.size": len(body),
        "babelreg.urn": on.CREATED,
    }
    assert (send.name, send.kind, dict(send.attributes or {})) == (
        "send orders",
        SpanKind.PRODUCER,
        {**common, "messaging.operation.type": "send", "messaging.operation.name": "send"},
    )
    assert (process.name, process.kind, dict(process.attributes or {})) == (
        "process orders",
        SpanKind.CONSUMER,
        {
            **common,
            "messaging.operation.type": "process",
            "messaging.operation.name": "process",
            "babelreg.attempt": 1,
            "babelreg.outcome": "handled",
        },
    )
    assert {span.status.status_code for span in (send, process)} == {StatusCode.UNSET}


def test_the_handlers_span_is_a_child_of_the_senders_and_links_to_it(telemetry: Recorded) -> None:
    app = on.app()
    with telemetry.tracer.start_as_current_span("request") as request:
        on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    handled(app)
    (send,), (process,) = telemetry.spans("send"), telemetry.spans("process")
    assert send.parent is not None
    assert send.parent.span_id == request.get_span_context().span_id
    assert process.parent is not None
    assert process.parent.span_id == send.context.span_id
    assert process.context.trace_id == request.get_span_context().trace_id
    assert [link.context.span_id for link in process.links] == [send.context.span_id]


def test_within_a_span_of_the_service_the_handlers_span_only_links_to_the_senders(telemetry: Recorded) -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    with telemetry.tracer.start_as_current_span("batch") as batch:
        handled(app)
    (send,), (process,) = telemetry.spans("send"), telemetry.spans("process")
    assert process.parent is not None
    assert process.parent.span_id == batch.get_span_context().span_id
    assert [link.context.span_id for link in process.links] == [send.context.span_id]


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
def test_what_a_handler_records_or_sends_is_below_its_span(telemetry: Recorded, is_async: bool) -> None:
    app = on.app()
    producer = on.OrdersCancelledProducer(app, queue="others")
    inner: list[trace.SpanContext] = []

    def act() -> None:
        producer.send(on.OrdersCancelled(order_id=1))
        inner.append(trace.get_current_span().get_span_context())

    async def act_async() -> None:
        await asyncio.sleep(0)
        act()

    on.put(app, on.envelope())
    handled(app, act_async if is_async else act)
    (process,) = telemetry.spans("process")
    (send,) = telemetry.spans("send")
    assert inner[0].span_id == process.context.span_id
    assert send.parent is not None
    assert send.parent.span_id == process.context.span_id


@pytest.mark.parametrize(
    "members, error, outcome, reason, error_type",
    [
        pytest.param({}, RuntimeError("x"), "retried", "handler_failed", "RuntimeError", id="a handler that fails"),
        pytest.param(
            {"attempts": 2}, KeyError("x"), "dead_lettered", "handler_failed", "KeyError", id="the last attempt"
        ),
        pytest.param({}, Reject("x"), "dead_lettered", "rejected", "babelreg.runtime.errors.Reject", id="a rejection"),
        pytest.param({"data": {}}, None, "dead_lettered", "missing_required", "missing_required", id="bad data"),
        pytest.param({"job": "urn:babel:a:b"}, None, "retried", "unknown_urn", "unknown_urn", id="an unknown URN"),
    ],
)
def test_what_is_not_handled_is_an_error_with_its_reason(
    telemetry: Recorded, members: dict[str, Any], error: Exception | None, outcome: str, reason: str, error_type: str
) -> None:
    def act() -> None:
        if error is not None:
            raise error

    app = on.app()
    on.put(app, on.envelope(**members))
    handled(app, act)
    (process,) = telemetry.spans("process")
    attributes = dict(process.attributes or {})
    assert process.status.status_code == StatusCode.ERROR
    assert (attributes["babelreg.outcome"], attributes["babelreg.reason"]) == (outcome, reason)
    assert attributes["error.type"] == error_type
    assert len(process.events) == (error is not None)
    ((labels, count),) = telemetry.points("messaging.client.consumed.messages")
    assert count == 1
    assert (labels["babelreg.outcome"], labels["babelreg.reason"]) == (outcome, reason)
    assert labels["babelreg.urn"] == (on.CREATED if "job" not in members else "_OTHER")


def test_a_body_that_is_no_envelope_has_a_span_and_no_label_of_its_own(telemetry: Recorded) -> None:
    app = on.app()
    on.put(app, "no envelope")
    handled(app)
    (process,) = telemetry.spans("process")
    ((labels, _),) = telemetry.points("messaging.process.duration")
    assert process.name == "process orders"
    assert (labels["babelreg.outcome"], labels["babelreg.urn"]) == ("dead_lettered", "_OTHER")


class Stopped(BaseException):
    pass


def test_a_handler_that_stops_the_program_ends_its_span(telemetry: Recorded) -> None:
    def act() -> None:
        raise Stopped

    app = on.app()
    on.put(app, on.envelope())
    with pytest.raises(Stopped):
        handled(app, act)
    (process,) = telemetry.spans("process")
    assert dict(process.attributes or {})["babelreg.outcome"] == "interrupted"
    assert len(on.bodies(app, "orders")) == 1


def test_metrics_count_by_outcome_and_hold_durations(telemetry: Recorded) -> None:
    app = on.app()
    producer = on.OrdersCreatedProducer(app)
    producer.send_many([on.OrdersCreated(order_id=number) for number in (1, 2, 3)])
    with pytest.raises(InvalidDataError):
        producer.send(on.OrdersCreated(order_id=0))
    on.put(app, on.envelope(data={}))
    handled(app, most=4)
    sent = telemetry.points("messaging.client.sent.messages")
    consumed = telemetry.points("messaging.client.consumed.messages")
    assert [(labels["babelreg.urn"], count) for labels, count in sent] == [(on.CREATED, 3)]
    assert sorted((labels["babelreg.outcome"], count) for labels, count in consumed) == [
        ("dead_lettered", 1),
        ("handled", 3),
    ]
    assert [count for _, count in telemetry.points("messaging.client.operation.duration")] == [3]
    assert sorted(count for _, count in telemetry.points("messaging.process.duration")) == [1, 3]
    ((labels, count),) = telemetry.points("babelreg.producer.refused.messages")
    assert (labels["babelreg.urn"], labels["babelreg.reason"], count) == (on.CREATED, "below_minimum", 1)
    assert not any("id" in name for labels, _ in [*sent, *consumed] for name in labels)


def test_what_is_only_reported_is_counted_by_reason_and_is_no_error(telemetry: Recorded) -> None:
    app = on.app()
    on.OrdersCreatedProducer(app, enforce="report").send(on.OrdersCreated(order_id=0))
    consumer = Consumer(app, enforce="report")
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    consumer.on_refused()(lambda data, context: None)
    consumer.run(max_messages=1, timeout_seconds=0.01)
    ((refused, count),) = telemetry.points("babelreg.producer.refused.messages")
    assert (refused["babelreg.reason"], count) == ("below_minimum", 1)
    ((consumed, count),) = telemetry.points("messaging.client.consumed.messages")
    assert (consumed["babelreg.outcome"], consumed["babelreg.reason"], count) == ("reported", "below_minimum", 1)
    assert "error.type" not in consumed


class Down(InMemoryTransport):
    def publish(self, queue: str, body: str) -> None:
        raise OSError("no broker")

    def publish_with_headers(self, queue: str, body: str, headers: dict[str, str]) -> None:
        raise OSError("no broker")


def test_a_message_that_the_broker_does_not_take_is_an_error(telemetry: Recorded) -> None:
    with pytest.raises(OSError, match="no broker"):
        on.OrdersCreatedProducer(BabelQueue(transport=Down(), queue="orders")).send(on.OrdersCreated(order_id=1))
    (send,) = telemetry.spans("send")
    ((labels, _),) = telemetry.points("messaging.client.sent.messages")
    assert send.status.status_code == StatusCode.ERROR
    assert labels["error.type"] == dict(send.attributes or {})["error.type"] == "OSError"


def test_an_outbox_has_a_span_when_it_is_written_and_one_below_that_when_it_is_sent(telemetry: Recorded) -> None:
    app, store = on.app(), SqlOutbox(sqlite3.connect(":memory:"))
    store.create()
    with telemetry.tracer.start_as_current_span("request") as request:
        written = on.OrdersCreatedProducer(app).write(store, on.OrdersCreated(order_id=1))
    OutboxRelay(app.transport, store).drain()
    create, _, send = telemetry.spans()
    assert (create.name, create.kind) == ("create orders", SpanKind.PRODUCER)
    assert dict(create.attributes or {})["messaging.operation.type"] == "create"
    assert send.name == "send orders"
    for span in (create, send):
        assert dict(span.attributes or {})["messaging.message.id"] == written
    handled(app)
    (process,) = telemetry.spans("process")
    assert [link.context.span_id for link in process.links] == [send.context.span_id]
    assert [span.parent and span.parent.span_id for span in (create, send, process)] == [
        span.get_span_context().span_id for span in (request, create, send)
    ]


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no headers"),
        pytest.param({"traceparent": "00-0-0-0"}, id="a malformed traceparent"),
        pytest.param({"traceparent": "\ud800", "tracestate": "=,="}, id="what is not text"),
        pytest.param({"other": "1"}, id="other headers"),
    ],
)
def test_without_a_context_to_link_to_the_handlers_span_begins_a_trace(telemetry: Recorded, headers: Any) -> None:
    consumer = Consumer(on.app())
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    envelope = on.envelope()
    assert consumer.dispatch(ReceivedMessage(json.dumps(envelope), "orders", headers=headers)).kind == "handled"
    (process,) = telemetry.spans("process")
    assert (process.parent, list(process.links)) == (None, [])
    assert dict(process.attributes or {})["messaging.message.conversation_id"] == envelope["trace_id"]


def test_nothing_of_the_data_is_recorded(telemetry: Recorded) -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1, note=SECRET))
    on.put(app, on.envelope(data={"order_id": SECRET}))
    handled(app, most=2)
    assert len(telemetry.spans()) == 3
    assert not any(SECRET in span.to_json() for span in telemetry.spans())


def test_what_was_uninstalled_records_no_more() -> None:
    with recording() as recorded:
        pass
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    handled(app)
    assert recorded.spans() == []


def test_installing_twice_records_once() -> None:
    recorded = Recorded()
    telemetry = OpenTelemetry(tracer_provider=recorded.tracer_provider, meter_provider=recorded.meter_provider)
    telemetry.install()
    telemetry.install()
    try:
        on.OrdersCreatedProducer(on.app()).send(on.OrdersCreated(order_id=1))
    finally:
        telemetry.uninstall()
    assert len(recorded.spans()) == 1


WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from babelreg.runtime import Consumer, OpenTelemetry, Producer
try:
    OpenTelemetry()
except Exception as error:
    print(type(error).__name__, error)
"""
UNUSED = """
import sys
from babelreg.runtime import Consumer, OpenTelemetry, Producer
print("opentelemetry" in sys.modules)
"""


@pytest.mark.parametrize(
    "program, printed",
    [
        (WITHOUT, "UsageError opentelemetry-api is not installed\n  fix: pip install opentelemetry-api\n"),
        (UNUSED, "False\n"),
    ],
    ids=["without the package", "with the package, unused"],
)
def test_the_package_is_needed_and_imported_by_those_who_use_it_only(program: str, printed: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == printed


@pytest.mark.parametrize("way", ["threads", "a loop"])
def test_messages_handled_at_the_same_time_have_spans_of_their_own(telemetry: Recorded, way: str) -> None:
    app = on.app()
    producer, other = on.OrdersCreatedProducer(app), on.OrdersCancelledProducer(app, queue="others")
    sent = [producer.send(on.OrdersCreated(order_id=number)) for number in range(1, 5)]
    consumer = Consumer(app)
    together = threading.Barrier(4)

    def forward(order: on.OrdersCreated, context: Context) -> None:
        other.send(on.OrdersCancelled(order_id=order.order_id))

    if way == "threads":

        @consumer.on(on.OrdersCreated)
        def handle(order: on.OrdersCreated, context: Context) -> None:
            together.wait(30)
            forward(order, context)

        consumer.run(workers=4, max_messages=4, timeout_seconds=0.01)
    else:

        @consumer.on(on.OrdersCreated)
        async def handle_async(order: on.OrdersCreated, context: Context) -> None:
            await asyncio.to_thread(together.wait, 30)
            forward(order, context)

        asyncio.run(consumer.run_async(concurrency=4, max_messages=4, timeout_seconds=0.01))
    processes = {dict(span.attributes or {})["messaging.message.id"]: span for span in telemetry.spans("process")}
    sends = {dict(span.attributes or {})["messaging.message.id"]: span for span in telemetry.spans("send")}
    assert set(processes) == set(sent)
    for one in sent:
        assert processes[one].parent is not None
        assert processes[one].parent.span_id == sends[one].context.span_id
    forwarded = [span for name, span in sends.items() if name not in sent]
    assert {span.parent.span_id for span in forwarded if span.parent} == {
        span.context.span_id for span in processes.values()
    }
