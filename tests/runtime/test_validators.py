"""Messages whose validators cannot be built: reported once, by name, before anything is sent or taken."""

from __future__ import annotations

from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue

from babelreg.errors import SchemaError
from babelreg.runtime import Consumer, Producer
from babelreg.runtime.models.pydantic_base import Model, message
from babelreg.runtime.testing import Broker

PAID, REFUNDED = "urn:babel:orders:paid", "urn:babel:orders:refunded"


class Paid(Model):
    code: str


class Refunded(Model):
    code: str


def schema(**code: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"code": code}}


ORDERS_PAID = message(Paid, urn=PAID, schema=schema(pattern="("), queue="orders")
ORDERS_REFUNDED = message(Refunded, urn=REFUNDED, schema=schema(minimum="x"), queue="orders", reader="strict")


class PaidProducer(Producer[Paid]):
    message = ORDERS_PAID


def consumer(app: BabelQueue) -> Consumer:
    """A consumer of one sound message and of two that cannot be validated."""
    made = Consumer(app)
    for model in (on.OrdersCreated, Paid, Refunded):
        made.on(model)(lambda data, context: None)
    return made


def test_a_producer_reports_it_when_it_is_made() -> None:
    app = on.app()
    with pytest.raises(SchemaError, match=f"{PAID}: the schema cannot be used") as raised:
        PaidProducer(app)
    assert raised.value.fix is not None
    assert on.bodies(app, "orders") == []


def test_a_consumer_reports_all_of_them_before_it_takes_a_message() -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    with pytest.raises(SchemaError) as raised:
        consumer(app).run(max_messages=1)
    assert [raised.value.message.count(urn) for urn in (PAID, REFUNDED, on.CREATED)] == [1, 1, 0]
    assert on.bodies(app, "orders") == [text]


def test_a_loop_of_ones_own_can_check_first() -> None:
    app = on.app()
    on.put(app, on.envelope())
    made = consumer(app)
    with pytest.raises(SchemaError, match=PAID):
        made.check()
    received = app.transport.pop("orders", timeout=0)
    assert received is not None
    with pytest.raises(SchemaError, match=REFUNDED):
        made.dispatch(received)


def test_a_test_of_the_service_reports_it_too() -> None:
    app = on.app()
    with Broker(app) as broker, pytest.raises(SchemaError, match=PAID):
        broker.deliver(consumer(app), on.OrdersCreated(order_id=1))
