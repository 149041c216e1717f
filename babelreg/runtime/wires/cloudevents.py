"""CloudEvents with typed data.

A codec makes an event of typed data, ``encode`` its bytes in structured mode and ``binary`` its headers and body. A
reader goes back: lines, or messages with headers, in, events out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.producer.encode import two_uuids
from babelreg.runtime.wires.line_reader import LineReader
from babelreg.runtime.wires.payload import Payload, Received, Refused, now
from babelreg.wire.format import WireError
from babelreg.wire.formats.cloudevents.attributes import is_json
from babelreg.wire.formats.cloudevents.check import validate
from babelreg.wire.formats.cloudevents.codec import decode, divide, limits
from babelreg.wire.formats.cloudevents.codec import encode as encode_document
from babelreg.wire.message_headers import Header, pack

__all__ = [
    "CloudEvent",
    "CloudEventCodec",
    "InvalidDataError",
    "Reader",
    "Received",
    "Refused",
    "WireError",
    "answer",
    "binary",
    "encode",
]

T = TypeVar("T")
Typed = Received[Any, "CloudEvent"]

_OWN = ("specversion", "id", "source", "type", "time", "datacontenttype", "data", "data_base64")


@dataclass(frozen=True, slots=True)
class CloudEvent:
    """One event. ``extensions`` are all other attributes, ``dataschema`` and ``subject`` too.

    Its ``repr`` shows no data.
    """

    id: str
    source: str
    type: str
    data: Any = field(repr=False)
    time: str | None = None
    datacontenttype: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the event in structured mode."""
        optional = {"time": self.time, "datacontenttype": self.datacontenttype}
        return {
            "specversion": "1.0",
            "id": self.id,
            "source": self.source,
            "type": self.type,
            **{name: value for name, value in optional.items() if value is not None},
            **self.extensions,
            "data": self.data,
        }


class CloudEventCodec(Payload[T, CloudEvent]):
    """Makes events of one type. An event of an alias is one of them, too."""

    type: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()

    def event(
        self,
        data: T,
        *,
        source: str,
        id: str | None = None,
        time: str | None = None,
        subject: str | None = None,
        extensions: Mapping[str, Any] | None = None,
    ) -> CloudEvent:
        """Return an event of ``source``, a URI reference; ``id`` is by default a new UUID, ``time`` the present.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        more = {**({"subject": subject} if subject is not None else {}), **(extensions or {})}
        values = self.values(data)
        return CloudEvent(id or two_uuids()[0], source, self.type, values, time or now(), "application/json", more)


def encode(message: CloudEvent) -> bytes:
    """Return one event in structured mode, without a line end. Its content type is application/cloudevents+json.

    Raises WireError for an event that breaks a rule of the specification.
    """
    return encode_document(message.document())


def binary(message: CloudEvent) -> tuple[list[tuple[str, bytes]], bytes]:
    """Return the headers and the body of one event in Kafka's binary mode.

    Raises WireError as :func:`encode`.
    """
    encode(message)
    document = message.document()
    data, kind = document.pop("data"), document.pop("datacontenttype", "application/json")
    headers = [(f"ce_{name}", _header(value)) for name, value in document.items() if value is not None]
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return [*headers, ("content-type", kind.encode("utf-8"))], body


def answer(refused: Refused) -> None:
    """Return None: nobody awaits an answer to an event."""


class Reader(LineReader[Typed | CloudEvent]):
    """Reads events: bytes in, messages out.

    An event of the registry is a Received with its typed data, any other one is a CloudEvent, and what cannot be read
    is a Refused. Generated code derives a class and sets ``codecs``.
    """

    kind_member = "type"
    codecs: ClassVar[tuple[type[CloudEventCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        super().__init__(decode, validate, limits.message_bytes, divide)
        self._urns = {name: codec.message.urn for codec in self.codecs for name in (codec.type, *codec.aliases)}

    def message(self, body: bytes, headers: Sequence[Header] = ()) -> Typed | CloudEvent | Refused:
        """Return the event of one message in structured mode, or in binary mode with its ``headers``."""
        return self._one(pack(headers, body) if headers else body)

    def batch(self, body: bytes) -> Iterator[Typed | CloudEvent | Refused]:
        """Yield the events of one message in batched mode."""
        for part, _ in divide(body):
            yield self._one(part)

    def _typed(self, value: dict[str, Any]) -> Typed | CloudEvent | Refused:
        others = {name: item for name, item in value.items() if name not in _OWN and item is not None}
        kind, time = value.get("datacontenttype"), value.get("time")
        event = CloudEvent(value["id"], value["source"], value["type"], value.get("data"), time, kind, others)
        urn = self._urns.get(event.type)
        if urn is None:
            return event
        if value.get("data_base64") is not None:
            return Refused("binary_data", "data_base64 holds bytes", "/data_base64", message=event)
        if kind is not None and not is_json(kind) and event.data is not None:
            return Refused("content_type_not_json", "the data is not JSON", "/datacontenttype", message=event)
        return self._payloads.read(urn, {} if event.data is None else event.data, event)


def _header(value: Any) -> bytes:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.encode("utf-8")
