"""What a wire format is: how a message looks as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from babelreg.contract import Envelope, Verdict

__all__ = ["Chunk", "Format"]


class Chunk(NamedTuple):
    """The bytes of one message in a stream, and the line it begins at, counted from 1."""

    body: bytes
    line: int


class Format(Protocol):
    """One wire format. A module satisfies it."""

    name: str

    def split(self, stream: BinaryIO) -> Iterator[Chunk]:
        """The messages in a stream, one at a time, in constant memory."""
        ...

    def decode(self, body: bytes) -> Envelope | Verdict:
        """The envelope of one message, or why it is none."""
        ...

    def encode(self, envelope: Envelope) -> bytes:
        """The message as bytes. ``decode(encode(e))`` is ``e``.

        Raises EmitError when it must not be on the wire.
        """
        ...
