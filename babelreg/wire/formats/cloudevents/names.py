"""Names of CloudEvents: the type of an event is a URN or an alias, so its block in ``wires:`` has settings alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.formats.cloudevents.bridge import from_canonical
from babelreg.wire.formats.cloudevents.codec import encode
from babelreg.wire.mapping import Key, UrnMapping, names_by_urn
from babelreg.wire.names import CodecClass, Codecs

title = "CloudEvents"
content_type: str | None = "application/cloudevents+json"
depth = 0
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Settings of CloudEvents, whose types are URNs or aliases. The block shows events on pages.",
    "additionalProperties": False,
    "properties": {
        "time": {
            "enum": ["required", "received"],
            "default": "required",
            "description": "received: an event without a time gets the time of receipt. required: it is refused.",
        }
    },
}
codecs: Codecs | None = Codecs(
    ("CloudEvent", "binary"),
    "A message of Kafka or HTTP is one event: ``reader.message(body, headers)``.",
    {"event": ', source="/shop"'},
    required={"event": ", source=..."},
)


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    return UrnMapping.of(block)


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    return {urn: ("type", *names) for urn, names in names_by_urn(declared).items()}


def notes(mapping: UrnMapping) -> list[str]:
    return []


def key_of(value: Any) -> Key | None:
    return None


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    return iter(())


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    return CodecClass("CloudEventCodec", "event", (("type", key[1]), *([("aliases", key[2:])] if key[2:] else [])))


def describe(key: Key) -> str:
    return "An event of type {1} in structured mode, as application/cloudevents+json."


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    return encode(from_canonical(emit.encode(envelope), mapping=mapping).value)


def payload(key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1}
    required = ["specversion", "id", "source", "type", "data"]
    return {
        "type": "object",
        "required": required if mapping.urns.get(("time",)) == "received" else [*required, "time"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": text,
            "source": {**text, "format": "uri-reference"},
            "type": {"enum": list(key[1:])},
            "time": {"type": "string", "format": "date-time"},
            "datacontenttype": {"type": "string"},
            "dataschema": {"type": "string", "format": "uri"},
            "subject": {"type": "string"},
            "data": dict(data),
        },
    }


def layout(raw: bytes) -> None:
    """See Names."""
