"""A Redis of one's own: on a free loopback port, gone at the end with all it kept."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from server import Server, free_port, scratch

__all__ = ["PROGRAM", "cluster", "running"]

_SLOTS = 16_384
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


@contextmanager
def cluster() -> Iterator[list[Server]]:
    """A Redis Cluster of three nodes, each with a third of the slots."""
    import redis

    assert PROGRAM is not None
    ports = [free_port() for _ in range(3)]
    with scratch() as folder, ExitStack() as stack:
        nodes = []
        for port in ports:
            Path(folder, str(port)).mkdir()
            options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", f"{folder}/{port}"]
            options += ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
            log = Path(folder, f"{port}.log")
            server = Server(f"redis://127.0.0.1:{port}/0", [PROGRAM, *options], log, partial(_answers, port), 20)
            server.start()
            stack.callback(server.crash)
            nodes.append(server)
        clients = [redis.Redis.from_url(server.url) for server in nodes]
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER", "ADDSLOTS", *range(number * _SLOTS // 3, (number + 1) * _SLOTS // 3))
            if number:
                bus = nodes[number].command[-1]
                clients[0].execute_command("CLUSTER", "MEET", "127.0.0.1", str(ports[number]), bus)
        while not all(client.cluster("INFO")["cluster_state"] == "ok" for client in clients):
            time.sleep(0.05)
        yield nodes
