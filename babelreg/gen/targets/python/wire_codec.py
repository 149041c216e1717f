"""Codecs of messages in a foreign wire format, as views for the templates of modules and the package index."""

from __future__ import annotations

from typing import Any, NamedTuple

from babelreg.errors import UsageError
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.model import Message, Registry
from babelreg.model.wire_mapping import keys_by_urn, wire_mapping
from babelreg.typemap.python.names import in_order, literal
from babelreg.wire.formats import find

_COMMON = ("InvalidDataError", "Received", "Refused", "WireError", "answer", "encode")


class CodecView(NamedTuple):
    """The codec of one message: its base class, the method that makes a message, and the names on the wire.

    ``names`` are the attributes of the class, their values as literals; ``required`` further arguments of the method.
    """

    base: str
    method: str
    names: tuple[tuple[str, str], ...]
    required: str = ""


def offered(wire: str) -> tuple[str, ...]:
    """Return the names that a package exports from its runtime besides ``Reader``."""
    names = find(wire).names
    codecs = names.codecs if names is not None else None
    return tuple(in_order([*(codecs.offered if codecs else ()), *_COMMON]))


def wire_module(options: PackageOptions) -> str:
    """Return the module of the runtime that contains the codecs of the wire format."""
    return f"runtime.wires.{options.wire}"


def travelling(registry: Registry, options: PackageOptions, messages: list[Message]) -> dict[str, CodecView]:
    """Return the codecs of the messages that the wire format maps, by URN.

    Raises UsageError if it maps none.
    """
    keys, names = keys_by_urn(registry, options.wire), find(options.wire).names
    mapping = wire_mapping(registry, options.wire)
    codecs = {}
    for message in messages:
        key = keys.get(message.urn)
        if key is not None and names is not None:
            base, method, attributes = names.codec(key, mapping)
            spelled = tuple((name, _spelled(value)) for name, value in attributes)
            required = names.codecs.required.get(method, "") if names.codecs is not None else ""
            codecs[message.urn] = CodecView(base, method, spelled, required)
    if not codecs:
        raise UsageError(
            f"no message is sent in {options.wire}: wires.{options.wire} does not map a name to one",
            fix=f"map names in babelreg.yaml: wires: {{{options.wire}: ...}}",
        )
    return codecs


def _spelled(value: Any) -> str:
    """Return an attribute of a codec as Python's source."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bytes):
        text = value.decode("utf-8")
        return f"b{literal(text)}" if text.isascii() and text.isprintable() else repr(value)
    return repr(value)
