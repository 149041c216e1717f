"""Base of the readers of the JSON formats: bytes in, messages out, one message a line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from babelreg.runtime.wires.payload import Payload, Payloads, Refused, items
from babelreg.wire.format import Diagnostic, Divide, WireError, first_error
from babelreg.wire.lines import LineDecoder

M = TypeVar("M")


class LineReader(ABC, Generic[M]):
    """Reads one stream. ``M`` is a message of the wire, or a Received with typed data.

    ``decode`` and ``validate`` are those of the wire format, ``limit`` the most bytes of a message.
    """

    codecs: ClassVar[tuple[type[Payload[Any, Any]], ...]] = ()
    kind_member: ClassVar[str]
    """The member of a message that names its kind."""

    def __init__(
        self,
        decode: Callable[[bytes], dict[str, Any]],
        validate: Callable[[Any], list[Diagnostic]],
        limit: int,
        divide: Divide | None = None,
    ) -> None:
        self._decode = decode
        self._validate = validate
        self._decoder = LineDecoder(decode, limit, divide)
        self._payloads = Payloads([codec.message for codec in self.codecs])

    def feed(self, data: bytes) -> list[M | Refused]:
        """Return the messages whose lines ``data`` ends."""
        return [self._checked(item) for item in items(self._decoder, data)]

    def close(self) -> list[M | Refused]:
        """Return the last message, where it has no line feed."""
        return [self._checked(item) for item in items(self._decoder, None)]

    def _one(self, data: bytes) -> M | Refused:
        """Return the message of ``data``, which is exactly one."""
        try:
            return self._accepted(self._decode(data))
        except WireError as err:
            return Refused(err.code, err.detail, err.pointer, err.offset)

    def _checked(self, item: Any) -> M | Refused:
        return item if isinstance(item, Refused) else self._accepted(item.value)

    def _accepted(self, value: dict[str, Any]) -> M | Refused:
        error = first_error(self._validate(value))
        item = self._typed(value) if error is None else Refused(error.code, error.detail, error.pointer, message=value)
        if not isinstance(item, Refused):
            return item
        identity, kind = value.get("id"), value.get(self.kind_member)
        return replace(
            item,
            id=identity if identity and isinstance(identity, str) else None,
            kind=kind if kind and isinstance(kind, str) else None,
        )

    @abstractmethod
    def _typed(self, value: dict[str, Any]) -> M | Refused:
        """Return the message of a valid document."""
