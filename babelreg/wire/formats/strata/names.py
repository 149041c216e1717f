"""Names of Strata: operations of a context, each with requests, posts and responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.formats.strata.bridge import from_canonical
from babelreg.wire.formats.strata.codec import encode
from babelreg.wire.formats.strata.schema import MESSAGE_TYPES
from babelreg.wire.mapping import Key, UrnMapping, spelling_defects
from babelreg.wire.names import CodecClass, Codecs

title = "Strata"
content_type: str | None = None
depth = 3
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Names of Strata, by context and operation: {Orders: {createOrder: {request: URN, response: URN}}}.",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "request": {
                    "$ref": "#/$defs/urn",
                    "description": "The URN of requests, and of posts without a separate entry.",
                },
                "response": {"$ref": "#/$defs/urn", "description": "The URN of responses."},
                "post": {"$ref": "#/$defs/urn", "description": "The URN of posts."},
            },
        },
    },
}
codecs: Codecs | None = Codecs(
    ("Post", "Request", "Response", "ResponseMessage"),
    "An item of a Redis list is one message: ``reader.item(data)``.",
    {"request": ', response_queue="Responses:Web:1"'},
    frozenset({"response"}),
    required={"request": ", response_queue=...", "response": ", to=request"},
)

_REQUEST_ID = "V1StGXR8Z5jdHi6BmyT2"
_ARTICLES = {"request": "A request", "response": "The response", "post": "A post"}


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    return UrnMapping.of(block)


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    return dict(mapping.keys)


def notes(mapping: UrnMapping) -> list[str]:
    return []


def key_of(value: Any) -> Key | None:
    if "messageType" not in value:
        return None
    context, operation, kind = (str(value.get(member)) for member in ("context", "operation", "messageType"))
    return context, operation, kind


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    if key[2] not in MESSAGE_TYPES:
        yield "wrong_shape", f"'{key[2]}' is not request, response or post"
    else:
        yield from spelling_defects(key[:2])


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    context, operation, kind = key
    return CodecClass(f"{kind.title()}Codec", kind, (("context", context), ("operation", operation)))


def describe(key: Key) -> str:
    return f"{_ARTICLES[key[2]]} of operation {{1}} of context {{0}}."


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    context, operation, kind = key
    ext: dict[str, Any] = {"id": _REQUEST_ID, "message_type": kind, "context": context, "operation": operation}
    if kind == "response":
        ext |= {"status": "succeeded", "messages": [], "service": "Orders v1"}
    else:
        ext |= {"client": "Client:Web", "metadata": {}}
    if kind == "request":
        ext["response_queue"] = "Responses:Web:1"
    body = emit.encode({**envelope, "meta": {**envelope["meta"], "ext": {"strata": ext}}})
    return encode(from_canonical(body, mapping=mapping).value)


def payload(key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
    """See Names: only messages of brokers have a content type."""
    return {}


def layout(raw: bytes) -> None:
    """See Names."""
