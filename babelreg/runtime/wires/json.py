"""JSON without an envelope, with typed data.

A codec makes a JSON object of typed data, ``encode`` its bytes, and a reader goes back: lines, or messages of any
transport, in, messages out. Where name, id, time and data stand is what ``wires.json`` of the registry says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.producer.encode import two_uuids
from babelreg.runtime.wires.line_reader import LineReader
from babelreg.runtime.wires.payload import Payload, Received, Refused, now
from babelreg.wire.format import WireError
from babelreg.wire.formats.plain_json import decode, limits, validate
from babelreg.wire.formats.plain_json import encode as encode_document
from babelreg.wire.formats.plain_json.members import member, pointer, with_member

__all__ = [
    "InvalidDataError",
    "MessageCodec",
    "Reader",
    "Received",
    "Refused",
    "WireError",
    "answer",
    "encode",
]

T = TypeVar("T")
Typed = Received[Any, dict[str, Any]]


class MessageCodec(Payload[T, dict[str, Any]]):
    """Makes messages of one name. The paths are those of the settings; None where they name none."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    urn_path: ClassVar[str | None] = None
    id_path: ClassVar[str | None] = None
    time_path: ClassVar[str | None] = None
    data_path: ClassVar[str | None] = None

    def message_of(self, data: T, *, id: str | None = None, time: str | None = None) -> dict[str, Any]:
        """Return a message; ``id`` is by default a new UUID, ``time`` the present, where the settings have them.

        Raises InvalidDataError for data that does not satisfy its contract, or has another value where one of these
        belongs; TypeError for the data of another message.
        """
        values = self.values(data)
        result: dict[str, Any] = {} if self.data_path is not None else values
        members = {
            self.urn_path: self.name,
            self.id_path: id or two_uuids()[0],
            self.time_path: time or now(),
        }
        for path, item in members.items():
            if path is not None and (path == self.urn_path or member(result, path) is None):
                result = with_member(result, path, item)
        return result if self.data_path is None else with_member(result, self.data_path, values)


def encode(message: Mapping[str, Any]) -> bytes:
    """Return one message, without a line end.

    Raises WireError for a value without a form in JSON.
    """
    return encode_document(message)


def answer(refused: Refused) -> None:
    """Return None: nobody awaits an answer."""


class Reader(LineReader[Typed | dict[str, Any]]):
    """Reads messages: bytes in, messages out.

    A message of the registry is a Received with its typed data, any other one is its JSON object, and what cannot be
    read is a Refused. Generated code derives a class and sets ``codecs``.
    """

    kind_member = ""
    codecs: ClassVar[tuple[type[MessageCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        super().__init__(decode, validate, limits.message_bytes)
        self._codecs = {name: codec for codec in self.codecs for name in (codec.name, *codec.aliases)}
        self._paths = sorted({codec.urn_path for codec in self.codecs if codec.urn_path is not None})

    def message(self, body: bytes, name: str | None = None) -> Typed | dict[str, Any] | Refused:
        """Return the message of one body; ``name`` is its topic or file, where no member has the name."""
        try:
            value = decode(body)
        except WireError as err:
            return Refused(err.code, err.detail, err.pointer, err.offset)
        return self._named(value, name)

    def _typed(self, value: dict[str, Any]) -> Typed | dict[str, Any] | Refused:
        return self._named(value, None)

    def _named(self, value: dict[str, Any], name: str | None) -> Typed | dict[str, Any] | Refused:
        names = [member(value, path) for path in self._paths]
        found = name if name is not None else next((each for each in names if isinstance(each, str)), None)
        codec = None if found is None else self._codecs.get(found)
        if codec is None:
            return value
        data = value if codec.data_path is None else member(value, codec.data_path)
        if not isinstance(data, dict):
            place = pointer(codec.data_path or "")
            return Refused("data_not_an_object", "the data is missing or not an object", place, message=value)
        return self._payloads.read(codec.message.urn, data, value)
