"""Two messages of a small shop with a topology, as ``gen python`` writes them: billing, warehouse and an old worker.

``orders`` is the queue that producers name. Billing and warehouse consume ``Placed``; both read ``shared``, too, where
billing takes ``Paid`` and warehouse ``Packed``. Mails are consumed by the mailer alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import runtime_messages as on

from babelreg.runtime import Consumer, OutboxRelay, Producer, SqliteLedger
from babelreg.runtime.models.pydantic_base import Model, message
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.transports.subscription_broker import Publication

PLACED, PAID, PACKED = "urn:babel:shop:placed", "urn:babel:shop:paid", "urn:babel:shop:packed"
PLACED_AS, PACKED_AS = "Shop.Placed", "com.shop.packed"
"""Aliases under which other SDKs send."""
MAILED, NOTED = "urn:babel:shop:mailed", "urn:babel:shop:noted"

TOPOLOGY = RuntimeTopology.of(
    {
        "services": {
            "billing": {
                "queues": {"billing": [PLACED], "shared": [PAID]},
                "named": ["shared"],
                "others": {"shared": [PACKED]},
                "topics": {"orders": [PACKED, NOTED]},
            },
            "warehouse": {
                "queues": {"warehouse": [PLACED], "shared": [PACKED]},
                "named": ["shared"],
                "others": {"shared": [PAID]},
                "topics": {"orders": [PAID, NOTED]},
            },
            "mailer": {"queues": {"mailer": [MAILED]}, "read_besides": ["mails"], "topics": {"mails": []}},
        },
        "sources": {PLACED: "orders", PAID: "orders", PACKED: "orders", NOTED: "orders", MAILED: "mails"},
        "consumers": {PLACED: ["billing", "warehouse"], PAID: ["billing"], PACKED: ["warehouse"], MAILED: ["mailer"]},
        "fan_outs": {"orders": [PLACED, PAID, PACKED, NOTED]},
        "aliases": {PLACED_AS: PLACED, PACKED_AS: PACKED},
    }
)


class Placed(Model):
    order_id: int


class Paid(Model):
    order_id: int


class Packed(Model):
    order_id: int


class Noted(Model):
    order_id: int


class Mailed(Model):
    order_id: int


def _message(model: type[Any], urn: str) -> Any:
    consumers = tuple(TOPOLOGY.consumers.get(urn, ()))
    aliases = tuple(alias for alias, target in TOPOLOGY.aliases.items() if target == urn)
    return message(
        model,
        urn=urn,
        schema=on.SCHEMA,
        queue=TOPOLOGY.sources[urn],
        max_attempts=2,
        consumers=consumers,
        aliases=aliases,
    )


def _producer(model: type[Any], urn: str) -> type[Producer[Any]]:
    return type(f"{model.__name__}Producer", (Producer,), {"message": _message(model, urn)})


PlacedProducer = _producer(Placed, PLACED)
PaidProducer = _producer(Paid, PAID)
PackedProducer = _producer(Packed, PACKED)
NotedProducer = _producer(Noted, NOTED)
MailedProducer = _producer(Mailed, MAILED)


class ShopConsumer(Consumer):
    topology = TOPOLOGY


class ShopRelay(OutboxRelay):
    topology = TOPOLOGY


class BillingLedger(SqliteLedger):
    service = "billing"


class WarehouseLedger(SqliteLedger):
    service = "warehouse"


def publish_to_all(
    transport: Any, urn: str, headers: Mapping[str, str] | None = None, *, body: str = "{}", without: str | None = None
) -> int:
    """Publish ``body`` to the subscriptions of ``urn``; return 0 where there are none. Raises the broker's error."""
    (result,) = transport.publish_many([Publication("", urn, body, headers or {}, without=without)])
    if isinstance(result, Exception):
        raise result
    return int(result)
