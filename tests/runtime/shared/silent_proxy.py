"""A TCP proxy that can stop to forward while all its connections stay open, as a half-open connection does."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["SilentProxy"]


class SilentProxy:
    """Forwards connections on ``port`` to another port of this machine, as long as ``forwards`` is set.

    While it is not, a connection falls silent with the first data, in either direction, that ``holds``.
    """

    def __init__(self, target: int, holds: Callable[[bytes], bool] = lambda data: True) -> None:
        self.target = target
        self.holds = holds
        self.forwards = threading.Event()
        self.forwards.set()
        self.sockets: list[socket.socket] = []
        self.silent: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])

    @contextmanager
    def running(self) -> Iterator[SilentProxy]:
        threading.Thread(target=self._accept, daemon=True).start()
        try:
            yield self
        finally:
            self.listener.close()
            self.forwards.set()
            self.reset()

    def silence(self) -> None:
        """Forward nothing more on the connections of now; later ones work."""
        self.silent |= set(self.sockets)

    def reset(self) -> None:
        """End all connections by RST: what they have not forwarded is lost."""
        sockets, self.sockets = self.sockets, []
        for each in sockets:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RD)  # ends recv of its thread
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                accepted, _ = self.listener.accept()
                opened = socket.create_connection(("127.0.0.1", self.target))
                self.sockets += [accepted, opened]
                for source, sink in ((accepted, opened), (opened, accepted)):
                    threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.holds(data):
                    self.forwards.wait()
                if source not in self.silent:
                    sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
