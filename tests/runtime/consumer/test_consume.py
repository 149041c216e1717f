"""The guard around handlers. Each defect of babelqueue 1.24.0 that it mends is a test, numbered as in the list."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import pytest
import runtime_messages as on
import runtime_versions as shop
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, PoisonRoute, ReceivedMessage
from hang import limited

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Producer, Reject, current
from babelreg.runtime.consumer.loop import ConsumerLoop, Handlers
from babelreg.runtime.message import message_type
from babelreg.runtime.models.pydantic_base import message


class Seen:
    """A service that handles OrdersCreated, and what it saw."""

    def __init__(self, app: BabelQueue, act: Callable[[on.OrdersCreated, Context], Any] | None = None, **settings: Any):
        self.app = app
        self.data: list[on.OrdersCreated] = []
        self.contexts: list[Context] = []
        self.consumer = Consumer(app, **settings)

        @self.consumer.on(on.OrdersCreated)
        def handle(order: on.OrdersCreated, context: Context) -> Any:
            self.data.append(order)
            self.contexts.append(context)
            return act(order, context) if act else None

    def run(self, most: int = 20) -> int:
        return self.consumer.run(max_messages=most, timeout_seconds=0.01)

    def dead(self) -> dict[str, Any]:
        (body,) = on.bodies(self.app, "orders.dlq")
        found: dict[str, Any] = json.loads(body)
        return found


def fail(order: on.OrdersCreated, context: Context) -> None:
    raise RuntimeError("the printer is on fire")


def test_a_good_message_is_handled_once_with_its_type_and_its_context() -> None:
    app = on.app()
    envelope = on.envelope(attempts=1)
    on.put(app, {**envelope, "data": {"order_id": 7, "lines": [{"sku": "TEA"}], "extra": 1}})
    seen = Seen(app)
    assert seen.run() == 1
    assert isinstance(seen.data[0], on.OrdersCreated)
    assert isinstance(seen.data[0].lines, list)
    assert seen.data[0].lines[0].sku == "TEA"
    (context,) = seen.contexts
    assert context.trace_id == envelope["trace_id"]
    assert context.message_id == envelope["meta"]["id"]
    assert (context.urn, context.attempts, context.queue, context.lang) == (on.CREATED, 1, "orders", "python")
    assert context.created_at_ms == envelope["meta"]["created_at"]
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


def test_a_message_that_cannot_be_checked_in_bounded_time_reaches_no_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    n = {"properties": {"m": {"oneOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}
    schema = {**on.SCHEMA, "properties": {**on.SCHEMA["properties"], "tree": {"$ref": "#/$defs/n"}}, "$defs": {"n": n}}

    class OrdersWithTree(on.OrdersCreated):
        pass

    message(OrdersWithTree, urn=on.CREATED, schema=schema, queue="orders", max_attempts=3)
    deep: dict[str, Any] = {}
    for _ in range(24):
        deep = {"m": deep}
    app, handled = on.app(), []
    on.put(app, {**on.envelope(), "data": {"order_id": 7, "tree": deep}})
    consumer = Consumer(app)
    consumer.on(OrdersWithTree)(lambda order, context: handled.append(order))
    with limited(20):
        consumer.run(max_messages=1, timeout_seconds=0.01)
    (dead,) = on.bodies(app, "orders.dlq")
    assert handled == []
    assert json.loads(dead)["dead_letter"]["error"].startswith("too_complex")


def test_what_is_generated_sends_and_handles() -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=5, note="hello"))
    seen = Seen(app)
    seen.run()
    assert seen.data == [on.OrdersCreated(order_id=5, note="hello")]


# Defect 1


@pytest.mark.parametrize("version", [2, 99, 0, "1", 1.5, True, None])
def test_1_an_envelope_version_we_do_not_know_never_reaches_a_handler(version: object) -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, {**envelope, "meta": {**envelope["meta"], "schema_version": version}})
    seen = Seen(app)
    seen.run()
    assert seen.data == []
    assert seen.dead()["dead_letter"]["reason"] in ("failed", "poison")
    assert on.bodies(app, "orders") == []


# Defects 2 and 6


@pytest.mark.parametrize("attempts", [None, -1000, 2**70, "3", 1.0, True, [], "missing"])
def test_2_and_6_nonsense_in_attempts_neither_kills_the_worker_nor_retries_for_ever(attempts: object) -> None:
    app = on.app()
    envelope = on.envelope(attempts=attempts)
    if attempts == "missing":
        del envelope["attempts"]
    on.put(app, envelope)
    good = on.envelope()
    on.put(app, good)
    seen = Seen(app, lambda order, context: fail(order, context) if context.message_id != good["meta"]["id"] else None)
    assert seen.run() <= 4
    assert any(context.message_id == good["meta"]["id"] for context in seen.contexts)
    assert on.bodies(app, "orders") == []
    assert len(on.bodies(app, "orders.dlq")) == 1


# Defect 3


@pytest.mark.parametrize("how", ["async def", "a plain function that returns a coroutine"])
def test_3_async_handlers_are_awaited_before_the_message_is_done(how: str) -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))
    done: list[int] = []
    consumer = Consumer(app)

    async def handle(order: on.OrdersCreated, context: Context) -> None:
        await asyncio.sleep(0.01)
        assert current() is context
        done.append(order.order_id)

    consumer.on(on.OrdersCreated)(handle if how == "async def" else lambda order, context: handle(order, context))
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert done == [1]


def test_3_an_async_handler_that_fails_is_tried_again() -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1))

    async def handle(order: on.OrdersCreated, context: Context) -> None:
        raise RuntimeError("no")

    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(handle)
    assert consumer.run(max_messages=9, timeout_seconds=0.01) == 3
    assert len(on.bodies(app, "orders.dlq")) == 1


def test_async_handlers_inside_a_running_loop_are_refused_before_a_message_is_taken() -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    consumer = Consumer(app)

    async def handle(order: on.OrdersCreated, context: Context) -> None: ...

    consumer.on(on.OrdersCreated)(handle)

    async def main() -> None:
        with pytest.raises(UsageError, match="run_async"):
            consumer.run(max_messages=1, timeout_seconds=0.01)
        assert on.bodies(app, "orders") == [text]
        assert await asyncio.to_thread(consumer.run, max_messages=1, timeout_seconds=0.01) == 1

    asyncio.run(main())


def test_async_handlers_share_one_event_loop() -> None:
    app = on.app()
    loops = []
    for number in (1, 2):
        on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=number))

    async def handle(order: on.OrdersCreated, context: Context) -> None:
        loops.append(asyncio.get_running_loop())

    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(handle)
    consumer.run(max_messages=9, timeout_seconds=0.01)
    assert len(loops) == 2
    assert loops[0] is loops[1]


def test_7_each_async_handler_sees_the_context_of_its_own_message() -> None:
    app = on.app()
    envelopes = [on.envelope(), on.envelope()]
    for envelope in envelopes:
        on.put(app, envelope)
    consumer = Consumer(app)

    async def forward(order: on.OrdersCreated, context: Context) -> None:
        assert current() is context
        on.OrdersCreatedProducer(app, queue="next").send(on.OrdersCreated(order_id=2))

    consumer.on(on.OrdersCreated)(forward)
    consumer.run(max_messages=2, timeout_seconds=0.01)
    traces = [json.loads(body)["trace_id"] for body in on.bodies(app, "next")]
    assert traces == [envelope["trace_id"] for envelope in envelopes]


# Numbers


NUMBERS = "12345678901234567.89,123456789012345678901234.1234567891,9007199254740993.0,1e-400,-0.0,0.10000000000000001"


def put_text(app: BabelQueue, data: dict[str, Any], numbers: str) -> str:
    """Put a message on the queue, with ``numbers`` for the text "NUMBERS" in its data; return it."""
    text = on.put(app, on.envelope(data=data)).replace('"NUMBERS"', numbers)
    assert isinstance(app.transport, InMemoryTransport)
    app.transport._queues["orders"][0] = text
    return text


@pytest.mark.parametrize("number", ["123456789012345678.9", "1.00000000000000001", "1e-400"])
def test_a_fraction_that_a_double_drops_is_not_an_integer(number: str) -> None:
    app = on.app()
    text = put_text(app, {"order_id": "NUMBERS"}, number)
    seen = Seen(app)
    assert seen.run() == 1
    assert seen.data == []
    assert on.bodies(app, "orders.dlq")[0].startswith(text[:-1] + ',"dead_letter":{')


# Defect 5


def test_5_what_a_handler_does_to_its_data_reaches_no_retry_and_no_dead_letter() -> None:
    app = on.app()
    text = put_text(app, {"order_id": 1, "lines": [{"sku": "TEA"}], "free": {"x": "NUMBERS"}}, f"[1.10,{NUMBERS}]")

    def spoil(order: on.OrdersCreated, context: Context) -> None:
        assert order.model_extra is not None
        order.model_extra["free"]["x"].append("MUTATED")
        assert isinstance(order.lines, list)
        order.lines[0].sku = "MUTATED"
        raise RuntimeError

    seen = Seen(app, spoil)
    assert seen.run() == 3
    (body,) = on.bodies(app, "orders.dlq")
    head = body[: body.index(',"dead_letter"')]
    assert head == text[:-1].replace('"attempts":0', '"attempts":3')


def test_meta_is_read_only() -> None:
    app = on.app()
    on.put(app, on.envelope())

    def spoil(order: on.OrdersCreated, context: Context) -> None:
        with pytest.raises(TypeError):
            context.meta["id"] = "x"  # type: ignore[index]

    Seen(app, spoil).run()
    assert on.bodies(app, "orders.dlq") == []


# Defect 7


def test_7_messages_sent_while_one_is_handled_carry_on_its_trace() -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, envelope)

    def forward(order: on.OrdersCreated, context: Context) -> None:
        on.OrdersCreatedProducer(app, queue="next").send(on.OrdersCreated(order_id=2))

    Seen(app, forward).run()
    (body,) = on.bodies(app, "next")
    assert json.loads(body)["trace_id"] == envelope["trace_id"]
    assert json.loads(body)["meta"]["id"] != envelope["meta"]["id"]
    assert current() is None


def test_7_a_trace_of_a_foreign_producer_is_carried_on_as_it_came() -> None:
    app = on.app()
    on.put(app, on.envelope(trace_id=" trace-123 "))
    Seen(app, lambda order, context: on.OrdersCreatedProducer(app, queue="next").send(order) and None).run()
    assert json.loads(on.bodies(app, "next")[0])["trace_id"] == " trace-123 "


# Defect 8


def test_8_a_message_that_keeps_failing_lies_in_the_dead_letters_by_default() -> None:
    app = on.app()
    on.put(app, on.envelope())
    seen = Seen(app, fail)
    assert seen.run() == 3
    block = seen.dead()["dead_letter"]
    assert [context.attempts for context in seen.contexts] == [0, 1, 2]
    assert {key: block[key] for key in ("reason", "error", "exception", "original_queue", "attempts", "lang")} == {
        "reason": "failed",
        "error": "handler_failed: the printer is on fire",
        "exception": "RuntimeError",
        "original_queue": "orders",
        "attempts": 3,
        "lang": "python",
    }
    assert list(block) == ["reason", "error", "exception", "failed_at", "original_queue", "attempts", "lang"]


@pytest.mark.parametrize("strategy", ["banana", "", "dead-letter"])
def test_8_an_unknown_strategy_is_refused(strategy: str) -> None:
    with pytest.raises(UsageError, match="fail, delete, release, dead_letter"):
        Consumer(on.app(), on_unknown_urn=strategy)
    with pytest.raises(UsageError):
        Consumer(on.app(on_unknown_urn="banana"))


# Permanent failures


@pytest.mark.parametrize(
    "data, pointer",
    [
        pytest.param({"order_id": 0}, "/order_id", id="data out of bounds"),
        pytest.param({"order_id": "1"}, "/order_id", id="data of another type"),
        pytest.param({"order_id": 1, "lines": [{"sku": ""}]}, "/lines/0/sku", id="data wrong deep inside"),
        pytest.param({}, "", id="data without a required property"),
    ],
)
def test_data_that_breaks_its_schema_is_dead_at_once(data: dict[str, Any], pointer: str) -> None:
    app = on.app()
    on.put(app, on.envelope(data=data))
    seen = Seen(app)
    assert seen.run() == 1
    assert seen.data == []
    block = seen.dead()["dead_letter"]
    assert block["reason"] == "failed"
    assert pointer in block["error"]


@pytest.mark.parametrize(
    "envelope",
    [
        pytest.param(on.envelope(attempts=None, data={"order_id": 1.10}), id="an envelope that may not be handled"),
        pytest.param(on.envelope(data={"order_id": 0, "amount": 1e5}), id="data that breaks its schema"),
    ],
)
def test_what_no_handler_saw_lies_in_the_dead_letters_byte_for_byte(
    envelope: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    app = on.app()
    text = on.put(app, envelope)
    Seen(app).run()
    (body,) = on.bodies(app, "orders.dlq")
    assert body.startswith(text[:-1] + ',"dead_letter":{')
    assert "orders.dlq" in caplog.text


@pytest.mark.parametrize("member", ["trace_id", "data", "meta"])
@pytest.mark.parametrize("how", ["missing", "null"])
def test_an_envelope_that_lacks_a_member_is_dead_at_once(member: str, how: str) -> None:
    app = on.app()
    envelope = on.envelope(**{member: None})
    if how == "missing":
        del envelope[member]
    on.put(app, envelope)
    seen = Seen(app)
    assert seen.run() == 1
    assert seen.data == []
    assert seen.dead()["dead_letter"]["reason"] in ("failed", "poison")


def test_a_message_that_a_handler_rejects_is_dead_at_once() -> None:
    app = on.app()
    on.put(app, on.envelope())

    def reject(order: on.OrdersCreated, context: Context) -> None:
        raise Reject("no such customer")

    seen = Seen(app, reject)
    assert seen.run() == 1
    assert seen.dead()["dead_letter"]["error"] == "rejected: no such customer"


def test_a_message_that_is_rejected_in_a_group_of_tasks_is_dead_at_once() -> None:
    app = on.app()
    on.put(app, on.envelope())
    consumer = Consumer(app)

    async def reject() -> None:
        raise Reject("no such customer")

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        async with asyncio.TaskGroup() as outer:
            async with asyncio.TaskGroup() as inner:
                inner.create_task(reject())
            outer.create_task(asyncio.sleep(0))

    assert consumer.run(max_messages=9, timeout_seconds=0.01) == 1
    assert json.loads(on.bodies(app, "orders.dlq")[0])["dead_letter"]["error"] == "rejected: no such customer"


def test_the_error_is_bounded() -> None:
    app = on.app()
    on.put(app, on.envelope())

    def long(order: on.OrdersCreated, context: Context) -> None:
        raise Reject("x" * 1_000_000)

    seen = Seen(app, long)
    seen.run()
    assert len(seen.dead()["dead_letter"]["error"]) <= 500


def test_the_dead_letter_of_bad_data_does_not_quote_the_value_in_its_error() -> None:
    app = on.app()
    on.put(app, on.envelope(data={"order_id": "4111 1111 1111 1111"}))
    seen = Seen(app)
    seen.run()
    assert "4111" not in seen.dead()["dead_letter"]["error"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing"),
        pytest.param("not json", id="no JSON"),
        pytest.param("[]", id="no object"),
        pytest.param('{"job":"urn:babel:orders:created","data":[]}', id="data that is a list"),
        pytest.param('{"data":{}}', id="no identity"),
        pytest.param("{" * 100_000, id="a hundred thousand braces"),
        pytest.param('{"job":"urn:babel:orders:created","data":{"x":NaN}}', id="NaN"),
        pytest.param("\udcff\udcfe", id="bytes that are no UTF-8"),
    ],
)
def test_poison_goes_to_the_dead_letters_whole_and_the_worker_goes_on(body: str) -> None:
    app = on.app()
    on.put(app, body)
    on.put(app, on.envelope())
    seen = Seen(app)
    assert seen.run() == 2
    assert len(seen.data) == 1
    record = seen.dead()
    assert record["dead_letter"]["reason"] == "poison"
    assert record["dead_letter"]["error"]


# The delivery policy and the four strategies


def test_a_message_whose_policy_is_delete_is_dropped_after_its_attempts() -> None:
    app = on.app()
    on.OrdersCancelledProducer(app).send(on.OrdersCancelled(order_id=1))
    consumer = Consumer(app)
    calls: list[int] = []

    @consumer.on(on.OrdersCancelled)
    def handle(order: on.OrdersCancelled, context: Context) -> None:
        calls.append(context.attempts)
        raise RuntimeError

    consumer.run(max_messages=9, timeout_seconds=0.01)
    assert calls == [0, 1]
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


@pytest.mark.parametrize(
    "strategy, taken, left, dead",
    [
        pytest.param("fail", 3, 0, 1, id="fail: tried, then dead"),
        pytest.param("delete", 1, 0, 0, id="delete: dropped"),
        pytest.param("release", 5, 1, 0, id="release: given back as it came"),
        pytest.param("dead_letter", 1, 0, 1, id="dead_letter: dead at once"),
    ],
)
def test_a_message_without_a_handler(strategy: str, taken: int, left: int, dead: int) -> None:
    app = on.app()
    text = on.put(app, on.envelope(job="urn:babel:orders:shipped"))
    seen = Seen(app, on_unknown_urn=strategy)
    assert seen.run(5) == taken
    assert seen.data == []
    assert on.bodies(app, "orders") == [text] * left
    assert len(on.bodies(app, "orders.dlq")) == dead
    if dead:
        assert seen.dead()["dead_letter"]["reason"] == "unknown_urn"


def test_the_urn_alias_is_read_and_folded_when_passed_on() -> None:
    app = on.app()
    envelope = on.envelope()
    envelope["urn"] = envelope.pop("job")
    on.put(app, envelope)
    seen = Seen(app, fail)
    seen.run()
    assert len(seen.data) == 3
    assert seen.dead()["job"] == on.CREATED
    assert "urn" not in seen.dead()


def test_unknown_members_survive_a_retry_and_the_dead_letters() -> None:
    app = on.app()
    envelope = on.envelope(x_vendor={"a": 1})
    envelope["meta"]["ext"] = {"acme": True}
    on.put(app, envelope)
    seen = Seen(app, fail)
    seen.run()
    assert seen.dead()["x_vendor"] == {"a": 1}
    assert seen.dead()["meta"]["ext"] == {"acme": True}


def test_old_keys_are_told_and_not_passed_on(caplog: pytest.LogCaptureFixture) -> None:
    app = on.app()
    on.put(app, on.envelope(timestamp=1))
    seen = Seen(app, fail)
    seen.run()
    assert len(seen.data) == 3
    assert "/timestamp" in caplog.text
    assert "timestamp" not in seen.dead()


def test_a_route_that_the_broker_keeps_beside_the_body_wins() -> None:
    app = on.app()
    seen = Seen(app)
    body = json.dumps(on.envelope(job="urn:babel:orders:other"))
    seen.consumer.dispatch(ReceivedMessage(body, "orders", route_urn=on.CREATED))
    assert len(seen.data) == 1


@pytest.mark.parametrize(
    "route",
    [
        pytest.param("babelqueue:unsupported-schema-version:2", id="a version header"),
        pytest.param(PoisonRoute("babelqueue:poison", "orders", "orders", 0, "x"), id="a poison record of Kafka"),
    ],
)
def test_what_the_transport_refused_unread_is_handed_on_unread(route: str) -> None:
    app = on.app()
    seen = Seen(app)
    body = json.dumps(on.envelope())
    seen.consumer.dispatch(ReceivedMessage(body, "orders", route_urn=route))
    assert seen.data == []
    assert on.bodies(app, "orders.dlq") == [body]


def test_the_queue_named_by_the_producer_is_not_followed() -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, {**envelope, "meta": {**envelope["meta"], "queue": "../../payments"}})
    seen = Seen(app, fail)
    seen.run()
    assert seen.dead()["dead_letter"]["original_queue"] == "orders"


# Running


def test_a_broker_that_fails_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    seen = Seen(app)
    acknowledged: list[str] = []
    monkeypatch.setattr(app.transport, "ack", lambda received: acknowledged.append(received.body) or 1 / 0)
    assert seen.run() == 1
    assert acknowledged == [text]
    assert on.bodies(app, "orders.dlq") == []


def test_a_handler_that_is_interrupted_gives_its_message_back() -> None:
    app = on.app()
    text = on.put(app, on.envelope())

    def interrupt(order: on.OrdersCreated, context: Context) -> None:
        raise KeyboardInterrupt

    seen = Seen(app, interrupt)
    seen.run()
    assert on.bodies(app, "orders") == [text]


def test_a_signal_lets_the_message_in_hand_finish() -> None:
    app = on.app()
    for number in (1, 2):
        on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=number))
    before = signal.getsignal(signal.SIGTERM)
    seen = Seen(app, lambda order, context: signal.raise_signal(signal.SIGTERM))
    assert seen.run() == 1
    assert signal.getsignal(signal.SIGTERM) is before
    assert len(on.bodies(app, "orders")) == 1


def test_stop_ends_a_run_that_waits() -> None:
    seen = Seen(on.app())
    threading.Timer(0.05, seen.consumer.stop).start()
    assert seen.consumer.run(timeout_seconds=5.0) == 0


def test_waiting_does_not_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    seen = Seen(app)
    waited: list[float] = []

    def collect(loop: ConsumerLoop, handlers: Handlers, seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            seen.consumer.stop()

    monkeypatch.setattr(app.transport, "pop", lambda queue, timeout: None)  # gives up at once, as some transports do
    monkeypatch.setattr(ConsumerLoop, "_collect", collect)
    seen.consumer.run(timeout_seconds=3600)
    assert len(waited) == 3
    assert min(waited) > 60


def test_one_message_has_one_handler() -> None:
    consumer = Consumer(on.app())
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    with pytest.raises(UsageError, match=on.CREATED):
        consumer.on(on.OrdersCreated)(lambda order, context: None)


def yields(order: on.OrdersCreated, context: Context) -> Any:
    yield


async def yields_later(order: on.OrdersCreated, context: Context) -> Any:
    yield


@pytest.mark.parametrize(
    "handler, said",
    [
        pytest.param(yields, "yields is a generator", id="a generator"),
        pytest.param(yields_later, "yields_later is a generator", id="an async generator"),
        pytest.param(lambda order: None, "must take two arguments", id="one argument"),
        pytest.param(lambda order, context, more: None, "must take two arguments", id="three arguments"),
    ],
)
def test_what_cannot_handle_a_message_is_refused_when_it_is_registered(handler: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Consumer(on.app()).on(on.OrdersCreated)(handler)


@pytest.mark.parametrize(
    "handler",
    [
        pytest.param(print, id="a function written in C"),
        pytest.param(lambda *given: None, id="any arguments"),
        pytest.param(lambda order, context, log=print: None, id="a default"),
        pytest.param(partial(lambda log, order, context: None, print), id="a partial function"),
    ],
)
def test_whatever_takes_two_arguments_can_handle_a_message(handler: Any) -> None:
    app = on.app()
    on.put(app, on.envelope())
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(handler)
    assert consumer.run(max_messages=1, timeout_seconds=0.01) == 1
    assert on.bodies(app, "orders.dlq") == []


def test_only_generated_classes_can_be_registered() -> None:
    with pytest.raises(TypeError, match="not the data of a message"):
        Consumer(on.app()).on(on.Line)


def test_running_without_handlers_is_a_clear_error() -> None:
    with pytest.raises(UsageError, match="no handler is registered"):
        Consumer(on.app()).run()


# What the service is said to consume


class Declared(Consumer):
    """As ``gen python`` writes it for a service that consumes two messages."""

    consumes: ClassVar = {on.CREATED: "OrdersCreated", on.CANCELLED: "OrdersCancelled"}


def test_a_declared_message_without_a_handler_is_refused_at_the_start() -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    consumer = Declared(app)
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    with pytest.raises(
        UsageError, match=f"no handler for messages that this service consumes: {on.CANCELLED}\n"
    ) as caught:
        consumer.run(max_messages=1)
    assert caught.value.fix == "add @consumer.on(...) for OrdersCancelled, or pass allow_missing=[OrdersCancelled]"
    assert on.bodies(app, "orders") == [text]


def test_a_declared_message_may_be_left_out_on_purpose() -> None:
    app = on.app()
    on.put(app, on.envelope())
    consumer = Declared(app, allow_missing=[on.OrdersCancelled])
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    assert consumer.run(max_messages=1) == 1


def test_a_declared_message_that_is_upcast_has_a_handler() -> None:
    class Migrating(Consumer):
        consumes: ClassVar = {shop.V1: "Placed", shop.V2: "PlacedV2"}

    consumer = Migrating(on.app())
    consumer.on(shop.PlacedV2, upcast_from=[shop.Placed])(lambda order, context: None)
    assert consumer.run(max_messages=1) == 0


# What became of a delivery


@pytest.mark.parametrize(
    "members, act, kind, reason",
    [
        pytest.param({}, None, "handled", None, id="handled"),
        pytest.param({}, fail, "retried", None, id="failed for the first time"),
        pytest.param({"attempts": 2}, fail, "dead_lettered", "failed", id="failed for the last time"),
        pytest.param({"data": {}}, None, "dead_lettered", "failed", id="data that breaks its schema"),
        pytest.param({"data": []}, None, "dead_lettered", "poison", id="poison"),
        pytest.param({"job": "urn:babel:a:b", "attempts": 2}, None, "dead_lettered", "unknown_urn", id="no handler"),
        pytest.param({"job": "urn:babel:a:b"}, None, "retried", "unknown_urn", id="no handler, for the first time"),
    ],
)
def test_dispatch_tells_what_became_of_it(members: dict[str, Any], act: Any, kind: str, reason: str | None) -> None:
    seen = Seen(on.app(), act)
    outcome = seen.consumer.dispatch(ReceivedMessage(json.dumps(on.envelope(**members)), "orders"))
    assert (outcome.kind, outcome.reason) == (kind, reason)
    assert (str(outcome.error) == "the printer is on fire") == (act is fail)


def test_a_delivery_that_the_broker_took_no_answer_for_is_unsettled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(on.app())
    monkeypatch.setattr(seen.app.transport, "ack", lambda received: 1 / 0)
    assert seen.consumer.dispatch(ReceivedMessage(json.dumps(on.envelope()), "orders")).kind == "unsettled"


def test_what_is_offered_is_read_when_it_is_asked_for_and_all_of_it_is_there() -> None:
    script = (
        "import sys, babelreg.runtime as runtime\n"
        "from babelreg.runtime import Producer\n"
        "assert 'asyncio' not in sys.modules and 'sqlite3' not in sys.modules\n"
        "print([name for name in runtime.__all__ if not callable(getattr(runtime, name))])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


ALIAS = "com.shop.orders.created"


def aliased() -> type[on.OrdersCreated]:
    """OrdersCreated, which other producers send as ``ALIAS``."""

    class OrdersAliased(on.OrdersCreated):
        pass

    message(OrdersAliased, urn=on.CREATED, schema=on.SCHEMA, queue="orders", max_attempts=1, aliases=[ALIAS])
    return OrdersAliased


def test_a_message_under_an_alias_is_handled_as_the_message() -> None:
    app, urns = on.app(), []
    consumer = Consumer(app)
    consumer.on(aliased())(lambda order, context: urns.append(context.urn))
    on.put(app, {**on.envelope(), "job": ALIAS})
    on.put(app, on.envelope())
    on.put(app, {**on.envelope(), "job": "Com.Shop.Orders.Created"})
    consumer.run(max_messages=3, timeout_seconds=0.01)
    assert urns == [on.CREATED, on.CREATED]
    (other,) = map(json.loads, on.bodies(app, "orders"))
    assert (other["job"], other["attempts"]) == ("Com.Shop.Orders.Created", 1), "another spelling is another name"


def test_a_dead_letter_keeps_the_name_that_was_sent() -> None:
    app = on.app()
    consumer = Consumer(app)
    consumer.on(aliased())(fail)
    sent = {**on.envelope(), "job": ALIAS}
    on.put(app, sent)
    consumer.run(max_messages=1, timeout_seconds=0.01)
    (dead,) = map(json.loads, on.bodies(app, "orders.dlq"))
    assert dead.pop("dead_letter")["reason"] == "failed"
    assert {**dead, "attempts": 0} == sent


def test_a_producer_sends_the_urn() -> None:
    app, model = on.app(), aliased()
    producer = type("OrdersAliasedProducer", (Producer,), {"message": message_type(model)})
    producer(app).send(model(order_id=1))
    assert [json.loads(body)["job"] for body in on.bodies(app, "orders")] == [on.CREATED]
