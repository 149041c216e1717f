"""WebSocket connections over blocking sockets: text messages, close, ping, and nothing else of RFC 6455.

A text message is handed over as bytes without a look at its UTF-8, so that its reader decides what is bad about it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import struct
from contextlib import suppress

__all__ = ["WebSocket"]

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA


class WebSocket:
    """One end of a connection. A client masks its frames, a server does not (RFC 6455, 5.1)."""

    def __init__(self, connection: socket.socket, *, masks: bool) -> None:
        self._connection = connection
        self._masks = masks
        self._buffer = b""

    @classmethod
    def connect(cls, host: str, port: int, *, timeout_seconds: float = 30) -> WebSocket:
        """Open a client's connection."""
        connection = socket.create_connection((host, port), timeout_seconds)
        key = base64.b64encode(os.urandom(16))
        connection.sendall(
            f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n".encode()
            + b"Sec-WebSocket-Key: "
            + key
            + b"\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        end = cls(connection, masks=True)
        status, headers = end._read_head()
        if b" 101 " not in status or headers.get(b"sec-websocket-accept") != _accept_key(key):
            raise ConnectionError(f"the server did not switch to WebSocket: {status!r}")
        return end

    @classmethod
    def accept(cls, connection: socket.socket) -> WebSocket:
        """Answer a client's opening handshake on an accepted socket."""
        end = cls(connection, masks=False)
        _, headers = end._read_head()
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + _accept_key(headers[b"sec-websocket-key"])
            + b"\r\n\r\n"
        )
        return end

    def send(self, message: bytes) -> None:
        self._send_frame(_TEXT, message)

    def receive(self) -> bytes | None:
        """Return the next message, or None when the other end has closed."""
        parts = []
        while True:
            try:
                final, opcode, content = self._read_frame()
            except EOFError:
                return None
            if opcode == _CLOSE:
                return None
            if opcode == _PING:
                self._send_frame(_PONG, content)
            elif opcode in (_CONTINUATION, _TEXT, _BINARY):
                parts.append(content)
                if final:
                    return b"".join(parts)

    def close(self) -> None:
        with suppress(OSError):  # the other end may have gone first
            self._send_frame(_CLOSE, struct.pack(">H", 1000))
        self._connection.close()

    def _send_frame(self, opcode: int, content: bytes) -> None:
        masked = 0x80 if self._masks else 0
        if len(content) < 126:
            head = struct.pack(">BB", 0x80 | opcode, masked | len(content))
        elif len(content) < 1 << 16:
            head = struct.pack(">BBH", 0x80 | opcode, masked | 126, len(content))
        else:
            head = struct.pack(">BBQ", 0x80 | opcode, masked | 127, len(content))
        if self._masks:
            mask = os.urandom(4)
            head += mask
            content = _masked(content, mask)
        self._connection.sendall(head + content)

    def _read_frame(self) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", self._read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._read(8))
        mask = self._read(4) if second & 0x80 else b""
        content = self._read(length)
        return bool(first & 0x80), first & 0x0F, _masked(content, mask) if mask else content

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            chunk = self._connection.recv(65536)
            if not chunk:
                raise EOFError
            self._buffer += chunk
        content, self._buffer = self._buffer[:count], self._buffer[count:]
        return content

    def _read_head(self) -> tuple[bytes, dict[bytes, bytes]]:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._read(1)
        status, *lines = head[:-4].split(b"\r\n")
        pairs = (line.partition(b":") for line in lines)
        return status, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _accept_key(key: bytes) -> bytes:
    return base64.b64encode(hashlib.sha1(key + _GUID).digest())


def _masked(content: bytes, mask: bytes) -> bytes:
    repeated = (mask * (len(content) // 4 + 1))[: len(content)]
    return (int.from_bytes(content, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(content), "big")
