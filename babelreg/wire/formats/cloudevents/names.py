"""Names of CloudEvents: the type of an event is a URN or an alias, so its block in ``wires:`` has settings alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.formats.cloudevents.bridge import from_canonical
from babelreg.wire.formats.cloudevents.codec import encode
from babelreg.wire.mapping import Key, UrnMapping
from babelreg.wire.names import CodecClass, Codecs

__all__ = [
    "block", "codec", "codecs", "depth", "describe", "example", "key_defects", "key_of", "layout", "mapping", "notes",
    "title", "travelling",
]  # fmt: skip

title = "CloudEvents"
depth = 0
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Settings of CloudEvents, whose types are URNs or aliases. The block shows events on pages.",
    "additionalProperties": False,
    "properties": {
        "time": {
            "enum": ["required", "received"],
            "default": "required",
            "description": "received: an event without time has that of its receipt. required: it is refused.",
        }
    },
}
codecs: Codecs | None = Codecs(
    ("CloudEvent",),
    "A message of Kafka or HTTP is one event: ``reader.message(body, headers)``.",
    {"event": ', source="/shop"'},
)


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    """See Names."""
    return UrnMapping.of(block)


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    """See Names."""
    return {urn: ("type", name) for name, urn in declared.items() if name == urn}


def notes(mapping: UrnMapping) -> list[str]:
    """See Names."""
    return []


def key_of(value: Any) -> Key | None:
    """See Names."""
    return None


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    """See Names."""
    return iter(())


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    """See Names."""
    return CodecClass("EventCodec", "event", (("type", key[1]),))


def describe(key: Key) -> str:
    """See Names."""
    return "An event of type {1} in structured mode, as media type `application/cloudevents+json`."


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    """See Names."""
    return encode(from_canonical(emit.encode(envelope), mapping=mapping).value)


def layout(raw: bytes) -> None:
    """See Names."""
