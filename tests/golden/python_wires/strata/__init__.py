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
Runs on babelreg-runtime 0.1.0 or later, as requirements.txt says.
"""

from __future__ import annotations

try:
    from babelreg_runtime import require_runtime
except ModuleNotFoundError as error:
    raise ImportError(
        f"{__name__} runs on babelreg-runtime, which is not installed\n"
        f"  fix: babelreg runtime && pip install -r {__path__[0]}/requirements.txt,"
        " or generate the package with `runtime: vendored`"
    ) from error

require_runtime("0.1.0", __name__)

_names: dict[str, str] = {}


def _modules() -> dict[str, str]:
    """Return the module of each name, as ``__init__.pyi`` lists them for type checkers."""
    if not _names:
        path = __file__.rpartition(".")[0] + ".pyi"
        try:
            stub: str = __loader__.get_data(path).decode()
        except OSError as error:
            raise ImportError(f"{__name__} lacks {path}: install it with the package, as py.typed") from error
        imports = [text.replace("(", " ").split() for text in stub.split("\nfrom ")[1:]]
        _names.update({name: module for module, _, name, *_ in imports})
    return _names


def __getattr__(name: str) -> object:
    """Import a class where it is first used: a service needs a few of them."""
    if name == "__all__":
        return list(_modules())
    if name.startswith("__") or name not in _modules():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_names[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(_modules())
