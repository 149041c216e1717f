"""One message in three versions, as ``gen python`` writes them, with the steps between."""

from __future__ import annotations

import runtime_messages as on
from pydantic import MISSING

from babelreg.runtime.models.pydantic_base import Model, message

V1, V2, V3 = "urn:babel:shop:placed", "urn:babel:shop:placed.v2", "urn:babel:shop:placed.v3"


class Placed(Model):
    order_id: int
    amount_minor: int


class Money(Model):
    minor: int
    currency: str


class PlacedV2(Model):
    order_id: int
    total: Money


class PlacedV3(Model):
    order_id: str
    total: Money
    channel: str | MISSING = MISSING


_MONEY = {
    "type": "object",
    "required": ["minor", "currency"],
    "properties": {"minor": {"type": "integer", "minimum": 0}, "currency": {"type": "string"}},
}

PLACED = message(
    Placed,
    urn=V1,
    schema={
        "type": "object",
        "required": ["order_id", "amount_minor"],
        "properties": {"order_id": {"type": "integer"}, "amount_minor": {"type": "integer"}},
    },
    queue="shop-old",
    max_attempts=2,
    status="deprecated",
    successor=V2,
    sunset="2099-06-30",
)
PLACED_V2 = message(
    PlacedV2,
    urn=V2,
    schema={
        "type": "object",
        "required": ["order_id", "total"],
        "properties": {"order_id": {"type": "integer"}, "total": _MONEY},
    },
    queue="shop",
    supersedes=PLACED,
    upcast=({"rename": {"amount_minor": "total.minor"}}, {"default": {"total.currency": "EUR"}}),
)
PLACED_V3 = message(
    PlacedV3,
    urn=V3,
    schema={
        "type": "object",
        "required": ["order_id", "total"],
        "properties": {"order_id": {"type": "string"}, "total": _MONEY, "channel": {"enum": ["web", "shop"]}},
    },
    queue="shop",
    supersedes=PLACED_V2,
    upcast=({"cast": {"order_id": "integer->string"}},),
)
"""From data of v1 with a negative amount no data of v2 or v3 comes: their schemas refuse it."""


def sent_as(urn: str, data: object) -> dict[str, object]:
    """An envelope of ``urn`` with ``data``."""
    return on.envelope(job=urn, data=data)
