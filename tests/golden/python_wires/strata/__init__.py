"""Typed messages in Strata: their data, codecs and a reader.

    from strata_pydantic import OrdersOrderCreate, OrdersOrderCreateCodec, Reader, encode
    from strata_pydantic.orders_order_create import OrdersOrderCreateLine

    codec = OrdersOrderCreateCodec()
    data = OrdersOrderCreate(order_id=1042, lines=[OrdersOrderCreateLine(sku="a")])
    sent = encode(codec.request(data, response_queue="Responses:Web:1")) + b"\\n"

    reader = Reader()
    for item in reader.feed(sent):
        received = codec.received(item)
        if received is not None:
            print(received.data, received.message)

A reader returns a Received for each message of the registry, the wire's own message for any other,
and a Refused for what cannot be read. An item of a Redis list is one message:
``reader.item(data)``. A property that was not sent is ``MISSING``, which is false: ``if
order.email:``.
Needs jsonschema-rs>=0.52,<0.61, orjson>=3.11,<4, pydantic>=2.14,<3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._babelreg.runtime.models.pydantic_base import MISSING
    from ._babelreg.runtime.wires.strata import (
        InvalidDataError,
        Post,
        Received,
        Refused,
        Request,
        Response,
        ResponseMessage,
        WireError,
        answer,
        encode,
    )
    from ._reader import Reader
    from .orders_order_create import (
        OrdersOrderCreate,
        OrdersOrderCreateCodec,
    )
    from .orders_order_created import (
        OrdersOrderCreated,
        OrdersOrderCreatedCodec,
    )

__all__ = [
    "MISSING",
    "InvalidDataError",
    "OrdersOrderCreate",
    "OrdersOrderCreateCodec",
    "OrdersOrderCreated",
    "OrdersOrderCreatedCodec",
    "Post",
    "Reader",
    "Received",
    "Refused",
    "Request",
    "Response",
    "ResponseMessage",
    "WireError",
    "answer",
    "encode",
]

# Modules are imported on first access, because a service uses a few of them.
_MODULES = {
    "InvalidDataError": "._babelreg.runtime.wires.strata",
    "Post": "._babelreg.runtime.wires.strata",
    "Received": "._babelreg.runtime.wires.strata",
    "Refused": "._babelreg.runtime.wires.strata",
    "Request": "._babelreg.runtime.wires.strata",
    "Response": "._babelreg.runtime.wires.strata",
    "ResponseMessage": "._babelreg.runtime.wires.strata",
    "WireError": "._babelreg.runtime.wires.strata",
    "answer": "._babelreg.runtime.wires.strata",
    "encode": "._babelreg.runtime.wires.strata",
    "Reader": "._reader",
    "OrdersOrderCreate": ".orders_order_create",
    "OrdersOrderCreateCodec": ".orders_order_create",
    "OrdersOrderCreated": ".orders_order_created",
    "OrdersOrderCreatedCodec": ".orders_order_created",
    "MISSING": "._babelreg.runtime.models.pydantic_base",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        from importlib import import_module

        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__():
        return sorted(__all__)
