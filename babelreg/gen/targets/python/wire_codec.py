"""Codecs of messages in a foreign wire format, as views for the templates of modules and the package index."""

from __future__ import annotations

from typing import NamedTuple

from babelreg.errors import UsageError
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.wire_names import wire_names
from babelreg.model import Message, Registry
from babelreg.typemap.python.names import in_order, literal
from babelreg.wire.mapping import Key

__all__ = ["OFFERED", "CodecView", "codec_of", "travelling", "wire_module"]

_OFFERED = {
    "flowlayer": ("Ack", "Command", "ErrorMessage", "ErrorObject", "Event", "Result"),
    "phpmq": (
        "Acknowledgement",
        "ConsumeRequest",
        "DeadLetter",
        "MessageClientToServer",
        "MessageServerToClient",
        "ReQueue",
    ),
    "strata": ("Post", "Request", "Response", "ResponseMessage"),
}
_COMMON = ("InvalidDataError", "Received", "Refused", "WireError", "answer", "encode")
OFFERED = {wire: tuple(in_order([*names, *_COMMON])) for wire, names in _OFFERED.items()}
"""Names that a package exports from its runtime besides ``Reader``, by wire format."""

_BASES = {
    "commands": ("CommandCodec", "command"),
    "events": ("EventCodec", "event"),
    "queues": ("QueueCodec", "produce"),
    "request": ("RequestCodec", "request"),
    "post": ("PostCodec", "post"),
    "response": ("ResponseCodec", "response"),
}


class CodecView(NamedTuple):
    """The codec of one message: its base class, the method that makes a message, and the names on the wire.

    ``names`` are the attributes of the class, their values as literals.
    """

    base: str
    method: str
    names: tuple[tuple[str, str], ...]


def wire_module(options: PackageOptions) -> str:
    """Return the module of the runtime that contains the codecs of the wire format."""
    return f"runtime.wires.{options.wire}"


def travelling(registry: Registry, options: PackageOptions, messages: list[Message]) -> dict[str, CodecView]:
    """Return the codecs of the messages that the wire format maps, by URN.

    Raises UsageError if it maps none.
    """
    names = wire_names(registry, options.wire)
    codecs = {message.urn: codec_of(options.wire, names[message.urn]) for message in messages if message.urn in names}
    if not codecs:
        raise UsageError(
            f"no message travels in {options.wire}: wires.{options.wire} maps no name to one",
            fix=f"map names in babelreg.yaml: wires: {{{options.wire}: ...}}",
        )
    return codecs


def codec_of(wire: str, key: Key) -> CodecView:
    """Return the codec of the message that ``key`` names (see ``wire.mapping``)."""
    base, method = _BASES[key[2] if wire == "strata" else key[0]]
    if wire == "strata":
        return CodecView(base, method, (("context", literal(key[0])), ("operation", literal(key[1]))))
    if wire == "phpmq":
        return CodecView(base, method, (("queue", _octets(key[1])),))
    return CodecView(base, method, (("name", literal(key[1])),))


def _octets(name: str) -> str:
    return f"b{literal(name)}" if name.isascii() and name.isprintable() else repr(name.encode("utf-8"))
