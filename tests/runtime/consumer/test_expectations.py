"""Expectations beyond a contract: a message outside is logged, counted and handled, or dead-lettered, as its owner says."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, ClassVar

import pytest
import runtime_messages as on
import runtime_versions as shop
from babelqueue import BabelQueue
from server import Server

from babelreg.errors import SchemaError, UsageError
from babelreg.runtime import Consumer, Outcome
from babelreg.runtime.subscriptions.topology import RuntimeTopology

SHORT = {"properties": {"note": {"maxLength": 3}}}
GOOD, OUTSIDE, WRONG = {"order_id": 1, "note": "abc"}, {"order_id": 2, "note": "hunter2"}, {"order_id": 3, "note": 5}
TOPOLOGY = RuntimeTopology.of(
    {"services": {name: {"queues": {"orders": [on.CREATED, shop.V1]}} for name in ("billing", "mailer")}}
)
ERROR = "expectation: /note is too long (maxLength: 3)"


class Billing(Consumer):
    """A consumer as ``gen python`` writes it."""

    service = "billing"
    topology = TOPOLOGY
    expects: ClassVar[dict[str, Any]] = {"billing": {on.CREATED: {"schema": SHORT}}}


class StrictBilling(Billing):
    expects: ClassVar[dict[str, Any]] = {"billing": {on.CREATED: {"schema": SHORT, "on_unexpected": "dead_letter"}}}


def handled(
    app: BabelQueue, kind: type[Consumer], workers: int = 1, **settings: Any
) -> tuple[list[int], list[Outcome]]:
    """Return the orders that were handled, and the outcomes."""
    consumer, orders, outcomes = kind(app, **settings), [], []
    consumer.on_outcome(lambda outcome, _: outcomes.append(outcome))
    consumer.on(on.OrdersCreated)(lambda order, context: orders.append(order.order_id))
    if workers:
        consumer.run("orders", max_messages=20, timeout_seconds=0.01, workers=workers)
    else:
        asyncio.run(consumer.run_async("orders", max_messages=20, timeout_seconds=0.01, concurrency=3))
    return sorted(orders), sorted(outcomes, key=lambda outcome: outcome.kind)


@pytest.fixture
def app() -> BabelQueue:
    app = on.app()
    for data in (GOOD, OUTSIDE, WRONG):
        on.put(app, on.envelope(data=data))
    return app


@pytest.mark.parametrize("workers", [1, 3, 0], ids=["one after another", "in threads", "in an event loop"])
def test_a_message_outside_is_handled_logged_and_counted(app, workers, caplog):
    caplog.set_level(logging.WARNING, "babelreg.runtime")
    orders, outcomes = handled(app, Billing, workers, check_expectations=True)
    assert orders == [1, 2]
    assert [(outcome.kind, outcome.code) for outcome in outcomes] == [
        ("dead_lettered", "not_a_string"),
        ("handled", None),
        ("reported", "expectation"),
    ]
    assert outcomes[2].detail == ERROR
    assert any(ERROR in record.getMessage() for record in caplog.records)
    assert not any("hunter2" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("workers", [1, 3, 0], ids=["one after another", "in threads", "in an event loop"])
def test_a_message_outside_is_dead_lettered_where_the_owner_says_so(app, workers):
    orders, outcomes = handled(app, StrictBilling, workers, check_expectations=True)
    assert orders == [1]
    assert [outcome.kind for outcome in outcomes] == ["dead_lettered", "dead_lettered", "handled"]
    letters = [json.loads(body) for body in on.bodies(app, "orders.dlq")]
    (letter,) = [each for each in letters if each["data"] == OUTSIDE]
    assert (letter["dead_letter"]["reason"], letter["dead_letter"]["error"]) == ("failed", ERROR)


@pytest.mark.parametrize("kind", [Billing, StrictBilling])
def test_nothing_is_checked_by_default(app, kind):
    assert handled(app, kind)[0] == [1, 2]


def test_a_service_without_expectations_handles_all(app):
    assert handled(app, Billing, service="mailer", check_expectations=True)[0] == [1, 2]


def test_a_consumer_of_no_service_has_no_expectations():
    with pytest.raises(UsageError, match="expectations belong to a service"):
        Consumer(on.app(), check_expectations=True)


def test_an_unusable_expectation_is_an_error_before_the_first_delivery():
    class Broken(Billing):
        expects: ClassVar[dict[str, Any]] = {"billing": {on.CREATED: {"schema": {"type": "texts"}}}}

    with pytest.raises(SchemaError, match=on.CREATED):
        Broken(on.app(), check_expectations=True)


@pytest.mark.parametrize("strict, orders", [(False, [1]), (True, [])])
def test_undeclared_properties_count_for_strict_readers_only(strict, orders):
    class Closed(Billing):
        expects: ClassVar[dict[str, Any]] = {
            "billing": {
                on.CREATED: {
                    "schema": {"properties": {"order_id": True}, "additionalProperties": False},
                    "on_unexpected": "dead_letter",
                    "strict": strict,
                }
            }
        }

    app = on.app()
    on.put(app, on.envelope(data={"order_id": 1, "later": True}))
    assert handled(app, Closed, check_expectations=True)[0] == orders


def test_an_earlier_version_is_checked_as_it_was_sent():
    class Upcasting(Billing):
        expects: ClassVar[dict[str, Any]] = {
            "billing": {
                shop.V1: {"schema": {"properties": {"amount_minor": {"maximum": 5}}}, "on_unexpected": "dead_letter"}
            }
        }

    app = on.app()
    for amount in (5, 6):
        on.put(app, on.envelope(job=shop.V1, data={"order_id": 1, "amount_minor": amount}))
    consumer = Upcasting(app, check_expectations=True)
    seen: list[int] = []
    consumer.on(shop.PlacedV2, upcast_from=[shop.Placed])(lambda order, context: seen.append(order.total.minor))
    consumer.run("orders", max_messages=3, timeout_seconds=0.01)
    assert seen == [5]


@pytest.mark.redis
def test_on_redis(redis: Server):
    app = BabelQueue(redis.url, queue="orders")
    app.transport._redis.flushall()  # another test may have left messages
    for data in (GOOD, OUTSIDE):
        on.put(app, on.envelope(data=data))
    assert handled(app, StrictBilling, check_expectations=True)[0] == [1]
