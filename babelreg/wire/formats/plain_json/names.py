"""Names of plain JSON: a member, the topic or the file has a URN or an alias. Its block in ``wires:`` says which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.compact_json import json_bytes
from babelreg.wire.formats.plain_json.bridge import from_canonical
from babelreg.wire.formats.plain_json.members import steps
from babelreg.wire.mapping import Key, UrnMapping, leaves, names_by_urn
from babelreg.wire.names import CodecClass, Codecs

title = "plain JSON"
content_type: str | None = "application/json"
depth = 0
_PATH = {"type": "string", "minLength": 1, "maxLength": 200}
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Settings of JSON without an envelope. A path is a.b; a dot in a name is written \\.",
    "additionalProperties": False,
    "required": ["urn"],
    "properties": {
        "urn": {
            "type": "object",
            "description": "The place of the URN or alias: {field: type}, {topic: true} or {file: true}.",
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {
                "field": {**_PATH, "description": "The path of the member."},
                "topic": {"const": True, "description": "The topic of the message."},
                "file": {"const": True, "description": "The name of the file without extensions, else of a folder."},
            },
        },
        "id": {
            **_PATH,
            "description": "The path of the identity. Default: the position in the source is the identity.",
        },
        "time": {**_PATH, "description": "The path of the time. Default: the time of receipt."},
        "data": {**_PATH, "description": "The path of the data, an object. Default: the whole message."},
    },
}
codecs: Codecs | None = Codecs((), "A message is one JSON object, on any transport: ``reader.message(body)``.")


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    settings = {key: value if isinstance(value, str) else "true" for key, value in leaves(block or {})}
    return UrnMapping(settings | {("name", name): urn for name, urn in declared.items()} if block else {})


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    return {urn: ("name", *names) for urn, names in names_by_urn(declared).items()} if block else {}


def notes(mapping: UrnMapping) -> list[str]:
    if not mapping.urns or ("id",) in mapping.urns:
        return []
    return [
        "wires.json defines no id: the position in the source is the identity, so equal messages count as different"
    ]


def key_of(value: Any) -> Key | None:
    return None


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    return iter(())


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    settings = [(name, mapping.urns[path]) for name, path in _ATTRIBUTES if path in mapping.urns]
    aliases = [("aliases", key[2:])] if key[2:] else []
    return CodecClass("MessageCodec", "message_of", (("name", key[1]), *aliases, *settings))


_ATTRIBUTES: tuple[tuple[str, Key], ...] = (
    ("urn_path", ("urn", "field")),
    ("id_path", ("id",)),
    ("time_path", ("time",)),
    ("data_path", ("data",)),
)


def describe(key: Key) -> str:
    return "A JSON object without an envelope, named {1}."


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    return json_bytes(from_canonical(emit.encode(envelope), mapping=mapping).value)


def payload(key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
    text, number = {"type": "string", "minLength": 1}, {"type": "number", "minimum": 0}
    schemas: dict[Key, Any] = {
        ("urn", "field"): {"enum": list(key[1:])},
        ("id",): {"anyOf": [text, {"type": "integer"}]},
        ("time",): {"anyOf": [{"type": "string", "format": "date-time"}, number]},
        ("data",): dict(data),
    }
    parts = [_nested(steps(mapping.urns[path]), schema) for path, schema in schemas.items() if path in mapping.urns]
    return {"allOf": [*parts, *([] if ("data",) in mapping.urns else [dict(data)])]}


def _nested(names: tuple[str, ...], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with the member that ``names`` lead to."""
    for name in reversed(names):
        schema = {"type": "object", "required": [name], "properties": {name: schema}}
    return schema


def layout(raw: bytes) -> None:
    """See Names."""
