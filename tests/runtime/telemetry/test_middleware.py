"""Middleware and hooks of consumers and producers, plain and async."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.transport import InMemoryTransport

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Incoming, Outcome, Outgoing, Reject


def plain(steps: list[str], name: str) -> Callable[[Any, Any], Iterator[None]]:
    def middleware(order: on.OrdersCreated, context: Context) -> Iterator[None]:
        steps.append(f"{name} before {order.order_id}")
        try:
            yield
        except BaseException as error:
            steps.append(f"{name} {type(error).__name__}")
            raise
        steps.append(f"{name} after {context.message_id[:0]}{order.order_id}")

    return middleware


def asynchronous(steps: list[str], name: str) -> Callable[[Any, Any], AsyncIterator[None]]:
    async def middleware(order: on.OrdersCreated, context: Context) -> AsyncIterator[None]:
        steps.append(f"{name} before {order.order_id}")
        try:
            yield
        except BaseException as error:
            steps.append(f"{name} {type(error).__name__}")
            raise
        steps.append(f"{name} after {order.order_id}")

    return middleware


def handler(steps: list[str], error: BaseException | None = None) -> Callable[[on.OrdersCreated, Context], None]:
    def handle(order: on.OrdersCreated, context: Context) -> None:
        steps.append("handle")
        if error is not None:
            raise error

    return handle


def async_handler(steps: list[str], error: BaseException | None = None) -> Callable[[on.OrdersCreated, Context], Any]:
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        handler(steps, error)(order, context)

    return handle


class Callable_:
    """A handler that is neither a function nor known to be async."""

    def __init__(self, steps: list[str]) -> None:
        self._handle = async_handler(steps)

    def __call__(self, order: on.OrdersCreated, context: Context) -> Any:
        return self._handle(order, context)


@pytest.mark.parametrize("outer", [plain, asynchronous])
@pytest.mark.parametrize("inner", [plain, asynchronous])
@pytest.mark.parametrize("make", [handler, async_handler, Callable_], ids=["plain", "async", "an object"])
@pytest.mark.parametrize("late", [False, True], ids=["before the handler", "after the handler"])
def test_middleware_encloses_the_handler_the_first_one_outermost(outer: Any, inner: Any, make: Any, late: bool) -> None:
    app, steps = on.app(), []
    consumer = Consumer(app)
    if late:
        consumer.on(on.OrdersCreated)(make(steps))
    consumer.middleware(outer(steps, "outer"))
    consumer.middleware(inner(steps, "inner"))
    if not late:
        consumer.on(on.OrdersCreated)(make(steps))
    on.put(app, on.envelope())
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert steps == ["outer before 1042", "inner before 1042", "handle", "inner after 1042", "outer after 1042"]


@pytest.mark.parametrize("make", [plain, asynchronous])
@pytest.mark.parametrize("handling", [handler, async_handler])
def test_an_exception_of_the_handler_is_raised_at_the_yield_and_counts(make: Any, handling: Any) -> None:
    app, steps = on.app(), []
    consumer = Consumer(app)
    consumer.middleware(make(steps, "one"))
    consumer.on(on.OrdersCreated)(handling(steps, Reject("no")))
    on.put(app, on.envelope())
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert steps == ["one before 1042", "handle", "one Reject"]
    assert len(on.bodies(app, "orders.dlq")) == 1


def test_middleware_that_rejects_keeps_the_handler_from_being_called() -> None:
    app, steps = on.app(), []
    consumer = Consumer(app)

    @consumer.middleware
    def only_large(order: on.OrdersCreated, context: Context) -> Iterator[None]:
        if order.order_id > 1000:
            raise Reject("too large")
        yield

    consumer.on(on.OrdersCreated)(handler(steps))
    on.put(app, on.envelope())
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert steps == []
    assert len(on.bodies(app, "orders.dlq")) == 1


def no_yield(order: on.OrdersCreated, context: Context) -> None:
    pass


def one_argument(order: on.OrdersCreated) -> Iterator[None]:
    yield


@pytest.mark.parametrize("wrong, words", [(no_yield, "no yield"), (one_argument, "two arguments")])
def test_what_is_no_middleware_is_refused_at_once(wrong: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Consumer(on.app()).middleware(wrong)
    with pytest.raises(UsageError, match=words):
        on.OrdersCreatedProducer(on.app()).middleware(wrong)


def test_hooks_learn_the_outcome_of_each_delivery_and_facts_without_data() -> None:
    app = on.app()
    consumer = Consumer(app)
    seen: list[tuple[Outcome, Incoming]] = []
    consumer.on(on.OrdersCreated)(handler([]))

    @consumer.on_outcome
    def note(outcome: Outcome, message: Incoming) -> None:
        seen.append((outcome, message))

    @consumer.on_outcome
    async def note_async(outcome: Outcome, message: Incoming) -> None:
        seen.append((outcome, message))

    good, bad = on.envelope(), on.envelope(data={})
    on.put(app, good)
    on.put(app, bad)
    consumer.run(max_messages=2, timeout_seconds=0.01)
    assert [(outcome.kind, outcome.code) for outcome, _ in seen] == [
        *[("handled", None)] * 2,
        *[("dead_lettered", "missing_required")] * 2,
    ]
    message = seen[0][1]
    assert (message.urn, message.message_id, message.attempt, message.known) == (
        on.CREATED,
        good["meta"]["id"],
        1,
        True,
    )


def fails(outcome: Outcome, message: Incoming) -> None:
    raise RuntimeError("the hook")


async def fails_async(outcome: Outcome, message: Incoming) -> None:
    raise RuntimeError("the hook")


@pytest.mark.parametrize("hook", [fails, fails_async])
def test_a_hook_that_raises_is_logged_and_changes_nothing(hook: Any, caplog: pytest.LogCaptureFixture) -> None:
    app = on.app()
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(handler([]))
    consumer.on_outcome(hook)
    on.put(app, on.envelope())
    assert consumer.run(max_messages=1, timeout_seconds=0.01) == 1
    (record,) = caplog.records
    assert (record.levelno, vars(record)["outcome"]) == (logging.ERROR, "handled")
    assert hook.__name__ in record.getMessage()
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


def test_a_hook_must_take_two_arguments() -> None:
    with pytest.raises(UsageError, match="two arguments"):
        Consumer(on.app()).on_outcome(lambda outcome: None)  # type: ignore[arg-type, misc]


def test_middleware_of_a_producer_encloses_each_message_and_adds_headers() -> None:
    app, steps = on.app(), []
    producer = on.OrdersCreatedProducer(app)

    @producer.middleware
    def tenant(order: on.OrdersCreated, message: Outgoing) -> Iterator[None]:
        message.headers["tenant"] = f"t{order.order_id}"
        steps.append(f"before {message.queue}")
        yield
        steps.append(f"after {len(on.bodies(app, 'orders'))}")

    producer.send_many([on.OrdersCreated(order_id=1), on.OrdersCreated(order_id=2)])
    assert steps == ["before orders", "after 1", "before orders", "after 2"]
    assert isinstance(app.transport, InMemoryTransport)
    assert list(app.transport._headers["orders"]) == [{"tenant": "t1"}, {"tenant": "t2"}]


def test_a_producer_takes_no_async_middleware() -> None:
    with pytest.raises(UsageError, match="async"):
        on.OrdersCreatedProducer(on.app()).middleware(asynchronous([], "one"))


def test_an_async_hook_runs_in_the_loop_of_the_application() -> None:
    app = on.app()
    consumer = Consumer(app)
    loops: list[object] = []
    steps: list[str] = []
    consumer.on(on.OrdersCreated)(async_handler(steps))
    consumer.middleware(asynchronous(steps, "one"))

    @consumer.on_outcome
    async def note(outcome: Outcome, message: Incoming) -> None:
        loops.append(asyncio.get_running_loop())

    async def application() -> None:
        on.put(app, on.envelope())
        await consumer.run_async(concurrency=2, max_messages=1, timeout_seconds=0.01)
        loops.append(asyncio.get_running_loop())

    asyncio.run(application())
    assert loops[0] is loops[1]
    assert steps == ["one before 1042", "handle", "one after 1042"]
