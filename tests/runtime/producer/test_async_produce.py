"""Producers for async code."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.transport import InMemoryTransport

from babelreg.runtime import AsyncProducer, Consumer, Context, InvalidDataError, PartlySentError

TRACE = "5f3c1a52-0d3f-4b0e-9d55-0c6a1e1f7b11"


def test_what_is_awaited_is_sent() -> None:
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCreated)
    message_id = asyncio.run(producer.send(on.OrdersCreated(order_id=1), trace_id=TRACE))
    envelope = json.loads(on.bodies(app, "orders")[0])
    assert (envelope["job"], envelope["data"], envelope["trace_id"]) == (on.CREATED, {"order_id": 1}, TRACE)
    assert envelope["meta"]["id"] == message_id


def test_it_sends_what_the_plain_producer_sends() -> None:
    plain, other = on.app(), on.app()
    on.OrdersCreatedProducer(plain).send(on.OrdersCreated(order_id=1, note="é", amount=1.0))
    asyncio.run(AsyncProducer(other, on.OrdersCreated).send(on.OrdersCreated(order_id=1, note="é", amount=1.0)))
    one, two = (json.loads(on.bodies(app, "orders")[0]) for app in (plain, other))
    for envelope in (one, two):
        envelope["trace_id"] = envelope["meta"]["id"] = envelope["meta"]["created_at"] = None
    assert one == two


def test_the_event_loop_goes_on_while_the_broker_is_slow() -> None:
    app = on.app()
    reached = threading.Event()

    class Slow(InMemoryTransport):
        def publish(self, queue: str, body: str) -> None:
            assert reached.wait(30)
            super().publish(queue, body)

    app.transport = Slow()

    async def main() -> None:
        producer = AsyncProducer(app, on.OrdersCreated)
        sends = [asyncio.create_task(producer.send(on.OrdersCreated(order_id=number))) for number in (1, 2)]
        await asyncio.sleep(0)
        reached.set()  # a loop that is blocked would not come here
        assert len(set(await asyncio.gather(*sends))) == 2

    asyncio.run(main())
    assert len(on.bodies(app, "orders")) == 2


@pytest.mark.parametrize(
    "data, error",
    [
        pytest.param(on.OrdersCreated.model_construct(order_id=0), InvalidDataError, id="invalid data"),
        pytest.param(on.OrdersCancelled(order_id=1), TypeError, id="the data of another message"),
    ],
)
def test_what_is_invalid_is_not_sent(data: Any, error: type[Exception]) -> None:
    app = on.app()
    with pytest.raises(error):
        asyncio.run(AsyncProducer(app, on.OrdersCreated).send(data))
    assert on.bodies(app, "orders") == []


def test_many_messages_are_sent_in_order_or_none() -> None:
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCreated)
    ids = asyncio.run(producer.send_many(on.OrdersCreated(order_id=number) for number in (1, 2, 3)))
    assert [json.loads(body)["meta"]["id"] for body in on.bodies(app, "orders")] == ids
    invalid = [on.OrdersCreated(order_id=4), on.OrdersCreated.model_construct(order_id=-1)]
    with pytest.raises(InvalidDataError) as refusal:
        asyncio.run(producer.send_many(invalid))
    assert refusal.value.index == 1
    assert len(on.bodies(app, "orders")) == 3


def test_a_broker_that_fails_in_between_says_what_was_sent() -> None:
    app = on.app()

    class Fails(InMemoryTransport):
        def publish(self, queue: str, body: str) -> None:
            if self.size(queue):
                raise ConnectionError("away")
            super().publish(queue, body)

    app.transport = Fails()
    producer = AsyncProducer(app, on.OrdersCreated)
    with pytest.raises(PartlySentError) as failure:
        asyncio.run(producer.send_many([on.OrdersCreated(order_id=1), on.OrdersCreated(order_id=2)]))
    assert len(failure.value.sent) == 1


def test_what_handlers_send_at_the_same_time_continues_the_trace_of_each() -> None:
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCreated, queue="next")
    consumer = Consumer(app)
    traces: dict[int, str] = {}
    for number in range(1, 9):
        on.put(app, on.envelope(data={"order_id": number}))

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        await asyncio.sleep(0)
        await producer.send(on.OrdersCreated(order_id=order.order_id))
        traces[order.order_id] = context.trace_id

    assert asyncio.run(consumer.run_async("orders", concurrency=4, max_messages=8, timeout_seconds=0.01)) == 8
    sent = [json.loads(body) for body in on.bodies(app, "next")]
    assert {envelope["data"]["order_id"]: envelope["trace_id"] for envelope in sent} == traces
    assert len(set(traces.values())) == 8


def test_plain_middleware_encloses_what_is_sent() -> None:
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCreated)
    seen: list[str] = []

    @producer.middleware
    def note(data: Any, outgoing: Any) -> Any:
        seen.append(outgoing.urn)
        yield

    asyncio.run(producer.send(on.OrdersCreated(order_id=1)))
    assert seen == [on.CREATED]


def noting(producer: AsyncProducer[on.OrdersCreated], steps: list[Any]) -> None:
    """Add an async middleware around a plain one; both note their steps, and the loop in which they run."""

    @producer.middleware
    async def outer(data: Any, outgoing: Any) -> Any:
        steps.append(("outer", data.order_id, asyncio.get_running_loop()))
        await asyncio.sleep(0)
        try:
            yield
        finally:
            steps.append("sent")

    @producer.middleware
    def inner(data: Any, outgoing: Any) -> Any:
        steps.append(("inner", data.order_id, asyncio.get_running_loop()))
        outgoing.headers["tenant"] = "x"
        yield


def test_async_middleware_runs_in_the_loop_around_what_is_sent() -> None:
    app = on.app()
    producer = AsyncProducer(app, on.OrdersCreated)
    steps: list[Any] = []
    noting(producer, steps)

    async def main() -> tuple[str, list[str], asyncio.AbstractEventLoop]:
        first = await producer.send(on.OrdersCreated(order_id=1), trace_id=TRACE)
        return first, await producer.send_many([on.OrdersCreated(order_id=2)]), asyncio.get_running_loop()

    first, others, loop = asyncio.run(main())
    assert steps == [("outer", 1, loop), ("inner", 1, loop), "sent", ("outer", 2, loop), ("inner", 2, loop), "sent"]
    envelopes = [json.loads(body) for body in on.bodies(app, "orders")]
    assert [envelope["meta"]["id"] for envelope in envelopes] == [first, *others]
    assert envelopes[0]["trace_id"] == TRACE
    received = app.transport.pop("orders")
    assert received is not None
    assert received.headers == {"tenant": "x"}


def test_within_async_middleware_the_errors_are_the_same() -> None:
    app = on.app()

    class Fails(InMemoryTransport):
        def publish_with_headers(self, queue: str, body: str, headers: dict[str, str]) -> None:
            if self.size(queue):
                raise ConnectionError("away")
            super().publish_with_headers(queue, body, headers)

    app.transport = Fails()
    producer = AsyncProducer(app, on.OrdersCreated)
    steps: list[Any] = []
    noting(producer, steps)
    with pytest.raises(InvalidDataError):
        asyncio.run(producer.send(on.OrdersCreated.model_construct(order_id=0)))
    assert steps == []
    with pytest.raises(PartlySentError) as failure:
        asyncio.run(producer.send_many([on.OrdersCreated(order_id=1), on.OrdersCreated(order_id=2)]))
    assert len(failure.value.sent) == 1
    assert steps.count("sent") == 2  # the failure passed through


def test_async_middleware_does_not_block_the_loop_while_the_broker_is_slow() -> None:
    app = on.app()
    reached = threading.Event()

    class Slow(InMemoryTransport):
        def publish_with_headers(self, queue: str, body: str, headers: dict[str, str]) -> None:
            assert reached.wait(30)
            super().publish_with_headers(queue, body, headers)

    app.transport = Slow()

    async def main() -> None:
        producer = AsyncProducer(app, on.OrdersCreated)
        noting(producer, [])
        sending = asyncio.create_task(producer.send(on.OrdersCreated(order_id=1)))
        await asyncio.sleep(0)
        reached.set()  # a loop that is blocked would not come here
        await sending

    asyncio.run(main())
    assert len(on.bodies(app, "orders")) == 1


def test_a_class_that_is_no_message_is_refused() -> None:
    with pytest.raises(TypeError, match="not the data of a message"):
        AsyncProducer(on.app(), on.Line)
