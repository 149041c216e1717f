"""A MariaDB of one's own: Debian's package, on a free loopback port, gone at the end with all it stored."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from server import Server, free_port, own_user, scratch

__all__ = ["PROGRAM", "running"]


def _program() -> str | None:
    for name in ("mariadbd", "/usr/sbin/mariadbd"):
        if found := shutil.which(name):
            return found
    return None


PROGRAM = _program()


@contextmanager
def running(*settings: str) -> Iterator[Server]:
    """A MariaDB with an empty database ``shop``, with more options of mariadbd. Its ``url`` is of the superuser."""
    assert PROGRAM is not None
    port = free_port()
    with scratch() as folder:
        prefix = own_user("mysql", folder)
        data = f"{folder}/data"
        install = ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal"]
        install += ["--skip-test-db", f"--datadir={data}"]
        environment = {**os.environ, "HOME": folder, "TMPDIR": folder}
        subprocess.run([*prefix, *install], check=True, capture_output=True, cwd=folder, env=environment)
        Path(folder, "init.sql").write_text("CREATE DATABASE IF NOT EXISTS shop;\n")
        options = [
            "--no-defaults",
            f"--datadir={data}",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            f"--socket={folder}/mariadb.sock",
            f"--pid-file={folder}/mariadb.pid",
            f"--init-file={folder}/init.sql",
            f"--tmpdir={folder}",
            # Processes die here, the machine does not.
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-buffer-pool-size=32M",
            "--innodb-log-file-size=8M",
            "--skip-name-resolve",
            *settings,
        ]
        url = f"mysql://root@127.0.0.1:{port}/shop"
        server = Server(url, [*prefix, PROGRAM, *options], Path(folder, "mariadb.log"), partial(_answers, port), 60)
        try:
            server.start()
            yield server
        finally:
            server.crash()


def _answers(port: int) -> bool:
    """True once the server greets: the port is open a little earlier."""
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as connection:
            return len(connection.recv(5)) == 5
    except OSError:
        return False
