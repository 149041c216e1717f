"""Two messages as ``gen python`` writes them, and what tests of the runtime share."""

from __future__ import annotations

import json
from typing import Any

from babelqueue import BabelQueue, EnvelopeCodec
from babelqueue.transport import InMemoryTransport
from pydantic import MISSING

from babelreg.runtime import Producer
from babelreg.runtime.models.pydantic_base import Model, message

CREATED = "urn:babel:orders:created"
CANCELLED = "urn:babel:orders:cancelled"
DELAYED = "urn:babel:orders:delayed"


class Line(Model):
    sku: str


class OrdersCreated(Model):
    order_id: int
    note: str | MISSING = MISSING
    lines: list[Line] | MISSING = MISSING
    amount: int | float | MISSING = MISSING


class OrdersCancelled(Model):
    order_id: int


SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["order_id"],
    "properties": {
        "order_id": {"type": "integer", "minimum": 1},
        "note": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string", "minLength": 1}}},
        },
        "amount": {"type": "number"},
    },
}

ORDERS_CREATED = message(OrdersCreated, urn=CREATED, schema=SCHEMA, queue="orders", max_attempts=3, headers=True)
ORDERS_CANCELLED = message(
    OrdersCancelled,
    urn=CANCELLED,
    schema={"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer"}}},
    queue="orders",
    max_attempts=2,
    on_failure="delete",
    headers=True,
)


class OrdersDelayed(Model):
    order_id: int


ORDERS_DELAYED = message(
    OrdersDelayed,
    urn=DELAYED,
    schema={"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer"}}},
    queue="orders",
    max_attempts=5,
    backoff={"first_seconds": 10, "factor": 3, "longest_seconds": 50},
)


class OrdersCreatedProducer(Producer[OrdersCreated]):
    message = ORDERS_CREATED


class OrdersCancelledProducer(Producer[OrdersCancelled]):
    message = ORDERS_CANCELLED


def app(**settings: Any) -> BabelQueue:
    """An app on a broker of its own in memory."""
    return BabelQueue("memory://", queue="orders", **settings)


def bodies(of: BabelQueue, queue: str) -> list[str]:
    """What lies in ``queue``, oldest first."""
    assert isinstance(of.transport, InMemoryTransport)
    return list(of.transport._queues[queue])


def envelope(**members: Any) -> dict[str, Any]:
    """A good envelope of OrdersCreated with ``members`` in place of its own."""
    made = EnvelopeCodec.make(CREATED, {"order_id": 1042}, queue="orders")
    return {**made, **members}


def put(of: BabelQueue, body: str | dict[str, Any], queue: str = "orders") -> str:
    """Lay ``body`` into ``queue`` as a foreign producer would."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    of.transport.publish(queue, text)
    return text
