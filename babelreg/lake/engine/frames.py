"""Messages between a process and its workers: a length of eight bytes, then as many bytes."""

from __future__ import annotations

from typing import IO

_LENGTH_BYTES = 8


def write(stream: IO[bytes], message: bytes) -> None:
    """Write one message. Raises OSError."""
    stream.write(len(message).to_bytes(_LENGTH_BYTES))
    stream.write(message)
    stream.flush()


def read(stream: IO[bytes]) -> bytes | None:
    """Return the next message; None at the end, also within a message."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(head)
    message = stream.read(size)
    return message if len(message) == size else None
