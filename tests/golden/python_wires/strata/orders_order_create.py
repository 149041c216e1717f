"""The data of urn:babel:orders:order.create.

urn:babel:orders:order.create: a command of orders, owned by team.
"""

from __future__ import annotations

from typing import Annotated

from babelreg_runtime.runtime.models.pydantic_base import (
    MISSING,
    Missing,
    Model,
    Sequence,
    message,
)
from babelreg_runtime.runtime.wires.strata import RequestCodec
from pydantic import Field

from ._schemas.orders_order_create import SCHEMA

__all__ = ["ORDERS_ORDER_CREATE", "OrdersOrderCreate", "OrdersOrderCreateCodec", "OrdersOrderCreateLine"]


class OrdersOrderCreateLine(Model, frozen=True):
    sku: str


class OrdersOrderCreate(Model, frozen=True):
    """The data of urn:babel:orders:order.create."""

    order_id: Annotated[int, Field(ge=1)]
    lines: Sequence[OrdersOrderCreateLine] | Missing = MISSING


ORDERS_ORDER_CREATE = message(
    OrdersOrderCreate,
    urn="urn:babel:orders:order.create",
    schema=SCHEMA,
    consumers=[],
)


class OrdersOrderCreateCodec(RequestCodec[OrdersOrderCreate]):
    """``encode(OrdersOrderCreateCodec().request(OrdersOrderCreate(...), response_queue=...))``."""

    message = ORDERS_ORDER_CREATE
    context = "Orders"
    operation = "createOrder"
