"""The reader of a connection of strata."""

from __future__ import annotations

from babelreg_runtime.runtime.wires.strata import Reader as _Reader
from .orders_order_create import OrdersOrderCreateCodec
from .orders_order_created import OrdersOrderCreatedCodec

__all__ = ["Reader"]


class Reader(_Reader):
    __doc__ = _Reader.__doc__

    codecs = (
        OrdersOrderCreateCodec,
        OrdersOrderCreatedCodec,
    )
