"""A Redis of one's own: on a free loopback port, gone at the end with all it kept."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from server import Server, free_port, scratch

__all__ = ["PROGRAM", "running"]

PROGRAM = shutil.which("redis-server")


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    """A redis-server. ``durable``: every write is on the disk before it is answered, and outlives a crash."""
    assert PROGRAM is not None
    port = free_port()
    with scratch() as folder:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        options += ["--appendonly", "yes", "--appendfsync", "always"] if durable else ["--appendonly", "no"]
        log = Path(folder, "redis.log")
        server = Server(f"redis://127.0.0.1:{port}/0", [PROGRAM, *options], log, partial(_answers, port), 20)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
    except OSError:
        return False
