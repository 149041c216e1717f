"""Names of PHPMQ: queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.contract import emit
from babelreg.wire.formats.phpmq.bridge import from_canonical
from babelreg.wire.formats.phpmq.codec import encode
from babelreg.wire.formats.phpmq.layout import layout
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.mapping import Key, UrnMapping, spelling_defects
from babelreg.wire.names import CodecClass, Codecs

__all__ = [
    "block", "codec", "codecs", "content_type", "depth", "describe", "example", "key_defects", "key_of", "layout",
    "mapping", "notes", "payload", "title", "travelling",
]  # fmt: skip

title = "PHPMQ"
content_type: str | None = None
depth = 2
block: Mapping[str, Any] = {
    "type": "object",
    "description": "Names of PHPMQ.",
    "additionalProperties": False,
    "properties": {
        "queues": {
            "$ref": "#/$defs/names",
            "description": (
                "The URN of messages in the queue of that name whose content is not an envelope: {Foo: URN}."
            ),
        }
    },
}
codecs: Codecs | None = Codecs(
    ("Acknowledgement", "ConsumeRequest", "DeadLetter", "MessageClientToServer", "MessageServerToClient", "ReQueue"),
    "Where headers do not say where a message ends, the stream is over: ``reader.stopped``.",
    {"produce": ", ttl_seconds=3600"},
    line_end=b"",
)

_MAX_QUEUE_BYTES = 65_535
_TTL_SECONDS = 3600
_CLIENT_TO_SERVER = 1
_CONTENT = ({"content"}, {"content_base64"})


def mapping(block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
    return UrnMapping.of(block)


def travelling(mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> dict[str, Key]:
    return dict(mapping.keys)


def notes(mapping: UrnMapping) -> list[str]:
    return []


def key_of(value: PacketMessage) -> Key | None:
    try:
        return "queues", value.queue.decode("utf-8")
    except UnicodeDecodeError:
        return None


def key_defects(key: Key) -> Iterator[tuple[str, str]]:
    group, name = key
    if group != "queues":
        yield "wrong_shape", f"'{group}' is not queues"
        return
    defects = list(spelling_defects([name]))
    yield from defects
    if not defects and len(name.encode()) > _MAX_QUEUE_BYTES:
        yield "name_not_on_wire", f"a queue name of more than {_MAX_QUEUE_BYTES} bytes does not fit into a message"


def codec(key: Key, mapping: UrnMapping) -> CodecClass:
    return CodecClass("QueueCodec", "produce", (("queue", key[1].encode("utf-8")),))


def describe(key: Key) -> str:
    return (
        "A message of queue {1}. Each line is a header or a content, after its offset; on the wire nothing is "
        "between them."
    )


def example(key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    """See Names. A carried envelope names its own queue, which need not be the one that carries it."""
    meta = dict(envelope["meta"])
    if envelope["data"].keys() in _CONTENT:
        meta["ext"] = {"phpmq": {"type": _CLIENT_TO_SERVER, "ttl": _TTL_SECONDS, "queue": key[1]}}
    body = emit.encode({**envelope, "meta": meta})
    value: PacketMessage = from_canonical(body, mapping=mapping).value
    return encode(value._replace(queue=key[1].encode("utf-8")))


def payload(key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
    """See Names: a message is not JSON."""
    return {}
