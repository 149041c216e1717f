"""Names of FlowLayer: commands and events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.formats.flowlayer.bridge import from_canonical
from babelreg.wire.formats.flowlayer.codec import encode
from babelreg.wire.formats.flowlayer.secrets import mask
from babelreg.wire.mapping import Key, UrnMapping, spelling_defects
from babelreg.wire.names import CodecClass, Codecs

title = "FlowLayer"
content_type: str | None = None
depth = 2
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Names of FlowLayer.",
    "additionalProperties": False,
    "properties": {
        "commands": {
            "$ref": "#/$defs/names",
            "description": "The URN of the command of that name: {start_service: URN}.",
        },
        "events": {"$ref": "#/$defs/names", "description": "The URN of the event of that name: {log: URN}."},
    },
}
codecs: Codecs | None = Codecs(
    ("Ack", "Command", "ErrorMessage", "ErrorObject", "Event", "Result"),
    "A frame of a WebSocket is one message: ``reader.frame(data)``.",
)


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    return UrnMapping.of(block)


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    return dict(mapping.keys)


def notes(mapping: UrnMapping) -> list[str]:
    return []


def key_of(value: Any) -> Key | None:
    """See Names. A name that quotes a bearer token has none."""
    if value.get("type") not in ("command", "event"):
        return None
    spelled = json.dumps(value.get("name")).encode()
    return None if mask(spelled) != spelled else (f"{value['type']}s", str(value.get("name")))


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    if key[0] not in ("commands", "events"):
        yield "wrong_shape", f"'{key[0]}' is neither commands nor events"
    else:
        yield from spelling_defects(key[1:])


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    kind = "command" if key[0] == "commands" else "event"
    return CodecClass(f"{kind.title()}Codec", kind, (("name", key[1]),))


def describe(key: Key) -> str:
    kind = "command" if key[0] == "commands" else "event"
    return f"The {kind} {{1}}, one frame of the WebSocket."


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    return encode(from_canonical(emit.encode(envelope), mapping=mapping).value)


def payload(key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
    """See Names: only messages of brokers have a content type."""
    return {}


def layout(raw: bytes) -> None:
    """See Names."""
