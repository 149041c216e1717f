"""Contracts that are only reported: data that violates them is logged, counted and handled; none becomes a dead letter."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
import runtime_versions as shop
from babelqueue import BabelQueue
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import AsyncProducer, Consumer, Context, InvalidDataError, Outcome, Reject, SqliteLedger

BAD = {"order_id": 0, "note": 5}
"""What an order may not be, in two places."""


class Service:
    """A service that takes orders, typed where they are valid and raw where they are not. ``mode`` None: nothing is said."""

    def __init__(
        self, app: BabelQueue, act: Callable[[Any], None] | None = None, mode: str | None = "report", **settings: Any
    ) -> None:
        self.app = app
        self.typed: list[Any] = []
        self.raw: list[Any] = []
        self.outcomes: list[Outcome] = []
        self.consumer = Consumer(app, **settings, **({"enforce": mode} if mode else {}))
        self.consumer.on_outcome(lambda outcome, _: self.outcomes.append(outcome))
        self.consumer.on(on.OrdersCreated)(lambda order, context: self.typed.append(order))

        @self.consumer.on_refused(on.OrdersCreated)
        def raw(data: Any, context: Context) -> None:
            assert context.urn == on.CREATED
            self.raw.append(data)
            if act:
                act(data)

    def run(self, **settings: Any) -> None:
        self.consumer.run(max_messages=20, timeout_seconds=0.01, **settings)

    @property
    def left(self) -> tuple[int, int]:
        """How many messages wait, and how many dead letters there are."""
        return len(on.bodies(self.app, "orders")), len(on.bodies(self.app, "orders.dlq"))


@pytest.fixture(params=["one after another", "in threads", "in an event loop", "with a ledger"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Service], None]:
    def start(service: Service) -> None:
        if request.param == "in an event loop":
            asyncio.run(service.consumer.run_async(max_messages=20, timeout_seconds=0.01, concurrency=3))
        else:
            service.run(workers=3 if request.param == "in threads" else 1)

    start.settings = {"ledger": SqliteLedger(tmp_path / "a.db")} if request.param == "with a ledger" else {}  # type: ignore[attr-defined]
    return start


def test_what_would_be_refused_is_handled_raw_logged_and_no_dead_letter(
    run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "babelreg.runtime")
    app = on.app()
    on.put(app, on.envelope(data=BAD))
    on.put(app, on.envelope(data={"order_id": 7}))
    service = Service(app, **run.settings)
    run(service)
    assert service.raw == [BAD]
    assert service.typed == [on.OrdersCreated(order_id=7)]
    assert service.left == (0, 0)
    assert sorted((outcome.kind, outcome.code) for outcome in service.outcomes) == [
        ("handled", None),
        ("reported", "below_minimum"),
    ]
    (record,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert record.getMessage() == (
        f"{on.CREATED}: handled, although it would be refused: below_minimum: /order_id is below its minimum (minimum: 1)"
    )
    assert (record.outcome, record.reason, record.urn) == ("reported", "below_minimum", on.CREATED)  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["enforce", None], ids=["said", "by default"])
def test_enforced_contracts_refuse_as_ever_beside_a_handler_of_refused_data(mode: str | None) -> None:
    app = on.app()
    on.put(app, on.envelope(data=BAD))
    service = Service(app, mode=mode)
    service.run()
    assert (service.raw, service.left) == ([], (0, 1))


def test_the_owner_switches_without_a_change_of_code() -> None:
    app = on.app()
    service = Service(app)
    service.consumer.enforce("enforce")
    on.put(app, on.envelope(data=BAD))
    service.run()
    service.consumer.enforce("report")
    on.put(app, on.envelope(data=BAD))
    service.run()
    assert (service.raw, service.left) == ([BAD], (0, 1))


@pytest.mark.parametrize(
    "change, reason",
    [
        pytest.param({"trace_id": ""}, "failed", id="an envelope without a trace"),
        pytest.param({"job": "urn:babel:other:created"}, "unknown_urn", id="a message without a handler"),
    ],
)
def test_other_defects_are_refused_all_the_same(change: dict[str, Any], reason: str) -> None:
    app = on.app(on_unknown_urn="dead_letter")
    on.put(app, on.envelope(data=BAD, **change))
    service = Service(app)
    service.run()
    (dead,) = on.bodies(app, "orders.dlq")
    assert json.loads(dead)["dead_letter"]["reason"] == reason
    assert service.raw == []


def test_what_a_handler_of_refused_data_raises_has_its_usual_consequence() -> None:
    def unavailable(data: Any) -> None:
        raise OSError("no database")

    def rejected(data: Any) -> None:
        raise Reject("no use")

    for act, kinds in ((unavailable, ["retried", "retried", "dead_lettered"]), (rejected, ["dead_lettered"])):
        app = on.app(retry_backoff=0.0)
        on.put(app, on.envelope(data=BAD))
        service = Service(app, act)
        service.run()
        assert [outcome.kind for outcome in service.outcomes] == kinds


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"order_id": 1}, id="invalid as it was sent"),
        pytest.param({"order_id": 1, "amount_minor": -1}, id="invalid as it became"),
        pytest.param({"order_id": 1, "amount_minor": 1, "total": {"minor": 2}}, id="no step leads on"),
    ],
)
def test_what_cannot_become_the_later_version_goes_on_as_it_was_sent(data: dict[str, Any]) -> None:
    app, raw, outcomes = on.app(), [], []
    on.put(app, shop.sent_as(shop.V1, data), "shop-old")
    consumer = Consumer(app, enforce="report")
    consumer.on(shop.PlacedV3, upcast_from=[shop.Placed])(lambda order, context: pytest.fail("it is not typed"))
    consumer.on_refused(shop.PlacedV3)(lambda data, context: raw.append((context.urn, data)))
    consumer.on_outcome(lambda outcome, _: outcomes.append(outcome.kind))
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert raw == [(shop.V1, data)]
    assert outcomes == ["reported"]


def test_one_hook_takes_what_has_no_handler_of_its_own() -> None:
    app, seen = on.app(), []
    for data in (BAD, {}):
        on.put(app, on.envelope(data=data, job=on.CREATED if data else on.CANCELLED))
    service = Service(app)
    service.consumer.on(on.OrdersCancelled)(lambda order, context: None)

    @service.consumer.on_refused()
    async def hook(data: Any, context: Context) -> None:
        seen.append((context.urn, data))

    service.run()
    assert (service.raw, seen) == ([BAD], [(on.CANCELLED, {})])


def test_middleware_encloses_the_handlers_of_refused_data() -> None:
    app, steps = on.app(), []
    on.put(app, on.envelope(data=BAD))
    service = Service(app, lambda data: steps.append("handler"))

    @service.consumer.middleware
    def around(data: Any, context: Context) -> Iterator[None]:
        steps.append("before")
        yield
        steps.append("after")

    service.run()
    assert steps == ["before", "handler", "after"]


def nothing(data: Any, context: Context) -> None: ...


@pytest.mark.parametrize(
    "register, fix",
    [
        pytest.param(lambda c: c.on(on.OrdersCreated)(nothing), "@consumer.on_refused()", id="nothing takes it"),
        pytest.param(
            lambda c: (c.on(on.OrdersCreated)(nothing), c.on_refused(on.OrdersCancelled)(nothing)),
            "@consumer.on(...)",
            id="a message that is not handled",
        ),
        pytest.param(
            lambda c: (c.on_refused()(nothing), c.on_refused()(nothing)), "register one", id="two hooks for all"
        ),
        pytest.param(lambda c: c.on_refused()(lambda data: None), "context", id="a function of one argument"),
    ],
)
def test_a_wrong_registration_is_an_error_before_the_first_message(
    register: Callable[[Consumer], Any], fix: str
) -> None:
    app = on.app()
    on.put(app, on.envelope(data=BAD))
    consumer = Consumer(app, enforce="report")

    def start() -> None:
        register(consumer)
        consumer.run(max_messages=1, timeout_seconds=0.01)

    with pytest.raises(UsageError) as refused:
        start()
    assert fix in (refused.value.fix or "")
    assert len(on.bodies(app, "orders")) == 1


def test_another_word_is_an_error() -> None:
    for make in (lambda: Consumer(on.app(), enforce="warn"), lambda: on.OrdersCreatedProducer(on.app(), enforce="no")):
        with pytest.raises(UsageError, match="enforce is") as refused:
            make()
        assert refused.value.fix == "choose one of enforce, report"


class TestProducers:
    def test_what_would_be_refused_is_sent_and_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        app = on.app()
        producer = on.OrdersCreatedProducer(app, enforce="report")
        producer.send(on.OrdersCreated(order_id=0))
        producer.send_many([on.OrdersCreated(order_id=0), on.OrdersCreated(order_id=1)])
        asyncio.run(AsyncProducer(app, on.OrdersCreated, enforce="report").send(on.OrdersCreated(order_id=-5)))
        sent = [json.loads(body)["data"]["order_id"] for body in on.bodies(app, "orders")]
        assert sent == [0, 0, 1, -5]
        words = f"{on.CREATED}: sent, although it would be refused: /order_id is below its minimum (minimum: 1)"
        assert [record.getMessage() for record in caplog.records] == [words] * 3
        assert {record.outcome for record in caplog.records} == {"reported"}  # type: ignore[attr-defined]

    def test_what_json_has_no_form_for_is_refused(self) -> None:
        app = on.app()
        with pytest.raises(InvalidDataError, match="not_json"):
            on.OrdersCreatedProducer(app, enforce="report").send(on.OrdersCreated(order_id=1, amount=float("nan")))
        assert on.bodies(app, "orders") == []


@pytest.mark.redis
def test_on_redis_nothing_is_left_over(redis: Server) -> None:
    app = BabelQueue(redis.url, queue="orders")
    app.transport._redis.flushall()  # another test may have left a dead letter
    service = Service(app)
    producer = on.OrdersCreatedProducer(app, enforce="report", queue="orders")
    for number in range(-10, 10):
        producer.send(on.OrdersCreated(order_id=number))
    service.consumer.run("orders", max_messages=20, timeout_seconds=0.5)
    assert sorted(data["order_id"] for data in service.raw) == list(range(-10, 1))
    assert sorted(order.order_id for order in service.typed) == list(range(1, 10))
    assert app.transport.pop("orders.dlq", 0.1) is None
