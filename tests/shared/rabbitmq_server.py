"""A RabbitMQ of one's own: Debian's rabbitmq-server as the current user, on free loopback ports, gone at the end.

It has its own data, cookie, node name and port mapper, so that it meets no other node of the machine. It takes about
5 s of CPU to start.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from server import Server, free_port, listens, scratch

__all__ = ["PROGRAM", "running"]

# Debian's /usr/sbin/rabbitmq-server is a wrapper that runs as root or rabbitmq alone.
_SCRIPT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_PLUGINS = next(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/plugins"), None)
PROGRAM = str(_SCRIPT) if _SCRIPT.is_file() else None


@contextmanager
def running(*, management_port: int | None = None) -> Iterator[Server]:
    """A rabbitmq-server with nothing in it; with ``management_port`` its management plugin answers there."""
    assert PROGRAM is not None
    port, mapper_port, distribution_port = free_port(), free_port(), free_port()
    with scratch() as folder:
        Path(folder, "none").mkdir()
        log = Path(folder, "rabbitmq.log")
        environment = {
            "HOME": folder,  # the cookie
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(mapper_port),
            "RABBITMQ_NODENAME": f"babelreg-{port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(port),
            "RABBITMQ_DIST_PORT": str(distribution_port),
            "RABBITMQ_BASE": folder,
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_PLUGINS_DIR": f"{folder}/none" if management_port is None else str(_PLUGINS),
            # Without busy waiting: the machine is others', too.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none "
            "-kernel inet_dist_use_interface {127,0,0,1}",
        }
        if management_port is not None:
            Path(folder, "plugins").write_text("[rabbitmq_management].\n")
            settings = f"management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {management_port}\n"
            Path(folder, "rabbitmq.conf").write_text(settings)
        # Erlang would start a port mapper by itself and leave it behind.
        mapper = Server("epmd", [shutil.which("epmd") or "epmd"], log, partial(listens, mapper_port), 10, environment)
        url = f"amqp://guest:guest@127.0.0.1:{port}/%2F"
        broker = Server(url, [PROGRAM], log, partial(_answers, port), 90, environment)
        try:
            mapper.start()
            broker.start()
            yield broker
        finally:
            broker.crash()
            mapper.crash()


def _answers(port: int) -> bool:
    """True once the protocol is spoken: the port is open a little earlier."""
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            return connection.recv(1) == b"\x01"
    except OSError:
        return False
