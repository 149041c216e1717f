
from babelreg_runtime.runtime.models.pydantic_base import MISSING as MISSING
from babelreg_runtime.runtime.models.pydantic_base import Missing as Missing
from babelreg_runtime.runtime.wires.strata import InvalidDataError as InvalidDataError
from babelreg_runtime.runtime.wires.strata import Post as Post
from babelreg_runtime.runtime.wires.strata import Received as Received
from babelreg_runtime.runtime.wires.strata import Refused as Refused
from babelreg_runtime.runtime.wires.strata import Request as Request
from babelreg_runtime.runtime.wires.strata import Response as Response
from babelreg_runtime.runtime.wires.strata import ResponseMessage as ResponseMessage
from babelreg_runtime.runtime.wires.strata import WireError as WireError
from babelreg_runtime.runtime.wires.strata import answer as answer
from babelreg_runtime.runtime.wires.strata import encode as encode

from ._reader import Reader as Reader
from .orders_order_create import OrdersOrderCreate as OrdersOrderCreate
from .orders_order_create import OrdersOrderCreateCodec as OrdersOrderCreateCodec
from .orders_order_created import OrdersOrderCreated as OrdersOrderCreated
from .orders_order_created import OrdersOrderCreatedCodec as OrdersOrderCreatedCodec
