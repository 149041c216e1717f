"""A Redis of one's own: on a free loopback port, without files, gone at the end."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["PROGRAM", "running"]

PROGRAM = shutil.which("redis-server")


@contextmanager
def running() -> Iterator[str]:
    """Start redis-server and give its URL.

    Raises RuntimeError when it does not answer within 10 seconds.
    """
    assert PROGRAM is not None
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder)
        process = subprocess.Popen([PROGRAM, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    for _ in range(100):
        try:
            with socket.create_connection(("127.0.0.1", port), 0.1) as connection:
                connection.sendall(b"PING\r\n")
                if connection.recv(7) == b"+PONG\r\n":
                    return
        except OSError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"redis-server does not answer on port {port}")
